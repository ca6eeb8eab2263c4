//! JUnit's XML: a suite a submission, a test case a case, and one a check of the code, which are of another class.
//!
//! What did not pass is a failure. An error is what tells nothing of the program: a fault of `check`, or a submission
//! that could not be opened. There are no times of day and no random ids, so that the same outcome gives the same bytes.

use std::io::{self, Write};
use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::told::{check_details, check_headline, check_name, details, headline, short};
use crate::grade::{CaseRecord, CheckReport, CheckVerdict, Class, Record, Report, Row};
use crate::judge::Verdict;

/// Writes the report of one submission.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let suite = suite(&report.submission, &Record::from(report), &report.checks);
    let mut all = quick_junit::Report::new(short(&report.assignment));
    all.time = suite.time;
    all.add_test_suite(suite);
    writer.write_all(text(&all)?.as_bytes())
}

/// A class, written submission by submission.
pub struct Suites<'w> {
    class: &'w Class,
    writer: &'w mut dyn Write,
}

/// Where the envelope of all suites ends.
const END: &str = "</testsuites>";

impl<'w> Suites<'w> {
    /// Opens the envelope.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn begin(class: &'w Class, writer: &'w mut dyn Write) -> io::Result<Suites<'w>> {
        let mut all = quick_junit::Report::new(short(&class.assignment));
        let totals = class.totals;
        all.tests = totals.cases + totals.ungraded_cases + totals.checks;
        (all.failures, all.errors) = (totals.failed_cases + totals.failed_checks, totals.ungraded_cases);
        all.skipped = totals.skipped_checks;
        let text = text(&all)?;
        let start = text.find(END).unwrap_or(text.len());
        writer.write_all(&text.as_bytes()[..start])?;
        Ok(Suites { class, writer })
    }

    /// Writes the suite of the next submission.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let mut all = quick_junit::Report::unnamed();
        all.add_test_suite(suite(&row.key, &row.report, &self.class.checks_of(&row.report)));
        let text = text(&all)?;
        // The names of both stand in tags of their own: in a text, < is written in another way.
        let start = text.find("<testsuite ").unwrap_or(0);
        let end = text.rfind(END).unwrap_or(text.len());
        write!(self.writer, "    {}", &text[start..end])
    }

    /// Closes the envelope.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<()> {
        writeln!(self.writer, "{END}")
    }
}

fn text(report: &quick_junit::Report) -> io::Result<String> {
    report.to_string().map_err(io::Error::other)
}

fn suite(name: &str, report: &Record, checks: &[CheckReport]) -> TestSuite {
    let name = short(name);
    let mut suite = TestSuite::new(name.as_str());
    let answers = report.rulings.iter().map(|ruling| (ruling.question.clone(), ruling.answer.clone()));
    let known = [
        ("outcome".to_owned(), report.outcome.id().to_owned()),
        ("score".to_owned(), report.score.to_string()),
        ("max_score".to_owned(), report.max_score.to_string()),
    ];
    for (name, value) in known.into_iter().chain(answers) {
        suite.add_property((short(&name), short(&value)));
    }
    for case in &report.cases {
        let mut test = TestCase::new(format!("{}: {}", short(&case.id), short(&case.title)), status(report, case));
        test.set_classname(name.as_str());
        test.time = duration(case);
        suite.add_test_case(test);
    }
    if let (true, Some(reason)) = (report.cases.is_empty(), &report.reason) {
        let mut test = TestCase::new("submission", error(report, reason));
        test.set_classname(name.as_str());
        suite.add_test_case(test);
    }
    for check in checks {
        let mut test = check_test(check);
        test.set_classname(format!("{name} (code)"));
        suite.add_test_case(test);
    }
    // No sum where nothing was measured.
    suite.time = report.cases.iter().filter_map(duration).reduce(|sum, time| sum + time);
    suite
}

fn status(report: &Record, case: &CaseRecord) -> TestCaseStatus {
    if let Some(reason) = &report.reason {
        return error(report, reason);
    }
    if case.verdict == Verdict::Passed {
        return TestCaseStatus::success();
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_message(headline(report, case)).set_type(case.verdict.id());
    status.set_description(details(report, case).join("\n"));
    status
}

fn check_test(check: &CheckReport) -> TestCase {
    let mut status = match check.verdict {
        CheckVerdict::Passed | CheckVerdict::Note => TestCaseStatus::success(),
        CheckVerdict::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        CheckVerdict::Skipped => TestCaseStatus::skipped(),
    };
    status.set_message(check_headline(check));
    if check.verdict == CheckVerdict::Failed {
        status.set_type(check.verdict.id()).set_description(check_details(check).join("\n"));
    }
    let mut test = TestCase::new(check_name(check), status);
    if check.verdict == CheckVerdict::Note {
        test.set_system_out(check_details(check).join("\n"));
    }
    test
}

fn error(report: &Record, reason: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(short(reason)).set_type(report.outcome.id());
    status
}

fn duration(case: &CaseRecord) -> Option<Duration> {
    Duration::try_from_secs_f64(case.duration_ms? / 1000.0).ok()
}
