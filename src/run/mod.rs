//! Runs students' programs: every process, file descriptor and limit is here, and nothing of games or verdicts.
//!
//! A [`Submission`] is read from disk once. A [`Session`] makes a program ready; each run of it has a fresh copy of the
//! submission in a folder of its own, is typed a [`Script`] line by line, and an [`Outcome`] says what was printed, how
//! much was read and how it ended. [`Session::run_all`] does so for many scripts on several cores. Afterwards nothing
//! is left, neither a process nor a file.
//!
//! Faults of the program are an [`Ending`]; faults of ours are a [`RunError`].

#[cfg(unix)]
mod descriptors;
mod ending;
#[cfg(unix)]
mod feed;
mod interpreter;
mod launch;
#[cfg(target_os = "linux")]
mod linux;
mod pool;
#[cfg(not(unix))]
mod portable;
mod scratch;
mod signals;
mod submission;
#[cfg(test)]
#[cfg(unix)]
mod tests;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod warm;

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
#[cfg(unix)]
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use ending::{Crash, Ending};
pub use interpreter::{Interpreter, InterpreterError};
pub use pool::{Job, Results};
pub use signals::{interrupted, stop_on_signals};
pub use submission::{OpenError, Submission};

use ending::Trace;
use launch::Mode;
#[cfg(not(unix))]
use portable::drive;
use scratch::Scratch;
#[cfg(unix)]
use unix::drive;
#[cfg(unix)]
use warm::{Started, Warm};

#[cfg(unix)]
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is run.
#[derive(Debug, Clone, Copy)]
pub enum Program<'a> {
    /// A Python program, run as `python3 student.py` would.
    Python {
        /// What runs it.
        interpreter: &'a Interpreter,
        /// The program.
        submission: &'a Submission,
    },
    /// Any other program.
    Command {
        /// Split into words as a shell does, and nothing more: `java Racko`.
        line: &'a str,
        /// The files that stand in its working directory.
        submission: Option<&'a Submission>,
    },
}

impl<'a> Program<'a> {
    fn submission(&self) -> Option<&'a Submission> {
        match *self {
            Program::Python { submission, .. } => Some(submission),
            Program::Command { submission, .. } => submission,
        }
    }
}

/// What is typed in one run.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The lines, without their line ends.
    pub inputs: Vec<String>,
    /// A whole number of any size that seeds Python's `random` before the program's first line.
    pub seed: Option<String>,
}

/// What a run may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The run's own time: the clock's, less what the program waited for a core where the system tells that. On the
    /// clock it is never more than three times this.
    pub time: Duration,
    /// Bytes of standard output.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(5), output: 1 << 20 }
    }
}

/// What holds for all runs of a program.
#[derive(Debug, Clone)]
pub struct Conditions {
    /// How a Python program is started.
    pub runner: Runner,
    /// Bytes of memory: of address space for a Python program, resident for a command (watched on Linux only).
    pub memory: u64,
    /// Whether `time.sleep` sleeps; otherwise it returns at once.
    pub real_sleep: bool,
}

impl Default for Conditions {
    fn default() -> Self {
        Self { runner: Runner::Warm, memory: 512 << 20, real_sleep: false }
    }
}

/// How a Python program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// As a fork of an interpreter that has compiled it and stands at its first line. Where that can't be (on Windows,
    /// by an interpreter other than CPython, after anything out of the ordinary) it is [`Runner::Spawn`].
    Warm,
    /// By an interpreter of its own.
    Spawn,
}

/// What came of one run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What was printed, at most [`Limits::output`] bytes, with scratch paths replaced by the submission's name.
    pub stdout: Vec<u8>,
    /// The last 16 KiB of standard error, with scratch paths replaced in the same way.
    pub stderr_tail: Vec<u8>,
    /// How it ended.
    pub ending: Ending,
    /// How many of the script's lines were read, measured from outside; none where the system can't tell.
    pub lines_read: Option<usize>,
    /// For each line that was read, in order, the length of `stdout` at that time. Told from inside a Python program
    /// (through `sys.stdin`; lines read otherwise are missing), so it is for display only.
    pub places: Option<Vec<usize>>,
    /// The exit status, unless a signal ended it or it was stopped.
    pub status: Option<i32>,
    /// The run's own time, see [`Limits::time`].
    pub duration: Duration,
}

