//! Grading: a submission is run on all cases of an assignment, judged, and summed up in a [`Report`].

mod calls;
mod checks;
mod class;
mod digest;
pub mod journal;
mod merge;
mod record;
mod report;
mod roster;
mod share;
mod stored;

use std::thread;
use std::time::Duration;

use reference::console::Stop;
use reference::rulings::Rulings;
use reference::{Game, Played, play_script, seeded_dice};

pub use checks::{CheckReport, CheckVerdict, Checks};
pub use class::{Class, ClassCase, ClassCheck, ClassError, ClassJob, Row, Totals, basis, grade_class};
pub use merge::{MergeError, Shares};
pub use record::{CaseRecord, CheckRecord, DifferenceRecord, InputRecord, LayerRecord, Record, RulingRecord};
pub use report::{CaseReport, DifferenceReport, Input, Outcome, Report, Ruling, SideLine};
pub use roster::{Roster, Student, folder};
pub use share::{NoShare, Share};

use crate::assignment::{Assignment, AssignmentError, Case, Points, Task};
use crate::code::Finding;
use crate::judge::{self, Assessment, JudgedCase, Judgement, Verdict, Wanted};
use crate::run::{
    self, Conditions, Confinement, Interpreter, Job, Limits, Program, Results, RunError, Runner, Session, Submission,
};
use crate::shared::joined;

/// Why a submission could not be graded. None of this is the submission's fault.
#[derive(Debug, thiserror::Error)]
pub enum GradeError {
    /// A run could not be made.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A case has an input that its game can't take, or more inputs than it takes.
    #[error(transparent)]
    Case(#[from] AssignmentError),
    /// The same, met only with the dice that the submission shows.
    #[error(transparent)]
    Unfit(#[from] Stop),
}

/// What is graded.
#[derive(Debug, Clone, Copy)]
pub enum Graded<'g> {
    /// A Python program.
    Python(&'g Interpreter, &'g Submission),
    /// Another program.
    Command(&'g str, Option<&'g Submission>),
}

impl<'g> Graded<'g> {
    /// The program, if it is one in Python.
    fn python(self) -> Option<&'g Submission> {
        match self {
            Self::Python(_, submission) => Some(submission),
            Self::Command(..) => None,
        }
    }
}

/// How the runs are made.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// A time limit in place of the assignment's.
    pub time: Option<Duration>,
    /// Whether `time.sleep` sleeps.
    pub real_sleep: bool,
    /// How a Python program is started.
    pub runner: Runner,
    /// What keeps the program from doing harm.
    pub confinement: &'o Confinement,
    /// How many runs there are at a time.
    pub workers: usize,
    /// Which checks of the code are made.
    pub checks: Checks,
}

/// Runs and judges one submission.
///
/// # Errors
/// When a run can't be made, or a case does not fit its game.
pub fn grade(assignment: &Assignment, graded: Graded<'_>, options: Options<'_>) -> Result<Report, GradeError> {
    Plan::new(assignment, options.time)?.grade(graded, options)
}

/// Looks at the code of one submission, and calls its functions; no case is run.
///
/// # Errors
/// When a run can't be made.
pub fn look_at_code(
    assignment: &Assignment,
    graded: Graded<'_>,
    options: Options<'_>,
) -> Result<Vec<CheckReport>, GradeError> {
    let looked = Looked::at(assignment, graded.python(), options.checks);
    let session = open(assignment, graded, options)?;
    let reports = if session.syntax_error().is_some() {
        looked.of_no_python(assignment, options.checks)
    } else {
        let called = calls::look(assignment, graded, &looked.code, &session, options)?;
        looked.reports(assignment, options.checks, called)
    };
    session.close()?;
    Ok(reports)
}

/// The code of a submission, and what was found in it.
pub struct Looked {
    code: checks::Code,
    findings: Vec<Finding>,
}

impl Looked {
    fn at(assignment: &Assignment, python: Option<&Submission>, checks: Checks) -> Looked {
        let code = checks::read(python, checks);
        Looked { findings: checks::look(assignment, &code, checks), code }
    }

    fn reports(self, assignment: &Assignment, checks: Checks, called: Vec<CheckReport>) -> Vec<CheckReport> {
        let mut reports = checks::reports(assignment, self.findings, checks, true);
        reports.extend(called);
        reports
    }

