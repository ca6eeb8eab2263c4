//! The `results.json` of one submission as Gradescope's autograders write it, schema `gradescope.schema.json`.
//!
//! All texts are of Gradescope's format `text`, in which nothing is markup.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::terminal;
use super::told::short;
use super::words;
use crate::grade::{CaseReport, Report};
use crate::judge::Verdict;

/// Bytes of one text at most: Gradescope shows all of it in a page.
const MOST: usize = 16 << 10;

#[derive(Serialize)]
struct Results {
    score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_time: Option<f64>,
    output: String,
    output_format: &'static str,
    test_output_format: &'static str,
    test_name_format: &'static str,
    visibility: &'static str,
    // What else a run of the autograder prints is for instructors.
    stdout_visibility: &'static str,
    tests: Vec<Test>,
}

#[derive(Serialize)]
struct Test {
    score: f64,
    max_score: f64,
    status: &'static str,
    name: String,
    number: String,
    output: String,
    tags: Vec<String>,
    visibility: &'static str,
}

/// Writes the report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let time = report.cases.iter().filter_map(|case| case.duration).reduce(|sum, time| sum + time);
    let results = Results {
        score: report.score.to_f64(),
        execution_time: time.map(seconds),
        output: cut(summary(report)),
        output_format: "text",
        test_output_format: "text",
        test_name_format: "text",
        visibility: "visible",
        stdout_visibility: "hidden",
        tests: report.cases.iter().enumerate().map(|(index, case)| test(report, case, index + 1)).collect(),
    };
    writeln!(writer, "{}", serde_json::to_string_pretty(&results)?)
}

fn summary(report: &Report) -> String {
    format!("{} {}\n{}", short(&report.submission), short(&words::outcome(report)), terminal::closing(report))
}

fn test(report: &Report, case: &CaseReport, number: usize) -> Test {
    let passed = case.verdict == Verdict::Passed;
    let rule = case.difference.as_ref().and_then(|difference| difference.rule);
    Test {
        score: case.points.to_f64(),
        max_score: case.max_points.to_f64(),
        status: if passed { "passed" } else { "failed" },
        name: format!("{}: {}", short(&case.id), short(&case.title)),
        number: number.to_string(),
        output: if passed { String::new() } else { cut(terminal::case(report, case)) },
        tags: [case.verdict.id()].into_iter().chain(rule.map(|rule| rule.id)).map(str::to_owned).collect(),
        visibility: if case.hidden { "hidden" } else { "visible" },
    }
}

/// In seconds, to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

/// The whole lines that there is room for, with a word where some are missing.
fn cut(text: String) -> String {
    if text.len() <= MOST {
        return text;
    }
    let end = text.as_bytes()[..MOST].iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    format!("{}\n… This text is cut here.\n", &text[..end])
}
