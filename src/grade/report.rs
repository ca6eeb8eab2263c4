//! The outcome of one submission over all cases: what every format of a report is made from.

use std::time::Duration;

use reference::rules::{self, Rule};
use reference::transcript::{Segment, Transcript};
use serde::{Deserialize, Serialize};

use super::calls;
use super::checks::{self, CheckReport, CheckVerdict, Checks};
use super::{Graded, earned, reads_ahead};
use crate::assignment::{Assignment, Case, Points};
use crate::judge::{self, Cause, Difference, JudgedCase, Judgement, Verdict};
use crate::run::{Crash, Ending, Layer, Session, Submission};

/// The outcome of one submission.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The assignment's name.
    pub assignment: String,
    /// The assignment's title.
    pub title: String,
    /// The submission as it was given.
    pub submission: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it could not be graded, where it could not.
    pub reason: Option<String>,
    /// The points that it earns.
    pub score: Points,
    /// The points that it could have earned.
    pub max_score: Points,
    /// What ran it; none for a command.
    pub interpreter: Option<String>,
    /// How it was run: `warm`, `spawn` or `command`; none where nothing was run.
    pub runner: Option<&'static str>,
    /// What kept it from doing harm.
    pub confinement: Vec<Layer>,
    /// The answers to open questions that matter for it.
    pub rulings: Vec<Ruling>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// The cases in their order.
    pub cases: Vec<CaseReport>,
    /// What is asked of the code, in its order.
    pub checks: Vec<CheckReport>,
    /// Python's own words where the program is no Python.
    pub syntax_error: Option<String>,
}

/// What became of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Every case passed.
    Passed,
    /// Some case did not.
    Failed,
    /// It could not be run.
    NotRun,
    /// `check` could not do its work. That tells nothing of the submission.
    Error,
}

impl Outcome {
    /// The name in reports.
    pub fn id(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::NotRun => "not_run",
            Outcome::Error => "error",
        }
    }
}

/// An answer to an open question under which the submission was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The question's id.
    pub question: &'static str,
    /// The question.
    pub text: &'static str,
    /// The answer's id.
    pub answer: &'static str,
    /// The answer.
    pub answer_text: &'static str,
    /// Whether it was told from the submission; otherwise the assignment pins it.
    pub inferred: bool,
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseReport {
    /// The case's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Whether students are shown no more than its title, verdict and points.
    pub hidden: bool,
    /// Whether the rest was taken away because of that.
    pub withheld: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// How the run ended; none where there was none.
    pub ending: Option<&'static str>,
    /// What broke it, or the status that it chose, in a word.
    pub ending_detail: Option<String>,
    /// The points that it earns.
    pub points: Points,
    /// The points that it could have earned.
    pub max_points: Points,
    /// How long the run took.
    pub duration: Option<Duration>,
    /// The first difference.
    pub difference: Option<DifferenceReport>,
    /// The last of what was printed on standard error.
    pub stderr_tail: String,
    /// What was typed.
    pub inputs: Vec<String>,
    /// How many of the inputs were read, where that can be told.
    pub read: Option<usize>,
    /// The seed of a program that does not ask for one.
    pub seed: Option<String>,
    /// The expected transcript, line by line.
    pub expected: Vec<SideLine>,
    /// The submission's transcript, line by line; of a flood what is near the first difference.
    pub actual: Vec<SideLine>,
    /// How many lines it has before and after these.
    pub left_out: (usize, usize),
}

/// A line of one of the two transcripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideLine {
    /// What is printed in it, with … for what is not graded.
    pub said: String,
    /// What is typed in it: nothing, an unanswered prompt, or an answer.
    pub typed: Option<Option<String>>,
    /// The line as a `.transcript` has it.
    pub text: String,
    /// Whether some of it is not graded, so that another line may stand for it.
    pub is_open: bool,
}

