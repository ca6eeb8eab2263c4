//! The formats for machines, each read by a reader of its kind, whatever stands in the fields of a report.

mod strategy;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;

use console_check::assignment::{Assignment, Points};
use console_check::grade::{
    CheckReport, CheckVerdict, Class, ClassCase, ClassCheck, Outcome, Record, Report, Row, Totals,
};
use console_check::judge::Verdict;
use console_check::report::{class_json, csv, github, gradescope, junit};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::Value;

use crate::cli::schema::faults_of;
use crate::support::quickest_python;
use strategy::reports;

/// Python's own readers, which answer in JSON.
struct Reader {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Reader {
    fn of(format: &str) -> RefCell<Reader> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats/reader.py");
        let mut command = Command::new(quickest_python().path);
        let command = command.arg(script).arg(format).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (questions, answers) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        RefCell::new(Reader { child, questions, answers: BufReader::new(answers) })
    }

    fn read(&mut self, bytes: &[u8]) -> Value {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(self.questions, "{hex}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(bytes)))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn written(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Vec<u8> {
    let mut bytes = vec![];
    write(&mut bytes).unwrap();
    bytes
}

/// A class of these submissions.
fn class_of(reports: &[Report]) -> (Class, Vec<Row>) {
    let row = |(index, report): (usize, &Report)| Row {
        key: report.submission.clone(),
        folder: index.to_string(),
        content: None,
        basis: String::new(),
        report: Record::from(report),
    };
    let rows: Vec<Row> = reports.iter().enumerate().map(row).collect();
    let mut totals = Totals::default();
    rows.iter().for_each(|row| totals.count(&row.report));
    let cases = reports.iter().flat_map(|report| &report.cases);
    let cases = cases.map(|case| ClassCase {
        id: case.id.clone(),
        title: case.title.clone(),
        max_points: case.max_points,
        hidden: case.hidden,
    });
    let title = reports.first().map(|report| report.title.clone()).unwrap_or_default();
    let checks = reports.iter().flat_map(|report| &report.checks).map(ClassCheck::from).collect();
    let class = Class { assignment: title.clone(), title, cases: cases.collect(), checks, totals };
    (class, rows)
}

#[test]
fn junit_is_legal_and_counts_right() {
    let reader = Reader::of("junit");
    proptest!(|(reports in prop::collection::vec(reports(), 1..3))| {
        let single = reader.borrow_mut().read(&written(|writer| junit::write(&reports[0], writer)));
        prop_assert_eq!(&single["faults"], &serde_json::json!([]));
        let (class, rows) = class_of(&reports);
        let class = written(|writer| {
            let mut suites = junit::Suites::begin(&class, writer)?;
            rows.iter().try_for_each(|row| suites.row(row))?;
            suites.finish()
        });
        let class = reader.borrow_mut().read(&class);
        prop_assert_eq!(&class["faults"], &serde_json::json!([]));
        let all = class["cases"].as_array().unwrap();
        // A submission reads the same alone and among others.
        let alone = single["cases"].as_array().unwrap();
        prop_assert_eq!(&all[..alone.len()], &alone[..]);
        let expected = reports.iter().map(|report| match report.cases.len() {
            0 => usize::from(report.reason.is_some()) + report.checks.len(),
            cases => cases + report.checks.len(),
        });
        prop_assert_eq!(all.len(), expected.sum::<usize>());
        // What a check has become stands in its own class.
        let checks = &alone[alone.len() - reports[0].checks.len()..];
        for (read, check) in checks.iter().zip(&reports[0].checks) {
            prop_assert!(read["class"].as_str().unwrap().ends_with(" (code)"), "{read}");
            let kind = match check.verdict {
                CheckVerdict::Passed => None,
                CheckVerdict::Failed => Some("failure"),
                CheckVerdict::Note => Some("system-out"),
                CheckVerdict::Skipped => Some("skipped"),
            };
            prop_assert_eq!(read["kind"].as_str(), kind);
        }
    });
}

#[test]
fn tables_have_their_columns_and_no_formula() {
    let reader = Reader::of("table");
    proptest!(|(reports in prop::collection::vec(reports(), 1..3))| {
        let (class, rows) = class_of(&reports);
        let single = written(|writer| csv::write(&reports[0], writer));
        let many = written(|writer| {
            let mut table = csv::Table::begin(&class, writer)?;
            rows.iter().try_for_each(|row| table.row(row))?;
            table.finish()
        });
        let own = reports[0].cases.len() + reports[0].checks.len();
        for (bytes, submissions, columns) in
            [(single, 1, own), (many, reports.len(), class.cases.len() + class.checks.len())]
        {
            let read = reader.borrow_mut().read(&bytes);
            let rows: Vec<Vec<String>> = serde_json::from_value(read["rows"].clone()).unwrap();
            prop_assert_eq!(rows.len(), submissions + 1);
            for row in &rows {
                prop_assert_eq!(row.len(), 7 + columns);
            }
            for row in &rows[1..] {
                prop_assert!(row[1].parse::<f64>().is_ok() && row[2].parse::<f64>().is_ok(), "{row:?}");
            }
            // Where a semicolon parts cells, nothing is a formula either.
            for reading in ["rows", "other"] {
                let rows: Vec<Vec<String>> = serde_json::from_value(read[reading].clone()).unwrap();
                for cell in rows.iter().flatten() {
                    let start = cell.trim_start_matches([' ', '"']).chars().next();
                    let is_formula = start.is_some_and(|c| "=+-@\t\r＝＋－＠".contains(c));
                    prop_assert!(!is_formula, "{cell:?}");
                    prop_assert!(reading == "other" || !cell.contains(char::is_control), "{cell:?}");
                }
            }
        }
    });
}

#[test]
fn gradescope_gets_what_it_documents() {
    proptest!(|(report in reports())| {
        let read: Value = serde_json::from_slice(&written(|writer| gradescope::write(&report, writer))).unwrap();
        prop_assert_eq!(faults_of(include_str!("../../src/report/gradescope.schema.json"), &read), Vec::<String>::new());
        let tests = read["tests"].as_array().unwrap();
        let told = |check: &&CheckReport| check.max_points > Points::ZERO || ["failed", "note"].contains(&check.verdict.id());
        let checks: Vec<&CheckReport> = report.checks.iter().filter(told).collect();
        prop_assert_eq!(tests.len(), report.cases.len() + checks.len());
        for (test, check) in tests[report.cases.len()..].iter().zip(checks) {
            prop_assert_eq!(test["visibility"] == "hidden", check.hidden);
            let status = match check.verdict {
                CheckVerdict::Passed | CheckVerdict::Note => Some("passed"),
                CheckVerdict::Failed => Some("failed"),
                CheckVerdict::Skipped => None,
            };
            prop_assert_eq!(test["status"].as_str(), status);
            // One without the other would be taken for a failure.
            prop_assert_eq!(test.get("score").is_some(), status.is_some());
            prop_assert_eq!(test["output"] == "", check.verdict == CheckVerdict::Passed);
        }
        let sum: f64 = tests.iter().filter_map(|test| test["score"].as_f64()).sum();
        prop_assert!((sum - read["score"].as_f64().unwrap()).abs() < 1e-6, "{sum}");
        for test in tests {
            for text in [&test["output"], &read["output"]] {
                let text = text.as_str().unwrap();
                prop_assert!(text.len() < 17 << 10 && !text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            }
        }
        for (test, case) in tests.iter().zip(&report.cases) {
            prop_assert_eq!(test["visibility"] == "hidden", case.hidden);
            prop_assert_eq!(test["status"] == "passed", case.verdict == Verdict::Passed);
            prop_assert!(!case.withheld || test["output"] == "", "{test}");
        }
    });
}

#[test]
fn results_of_a_class_are_as_the_schema_says() {
    proptest!(|(reports in prop::collection::vec(reports(), 0..3))| {
        let (class, rows) = class_of(&reports);
        let bytes = written(|writer| {
            let mut results = class_json::Results::begin(&class, writer)?;
            rows.iter().try_for_each(|row| results.row(row))?;
            results.finish()
        });
        let read: Value = serde_json::from_slice(&bytes).unwrap();
        prop_assert_eq!(faults_of(include_str!("../../src/report/results.v1.schema.json"), &read), Vec::<String>::new());
        let submissions = read["submissions"].as_array().unwrap();
        prop_assert_eq!(submissions.len(), rows.len());
        for (submission, row) in submissions.iter().zip(&rows) {
            let record: Record = serde_json::from_value(submission["report"].clone()).unwrap();
            prop_assert_eq!(&record, &row.report);
        }
        prop_assert_eq!(bytes.split(|byte| *byte == b'\n').count(), rows.len() + 3, "a line each");
    });
}

/// What GitHub's runner takes a line of a log for: a command of today, then one of old.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::") || line.contains("##[") || line.to_lowercase().contains("##vso[")
}

#[test]
fn github_is_told_nothing_by_a_submission() {
    proptest!(|(report in reports())| {
        let text = String::from_utf8(written(|writer| github::write(&report, writer))).unwrap();
        // Every line end that a reader may know.
        let lines: Vec<&str> = text.split_terminator(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}']).collect();
        for line in &lines {
            let (level, rest) = line.strip_prefix("::").unwrap().split_once(' ').unwrap();
            prop_assert!(["error", "warning", "notice"].contains(&level), "{line}");
            let (properties, message) = rest.split_once("::").unwrap();
            prop_assert!(!is_command(&format!(": {message}")), "{line}");
            let names: Vec<&str> = properties.split(',').map(|pair| pair.split_once('=').unwrap().0).collect();
            prop_assert!([&["title"][..], &["title", "file"], &["title", "file", "line"]].contains(&&names[..]), "{line}");
            prop_assert!(!line.contains(char::is_control), "{line}");
        }
        let failed = report.cases.iter().filter(|case| case.verdict != Verdict::Passed).count();
        let errors = if report.is_not_run() { 1 } else { failed.min(10) };
        // One of those that have one reason.
        let checks = |verdict| {
            let found = report.checks.iter().filter(|check| check.verdict == verdict);
            found.map(|check| &check.why).collect::<BTreeSet<_>>().len().min(10)
        };
        // Where nothing else fails the submission, the checks do.
        let is_fault = report.outcome == Outcome::Failed && failed == 0;
        let failed = checks(CheckVerdict::Failed);
        let (errors, warnings) = if is_fault { (failed, 0) } else { (errors, failed) };
        let levels = ["::error ", "::warning ", "::notice "];
        let found = levels.map(|level| lines.iter().filter(|line| line.starts_with(level)).count());
        prop_assert_eq!(found, [errors, warnings, checks(CheckVerdict::Note)]);
        let summary = String::from_utf8(written(|writer| github::write_summary(&report, 1 << 20, writer))).unwrap();
        for line in summary.lines() {
            prop_assert!(!is_command(line) && !line.contains(char::is_control), "{line}");
        }
    });
}

/// What of a summary is no code: all of it is ours.
fn markup(summary: &str) -> Vec<String> {
    let options = Options::ENABLE_GFM | Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_MATH;
    let options = options | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut in_block = false;
    let mut found = vec![];
    for event in Parser::new_ext(summary, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_block = true,
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_block = false,
            Event::Code(_) => {}
            Event::Text(_) if in_block => {}
            Event::Text(text) => found.push(text.into_string()),
            Event::Html(html) if html.starts_with("<details") => {
                // What stands between the tags is text as it is.
                let title = html.trim_end().split_once("<code>").unwrap().1.strip_suffix("</code></summary>").unwrap();
                assert!(!title.contains(['<', '>', '"']), "{title}");
            }
            Event::Html(html) => assert_eq!(html.trim_end(), "</details>"),
            Event::Start(Tag::TableCell | Tag::TableRow | Tag::TableHead | Tag::Table(_)) => {}
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::HtmlBlock | Tag::Emphasis) => {}
            Event::End(_) => {}
            other => panic!("{other:?} in {summary}"),
        }
    }
    found
}

