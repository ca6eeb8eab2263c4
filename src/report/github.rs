//! GitHub Actions: annotations, which are commands in the log, and the summary of a job in Markdown.
//!
//! In an annotation a text is escaped as GitHub asks for, and made visible before; nothing else is written to the log.
//! In the summary all that was not written here stands in code, inline or in a fence, where nothing is markup.

use std::io::{self, Write};

use super::terminal;
use super::told::{check_details, check_kind, details, group_name, kind, short};
use super::visible::{Spaces, visible, without_commands};
use super::words;
use crate::grade::{CaseRecord, CaseReport, CheckReport, CheckVerdict, Outcome, Record, Report};
use crate::judge::Verdict;

/// Annotations of a level that GitHub shows of one step.
const MOST_ANNOTATIONS: usize = 10;
/// Bytes of one summary that GitHub takes.
pub const MOST_SUMMARY: usize = 1 << 20;

/// What stands where the summary is cut.
const CUT: &str = "\n_The summary is cut here: GitHub takes no more than 1 MiB of it._\n";

/// Writes an annotation for each of the first cases that failed, and for what was found in the code: a check that failed
/// is a warning, an error only where it alone fails the submission.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let record = Record::from(report);
    // A command line is no file.
    let file = report.interpreter.is_some().then_some(report.submission.as_str());
    let file = file.map(|file| file.strip_prefix("./").unwrap_or(file));
    if report.is_not_run() {
        let title = format!("{} {}", short(&report.submission), words::outcome(report));
        let said = report.syntax_error.as_deref().unwrap_or_default();
        let lines: Vec<String> = said.trim_end().lines().map(short).collect();
        writeln!(writer, "{}", annotation("error", &title, file.map(|file| (file, line_of(said))), &lines))?;
    }
    let is_failed = |case: &&CaseRecord| case.verdict != Verdict::Passed;
    let failed = record.cases.iter().filter(|case| !report.is_not_run() && is_failed(case));
    for case in failed.take(MOST_ANNOTATIONS) {
        let title = format!("{}: {}", short(&case.id), short(&case.title));
        writeln!(writer, "{}", annotation("error", &title, file.map(|file| (file, None)), &message(&record, case)))?;
    }
    let is_fault = report.outcome == Outcome::Failed && !record.cases.iter().any(|case| is_failed(&case));
    let levels = [(if is_fault { "error" } else { "warning" }, CheckVerdict::Failed), ("notice", CheckVerdict::Note)];
    let groups = words::groups(report);
    for (level, verdict) in levels {
        let groups = groups.iter().filter(|group| group.iter().all(|check| check.verdict == verdict));
        for group in groups.take(MOST_ANNOTATIONS) {
            let place = file.map(|file| (file, group.first().and_then(|check| check.line)));
            writeln!(writer, "{}", annotation(level, &group_name(group), place, &group_message(group)))?;
        }
    }
    Ok(())
}

fn group_message(group: &[&CheckReport]) -> Vec<String> {
    let details = group.first().map(|check| check_details(check)).unwrap_or_default();
    [check_kind(group)].into_iter().chain(details).collect()
}

fn message(report: &Record, case: &CaseRecord) -> Vec<String> {
    [kind(case)].into_iter().chain(details(report, case)).collect()
}

fn annotation(level: &str, title: &str, place: Option<(&str, Option<usize>)>, lines: &[String]) -> String {
    let mut command = format!("::{level} title={}", property(title));
    if let Some((file, line)) = place {
        command += &format!(",file={}", property(file));
        command.extend(line.map(|line| format!(",line={line}")));
    }
    // What follows the second `::` is a text up to the end of the line.
    format!("{command}::{}", escaped(&lines.join("\n")))
}

/// The line of which Python says that it can't read it: `  File "student.py", line 3`.
fn line_of(words: &str) -> Option<usize> {
    words.lines().next()?.rsplit_once("\", line ")?.1.parse().ok()
}

/// A text as GitHub takes it in an annotation.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The same for a property, such as the title.
fn property(text: &str) -> String {
    escaped(&without_commands(&visible(text, Spaces::Plain))).replace(':', "%3A").replace(',', "%2C")
}

/// Writes the summary, in at most so many bytes; where it does not fit, the last it says is that.
///
/// # Errors
/// Those of the writer.
pub fn write_summary(report: &Report, room: usize, writer: &mut dyn Write) -> io::Result<()> {
    let mut used = 0;
    for block in blocks(report) {
        // Nothing is cut in its middle, where a fence would stay open.
        if used + block.len() + CUT.len() > room {
            return if used + CUT.len() > room { Ok(()) } else { writer.write_all(CUT.as_bytes()) };
        }
        used += block.len();
        writer.write_all(block.as_bytes())?;
    }
    Ok(())
}