/// A fault of ours, never of the submission.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The folder for a run can't be made.
    #[error("can't make a scratch folder in {folder}: {source} (set TMPDIR to a folder that can be written)")]
    Scratch {
        /// Where it was tried.
        folder: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something of a run is left on disk.
    #[error("can't remove the scratch folder {folder}: {source}")]
    Cleanup {
        /// What is left.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The program can't be started.
    #[error("can't start {program}: {source}")]
    Start {
        /// The interpreter or the command.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// The command is no command.
    #[error("can't read the command {line:?}: {reason}")]
    Command {
        /// What was given.
        line: String,
        /// What is wrong.
        reason: String,
    },
    /// The interpreter does not come up to running a program.
    #[error("{path} does not work: {said}")]
    Interpreter {
        /// The interpreter.
        path: PathBuf,
        /// Its last words.
        said: String,
    },
    /// The system refused something that a run needs.
    #[error("the system refused what a run needs: {0}")]
    System(#[from] io::Error),
    /// Somebody asked to stop; nothing is left behind.
    #[error("interrupted")]
    Interrupted,
}

/// What a run is held to while it lasts.
struct Watch<'a> {
    /// The time limit, which may shrink meanwhile.
    time: &'a dyn Fn() -> Duration,
    output: u64,
    #[cfg_attr(not(unix), expect(dead_code, reason = "nothing there tells how much memory a process takes"))]
    memory: u64,
    /// Whether the memory limit is one of address space.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there is no such limit there"))]
    address_space: bool,
    stop: &'a dyn Fn(&[u8]) -> bool,
    cancelled: &'a dyn Fn() -> bool,
}

/// Why a run was ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Stopped,
    Time,
    Output,
    #[cfg_attr(not(unix), expect(dead_code, reason = "memory is not watched there"))]
    Memory,
}

/// A run, seen from outside.
struct Ended {
    stdout: Vec<u8>,
    stderr_tail: Vec<u8>,
    cut: Option<Cut>,
    status: ExitStatus,
    lines_read: Option<usize>,
    duration: Duration,
}

const STDERR_TAIL: usize = 16 << 10;
const STDERR_LIMIT: u64 = 64 << 20;
/// How long an interpreter may take to compile a program.
const PREPARATION: Duration = Duration::from_secs(5);

/// A program, ready to be run.
#[derive(Debug)]
pub struct Session<'a> {
    program: Program<'a>,
    conditions: Conditions,
    syntax_error: Option<String>,
    /// Interpreters that wait for a run; none where each run has its own.
    #[cfg(unix)]
    warm: Option<Mutex<Vec<Warm>>>,
}

impl<'a> Session<'a> {
    /// Makes a program ready: a Python program is compiled, and none of it runs.
    ///
    /// # Errors
    /// Only what is no fault of the program, among it an interpreter that does not work.
    pub fn open(program: Program<'a>, conditions: Conditions) -> Result<Self, RunError> {
        let Program::Python { interpreter, submission } = program else {
            return Ok(Self::new(program, conditions, None));
        };
        #[cfg(unix)]
        if conditions.runner == Runner::Warm && interpreter.is_cpython() {
            match Warm::start(&program, &conditions)? {
                Started::Ready(warm) => {
                    let warm = Some(Mutex::new(vec![*warm]));
                    return Ok(Self { warm, ..Self::new(program, conditions, None) });
                }
                Started::SyntaxError(words) => return Ok(Self::new(program, conditions, Some(words))),
                Started::Unfit => {}
            }
        }
        let syntax_error = syntax_error(interpreter, submission, &conditions)?;
        Ok(Self::new(program, conditions, syntax_error))
    }

    fn new(program: Program<'a>, conditions: Conditions, syntax_error: Option<String>) -> Self {
        Self {
            program,
            conditions,
            syntax_error,
            #[cfg(unix)]
            warm: None,
        }
    }

    /// Python's own words if the submission is no Python program; none if it is one, or if the interpreter can't tell
    /// beforehand (only CPython can).
    #[must_use]
    pub fn syntax_error(&self) -> Option<&str> {
        self.syntax_error.as_deref()
    }