#[test]
fn a_summary_is_markup_of_ours_alone() {
    proptest!(|(report in reports())| {
        let summary = String::from_utf8(written(|writer| github::write_summary(&report, 1 << 20, writer))).unwrap();
        for text in markup(&summary) {
            // Signs, verdicts and points.
            let is_ours = text.chars().all(|c| c.is_ascii_alphanumeric() || " .,:'✅❌➖".contains(c));
            prop_assert!(is_ours && !text.contains("HOSTILE"), "{text:?} in {summary}");
        }
        let rows = summary.lines().filter(|line| ["| ✅", "| ❌", "| ➖"].iter().any(|sign| line.starts_with(sign)));
        for row in rows {
            prop_assert_eq!(row.matches('|').count(), 5, "{}", row);
        }
    });
}

#[test]
fn a_summary_is_cut_between_its_parts() {
    proptest!(|(report in reports(), room in 0..6000_usize)| {
        let whole = written(|writer| github::write_summary(&report, usize::MAX, writer));
        let cut = String::from_utf8(written(|writer| github::write_summary(&report, room, writer))).unwrap();
        prop_assert!(cut.len() <= room, "{} of {room}", cut.len());
        markup(&cut);
        let told = cut.ends_with("_The summary is cut here: GitHub takes no more than 1 MiB of it._\n");
        prop_assert!(told || cut.is_empty() || cut.as_bytes() == whole);
    });
}