/// The summary in pieces that are whole by themselves.
fn blocks(report: &Report) -> impl Iterator<Item = String> {
    let became = match report.reason {
        Some(_) => "could not be graded".to_owned(),
        None => words::outcome(report),
    };
    let sign = if report.outcome == Outcome::Passed { "✅" } else { "❌" };
    let head = format!("## {sign} {} {became}\n\n{}\n", code(&report.submission), code(&report.title));
    let reason = report.reason.iter().map(|reason| fenced(&short(reason)));
    let cases: &[CaseReport] = if report.is_not_run() { &[] } else { &report.cases };
    let failing = cases.iter().filter(|case| case.verdict != Verdict::Passed && !case.withheld);
    let in_full = failing.take(MOST_ANNOTATIONS).enumerate().map(|(index, case)| in_full(report, case, index == 0));
    let table_head = (!cases.is_empty()).then(|| "\n|  | case |  | points |\n| --- | --- | --- | ---: |\n".to_owned());
    let rows = cases.iter().map(table_row);
    let closing = Some(terminal::closing(report)).filter(|text| !text.is_empty());
    let closing = closing.into_iter().map(|text| fenced(&text));
    let cases = table_head.into_iter().chain(rows).chain(in_full);
    let check_head = words::checks(report).map(|points| {
        format!("\n### {}: {points}\n\n|  | check |  | points |\n| --- | --- | --- | ---: |\n", words::CODE)
    });
    let findings = words::groups(report).into_iter().take(MOST_ANNOTATIONS).map(|group| group_in_full(&group));
    let checks = check_head.into_iter().chain(words::told_checks(report).map(check_row)).chain(findings);
    [head].into_iter().chain(reason).chain(closing).chain(cases).chain(checks)
}

fn table_row(case: &CaseReport) -> String {
    let sign = if case.verdict == Verdict::Passed { "✅" } else { "❌" };
    let (id, title) = (code(&case.id), code(&case.title));
    let verdict = words::verdict(case.verdict);
    format!("| {sign} | {id} {title} | {verdict} | {} of {} |\n", case.points, case.max_points)
}

fn check_row(check: &CheckReport) -> String {
    let sign = match check.verdict {
        CheckVerdict::Passed => "✅",
        CheckVerdict::Failed => "❌",
        CheckVerdict::Note | CheckVerdict::Skipped => "➖",
    };
    let (id, sentence) = (code(&check.id), code(&check.sentence));
    let (verdict, points) = (words::check_verdict(check.verdict), words::check_points(&[check]).unwrap_or_default());
    format!("| {sign} | {id} {sentence} | {verdict} | {points} |\n")
}

/// The first one is open, the others unfold.
fn in_full(report: &Report, case: &CaseReport, is_open: bool) -> String {
    unfolding(&format!("{}: {}", short(&case.id), short(&case.title)), &terminal::case(report, case), is_open)
}

fn group_in_full(group: &[&CheckReport]) -> String {
    let text = group.first().map(|check| terminal::check(check)).unwrap_or_default();
    unfolding(&group_name(group), &text, false)
}

fn unfolding(title: &str, text: &str, is_open: bool) -> String {
    let (title, text) = (html(title), fenced(text));
    let open = if is_open { " open" } else { "" };
    format!("\n<details{open}><summary><code>{title}</code></summary>\n{text}\n</details>\n")
}

/// A text in a line of code. A pipe would end the cell of a table, and can't be escaped in every place.
fn code(text: &str) -> String {
    let text = short(text).replace('|', "¦");
    let fence = "`".repeat(longest_run(&text) + 1);
    // A space beside the fence is no part of the text, and parts it from a backtick.
    format!("{fence} {text} {fence}")
}

fn fenced(text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("\n{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_holds_whatever_it_is() {
        assert_eq!(fenced("```\n# a\n"), "\n````text\n```\n# a\n````\n");
        assert_eq!(code("a ``b`` | `"), "``` a ``b`` ¦ ` ```");
    }

    #[test]
    fn an_annotation_is_one_line() {
        let lines = ["100%".to_owned(), "b::c".to_owned()];
        let command = annotation("error", "a: b,\r\n::c", Some(("d,e.py", Some(3))), &lines);
        assert_eq!(command, "::error title=a%3A b%2C␍␊%3A%3Ac,file=d%2Ce.py,line=3::100%25%0Ab::c");
    }
}
