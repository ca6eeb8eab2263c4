//! Many submissions of one assignment.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use reference::rules::Rule;
use serde::{Deserialize, Serialize};

use super::journal::{Journal, JournalError};
use super::roster::{self, Roster, Student};
use super::{CheckReport, CheckVerdict, Checks, GradeError, Outcome, Record, Report, calls, checks, digest};
use crate::assignment::{Assignment, Points};
use crate::judge::Verdict;
use crate::run::{self, Busy, RunError, Submission, Uploads};
use crate::shared::lock;

/// What all submissions of a class have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Class {
    /// The assignment's name.
    pub assignment: String,
    /// The assignment's title.
    pub title: String,
    /// The cases in their order.
    pub cases: Vec<ClassCase>,
    /// What is asked of the code, in its order.
    #[serde(default)]
    pub checks: Vec<ClassCheck>,
    /// What came of the submissions, counted.
    #[serde(skip)]
    pub totals: Totals,
}

/// A case that all submissions were put to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// A check that is made of the code of all submissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassCheck {
    /// Its id.
    pub id: String,
    /// What is asked, in one sentence.
    pub sentence: String,
    /// What it is worth.
    pub max_points: Points,
    /// Whether students are shown no more than these, its verdict and its points.
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
    /// The cases of those that were graded, together.
    pub cases: usize,
    /// The cases that did not pass.
    pub failed_cases: usize,
    /// The cases of those that could not be graded; one where none are known.
    pub ungraded_cases: usize,
    /// The checks of the code of all of them, together.
    pub checks: usize,
    /// The checks that failed.
    pub failed_checks: usize,
    /// The checks that were not made, or could not be decided.
    pub skipped_checks: usize,
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
        // What there is of them as long as there is no program.
        let checks = [checks::skipped(assignment, "", true), calls::skipped(assignment, "", true)].concat();
        Class {
            assignment: assignment.name.clone(),
            title: assignment.title.clone(),
            cases: cases.collect(),
            checks: checks.iter().map(ClassCheck::from).collect(),
            totals: Totals::default(),
        }
    }

    /// The checks of a submission, with what its row leaves to the class.
    #[must_use]
    pub fn checks_of(&self, report: &Record) -> Vec<CheckReport> {
        let checks = report.checks.iter().map(|check| {
            let known = self.checks.iter().find(|known| known.id == check.id);
            CheckReport {
                id: check.id.clone(),
                sentence: known.map(|known| known.sentence.clone()).unwrap_or_default(),
                verdict: check.verdict,
                hidden: known.is_some_and(|known| known.hidden),
                line: check.line,
                rule: check.rule.as_deref().and_then(Rule::find),
                why: check.why.clone(),
                points: check.points,
                max_points: check.max_points,
            }
        });
        checks.collect()
    }
}

impl From<&CheckReport> for ClassCheck {
    fn from(check: &CheckReport) -> ClassCheck {
        ClassCheck {
            id: check.id.clone(),
            sentence: check.sentence.clone(),
            max_points: check.max_points,
            hidden: check.hidden,
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
        let checks = |verdict| report.checks.iter().filter(move |check| check.verdict == verdict).count();
        self.checks += report.checks.len();
        self.failed_checks += checks(CheckVerdict::Failed);
        self.skipped_checks += checks(CheckVerdict::Skipped);
        if report.reason.is_some() {
            self.ungraded_cases += report.cases.len().max(1);
            return;
        }
        self.cases += report.cases.len();
        self.failed_cases += report.cases.iter().filter(|case| case.verdict != Verdict::Passed).count();
    }
}

/// How a class is graded.
pub struct ClassJob<'c> {
    /// The assignment.
    pub assignment: &'c Assignment,
    /// What was handed in.
    pub uploads: &'c Uploads,
    /// Whose it is.
    pub roster: &'c Roster,
    /// In a student's folder, the name of the file that is the program, if it is known.
    pub program: Option<&'c str>,
    /// The SHA-256 of all that the outcome depends on besides the submission, see [`basis`].
    pub basis: String,
    /// How many submissions are graded at a time.
    pub workers: usize,
    /// Which checks of the code are made.
    pub checks: Checks,
    /// Whether the rows tell how long things took.
    pub durations: bool,
    /// Whether the rows too have no more than students may see.
    pub for_students: bool,
    /// Grades one submission.
    pub grade: &'c (dyn Fn(&Submission) -> Result<Report, GradeError> + Sync),
    /// Writes the reports of one submission to the disk, all of them, before its row is written.
    pub write: &'c (dyn Fn(&Row, Report) -> io::Result<()> + Sync),
    /// Whether these reports are still there.
    pub is_written: &'c (dyn Fn(&str) -> bool + Sync),
    /// Is told of each row that is there, and whether it was graded now.
    pub progress: &'c (dyn Fn(Outcome, bool) + Sync),
}

/// Why a class could not be graded to its end. What has been graded is in the journal.
#[derive(Debug, thiserror::Error)]
pub enum ClassError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The reports of a submission can't be written.
    #[error("can't write the reports of {key}: {source}; make room or mend it, and go on with --resume")]
    Write {
        /// Whose.
        key: String,
        /// Why not.
        source: io::Error,
    },
    /// Somebody asked to stop.
    #[error("interrupted; go on with --resume")]
    Interrupted,
}

