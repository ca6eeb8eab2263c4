//! Many submissions of one assignment.

use serde::{Deserialize, Serialize};

use super::{Outcome, Record};
use crate::assignment::{Assignment, Points};
use crate::judge::Verdict;

/// What all submissions of a class have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The assignment's name.
    pub assignment: String,
    /// The assignment's title.
    pub title: String,
    /// The cases in their order.
    pub cases: Vec<ClassCase>,
    /// What came of the submissions, counted.
    pub totals: Totals,
}

/// A case that all submissions were put to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassCase {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is worth.
    pub max_points: Points,
    /// Whether students are shown no more than its title, verdict and points.
    pub hidden: bool,
}

/// One submission of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Whose it is.
    pub key: String,
    /// The folder of its reports, whose name is safe on every system.
    pub folder: String,
    /// The SHA-256 of the submission; none where it could not be opened.
    pub content: Option<String>,
    /// The SHA-256 of all else that the outcome depends on: the cases, the interpreter, the conditions.
    pub basis: String,
    /// The outcome, with all that instructors see.
    pub report: Record,
}

/// How many submissions there are of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Totals {
    /// All of them.
    pub submissions: usize,
    /// Those that pass every case.
    pub passed: usize,
    /// Those that do not.
    pub failed: usize,
    /// Those that could not be run.
    pub not_run: usize,
    /// Those at which `check` failed.
    pub errors: usize,
    /// Their cases, together.
    pub cases: usize,
    /// The cases that did not pass.
    pub failed_cases: usize,
}

impl Class {
    /// A class of which nobody has been graded.
    #[must_use]
    pub fn new(assignment: &Assignment) -> Class {
        let cases = assignment.cases.iter().map(|case| ClassCase {
            id: case.id.as_str().to_owned(),
            title: case.title.clone(),
            max_points: case.points,
            hidden: case.is_hidden(),
        });
        Class {
            assignment: assignment.name.clone(),
            title: assignment.title.clone(),
            cases: cases.collect(),
            totals: Totals::default(),
        }
    }
}

impl Totals {
    /// Counts one more.
    pub fn count(&mut self, report: &Record) {
        self.submissions += 1;
        match report.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed => self.failed += 1,
            Outcome::NotRun => self.not_run += 1,
            Outcome::Error => self.errors += 1,
        }
        self.cases += report.cases.len();
        self.failed_cases += report.cases.iter().filter(|case| case.verdict != Verdict::Passed).count();
    }
}