    /// How runs are made: `warm`, `spawn` or `command`.
    #[must_use]
    pub fn runner(&self) -> &'static str {
        #[cfg(unix)]
        if self.warm.is_some() {
            return "warm";
        }
        match self.program {
            Program::Python { .. } => "spawn",
            Program::Command { .. } => "command",
        }
    }

    /// Runs the program, typing `script`.
    ///
    /// `stop` is asked whether the output is enough, once all lines have been read; then the run ends there as
    /// [`Ending::Stopped`]. It must not take back a yes when more is printed.
    ///
    /// # Errors
    /// Only what is no fault of the program.
    pub fn run(&self, script: &Script, limits: &Limits, stop: &dyn Fn(&[u8]) -> bool) -> Result<Outcome, RunError> {
        self.run_while(script, limits, stop, &|| limits.time, &|| false)
    }

    fn run_while(
        &self,
        script: &Script,
        limits: &Limits,
        stop: &dyn Fn(&[u8]) -> bool,
        time: &dyn Fn() -> Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Outcome, RunError> {
        let python = matches!(self.program, Program::Python { .. });
        let watch = Watch {
            time,
            output: limits.output,
            memory: self.conditions.memory,
            address_space: python,
            stop,
            cancelled,
        };
        #[cfg(unix)]
        if let Some(idle) = &self.warm {
            let waiting = lock(idle).pop();
            let warm = match waiting {
                Some(warm) => Some(warm),
                None => Warm::start(&self.program, &self.conditions)?.ready(),
            };
            if let Some(mut warm) = warm
                && let Some(ended) = warm.run(self.program.submission(), script, &watch)?
            {
                let outcome = self.outcome(warm.scratch(), ended, script, stop);
                if warm.is_sound() {
                    lock(idle).push(warm);
                }
                return Ok(outcome);
            }
        }
        let scratch = Scratch::new(self.program.submission())?;
        let command = launch::command(&self.program, &scratch, Mode::Run(script), &self.conditions)?;
        let ended = drive(command, &script.inputs, &watch, Some(scratch.home()))?;
        let outcome = self.outcome(&scratch, ended, script, stop);
        scratch.remove()?;
        Ok(outcome)
    }

    /// Ends what waits for another run, and removes the last of its files.
    ///
    /// # Errors
    /// If something of it is left on disk.
    pub fn close(self) -> Result<(), RunError> {
        #[cfg(unix)]
        for warm in self.warm.into_iter().flat_map(|idle| idle.into_inner().unwrap_or_else(PoisonError::into_inner)) {
            warm.close()?;
        }
        Ok(())
    }

    fn outcome(
        &self,
        scratch: &Scratch,
        mut ended: Ended,
        script: &Script,
        stop: &dyn Fn(&[u8]) -> bool,
    ) -> Outcome {
        // Whether the program or the stop came first is luck; what was printed is not.
        let all_read = ended.lines_read.is_none_or(|read| read == script.inputs.len());
        if all_read && stop(&ended.stdout) {
            ended.cut = Some(Cut::Stopped);
        }
        let python = matches!(self.program, Program::Python { .. });
        let trace = python.then(|| Trace::read(&scratch.trace(), script.inputs.len()));
        let ending = ending::ending(&ended, trace.as_ref(), all_read);
        let stdout = scratch.hide(&ended.stdout);
        let is_as_printed = matches!(stdout, Cow::Borrowed(_));
        let shown = |&place: &usize| {
            let place = place.min(ended.stdout.len());
            if is_as_printed { place } else { scratch.hide(&ended.stdout[..place]).len() }
        };
        let places = trace.as_ref().map(|trace| trace.places.iter().map(shown).collect());
        Outcome {
            stdout: stdout.into_owned(),
            stderr_tail: scratch.hide(&scratch.hide_our_frames(&ended.stderr_tail)).into_owned(),
            status: if ended.cut.is_some() { None } else { ended.status.code() },
            lines_read: ended.lines_read,
            duration: ended.duration,
            ending,
            places,
        }
    }
}

/// Python's own words if a submission is no Python program, by an interpreter that does not run it.
fn syntax_error(
    interpreter: &Interpreter,
    submission: &Submission,
    conditions: &Conditions,
) -> Result<Option<String>, RunError> {
    let scratch = Scratch::new(Some(submission))?;
    let command = launch::command(&Program::Python { interpreter, submission }, &scratch, Mode::Syntax, conditions)?;
    let watch = Watch {
        time: &|| PREPARATION,
        output: Limits::default().output,
        memory: conditions.memory,
        address_space: true,
        stop: &|_| false,
        cancelled: &|| false,
    };
    let ended = drive(command, &[], &watch, Some(scratch.home()))?;
    let trace = Trace::read(&scratch.trace(), 0);
    let said = String::from_utf8_lossy(&scratch.hide(&ended.stderr_tail)).into_owned();
    scratch.remove()?;
    if !trace.started {
        return Err(RunError::Interpreter { path: interpreter.path.clone(), said });
    }
    let is_error = ended.cut.is_none() && tells_of_a_syntax_error(&trace, &said);
    Ok((is_error && interpreter.is_cpython()).then_some(said))
}

/// Whether a program that was only to be compiled could not be. A traceback's head means that something ran after all:
/// what it said is for the cases to tell.
fn tells_of_a_syntax_error(trace: &Trace, said: &str) -> bool {
    trace.uncaught.is_some() && !said.contains("Traceback (most recent call last)")
}