/// The first difference of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferenceReport {
    /// The line of the expected transcript, from 0.
    pub expected_line: Option<usize>,
    /// The line of the submission's transcript among those that are there, from 0.
    pub actual_line: Option<usize>,
    /// What kind of difference it is.
    pub cause: Cause,
    /// The rule that it breaks.
    pub rule: Option<&'static Rule>,
    /// Why.
    pub why: String,
    /// The last answer before it.
    pub input: Option<Input>,
    /// Where in the game it is.
    pub situation: String,
    /// What explains the whole rest.
    pub story: Option<String>,
}

/// One typed answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Which one, from 1.
    pub number: usize,
    /// What was typed.
    pub text: String,
}

impl Report {
    /// The report of a submission that could not be opened: it passes nothing.
    pub(super) fn not_opened(assignment: &Assignment, checks: Checks, name: &str, reason: String) -> Report {
        let unread = "the program could not be read";
        let source = checks::skipped(assignment, unread, checks.source);
        let calls = calls::skipped(assignment, unread, checks.functions);
        let report = Report {
            outcome: Outcome::NotRun,
            cases: cases_not_run(assignment),
            checks: source.into_iter().chain(calls).collect(),
            ..Report::without_cases(assignment, name, reason)
        };
        report.summed_up()
    }

    /// The report of a submission at which `check` failed: it has no marks at all.
    pub(super) fn fault(assignment: &Assignment, name: &str, reason: String) -> Report {
        Report::without_cases(assignment, name, reason)
    }

    fn without_cases(assignment: &Assignment, name: &str, reason: String) -> Report {
        Report {
            assignment: assignment.name.clone(),
            title: assignment.title.clone(),
            submission: name.to_owned(),
            outcome: Outcome::Error,
            reason: Some(reason),
            score: Points::ZERO,
            max_score: Points::ZERO,
            interpreter: None,
            runner: None,
            confinement: vec![],
            rulings: vec![],
            notes: vec![],
            cases: vec![],
            checks: vec![],
            syntax_error: None,
        }
    }

    /// The report with its points counted together.
    fn summed_up(self) -> Report {
        let cases = self.cases.iter().map(|case| (case.points, case.max_points));
        let checks = self.checks.iter().map(|check| (check.points, check.max_points));
        let (earned, all): (Vec<Points>, Vec<Points>) = cases.chain(checks).unzip();
        Report { score: earned.into_iter().sum(), max_score: all.into_iter().sum(), ..self }
    }

    fn new(assignment: &Assignment, graded: Graded<'_>, session: &Session<'_>) -> Report {
        let (submission, interpreter) = match graded {
            Graded::Python(interpreter, submission) => (submission.name().to_owned(), Some(interpreter.to_string())),
            Graded::Command(line, submission) => {
                // What is run in this folder is named by its command.
                let named = submission.map(Submission::name).filter(|name| *name != ".");
                (named.unwrap_or(line).to_owned(), None)
            }
        };
        let notes = match graded {
            Graded::Python(_, submission) | Graded::Command(_, Some(submission)) => submission.notes().to_vec(),
            Graded::Command(_, None) => vec![],
        };
        Report {
            assignment: assignment.name.clone(),
            title: assignment.title.clone(),
            submission,
            outcome: Outcome::Failed,
            reason: None,
            score: Points::ZERO,
            max_score: Points::ZERO,
            interpreter,
            runner: Some(session.runner()),
            confinement: session.layers().to_vec(),
            rulings: vec![],
            notes,
            cases: vec![],
            checks: vec![],
            syntax_error: None,
        }
    }
}

impl Report {
    /// The report as students may see it.
    #[must_use]
    pub fn for_students(mut self) -> Report {
        self.cases.iter_mut().filter(|case| case.hidden).for_each(CaseReport::hide);
        let kept = |check: &CheckReport| check.verdict == CheckVerdict::Passed;
        self.checks.iter_mut().filter(|check| check.hidden && !kept(check)).for_each(CheckReport::hide);
        self
    }

