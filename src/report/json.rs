//! The report as JSON, schema `check/report/v1`. Fields may be added; none is renamed.

use std::io::{self, Write};

use serde::Serialize;

use crate::grade::{CaseReport, Report};
use crate::run::Layer;

#[derive(Serialize)]
struct JsonReport<'r> {
    schema: &'static str,
    assignment: &'r str,
    submission: &'r str,
    outcome: &'static str,
    score: f64,
    max_score: f64,
    interpreter: Option<&'r str>,
    runner: &'static str,
    confinement: Vec<JsonLayer<'r>>,
    rulings: Vec<JsonRuling>,
    notes: &'r [String],
    syntax_error: Option<&'r str>,
    cases: Vec<JsonCase<'r>>,
}

#[derive(Serialize)]
struct JsonLayer<'r> {
    layer: &'static str,
    state: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    why: &'r str,
}

fn json_layer(layer: &Layer) -> JsonLayer<'_> {
    JsonLayer { layer: layer.name, state: layer.state.id(), why: &layer.why }
}

#[derive(Serialize)]
struct JsonRuling {
    question: &'static str,
    answer: &'static str,
    inferred: bool,
}

#[derive(Serialize)]
struct JsonCase<'r> {
    id: &'r str,
    title: &'r str,
    verdict: &'static str,
    ending: Option<&'static str>,
    ending_detail: Option<&'r str>,
    points: f64,
    max_points: f64,
    duration_ms: Option<f64>,
    difference: Option<JsonDifference<'r>>,
    stderr_tail: &'r str,
}

#[derive(Serialize)]
struct JsonDifference<'r> {
    expected_line: Option<usize>,
    actual_line: Option<usize>,
    expected: Option<&'r str>,
    actual: Option<&'r str>,
    cause: &'static str,
    rule: Option<&'static str>,
    why: &'r str,
    input: Option<JsonInput<'r>>,
    situation: &'r str,
    story: Option<&'r str>,
}

#[derive(Serialize)]
struct JsonInput<'r> {
    number: usize,
    text: &'r str,
}

/// Writes the report, with a line end after it.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    // Control characters beyond ASCII and those that turn text round stand in strings only, and are told there by number.
    let mut text = String::new();
    for c in serde_json::to_string_pretty(&json(report))?.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => text += &format!("\\u{:04x}", c as u32),
            c => text.push(c),
        }
    }
    writer.write_all(text.as_bytes())?;
    writeln!(writer)
}

fn json(report: &Report) -> JsonReport<'_> {
    let rulings = report.rulings.iter();
    JsonReport {
        schema: "check/report/v1",
        assignment: &report.assignment,
        submission: &report.submission,
        outcome: report.outcome.id(),
        score: report.score.to_f64(),
        max_score: report.max_score.to_f64(),
        interpreter: report.interpreter.as_deref(),
        runner: report.runner,
        confinement: report.confinement.iter().map(json_layer).collect(),
        rulings: rulings
            .map(|ruling| JsonRuling { question: ruling.question, answer: ruling.answer, inferred: ruling.inferred })
            .collect(),
        notes: &report.notes,
        syntax_error: report.syntax_error.as_deref(),
        cases: report.cases.iter().map(json_case).collect(),
    }
}

fn json_case(case: &CaseReport) -> JsonCase<'_> {
    let difference = case.difference.as_ref().map(|difference| JsonDifference {
        expected_line: difference.expected_line.map(|line| line + 1),
        actual_line: difference.actual_line.map(|line| line + 1),
        expected: difference.expected_line.and_then(|line| case.expected.get(line)).map(|line| line.text.as_str()),
        actual: difference.actual_line.and_then(|line| case.actual.get(line)).map(|line| line.text.as_str()),
        cause: difference.cause.id(),
        rule: difference.rule.map(|rule| rule.id),
        why: &difference.why,
        input: difference.input.as_ref().map(|input| JsonInput { number: input.number, text: &input.text }),
        situation: &difference.situation,
        story: difference.story.as_deref(),
    });
    JsonCase {
        id: &case.id,
        title: &case.title,
        verdict: case.verdict.id(),
        ending: case.ending,
        ending_detail: case.ending_detail.as_deref(),
        points: case.points.to_f64(),
        max_points: case.max_points.to_f64(),
        // A tenth of a millisecond is as much as a clock tells of a process.
        duration_ms: case.duration.map(|duration| (duration.as_secs_f64() * 10_000.0).round() / 10.0),
        difference,
        stderr_tail: &case.stderr_tail,
    }
}
