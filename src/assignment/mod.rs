//! Assignments: a game, its cases and what they are worth, read from YAML and checked. The only place that knows YAML.
//!
//! What is read passes through three stages. The raw structs hold what a file may say, key by key; a value that is
//! wrong in itself is refused by a serde `Visitor` while the parser stands on it, so that the error has the value's
//! line and column. Then the files of an assignment are held against each other. What is left is an [`Assignment`],
//! of which everything can be believed.
//!
//! ```
//! use console_check::assignment::Assignment;
//!
//! let darts = Assignment::built_in("darts").unwrap();
//! assert_eq!(darts.game.name(), "darts");
//! assert!(!darts.cases.is_empty());
//! ```

mod assemble;
mod calls;
mod case;
mod case_id;
mod checks;
mod error;
mod limits;
mod nearest;
mod points;
mod raw;
mod seed;
mod source;
mod transcript;
mod value;
mod yaml;

use std::ffi::OsStr;
use std::path::Path;

use reference::Game;
use reference::rulings::{Question, Rulings};

use assemble::Missing;
pub use calls::{Call, CallCase, ExpectedCall};
pub use case::{Case, DiceRuns, Script, Task, Visibility};
pub use case_id::CaseId;
pub use checks::{Ask, CallPattern, Check, Commented, Construct, Forbidden, Signature, StartingList, Topic, signature};
pub use error::{AssignmentError, FileError, Position};
pub use limits::Limits;
pub use nearest::nearest;
pub use points::{Points, Share};
pub use seed::{NoSeed, Seed};
pub use source::{BUILT_IN, Source};
pub use transcript::StoredTranscript;

/// An assignment, checked: all its files are there and agree with each other.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The name by which reports speak of it: the built-in name, or its folder's.
    pub name: String,
    /// The title, for a person; one line.
    pub title: String,
    /// The game that is played.
    pub game: Game,
    /// What a run may use up.
    pub limits: Limits,
    /// The share of a case's points that is left when only the presentation differs.
    pub presentation_credit: Share,
    /// The answers that a submission may give, for every open question of the game.
    pub rulings: Vec<AcceptedAnswers>,
    /// The cases in the order in which they are shown; at least one, and a case of the dice only as the last.
    pub cases: Vec<Case>,
    /// What is asked of the code, in the order in which it is shown.
    pub checks: Vec<Check>,
    /// The cases that call a function of the program, in the order in which they are shown, after the checks.
    pub calls: Vec<CallCase>,
    /// Where it was read.
    pub source: Source,
}

/// The answers to one open question that an assignment accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedAnswers {
    /// The question.
    pub question: &'static Question,
    /// The ids of the accepted answers, at least one, in the question's own order: the first is the default.
    pub answers: Vec<&'static str>,
}

impl AcceptedAnswers {
    /// Whether the assignment leaves no choice.
    pub fn is_pinned(&self) -> bool {
        self.answers.len() == 1
    }
}

impl Assignment {
    /// The built-in assignment of this name.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn built_in(name: &str) -> Result<Assignment, AssignmentError> {
        let source = Source::built_in(name).ok_or_else(|| AssignmentError::unknown(name))?;
        Assignment::read(source)
    }

    /// The assignment in a folder.
    ///
    /// # Errors
    /// If the folder holds no assignment, or one with a fault.
    pub fn open(folder: impl AsRef<Path>) -> Result<Assignment, AssignmentError> {
        Assignment::read(Source::folder(folder.as_ref())?)
    }

    /// What the argument ASSIGNMENT names: a built-in assignment or a folder; a name is looked for in `fixtures` only, if
    /// that is given.
    ///
    /// # Errors
    /// If there is no such assignment, with the nearest name, or it has a fault.
    pub fn find(argument: impl AsRef<OsStr>, fixtures: Option<&Path>) -> Result<Assignment, AssignmentError> {
        Assignment::read(Source::find(argument.as_ref(), fixtures)?)
    }

    /// Reads and checks every file of an assignment.
    ///
    /// # Errors
    /// The first fault that is met: `assignment.yaml` first, then the cases in their order.
    pub fn read(source: Source) -> Result<Assignment, AssignmentError> {
        assemble::assignment(source, Missing::Fault)
    }

    /// The same for those who are about to write the transcripts: one that is missing is an empty text. Each knows
    /// the name of its file.
    ///
    /// # Errors
    /// As [`Assignment::read`].
    pub fn read_for_writing(source: Source) -> Result<Assignment, AssignmentError> {
        assemble::assignment(source, Missing::Empty)
    }

    /// The case of this id.
    ///
    /// # Errors
    /// If there is none, with the nearest id.
    pub fn case(&self, id: &str) -> Result<&Case, AssignmentError> {
        self.cases.iter().find(|case| case.id.as_str() == id).ok_or_else(|| AssignmentError::UnknownCase {
            id: id.to_owned(),
            assignment: self.name.clone(),
            nearest: nearest(id, self.cases.iter().map(|case| case.id.as_str())).map(str::to_owned),
        })
    }

    /// Whether this is the id of a check of the code, or of a case that calls a function.
    pub fn has_check(&self, id: &str) -> bool {
        let calls = self.calls.iter().map(|case| &case.id);
        self.checks.iter().map(|check| &check.id).chain(calls).any(|own| own.as_str() == id)
    }

    /// A fault of one input of a case, counted from 0, told at its place in the case's file.
    pub fn input_fault(&self, case: &Case, input: usize, message: String, help: &str) -> AssignmentError {
        assemble::input_fault(&self.source, case, input, message, help)
    }

    /// Whether a submission may answer an open question in this way.
    pub fn accepts(&self, question: &str, answer: &str) -> bool {
        self.rulings.iter().any(|accepted| accepted.question.id == question && accepted.answers.contains(&answer))
    }

    /// Every accepted combination of answers; the assignment's defaults come first.
    pub fn combinations(&self) -> Vec<Rulings> {
        Rulings::combinations(self.game.questions(), |question, answer| self.accepts(question, answer))
    }

    /// What all cases are worth together.
    pub fn max_points(&self) -> Points {
        self.cases.iter().map(|case| case.points).sum()
    }

    /// What all checks of the code are worth together.
    pub fn max_check_points(&self) -> Points {
        let checks = self.checks.iter().map(|check| check.points);
        checks.chain(self.calls.iter().map(|case| case.points)).sum()
    }
}

#[cfg(test)]
mod tests;