    /// Whether nothing was run, so that there is nothing to say of any case.
    #[must_use]
    pub fn is_not_run(&self) -> bool {
        self.syntax_error.is_some() || self.reason.is_some()
    }

    /// The report without what tells of the machine that made it.
    #[must_use]
    pub fn without_machine(mut self) -> Report {
        self.confinement.iter_mut().for_each(|layer| layer.why.clear());
        self
    }

    /// The report without what differs from run to run.
    #[must_use]
    pub fn without_durations(mut self) -> Report {
        self.cases.iter_mut().for_each(|case| case.duration = None);
        self
    }
}

impl CaseReport {
    /// Takes all away that a student is not to know of a hidden case.
    fn hide(&mut self) {
        let CaseReport { id, title, hidden, verdict, points, max_points, .. } = self;
        let (id, title) = (std::mem::take(id), std::mem::take(title));
        *self = CaseReport {
            id,
            title,
            hidden: *hidden,
            withheld: true,
            ..CaseReport::empty(*verdict, *points, *max_points)
        };
    }

    /// A case of which nothing is known yet.
    fn new(case: &Case, verdict: Verdict, points: Points) -> CaseReport {
        CaseReport {
            id: case.id.as_str().to_owned(),
            title: case.title.clone(),
            hidden: case.is_hidden(),
            ..CaseReport::empty(verdict, points, case.points)
        }
    }

    /// A case of which no more is known than this.
    pub fn empty(verdict: Verdict, points: Points, max_points: Points) -> CaseReport {
        CaseReport {
            id: String::new(),
            title: String::new(),
            hidden: false,
            withheld: false,
            verdict,
            ending: None,
            ending_detail: None,
            points,
            max_points,
            duration: None,
            difference: None,
            stderr_tail: String::new(),
            inputs: vec![],
            read: None,
            seed: None,
            expected: vec![],
            actual: vec![],
            left_out: (0, 0),
        }
    }
}

fn cases_not_run(assignment: &Assignment) -> Vec<CaseReport> {
    assignment.cases.iter().map(|case| CaseReport::new(case, Verdict::NotRun, Points::ZERO)).collect()
}

/// The report of a program that is no Python.
pub(super) fn not_run(
    assignment: &Assignment,
    graded: Graded<'_>,
    session: &Session<'_>,
    words: &str,
    checks: Vec<CheckReport>,
) -> Report {
    let report = Report {
        outcome: Outcome::NotRun,
        cases: cases_not_run(assignment),
        checks,
        syntax_error: Some(words.to_owned()),
        ..Report::new(assignment, graded, session)
    };
    report.summed_up()
}

