//! A case in a few lines of plain text, as the formats tell it that have no room for two transcripts. All of it is
//! visible and bounded, whatever a program printed.

use reference::rules::Rule;

use super::visible::{Spaces, visible, without_commands};
use super::words::{self, Remark};
use crate::grade::{CaseRecord, CheckReport, DifferenceRecord, Record};
use crate::judge::Verdict;
use crate::shared::first_of;

/// Characters of one text that are told at most.
const MOST: usize = 500;
/// Lines of standard error that are told at most.
const STDERR_LINES: usize = 14;

/// A text in one line, cut where it is long, and no command to whatever shows it.
pub fn short(text: &str) -> String {
    // What is beyond the cut need not be made visible.
    let start: String = text.chars().take(MOST).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    without_commands(&visible(&start, Spaces::Plain)) + more
}

/// What kind of end a case came to: `crashed (NameError, ended_early)`.
pub fn kind(case: &CaseRecord) -> String {
    let ended = case.ending_detail.as_deref().filter(|_| case.verdict != Verdict::Mismatch);
    let cause = case.difference.as_ref().map(|difference| difference.cause.id());
    let kinds: Vec<&str> = ended.into_iter().chain(cause).collect();
    let kinds = if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) };
    short(&format!("{}{kinds}", words::verdict(case.verdict)))
}

/// The same with the reason: `differs (number): 20 is printed for 25`.
pub fn headline(report: &Record, case: &CaseRecord) -> String {
    let why = case.difference.as_ref().map(|difference| difference.why.as_str()).or(why_not_run(report));
    kind(case) + &why.map(|why| format!(": {}", short(why))).unwrap_or_default()
}

/// The name of a check of the code, and what is asked: `header: The comment at the top …`.
pub fn check_name(check: &CheckReport) -> String {
    format!("{}: {}", short(&check.id), short(&check.sentence))
}

/// The same of checks that have one reason together: of several the names alone.
pub fn group_name(group: &[&CheckReport]) -> String {
    match group {
        [check] => check_name(check),
        _ => first_of(&group.iter().map(|check| short(&check.id)).collect::<Vec<_>>(), 10),
    }
}

/// What became of such checks: `not so, 0.0 of 0.5 points`.
pub fn check_kind(group: &[&CheckReport]) -> String {
    let verdict = group.first().map(|check| words::check_verdict(check.verdict)).unwrap_or_default();
    let points = words::check_points(group).map(|points| format!(", {points} points"));
    verdict.to_owned() + &points.unwrap_or_default()
}

/// What became of a check, with the reason: `not so: there is no function named main`.
pub fn check_headline(check: &CheckReport) -> String {
    format!("{}: {}", words::check_verdict(check.verdict), short(&check.why))
}

/// Why a check did not pass, and its rule, line by line.
pub fn check_details(check: &CheckReport) -> Vec<String> {
    let line = |Remark { label, text }| format!("{label}: {}", short(&text));
    words::check_remarks(check).into_iter().map(line).collect()
}

/// Why a submission was not run: the reason, or the last of Python's words.
pub fn why_not_run(report: &Record) -> Option<&str> {
    report.reason.as_deref().or_else(|| report.syntax_error.as_deref()?.trim_end().lines().last())
}

/// What else is known of a case, line by line.
pub fn details(report: &Record, case: &CaseRecord) -> Vec<String> {
    let mut lines = vec![];
    lines.extend(case.difference.iter().flat_map(of_difference));
    let broke = case.ending.as_deref() == Some("crashed");
    lines.extend(broke.then(|| last_lines(&case.stderr_tail)).into_iter().flatten());
    if case.verdict == Verdict::NotRun {
        lines.extend(report.syntax_error.as_deref().map(last_lines).into_iter().flatten());
    }
    lines
}

fn of_difference(difference: &DifferenceRecord) -> Vec<String> {
    let side = |whose: &str, number: Option<usize>, text: &Option<String>| {
        Some(format!("{whose} line {}: {}", number?, short(text.as_deref()?)))
    };
    let mut lines = vec![];
    lines.extend(side("Expected", difference.expected_line, &difference.expected));
    lines.extend(side("Printed", difference.actual_line, &difference.actual));
    lines.push(format!("Why: {}", short(&difference.why)));
    lines.extend(difference.story.as_deref().map(short));
    lines.extend(difference.rule.as_deref().map(|id| match Rule::find(id) {
        Some(rule) => format!("Rule: {} ({}; {})", rule.sentence, rule.id, rule.place),
        None => format!("Rule: {}", short(id)),
    }));
    let input = difference.input.as_ref();
    let after = input.map(|input| format!("after answer {}, «{}»", input.number, short(&input.text)));
    let place = Some(short(&difference.situation)).filter(|situation| !situation.is_empty());
    let place: Vec<String> = place.into_iter().chain(after).collect();
    lines.extend((!place.is_empty()).then(|| format!("Where: {}", place.join(", "))));
    lines
}

fn last_lines(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(STDERR_LINES)..].iter().map(|line| short(line)).collect()
}
