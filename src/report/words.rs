//! What every format that a person reads says in the same words.

use std::path::Path;

use crate::assignment::Points;
use crate::grade::{CaseReport, CheckReport, CheckVerdict, Outcome, Report};
use crate::judge::Verdict;
use crate::run::{Layer, State};
use crate::shared::is_python_name;

/// The same with a capital letter at its start.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A verdict in words for a student.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotRun => "does not run",
        Verdict::Mismatch => "differs",
        Verdict::Crashed => "crashed",
        Verdict::WantedMoreInput => "wanted more input",
        Verdict::TimedOut => "ran out of time",
        Verdict::TooMuchOutput => "too much output",
        Verdict::TooMuchMemory => "too much memory",
        Verdict::LeftInputUnread => "left input unread",
        Verdict::Presentation => "only layout",
        Verdict::Passed => "passed",
    }
}

/// The points of a submission.
pub fn points(report: &Report) -> String {
    format!("{} of {} points", report.score, report.max_score)
}

/// All its cases, which it passes.
pub fn all_cases(report: &Report) -> String {
    match report.cases.len() {
        1 => "the one case".to_owned(),
        total => format!("all {total} cases"),
    }
}

/// What became of a submission, as what stands after its name.
pub fn outcome(report: &Report) -> String {
    let points = points(report);
    match (&report.reason, &report.syntax_error, report.cases.len()) {
        (Some(reason), ..) => format!("could not be graded: {reason}"),
        (_, Some(_), _) => format!("does not run: Python can't read it. {points}."),
        _ if report.outcome == Outcome::Passed => format!("passes {}: {points}.", all_cases(report)),
        _ if report.cases.iter().all(|case| case.verdict == Verdict::Passed) => {
            format!("passes {}, but not what is asked of its code: {points}.", all_cases(report))
        }
        (.., total) => {
            let passed = report.cases.iter().filter(|case| case.verdict == Verdict::Passed).count();
            let cases = if total == 1 { "case" } else { "cases" };
            format!("does not pass yet: {passed} of {total} {cases}, {points}.")
        }
    }
}

/// What all checks are about, as a heading.
pub const CODE: &str = "What is asked of the code";

/// The checks of the code that have something to say.
pub fn findings(report: &Report) -> impl Iterator<Item = &CheckReport> {
    report.checks.iter().filter(|check| is_finding(check))
}

/// Whether a check of the code has something to say.
pub fn is_finding(check: &CheckReport) -> bool {
    match check.verdict {
        CheckVerdict::Passed => false,
        CheckVerdict::Failed | CheckVerdict::Note => true,
        // What was not asked for is worth no word, as what counts is.
        CheckVerdict::Skipped => check.max_points > Points::ZERO,
    }
}

/// The checks of the code that count or have something to say.
pub fn told_checks(report: &Report) -> impl Iterator<Item = &CheckReport> {
    report.checks.iter().filter(|check| check.max_points > Points::ZERO || is_finding(check))
}

/// The same, those with one reason together: what follows from it is no finding of its own.
pub fn groups(report: &Report) -> Vec<Vec<&CheckReport>> {
    let mut groups: Vec<Vec<&CheckReport>> = vec![];
    for check in findings(report) {
        let is_same = |first: &CheckReport| first.verdict == check.verdict && (first.why == check.why);
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| is_same(first))) {
            Some(group) => group.push(check),
            None => groups.push(vec![check]),
        }
    }
    groups
}

/// What became of a check, in words for a student.
pub fn check_verdict(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Passed => "passed",
        CheckVerdict::Failed => "not so",
        CheckVerdict::Note => "a note",
        CheckVerdict::Skipped => "not looked at",
    }
}

/// The points of some checks together, `0.0 of 0.5`; nothing where they have none to give.
pub fn check_points(checks: &[&CheckReport]) -> Option<String> {
    let most: Points = checks.iter().map(|check| check.max_points).sum();
    let earned: Points = checks.iter().map(|check| check.points).sum();
    (most > Points::ZERO).then(|| format!("{earned} of {most}"))
}

/// What came of all checks of the code: `9.0 of 14.0 points`; nothing where none was made.
pub fn checks(report: &Report) -> Option<String> {
    let told: Vec<&CheckReport> = told_checks(report).collect();
    (!told.is_empty()).then(|| check_points(&told).unwrap_or_else(|| format!("{0} of {0}", Points::ZERO)) + " points")
}

/// What there is to say of a check that did not pass.
pub fn check_remarks(check: &CheckReport) -> Vec<Remark> {
    let mut remarks = vec![];
    if !check.why.is_empty() {
        remarks.push(Remark { label: "Why", text: format!("{}.", capitalised(&check.why)) });
    }
    if check.verdict != CheckVerdict::Skipped {
        let place = check.rule.map(|rule| format!(" ({}; {})", rule.id, rule.place)).unwrap_or_default();
        remarks.push(Remark { label: "Rule", text: format!("{}{place}", check.sentence) });
    }
    remarks
}

/// A sentence and what it is about.
pub struct Remark {
    /// `Why`, `Rule`, `Where`, `Later` or `End`; empty where it goes on from the one before.
    pub label: &'static str,
    /// The sentence.
    pub text: String,
}