/// The report of a program that was run.
pub(super) fn judged(
    assignment: &Assignment,
    graded: Graded<'_>,
    session: &Session<'_>,
    (judgement, runs): (&Judgement, &[judge::Run<'_>]),
    (dice, dice_runs): (&Judgement, &[judge::Run<'_>]),
    short_from: Option<usize>,
    (checks, is_strict): (Vec<CheckReport>, bool),
) -> Report {
    let shown: Vec<_> = judgement.cases.iter().chain(&dice.cases).map(|case| case.dice.clone()).collect();
    // Where no case has found a fault, the games that were played for their dice may still show one: a rare situation,
    // in a program that draws in a way of its own. Otherwise one fault would be counted twice.
    let all_passed = judgement.cases.iter().all(|case| case.verdict == Verdict::Passed);
    let strayed = dice.cases.iter().zip(dice_runs).find(|(case, _)| all_passed && case.verdict != Verdict::Passed);
    let mut judged = judgement.cases.iter().zip(runs);
    let mut cases = Vec::new();
    for case in &assignment.cases {
        cases.push(match case.script() {
            Some(_) => {
                let Some((judged, run)) = judged.next() else { continue };
                script_case(assignment, case, judged, run)
            }
            None => match (judge::unfair_dice(&shown), strayed) {
                (None, Some((judged, run))) => script_case(assignment, case, judged, run),
                (unfair, _) => dice_case(assignment, case, dice_runs, unfair.as_deref()),
            },
        });
    }
    let mut report = Report::new(assignment, graded, session);
    // Of hidden cases no note tells anything.
    let mut seen = judgement.cases.iter().zip(assignment.cases.iter().filter(|case| case.script().is_some()));
    if seen.any(|(judged, case)| !case.is_hidden() && reads_ahead(judged)) {
        report.notes.push("The program reads an answer before it has printed the prompt for it. That costs nothing, but a person would have to type without having been asked.".to_owned());
    }
    if let Some(first) = short_from {
        let rest = runs.len() + dice_runs.len() - first;
        report.notes.push(if rest == 1 {
            "Three cases ran out of time, so the last run had half a second.".to_owned()
        } else {
            format!("Three cases ran out of time, so the {rest} runs after them had half a second each.")
        });
    }
    let is_refusal = |case: &CaseReport| !case.hidden && case.ending_detail.as_deref() == Some("PermissionError");
    if session.is_sandboxed() && cases.iter().any(is_refusal) {
        report.notes.push("The sandbox may have refused the program something that is no part of the assignment, such as starting another program: --allow subprocess permits that, --isolation limits does without a sandbox.".to_owned());
    }
    report.rulings = rulings(assignment, judgement);
    let all_passed = cases.iter().all(|case| case.verdict == Verdict::Passed);
    let all_kept = checks.iter().all(|check| check.verdict != CheckVerdict::Failed);
    report.outcome = if all_passed && (all_kept || !is_strict) { Outcome::Passed } else { Outcome::Failed };
    report.cases = cases;
    report.checks = checks;
    report.summed_up()
}

fn rulings(assignment: &Assignment, judgement: &Judgement) -> Vec<Ruling> {
    let matters = |id: &str| judgement.telling.contains(&id);
    let used = assignment.rulings.iter().filter(|accepted| accepted.is_pinned() || matters(accepted.question.id));
    used.filter_map(|accepted| {
        let answer = judgement.rulings.answer(accepted.question.id)?;
        let answer_text = accepted.question.answers.iter().find(|known| known.id == answer)?.text;
        Some(Ruling {
            question: accepted.question.id,
            text: accepted.question.text,
            answer,
            answer_text,
            inferred: !accepted.is_pinned(),
        })
    })
    .collect()
}

fn script_case(assignment: &Assignment, case: &Case, judged: &JudgedCase, run: &judge::Run<'_>) -> CaseReport {
    let mut report = CaseReport::new(case, judged.verdict, earned(assignment, case, judged.verdict));
    let outcome = run.outcome;
    (report.ending, report.ending_detail) = ending(&outcome.ending);
    report.duration = Some(outcome.duration);
    let tail = &outcome.stderr_tail;
    report.stderr_tail = String::from_utf8_lossy(&tail[tail.len().saturating_sub(STDERR_TAIL)..]).into_owned();
    report.inputs = run.script.inputs.to_vec();
    report.read = outcome.lines_read;
    report.seed = run.script.seed.map(ToString::to_string);
    report.difference =
        judged.difference.as_ref().map(|difference| difference_report(judged, difference, run.script.inputs));
    if judged.verdict != Verdict::Passed {
        report.expected = expected_lines(&judged.transcript);
        report.actual = actual_lines(judged, &outcome.stdout, run.script.inputs);
        report.left_out = (judged.screen.before, judged.screen.after);
    }
    report
}

fn dice_case(assignment: &Assignment, case: &Case, runs: &[judge::Run<'_>], unfair: Option<&str>) -> CaseReport {
    let verdict = if unfair.is_some() { Verdict::Mismatch } else { Verdict::Passed };
    let mut report = CaseReport::new(case, verdict, earned(assignment, case, verdict));
    report.ending = Some("exited");
    report.duration = Some(runs.iter().map(|run| run.outcome.duration).sum());
    report.difference = unfair.map(|why| DifferenceReport {
        expected_line: None,
        actual_line: None,
        cause: Cause::DifferentDice,
        rule: Some(rules::doubles::FAIR_DICE),
        why: why.to_owned(),
        input: None,
        situation: format!("over {} games with other random numbers each", runs.len()),
        story: None,
    });
    report
}

fn difference_report(judged: &JudgedCase, difference: &Difference, inputs: &[String]) -> DifferenceReport {
    let answers = difference.answers.min(inputs.len());
    DifferenceReport {
        expected_line: difference.expected_line,
        actual_line: difference.actual_line.map(|line| line - judged.screen.before),
        cause: difference.cause,
        rule: difference.rule,
        why: difference.why.clone(),
        input: answers.checked_sub(1).map(|last| Input { number: answers, text: inputs[last].clone() }),
        situation: difference.situation.clone(),
        story: difference.story.clone(),
    }
}

fn ending(ending: &Ending) -> (Option<&'static str>, Option<String>) {
    let (id, detail) = match ending {
        Ending::Exited { status: 0 } | Ending::Stopped => ("exited", None),
        Ending::Exited { status } => ("exited", Some(format!("status {status}"))),
        Ending::Crashed(Crash::Exception(name)) => ("crashed", Some(name.clone())),
        Ending::Crashed(Crash::Signal(name)) => ("crashed", Some(name.clone())),
        Ending::Crashed(Crash::Status(status)) => ("crashed", Some(format!("status {status}"))),
        Ending::WantedMoreInput => ("wanted_more_input", None),
        Ending::TimedOut => ("timed_out", None),
        Ending::TooMuchOutput => ("too_much_output", None),
        Ending::TooMuchMemory => ("too_much_memory", None),
    };
    (Some(id), detail)
}

fn expected_lines(transcript: &Transcript) -> Vec<SideLine> {
    use reference::transcript::{Body, End};
    let side = |line: &reference::transcript::Line| {
        let (said, typed, is_open) = match &line.body {
            Body::AnyLines => ("…".to_owned(), None, true),
            Body::Line(said, end) => {
                let is_open = said.iter().any(|segment| !matches!(segment, Segment::Text(_)));
                let said: String = said.iter().map(in_plain_words).collect();
                let typed = match end {
                    End::Typed(typed) => Some(Some(typed.clone())),
                    End::Unanswered => Some(None),
                    End::Newline | End::Output => None,
                };
                (said, typed, is_open)
            }
        };
        SideLine { said, typed, text: line.to_string(), is_open }
    };
    transcript.lines.iter().map(side).collect()
}

fn in_plain_words(segment: &Segment) -> &str {
    match segment {
        Segment::Text(text) => text,
        Segment::Number | Segment::Word | Segment::Any => "…",
    }
}

fn actual_lines(judged: &JudgedCase, printed: &[u8], inputs: &[String]) -> Vec<SideLine> {
    let side = |line: &judge::ScreenLine| SideLine {
        said: shortened(String::from_utf8_lossy(&printed[line.bytes()]).trim_end_matches('\r')),
        typed: line.typed().map(|input| inputs.get(input).cloned()),
        text: shortened(&judge::Screen::text(line, printed, inputs)),
        is_open: false,
    };
    judged.screen.lines.iter().map(side).collect()
}

/// A line of a length that no game prints, without its end.
fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}… ({} bytes more)", &line[..end], line.len() - end),
        None => line.to_owned(),
    }
}

/// So many of the last bytes on standard error are kept in a report.
const STDERR_TAIL: usize = 4 << 10;

/// In characters.
const LONGEST_LINE: usize = 4_000;