    fn of_no_python(self, assignment: &Assignment, checks: Checks) -> Vec<CheckReport> {
        let mut reports = checks::reports(assignment, self.findings, checks, false);
        reports.extend(calls::skipped(assignment, "Python can't read the program", checks.functions));
        reports
    }
}

/// How many runs of a submission there are at a time with so many workers: one more calls its functions meanwhile.
#[must_use]
pub fn runs_at_a_time(workers: usize) -> usize {
    if workers > 1 { workers + 1 } else { 1 }
}

/// Makes a submission ready to be run.
///
/// # Errors
/// When that can't be done.
pub fn open<'g>(assignment: &Assignment, graded: Graded<'g>, options: Options<'_>) -> Result<Session<'g>, RunError> {
    let program = match graded {
        Graded::Python(interpreter, submission) => Program::Python { interpreter, submission },
        Graded::Command(line, submission) => Program::Command { line, submission },
    };
    let conditions = Conditions {
        runner: options.runner,
        memory: assignment.limits.memory_bytes(),
        real_sleep: options.real_sleep,
        confinement: options.confinement.clone(),
        workers: runs_at_a_time(options.workers),
    };
    Session::open(program, conditions)
}

/// The runs of an assignment: the same for every submission.
pub struct Plan<'a> {
    assignment: &'a Assignment,
    combinations: Vec<Rulings>,
    /// The cases in their order, then the runs of the dice alone.
    planned: Vec<Planned>,
}

