//! The `results.json` of one submission as Gradescope's autograders write it, schema `gradescope.schema.json`.
//!
//! All texts are of Gradescope's format `text`, in which nothing is markup.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

use super::terminal;
use super::told::{check_kind, check_name, short};
use super::words;
use crate::assignment::Points;
use crate::grade::{CaseReport, CheckReport, CheckVerdict, Report};
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
    #[serde(flatten)]
    marks: Option<Marks>,
    name: String,
    number: String,
    output: String,
    tags: Vec<String>,
    visibility: &'static str,
}

/// What makes a test a passed or a failed one; without it, it is just shown.
#[derive(Serialize)]
struct Marks {
    score: f64,
    max_score: f64,
    status: &'static str,
}

impl Marks {
    fn new(score: Points, max_score: Points, passed: bool) -> Marks {
        let status = if passed { "passed" } else { "failed" };
        Marks { score: score.to_f64(), max_score: max_score.to_f64(), status }
    }
}

/// Writes the report.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let cases = report.cases.iter().map(|case| test(report, case));
    let tests = cases.chain(words::told_checks(report).map(check_test));
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
        tests: tests.enumerate().map(|(index, test)| Test { number: (index + 1).to_string(), ..test }).collect(),
    };
    writeln!(writer, "{}", serde_json::to_string_pretty(&results)?)
}

fn summary(report: &Report) -> String {
    format!("{} {}\n{}", short(&report.submission), short(&words::outcome(report)), terminal::closing(report))
}

fn test(report: &Report, case: &CaseReport) -> Test {
    let passed = case.verdict == Verdict::Passed;
    let rule = case.difference.as_ref().and_then(|difference| difference.rule);
    Test {
        marks: Some(Marks::new(case.points, case.max_points, passed)),
        name: format!("{}: {}", short(&case.id), short(&case.title)),
        number: String::new(),
        output: if passed { String::new() } else { cut(terminal::case(report, case)) },
        tags: [case.verdict.id()].into_iter().chain(rule.map(|rule| rule.id)).map(str::to_owned).collect(),
        visibility: visibility(case.hidden),
    }
}

fn check_test(check: &CheckReport) -> Test {
    // Without its points what was not looked at is neither red nor green.
    let is_marked = check.verdict != CheckVerdict::Skipped;
    let marks = || Marks::new(check.points, check.max_points, check.verdict != CheckVerdict::Failed);
    let output = || cut(format!("{}\n{}", check_kind(&[check]), terminal::check(check)));
    Test {
        marks: is_marked.then(marks),
        name: check_name(check),
        number: String::new(),
        output: if words::is_finding(check) { output() } else { String::new() },
        tags: [check.verdict.id()].into_iter().chain(check.rule.map(|rule| rule.id)).map(str::to_owned).collect(),
        visibility: visibility(check.hidden),
    }
}

fn visibility(hidden: bool) -> &'static str {
    if hidden { "hidden" } else { "visible" }
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
