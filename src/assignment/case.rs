//! A case: one scripted run, or the dice of a program as a whole.

use super::{CaseId, Points, Seed, StoredTranscript};

/// One case of an assignment.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, the stem of its files.
    pub id: CaseId,
    /// Its title, for a student; one line, not empty.
    pub title: String,
    /// What it is worth.
    pub points: Points,
    /// What a student may see of it.
    pub visibility: Visibility,
    /// What is run.
    pub task: Task,
    /// The name of its case file, for messages.
    pub file: String,
}

/// What a student may see of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Everything.
    #[default]
    Visible,
    /// Title and verdict.
    Hidden,
}

/// What a case runs.
#[derive(Debug, Clone)]
pub enum Task {
    /// One game, held against a transcript.
    Script(Script),
    /// Many games of Doubles, of which only the dice count.
    Dice(DiceRuns),
}

/// One game: what is typed, and what should come of it.
#[derive(Debug, Clone)]
pub struct Script {
    /// The inputs, a line each, without line ends.
    pub inputs: Vec<String>,
    /// The seed, for a game that does not ask for one; otherwise none.
    pub seed: Option<Seed>,
    /// The transcript that people read and review.
    pub transcript: StoredTranscript,
}

/// Additional runs that show whether a program's dice are fair. They have no transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiceRuns {
    /// How many runs, at least 1.
    pub runs: u32,
    /// The seed of the first run; each further run takes the next whole number.
    pub first_seed: Seed,
    /// What is typed in each run.
    pub inputs: Vec<String>,
}

impl DiceRuns {
    /// The most runs that a case may ask for.
    pub const MOST_RUNS: u32 = 1000;

    /// The seed of each run.
    pub fn seeds(&self) -> impl Iterator<Item = Seed> {
        (0..self.runs).map(|run| self.first_seed.plus(run))
    }
}

impl Case {
    /// What is typed, in one run.
    pub fn inputs(&self) -> &[String] {
        match &self.task {
            Task::Script(script) => &script.inputs,
            Task::Dice(dice) => &dice.inputs,
        }
    }

    /// The script, unless it is a case of the dice.
    pub fn script(&self) -> Option<&Script> {
        match &self.task {
            Task::Script(script) => Some(script),
            Task::Dice(_) => None,
        }
    }

    /// Whether only title and verdict may be shown.
    pub fn is_hidden(&self) -> bool {
        self.visibility == Visibility::Hidden
    }
}
