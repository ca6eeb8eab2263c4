//! Runs students' programs: every process, file descriptor and limit is here, and nothing of games or verdicts.
//!
//! A [`Submission`] is read from disk once. [`run`] gives a fresh copy of it a folder of its own, starts it, types a
//! [`Script`] line by line, and says in an [`Outcome`] what was printed, how much was read and how it ended.
//! [`run_all`] does so for many scripts on several cores. Afterwards nothing is left, neither a process nor a file.
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

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

pub use ending::{Crash, Ending};
pub use interpreter::{Interpreter, InterpreterError};
pub use pool::{Job, Results, run_all};
pub use signals::{interrupted, stop_on_signals};
pub use submission::{OpenError, Submission};

use ending::Trace;
use launch::Mode;
#[cfg(not(unix))]
use portable::drive;
use scratch::Scratch;
#[cfg(unix)]
use unix::drive;

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
    /// Bytes of memory: of address space for a Python program, resident for a command (watched on Linux only).
    pub memory: u64,
    /// Whether `time.sleep` sleeps; otherwise it returns at once.
    pub real_sleep: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(5), output: 1 << 20, memory: 512 << 20, real_sleep: false }
    }
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

/// Runs `program`, typing `script`.
///
/// `stop` is asked whether the output is enough, once all lines have been read; then the run ends there as
/// [`Ending::Stopped`]. It must not take back a yes when more is printed.
///
/// # Errors
/// Only what is no fault of the program.
pub fn run(
    program: &Program<'_>,
    script: &Script,
    limits: &Limits,
    stop: &dyn Fn(&[u8]) -> bool,
) -> Result<Outcome, RunError> {
    run_while(program, script, limits, stop, &|| limits.time, &|| false)
}

fn run_while(
    program: &Program<'_>,
    script: &Script,
    limits: &Limits,
    stop: &dyn Fn(&[u8]) -> bool,
    time: &dyn Fn() -> Duration,
    cancelled: &dyn Fn() -> bool,
) -> Result<Outcome, RunError> {
    let scratch = Scratch::new(program.submission())?;
    let command = launch::command(program, &scratch, Mode::Run(script), limits)?;
    let python = matches!(program, Program::Python { .. });
    let watch = Watch { time, output: limits.output, memory: limits.memory, address_space: python, stop, cancelled };
    let mut ended = drive(command, &script.inputs, &watch, Some(scratch.home()))?;

    // Whether the program or the stop came first is luck; what was printed is not.
    let all_read = ended.lines_read.is_none_or(|read| read == script.inputs.len());
    if all_read && stop(&ended.stdout) {
        ended.cut = Some(Cut::Stopped);
    }
    let trace = python.then(|| Trace::read(&scratch.trace(), script.inputs.len()));
    let ending = ending::ending(&ended, trace.as_ref(), all_read);
    let places = trace.map(|trace| {
        trace.places.iter().map(|&place| scratch.hide(&ended.stdout[..place.min(ended.stdout.len())]).len()).collect()
    });
    let outcome = Outcome {
        stdout: scratch.hide(&ended.stdout).into_owned(),
        stderr_tail: scratch.hide(&scratch.hide_our_frames(&ended.stderr_tail)).into_owned(),
        status: if ended.cut.is_some() { None } else { ended.status.code() },
        lines_read: ended.lines_read,
        duration: ended.duration,
        ending,
        places,
    };
    scratch.remove()?;
    Ok(outcome)
}

/// Python's own words if the submission is no Python program, without running any of it; none if it is one, or if
/// the interpreter can't tell beforehand (only CPython can).
///
/// # Errors
/// Only what is no fault of the program, among it an interpreter that does not work.
pub fn syntax_error(interpreter: &Interpreter, submission: &Submission) -> Result<Option<String>, RunError> {
    let limits = Limits::default();
    let scratch = Scratch::new(Some(submission))?;
    let command = launch::command(&Program::Python { interpreter, submission }, &scratch, Mode::Syntax, &limits)?;
    let watch = Watch {
        time: &|| limits.time,
        output: limits.output,
        memory: limits.memory,
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
    // A traceback's head means that something ran after all: what it said is for the cases to tell.
    let compiled =
        ended.cut.is_some() || trace.uncaught.is_none() || said.contains("Traceback (most recent call last)");
    Ok((!compiled && interpreter.is_cpython()).then_some(said))
}
