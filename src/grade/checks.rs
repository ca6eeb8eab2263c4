//! What is asked of the code itself, beside the cases.

use reference::rules::Rule;
use serde::{Deserialize, Serialize};

use crate::assignment::{Ask, Assignment, Check, Points};
use crate::code::{self, Finding, Program, TooLong};
use crate::run::Submission;

/// Which checks of the code are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// Those that read the code.
    pub source: bool,
    /// Those that call its functions.
    pub functions: bool,
    /// Whether a submission fails that fails one of them.
    pub strict: bool,
    /// Whether files may have been renamed on their way, so that a name is no fault.
    pub renamed: bool,
}

impl Checks {
    /// All of them, as they are made for one program.
    pub const ALL: Checks = Checks { source: true, functions: true, strict: false, renamed: false };
}

/// What became of one check of the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    /// The code is as it is asked for.
    Passed,
    /// It is not, and that costs the points.
    Failed,
    /// There is something to say that costs nothing.
    Note,
    /// It was not looked at, or can't be told.
    Skipped,
}

impl CheckVerdict {
    /// The name in reports.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            CheckVerdict::Passed => "passed",
            CheckVerdict::Failed => "failed",
            CheckVerdict::Note => "note",
            CheckVerdict::Skipped => "skipped",
        }
    }
}

/// What became of one check of the code, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// The check's id.
    pub id: String,
    /// What is asked, in one sentence.
    pub sentence: String,
    /// What became of it.
    pub verdict: CheckVerdict,
    /// Whether students are shown no more than that.
    pub hidden: bool,
    /// The line of the program that shows it, from 1.
    pub line: Option<usize>,
    /// The rule behind it, where the game has one.
    pub rule: Option<&'static Rule>,
    /// Why; nothing where it passed.
    pub why: String,
    /// The points that it earns.
    pub points: Points,
    /// The points that it could have earned; none for what was not asked for.
    pub max_points: Points,
}

impl CheckReport {
    fn new(check: &Check, renamed: bool, finding: Finding) -> CheckReport {
        let is_note = check.is_note || renamed && matches!(check.ask, Ask::FileName(_));
        // What can't be told is not held against anybody.
        let max_points = if matches!(finding, Finding::Undecided(_)) { Points::ZERO } else { check.points };
        let (verdict, line, why) = match finding {
            Finding::Kept => (CheckVerdict::Passed, None, String::new()),
            Finding::Broken { line, why } if is_note => (CheckVerdict::Note, line, why),
            Finding::Broken { line, why } => (CheckVerdict::Failed, line, why),
            Finding::Without(why) | Finding::Undecided(why) => (CheckVerdict::Skipped, None, why),
        };
        let earned = matches!(verdict, CheckVerdict::Passed | CheckVerdict::Note);
        CheckReport {
            id: check.id.as_str().to_owned(),
            sentence: check.sentence(),
            verdict,
            hidden: false,
            line,
            rule: check.rule,
            why,
            points: if earned { check.points } else { Points::ZERO },
            max_points,
        }
    }
}

impl CheckReport {
    /// Takes all away that a student is not to know of a hidden check.
    pub(super) fn hide(&mut self) {
        self.line = None;
        self.why = "this check is hidden".to_owned();
    }
}

/// The code of a submission, if it is looked at and can be.
pub(super) type Code = Option<Result<Program, TooLong>>;

/// Reads the code of a Python program.
pub(super) fn read(python: Option<&Submission>, checks: Checks) -> Code {
    let submission = python.filter(|_| checks.source || checks.functions)?;
    let name = submission.file_name().to_string_lossy();
    Some(Program::read(&name, submission.source(), submission.siblings()))
}

/// Looks at the code of a submission: what comes of each check.
pub(super) fn look(assignment: &Assignment, code: &Code, checks: Checks) -> Vec<Finding> {
    let finding = |check: &Check| match code {
        None => Finding::Undecided("there is no Python code to look at, or it was not asked for".to_owned()),
        Some(_) if !checks.source => Finding::Undecided(NOT_ASKED_FOR.to_owned()),
        Some(Ok(program)) => code::look(program, &check.ask),
        Some(Err(long)) => Finding::Without(long.to_string()),
    };
    assignment.checks.iter().map(finding).collect()
}

/// The reports of what was found. Where Python can't read the code, what can't be told for that reason is not earned.
pub(super) fn reports(
    assignment: &Assignment,
    findings: Vec<Finding>,
    checks: Checks,
    is_python: bool,
) -> Vec<CheckReport> {
    let is_looked_at = checks.source && !is_python;
    let report = |(check, finding): (&Check, Finding)| {
        let finding = match finding {
            Finding::Undecided(why) if is_looked_at => Finding::Without(why),
            finding => finding,
        };
        CheckReport::new(check, checks.renamed, finding)
    };
    assignment.checks.iter().zip(findings).map(report).collect()
}

/// Why a check is left out.
pub(super) const NOT_ASKED_FOR: &str = "it was not asked for";

/// None of the checks was made. They count, or nothing was to be had from them.
pub(super) fn skipped(assignment: &Assignment, why: &str, counts: bool) -> Vec<CheckReport> {
    let skipped = |check: &Check| {
        let why = why.to_owned();
        CheckReport::new(check, false, if counts { Finding::Without(why) } else { Finding::Undecided(why) })
    };
    assignment.checks.iter().map(skipped).collect()
}