#[test]
fn without_durations_there_is_no_time() {
    proptest!(|(report in reports())| {
        let report = report.without_durations();
        let junit = String::from_utf8(written(|writer| junit::write(&report, writer))).unwrap();
        prop_assert!(!junit.contains("time="), "{junit}");
        let gradescope = String::from_utf8(written(|writer| gradescope::write(&report, writer))).unwrap();
        prop_assert!(!gradescope.contains("execution_time"), "{gradescope}");
    });
}

/// A writer that keeps nothing.
#[derive(Clone, Default)]
struct Counter(Rc<Cell<usize>>);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_class_is_written_row_by_row() {
    let class = Class::new(&Assignment::built_in("darts").unwrap());
    let report = reports().new_tree(&mut TestRunner::deterministic()).unwrap().current();
    let (_, rows) = class_of(&[report]);
    let (mut one, mut two, mut three) = (Counter::default(), Counter::default(), Counter::default());
    let counters = [one.clone(), two.clone(), three.clone()];
    let mut suites = junit::Suites::begin(&class, &mut one).unwrap();
    let mut table = csv::Table::begin(&class, &mut two).unwrap();
    let mut results = class_json::Results::begin(&class, &mut three).unwrap();
    let mut before = [0; 3];
    for _ in 0..10 {
        // A table keeps a few kilobytes back.
        for _ in 0..1000 {
            suites.row(&rows[0]).unwrap();
            table.row(&rows[0]).unwrap();
            results.row(&rows[0]).unwrap();
        }
        let out = [0, 1, 2].map(|format| counters[format].0.get());
        assert!(std::iter::zip(before, out).all(|(before, out)| before < out), "{before:?} {out:?}");
        before = out;
    }
}