impl<'a> Plan<'a> {
    /// What is to be run, with a time limit in place of the assignment's if one is given.
    ///
    /// # Errors
    /// When a case does not fit its game, or a stored transcript is not what the reference says. A test proves those of
    /// the built-in assignments.
    pub fn new(assignment: &'a Assignment, time: Option<Duration>) -> Result<Plan<'a>, GradeError> {
        let combinations = assignment.combinations();
        let mut planned = Vec::new();
        for case in &assignment.cases {
            planned.extend(plan(assignment, case, &combinations, time)?);
        }
        Ok(Plan { assignment, combinations, planned })
    }

    /// Runs and judges one submission.
    ///
    /// # Errors
    /// When a run can't be made.
    pub fn grade(&self, graded: Graded<'_>, options: Options<'_>) -> Result<Report, GradeError> {
        let session = open(self.assignment, graded, options)?;
        self.grade_opened(graded, &session, self.look(graded.python(), options.checks), options)
    }

    /// Looks at the code of a submission, if it is a Python program.
    #[must_use]
    pub fn look(&self, python: Option<&Submission>, checks: Checks) -> Looked {
        Looked::at(self.assignment, python, checks)
    }

    /// Runs and judges one submission that has been opened and looked at. With more than one worker its functions are
    /// called while it is run.
    ///
    /// # Errors
    /// When a run can't be made.
    pub fn grade_opened(
        &self,
        graded: Graded<'_>,
        session: &Session<'_>,
        looked: Looked,
        options: Options<'_>,
    ) -> Result<Report, GradeError> {
        let Plan { assignment, combinations: _, planned } = self;
        if let Some(words) = session.syntax_error() {
            let checks = looked.of_no_python(assignment, options.checks);
            return Ok(report::not_run(assignment, graded, session, words, checks));
        }
        let call = || calls::look(assignment, graded, &looked.code, session, options);
        let (judged, called, closed) = thread::scope(|scope| {
            let calling = (options.workers > 1).then(|| scope.spawn(call));
            let finished = self.carry_out(session, options);
            let called = calling.map_or_else(call, joined);
            let closing = scope.spawn(|| session.close());
            (finished.and_then(|finished| self.judge(finished)), called, joined(closing))
        });
        let (judged, called, ()) = (judged?, called?, closed?);
        let checks = looked.reports(assignment, options.checks, called);
        let runs: Vec<_> =
            planned.iter().zip(&judged.outcomes).map(|(planned, outcome)| planned.run(outcome)).collect();
        let (case_runs, dice_runs) = runs.split_at(self.scripts());
        let cases = (&judged.cases, case_runs);
        let dice = (&judged.dice, dice_runs);
        let checks = (checks, options.checks.strict);
        Ok(report::judged(assignment, graded, session, cases, dice, judged.short_from, checks))
    }

    /// Makes ready what can be made so before a program has run, as long as there is time. All else is made ready when it
    /// is needed.
    pub fn prepare(&self, is_time: impl Fn() -> bool) {
        let wanted = self.planned.iter().filter_map(|planned| planned.wanted.as_ref());
        wanted.take_while(|_| is_time()).for_each(Wanted::prepare);
    }

    /// Whether submissions can be run at all under these conditions.
    ///
    /// # Errors
    /// As they would be for each of them.
    pub fn try_out(&self, interpreter: &Interpreter, options: Options<'_>) -> Result<(), GradeError> {
        let empty = Submission::empty();
        let session = open(self.assignment, Graded::Python(interpreter, &empty), options)?;
        session.run(&run::Script::default(), &Limits::default(), &|_| true)?;
        Ok(session.close()?)
    }

    /// What comes of a run of a case, when it is held against one combination of rulings after the other.
    fn assess(&self, rulings: &[Rulings], planned: &Planned, outcome: &run::Outcome) -> Result<Assessment, Stop> {
        let (game, run) = (self.assignment.game, planned.run(outcome));
        match &planned.wanted {
            Some(wanted) => Ok(judge::assess(game, wanted, &run)),
            None => Ok(judge::assess(game, &Wanted::of(game, &run, rulings)?, &run)),
        }
    }

    /// How many runs are of cases; those of the dice alone follow.
    fn scripts(&self) -> usize {
        self.assignment.cases.iter().filter(|case| case.script().is_some()).count()
    }

    /// Makes all runs. Those of cases are assessed at once: other workers run meanwhile.
    fn carry_out(&self, session: &Session<'_>, options: Options<'_>) -> Result<Results<Assessed>, GradeError> {
        let Plan { assignment: _, combinations, planned } = self;
        let enough: Vec<_> = planned.iter().map(|planned| |printed: &[u8]| planned.is_enough(printed)).collect();
        let jobs: Vec<Job<'_>> = planned
            .iter()
            .zip(&enough)
            .map(|(planned, stop)| Job { script: &planned.script, limits: planned.limits.clone(), stop })
            .collect();
        let scripts = self.scripts();
        Ok(session.run_all(&jobs, options.workers, &|index, mut outcome: run::Outcome| {
            if outcome.ending == run::Ending::TooMuchOutput {
                // It goes on for ever: at least five times what is expected is enough to tell where it leaves that.
                outcome.stdout.truncate(usize::try_from(planned[index].limits.output / 4).unwrap_or(usize::MAX));
                outcome.stdout.shrink_to_fit();
            }
            let assessment = (index < scripts).then(|| self.assess(combinations, &planned[index], &outcome));
            if matches!(&assessment, Some(Ok(assessment)) if assessment.is_settled()) {
                outcome.stdout = Vec::new();
                outcome.places = None;
            }
            (outcome, assessment)
        })?)
    }

    fn judge(&self, finished: Results<Assessed>) -> Result<JudgedRuns, GradeError> {
        let Plan { assignment, combinations, planned } = self;
        let scripts = self.scripts();
        let (outcomes, assessments): (Vec<_>, Vec<_>) = finished.all.into_iter().unzip();
        let assessments = assessments.into_iter().flatten().collect::<Result<Vec<_>, _>>()?;
        let runs: Vec<judge::Run<'_>> =
            planned.iter().zip(&outcomes).map(|(planned, outcome)| planned.run(outcome)).collect();
        let (case_runs, dice_runs) = runs.split_at(scripts);
        let cases = judge::judge_submission(assignment.game, combinations, case_runs, &assessments)?;
        let dice = dice_runs
            .iter()
            .zip(&planned[scripts..])
            .map(|(run, planned)| self.assess(&cases.fitting, planned, run.outcome));
        let dice = dice.collect::<Result<Vec<_>, _>>()?;
        let dice = judge::judge_submission(assignment.game, &cases.fitting, dice_runs, &dice)?;
        Ok(JudgedRuns { outcomes, cases, dice, short_from: finished.short_from })
    }
}

/// What came of a run, and of a case.
type Assessed = (run::Outcome, Option<Result<Assessment, Stop>>);

/// What came of all runs.
struct JudgedRuns {
    /// In the order of the plan.
    outcomes: Vec<run::Outcome>,
    cases: Judgement,
    dice: Judgement,
    short_from: Option<usize>,
}

/// One run, before it is made.
struct Planned {
    script: run::Script,
    seed: Option<num_bigint::BigInt>,
    limits: Limits,
    /// Nothing for Doubles: the dice of a submission are not known before it has run.
    wanted: Option<Wanted>,
}

impl Planned {
    /// Whether the run may be stopped after what has been printed.
    fn is_enough(&self, printed: &[u8]) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| wanted.is_enough(printed))
    }

    fn run<'p>(&'p self, outcome: &'p run::Outcome) -> judge::Run<'p> {
        judge::Run { script: judge::Script { inputs: &self.script.inputs, seed: self.seed.as_ref() }, outcome }
    }
}