/// All that an outcome depends on besides the submission: the assignment, and what else is told, such as the interpreter.
#[must_use]
pub fn basis(assignment: &Assignment, conditions: &str) -> String {
    digest::of([digest::of_assignment(assignment), conditions.to_owned()])
}

/// Grades what the journal does not have yet.
///
/// # Errors
/// When it had to stop before the end.
pub fn grade_class(job: &ClassJob<'_>, journal: &Mutex<Journal>) -> Result<(), ClassError> {
    let _busy = Busy::new();
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let error = Mutex::new(None);
    let work = || {
        while !stopped.load(Ordering::Relaxed)
            && let Some(student) = job.roster.students.get(next.fetch_add(1, Ordering::Relaxed))
        {
            if let Err(fault) = one(job, student, journal) {
                lock(&error).get_or_insert(fault);
                stopped.store(true, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..job.workers.min(job.roster.students.len()) {
            scope.spawn(work);
        }
        work();
    });
    error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

fn one(job: &ClassJob<'_>, student: &Student, journal: &Mutex<Journal>) -> Result<(), ClassError> {
    if run::interrupted() {
        return Err(ClassError::Interrupted);
    }
    let opened = student
        .upload
        .clone()
        .and_then(|upload| job.uploads.read(&upload, job.program).map_err(|error| format!("{} {error}", upload.name)));
    let content = opened.as_ref().ok().map(digest::of_submission);
    let folder = roster::folder(&student.key);
    let known = lock(journal).rows.get(&student.key).cloned();
    if let Some(known) = known
        && known.outcome != Outcome::Error
        && known.basis == job.basis
        && known.content == content
        && (content.is_some() || known.reason.as_ref() == opened.as_ref().err())
        && (job.is_written)(&folder)
    {
        (job.progress)(known.outcome, false);
        return Ok(());
    }
    let report = match opened {
        Ok(submission) => match catch_unwind(AssertUnwindSafe(|| (job.grade)(&submission))) {
            Ok(Ok(report)) => report,
            Ok(Err(GradeError::Run(RunError::Interrupted))) => return Err(ClassError::Interrupted),
            Ok(Err(fault)) => Report::fault(job.assignment, submission.name(), fault.to_string()),
            Err(panic) => Report::fault(job.assignment, submission.name(), words_of(&*panic)),
        },
        Err(reason) => Report::not_opened(job.assignment, job.checks, &student.key, reason),
    };
    let report = if job.durations { report } else { report.without_durations() };
    let record = if job.for_students { Record::from(&report.clone().for_students()) } else { Record::from(&report) };
    let row = Row { key: student.key.clone(), folder, content, basis: job.basis.clone(), report: record };
    (job.write)(&row, report).map_err(|source| ClassError::Write { key: row.key.clone(), source })?;
    lock(journal).add(&row)?;
    (job.progress)(row.report.outcome, true);
    Ok(())
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("check itself failed: {}", words.unwrap_or("nothing is known of why"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::grade::Share;
    use crate::grade::journal::Head;

    #[test]
    fn a_fault_of_check_is_a_row_that_says_so_and_the_rest_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let submissions = folder.path().join("submissions");
        fs::create_dir(&submissions).unwrap();
        for name in ["a.py", "b.py", "c.py", "d.py"] {
            fs::write(submissions.join(name), "").unwrap();
        }
        let assignment = Assignment::built_in("darts").unwrap();
        let uploads = Uploads::open(&submissions).unwrap();
        let roster = Roster::new(uploads.list().unwrap(), None);
        let head = Head::new(Class::new(&assignment), Share::WHOLE, &roster);
        let journal = Mutex::new(Journal::create(folder.path(), &head).unwrap());
        let graded = Mutex::new(vec![]);
        let grade = |submission: &Submission| {
            lock(&graded).push(submission.name().to_owned());
            match submission.name() {
                "a.py" => panic!("out of luck"),
                "b.py" => Err(GradeError::Run(RunError::Confinement)),
                name => Ok(Report::not_opened(&assignment, Checks::ALL, name, "a stand-in".to_owned())),
            }
        };
        let job = ClassJob {
            assignment: &assignment,
            uploads: &uploads,
            roster: &roster,
            program: None,
            basis: basis(&assignment, "none"),
            workers: 2,
            checks: Checks::ALL,
            durations: true,
            for_students: false,
            grade: &grade,
            write: &|_, _| Ok(()),
            is_written: &|_| true,
            progress: &|_, _| {},
        };
        grade_class(&job, &journal).unwrap();
        let outcomes = || -> Vec<(Outcome, Option<String>)> {
            lock(&journal).rows.values().map(|place| (place.outcome, place.reason.clone())).collect()
        };
        let reason = |words: &str| Some(words.to_owned());
        assert_eq!(
            outcomes(),
            [
                (Outcome::Error, reason("check itself failed: out of luck")),
                (Outcome::Error, reason("the program can't be started under any confinement")),
                (Outcome::NotRun, reason("a stand-in")),
                (Outcome::NotRun, reason("a stand-in")),
            ]
        );
        // It is tried again with those alone where it failed.
        lock(&graded).clear();
        grade_class(&job, &journal).unwrap();
        lock(&graded).sort();
        assert_eq!(*lock(&graded), ["a.py", "b.py"]);
        assert_eq!(outcomes().len(), 4);
    }
}
