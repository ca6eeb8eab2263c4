//! A report as it is kept and passed on, schema `check/report/v1`. Fields may be added; none is renamed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{CaseReport, CheckReport, CheckVerdict, DifferenceReport, Outcome, Report};
use crate::assignment::Points;
use crate::judge::{Cause, Verdict};

/// The name of the schema.
pub const SCHEMA: &str = "check/report/v1";

/// The outcome of one submission over all cases, without its transcripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the schema, `check/report/v1`.
    pub schema: String,
    /// The assignment's name.
    pub assignment: String,
    /// The submission as it was given.
    pub submission: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it could not be graded, where it could not.
    pub reason: Option<String>,
    /// The points that it earns.
    #[serde(deserialize_with = "Points::deserialize_sum")]
    pub score: Points,
    /// The points that it could have earned.
    #[serde(deserialize_with = "Points::deserialize_sum")]
    pub max_score: Points,
    /// What ran it; none for a command.
    pub interpreter: Option<String>,
    /// How it was run: `warm`, `spawn` or `command`; none where nothing was run.
    pub runner: Option<String>,
    /// What kept it from doing harm.
    pub confinement: Vec<LayerRecord>,
    /// The answers to open questions that matter for it.
    pub rulings: Vec<RulingRecord>,
    /// What else there is to say.
    pub notes: Vec<String>,
    /// Python's own words where the program is no Python.
    pub syntax_error: Option<String>,
    /// The cases in their order.
    pub cases: Vec<CaseRecord>,
    /// What is asked of the code, in its order.
    #[serde(default)]
    pub checks: Vec<CheckRecord>,
}

/// What became of one check of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckRecord {
    /// The check's id.
    pub id: String,
    /// What became of it.
    pub verdict: CheckVerdict,
    /// The line of the program that shows it, from 1.
    pub line: Option<usize>,
    /// The rule behind it, where the game has one.
    pub rule: Option<String>,
    /// Why; nothing where it passed.
    pub why: String,
    /// The points that it earns.
    pub points: Points,
    /// The points that it could have earned; none for what was not asked for.
    pub max_points: Points,
}

/// One layer of a confinement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerRecord {
    /// Its name.
    pub layer: String,
    /// `enforced`, `partly`, `unavailable` or `off`.
    pub state: String,
    /// What is missing, and why; empty where nothing is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// An answer to an open question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulingRecord {
    /// The question's id.
    pub question: String,
    /// The answer's id.
    pub answer: String,
    /// Whether it was told from the submission; otherwise the assignment pins it.
    pub inferred: bool,
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseRecord {
    /// The case's id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The verdict.
    pub verdict: Verdict,
    /// How the run ended; none where there was none.
    pub ending: Option<String>,
    /// What broke it, or the status that it chose, in a word.
    pub ending_detail: Option<String>,
    /// The points that it earns.
    pub points: Points,
    /// The points that it could have earned.
    pub max_points: Points,
    /// How long the run took, in milliseconds.
    pub duration_ms: Option<f64>,
    /// The first difference.
    pub difference: Option<DifferenceRecord>,
    /// The last of what was printed on standard error.
    pub stderr_tail: String,
}

/// The first difference of a case. Lines count from 1 and are written as in a `.transcript`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceRecord {
    /// The line of the expected transcript.
    pub expected_line: Option<usize>,
    /// The line of the submission's transcript.
    pub actual_line: Option<usize>,
    /// What stands there in the expected transcript.
    pub expected: Option<String>,
    /// What stands there in the submission's.
    pub actual: Option<String>,
    /// What kind of difference it is.
    pub cause: Cause,
    /// The rule that it breaks.
    pub rule: Option<String>,
    /// Why.
    pub why: String,
    /// The last answer before it.
    pub input: Option<InputRecord>,
    /// Where in the game it is.
    pub situation: String,
    /// What explains the whole rest.
    pub story: Option<String>,
}

/// One typed answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputRecord {
    /// Which one, from 1.
    pub number: usize,
    /// What was typed.
    pub text: String,
}

impl Record {
    /// The rule that is broken by the first case that breaks one that is known; where all cases pass, by the first check
    /// of the code.
    #[must_use]
    pub fn first_failing_rule(&self) -> Option<&str> {
        let mut failing = self.cases.iter().filter(|case| case.verdict != Verdict::Passed).peekable();
        if failing.peek().is_some() {
            return failing.find_map(|case| case.difference.as_ref()?.rule.as_deref());
        }
        let mut failed = self.checks.iter().filter(|check| check.verdict == CheckVerdict::Failed);
        failed.find_map(|check| check.rule.as_deref())
    }
}

impl From<&Report> for Record {
    fn from(report: &Report) -> Record {
        let layers = report.confinement.iter();
        let rulings = report.rulings.iter();
        Record {
            schema: SCHEMA.to_owned(),
            assignment: report.assignment.clone(),
            submission: report.submission.clone(),
            outcome: report.outcome,
            reason: report.reason.clone(),
            score: report.score,
            max_score: report.max_score,
            interpreter: report.interpreter.clone(),
            runner: report.runner.map(str::to_owned),
            confinement: layers
                .map(|layer| LayerRecord {
                    layer: layer.name.to_owned(),
                    state: layer.state.id().to_owned(),
                    why: layer.why.clone(),
                })
                .collect(),
            rulings: rulings
                .map(|ruling| RulingRecord {
                    question: ruling.question.to_owned(),
                    answer: ruling.answer.to_owned(),
                    inferred: ruling.inferred,
                })
                .collect(),
            notes: report.notes.clone(),
            syntax_error: report.syntax_error.clone(),
            cases: report.cases.iter().map(CaseRecord::from).collect(),
            checks: report.checks.iter().map(CheckRecord::from).collect(),
        }
    }
}

impl From<&CheckReport> for CheckRecord {
    fn from(check: &CheckReport) -> CheckRecord {
        CheckRecord {
            id: check.id.clone(),
            verdict: check.verdict,
            line: check.line,
            rule: check.rule.map(|rule| rule.id.to_owned()),
            why: check.why.clone(),
            points: check.points,
            max_points: check.max_points,
        }
    }
}

impl From<&CaseReport> for CaseRecord {
    fn from(case: &CaseReport) -> CaseRecord {
        CaseRecord {
            id: case.id.clone(),
            title: case.title.clone(),
            verdict: case.verdict,
            ending: case.ending.map(str::to_owned),
            ending_detail: case.ending_detail.clone(),
            points: case.points,
            max_points: case.max_points,
            duration_ms: case.duration.map(milliseconds),
            difference: case.difference.as_ref().map(|difference| difference_record(case, difference)),
            stderr_tail: case.stderr_tail.clone(),
        }
    }
}

fn difference_record(case: &CaseReport, difference: &DifferenceReport) -> DifferenceRecord {
    let expected = difference.expected_line.and_then(|line| case.expected.get(line));
    let actual = difference.actual_line.and_then(|line| case.actual.get(line));
    DifferenceRecord {
        expected_line: difference.expected_line.map(|line| line + 1),
        actual_line: difference.actual_line.map(|line| case.left_out.0 + line + 1),
        expected: expected.map(|line| line.text.clone()),
        actual: actual.map(|line| line.text.clone()),
        cause: difference.cause,
        rule: difference.rule.map(|rule| rule.id.to_owned()),
        why: difference.why.clone(),
        input: difference.input.as_ref().map(|input| InputRecord { number: input.number, text: input.text.clone() }),
        situation: difference.situation.clone(),
        story: difference.story.clone(),
    }
}

/// A tenth of a millisecond is as much as a clock tells of a process.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}