/// The runs that a case asks for.
fn plan(
    assignment: &Assignment,
    case: &Case,
    combinations: &[Rulings],
    time: Option<Duration>,
) -> Result<Vec<Planned>, GradeError> {
    let seeds: Vec<_> = match &case.task {
        Task::Script(script) => vec![script.seed.as_ref().map(|seed| seed.number().clone())],
        Task::Dice(dice) => dice.seeds().map(|seed| Some(seed.number().clone())).collect(),
    };
    let inputs = case.inputs();
    let mut planned = Vec::new();
    for seed in seeds {
        let mut wanted = Wanted::default();
        // The numbers of rulings, and the questions that mattered under them.
        let mut known: Vec<(usize, Vec<&str>)> = Vec::new();
        // What a submission says with its own dice is judged afterwards.
        let played = if assignment.game == Game::Doubles { &combinations[..1] } else { combinations };
        for (number, rulings) in played.iter().enumerate() {
            let is_alike = |(other, asked): &&(usize, Vec<&str>)| {
                asked.iter().all(|question| played[*other].answer(question) == rulings.answer(question))
            };
            if let Some((other, _)) = known.iter().find(is_alike) {
                wanted.add_as_under(*other);
                continue;
            }
            let mut throw = seeded_dice(&seed.clone().unwrap_or_default());
            let played = play_script(assignment.game, rulings, inputs, &mut throw);
            let Played { transcript, unread, asked } = played.map_err(|stop| unfit(assignment, case, stop))?;
            known.push((number, asked));
            if let (Task::Script(script), false) = (&case.task, assignment.source.is_built_in())
                && number == 0
            {
                stored::verify(assignment.game, script, &transcript)?;
            }
            if unread > 0 && assignment.game != Game::Doubles {
                let message = "the game is over before this input is read".to_owned();
                let help = "take it and what follows it away";
                return Err(assignment.input_fault(case, inputs.len() - unread, message, help).into());
            }
            wanted.add(transcript);
        }
        let output = assignment.limits.output_for(wanted.size() as u64);
        let limits = Limits { time: time.unwrap_or(assignment.limits.time), output };
        let script =
            run::Script { inputs: inputs.to_vec(), seed: seed.as_ref().map(ToString::to_string), ..Default::default() };
        let wanted = Some(wanted).filter(|_| assignment.game != Game::Doubles);
        planned.push(Planned { script, seed, limits, wanted });
    }
    Ok(planned)
}

/// An input that the game of its case can't take.
fn unfit(assignment: &Assignment, case: &Case, stop: Stop) -> GradeError {
    match stop {
        Stop::Unfit { number, expected, prompt, .. } => {
            let message = format!("{expected} is wanted here, for `{prompt}`");
            let help = format!("`check transcript {} --inputs …` shows what is asked for", assignment.game.name());
            assignment.input_fault(case, number - 1, message, &help).into()
        }
        Stop::OutOfAnswers => stop.into(),
    }
}

/// What a verdict earns.
fn earned(assignment: &Assignment, case: &Case, verdict: Verdict) -> Points {
    match verdict {
        Verdict::Passed => case.points,
        Verdict::Presentation => case.points.share(assignment.presentation_credit),
        _ => Points::ZERO,
    }
}

/// Whether a judged case tells that the program read an answer before it had asked.
fn reads_ahead(case: &JudgedCase) -> bool {
    case.screen.read_ahead && matches!(case.verdict, Verdict::Passed | Verdict::Presentation)
}