/// What there is to say of a case besides its transcripts.
pub fn remarks(case: &CaseReport) -> Vec<Remark> {
    let mut remarks = vec![];
    let mut say = |label, text| remarks.push(Remark { label, text });
    if let Some(difference) = &case.difference {
        say("Why", format!("{}.", capitalised(&difference.why)));
        if let Some(story) = &difference.story {
            say("", story.clone());
        }
        if let Some(rule) = difference.rule {
            say("Rule", format!("{} ({}; {})", rule.sentence, rule.id, rule.place));
        }
        let answer = difference.input.as_ref().map(|input| format!("after answer {}, «{}»", input.number, input.text));
        let place: Vec<&str> = [difference.situation.as_str(), answer.as_deref().unwrap_or_default()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect();
        if !place.is_empty() {
            say("Where", format!("{}.", place.join(", ")));
        }
    }
    if case.verdict != Verdict::Mismatch {
        ending(case).into_iter().for_each(|text| say("End", text));
    } else if let Some(ended) = fault(case) {
        say("Later", format!("the program {ended}{}. That may well come from this difference.", detail(case)));
    }
    remarks
}

/// What stands in place of a difference where there is none.
pub fn agreement(verdict: Verdict) -> &'static str {
    if verdict == Verdict::Passed {
        "All lines are as they should be."
    } else {
        "What the program prints is right up to its end."
    }
}

/// How a run ended, where there is something to say of it.
fn ending(case: &CaseReport) -> Option<String> {
    match (case.verdict, fault(case)) {
        (Verdict::LeftInputUnread, _) => Some(unread(case)),
        (Verdict::Passed | Verdict::Presentation, _) | (_, None) => {
            let detail = case.ending_detail.as_ref()?;
            Some(format!("The program ended with {detail}, which is no fault."))
        }
        (_, Some(ended)) => Some(format!("The program {ended}{}.", detail(case))),
    }
}

fn unread(case: &CaseReport) -> String {
    let read = case.read.unwrap_or(0).min(case.inputs.len());
    let left: Vec<String> = case.inputs[read..].iter().take(5).map(|input| format!("«{input}»")).collect();
    let more = case.inputs.len() - read - left.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let verb = if case.inputs.len() - read == 1 { "was" } else { "were" };
    let status = case.ending_detail.as_ref().map(|detail| format!(" with {detail}")).unwrap_or_default();
    format!(
        "The program ended{status} before {}{more} {verb} read. It has to ask for every answer of the game.",
        left.join(" ")
    )
}

/// How a run ended that did not end by itself, for a sentence.
fn fault(case: &CaseReport) -> Option<&'static str> {
    Some(match case.ending? {
        "crashed" => "broke with an error",
        "wanted_more_input" => "asked for another answer when the game should have been over",
        "timed_out" => "did not come to an end in time and was stopped",
        "too_much_output" => "printed without end and was stopped",
        "too_much_memory" => "took more memory than it may have",
        _ => return None,
    })
}

fn detail(case: &CaseReport) -> String {
    case.ending_detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default()
}

/// The last lines of the program's own traceback, where it broke, and whether there are more before them.
pub fn last_words(case: &CaseReport) -> Option<(Vec<&str>, bool)> {
    const MOST: usize = 14;
    let broke =
        case.ending == Some("crashed") || case.ending == Some("too_much_memory") && !case.stderr_tail.is_empty();
    if !broke || case.stderr_tail.trim().is_empty() {
        return None;
    }
    let lines: Vec<&str> = case.stderr_tail.trim_end().lines().collect();
    let from = lines.len().saturating_sub(MOST);
    Some((lines[from..].to_vec(), from > 0))
}

/// What may be done about Python's own words where it can't read the program.
pub fn advice_on_syntax(report: &Report) -> Vec<String> {
    let interpreter = report.interpreter.as_deref().unwrap_or("Python");
    let mut advice = vec![format!(
        "This is what {interpreter} says. If the program is right in another version of Python, name that one: --python PATH."
    )];
    if !is_python_name(Path::new(&report.submission)) {
        advice.push("The file is not named as a Python program (.py). A program in another language is run with --command, such as --command \"java Game\".".to_owned());
    }
    advice
}

/// Who says those.
pub fn whose_words(report: &Report) -> &'static str {
    if report.interpreter.is_some() { "What Python says:" } else { "What the program says of it:" }
}

/// What ran the submission, and what kept it from doing harm; nothing if it was not run.
pub fn run_by(report: &Report) -> Option<String> {
    report.runner?;
    let by = report.interpreter.as_deref().unwrap_or("its own command");
    let holding: Vec<_> = report.confinement.iter().filter(|layer| layer.name != "limits").filter_map(holds).collect();
    Some(match holding.as_slice() {
        [] => format!("Run by {by}, with limits on time, output and memory, but not in a sandbox."),
        holding => format!("Run by {by} in a sandbox ({}).", holding.join(", ")),
    })
}

fn holds(layer: &Layer) -> Option<String> {
    match layer.state {
        State::Enforced => Some(layer.name.to_owned()),
        State::Partly => Some(format!("{} in part", layer.name)),
        State::Unavailable | State::Off => None,
    }
}
