//! Runs students' programs: every process, file descriptor and limit is here, and nothing of games or verdicts.
//!
//! A [`Submission`] is read from disk once. A [`Session`] makes a program ready; each run of it has a fresh copy of the
//! submission in a folder of its own, is typed a [`Script`] line by line, and an [`Outcome`] says what was printed, how
//! much was read and how it ended. [`Session::run_all`] does so for many scripts on several cores. Afterwards nothing
//! is left, neither a process nor a file.
//!
//! Faults of the program are an [`Ending`]; faults of ours are a [`RunError`].

mod calls;
#[cfg(target_os = "linux")]
mod cgroup;
mod confinement;
#[cfg(unix)]
mod descriptors;
mod doctor;
mod ending;
#[cfg(unix)]
mod feed;
mod harness;
mod interpreter;
mod launch;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod namespaces;
mod pool;
#[cfg(not(unix))]
mod portable;
#[cfg(target_os = "linux")]
mod sandbox;
mod scratch;
mod signals;
mod submission;
#[cfg(test)]
#[cfg(unix)]
mod tests;
#[cfg(unix)]
mod unix;
mod uploads;
#[cfg(unix)]
mod warm;

use std::borrow::Cow;
use std::io;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::sync::Mutex;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use calls::{CallEnd, CallTold, Callable, Loading, Told};
pub use confinement::{Confinement, Isolation, Layer, Required, State};
pub use doctor::{Attempt, Examination, examine};
pub use ending::{Crash, Ending};
pub use interpreter::{Interpreter, InterpreterError, Presumed};
pub use pool::{Job, Results};
#[cfg(target_os = "linux")]
pub use sandbox::launch_confined;
pub use signals::{Busy, interrupted, stop_on_signals};
pub use submission::{OpenError, Submission};
pub use uploads::{Upload, UploadError, Uploads, UploadsError};

use ending::Trace;
#[cfg(unix)]
use feed::Typing;
use launch::Mode;
#[cfg(not(unix))]
use portable::drive;
#[cfg(target_os = "linux")]
use sandbox::Sandbox;
use scratch::Scratch;
#[cfg(unix)]
use unix::drive;
#[cfg(unix)]
use warm::{Interpreters, Seed, Started, Warm};

use crate::shared::lock;

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

/// What is done in one run, and what is typed.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// What is done.
    pub purpose: Purpose,
    /// The lines, without their line ends.
    pub inputs: Vec<String>,
    /// A whole number of any size that seeds Python's `random` before the program's first line.
    pub seed: Option<String>,
}

/// What is done in a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The program is run.
    #[default]
    Play,
    /// Functions of a Python program are called, as a [`Callable`] says in the first line that is typed.
    Call,
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
    /// What keeps the program from doing harm.
    pub confinement: Confinement,
    /// How many runs there will be at a time; more take longer.
    pub workers: usize,
}

impl Default for Conditions {
    fn default() -> Self {
        Self {
            runner: Runner::Warm,
            memory: 512 << 20,
            real_sleep: false,
            confinement: Confinement::default(),
            workers: 1,
        }
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
    /// The last 16 KiB of standard error, with scratch paths replaced in the same way; nothing of a run that was
    /// stopped.
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
    /// It can't be confined as closely as was required.
    #[error("the isolation that --require-isolation asks for can't be had: {0}; see check doctor")]
    Isolation(Layer),
    /// No way to start the program was left.
    #[error("the program can't be started under any confinement")]
    Confinement,
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
    way: Way,
    syntax_error: Option<String>,
    /// Until all has been run.
    busy: Mutex<Option<Busy>>,
    /// Interpreters that are ready to be forked.
    #[cfg(unix)]
    interpreters: Mutex<Interpreters>,
    /// Whether the program may be typed ahead: nothing tells so far that it reads less than whole lines.
    #[cfg(unix)]
    reads_lines: AtomicBool,
}

/// How the runs of a program are made.
#[derive(Debug)]
struct Way {
    runner: &'static str,
    #[cfg(target_os = "linux")]
    sandbox: Option<Sandbox>,
    layers: Vec<Layer>,
}

/// Makes runs one after the other.
#[derive(Debug)]
struct Worker<'s> {
    session: &'s Session<'s>,
    #[cfg(unix)]
    warm: Option<Warm>,
}

impl<'a> Session<'a> {
    /// Makes a program ready: a Python program is compiled, and none of it runs. What keeps the interpreter from
    /// starting on this system is left out of the confinement, and [`Session::layers`] says so.
    ///
    /// # Errors
    /// Only what is no fault of the program, among it an interpreter that does not work.
    pub fn open(program: Program<'a>, conditions: Conditions) -> Result<Self, RunError> {
        let mut ways = Way::all(&program, &conditions).into_iter();
        loop {
            let Some(way) = ways.next() else { return Err(RunError::Confinement) };
            if let Some(layer) = conditions.confinement.required.short_of(&way.layers) {
                return Err(RunError::Isolation(layer));
            }
            let mut session = Self {
                program,
                conditions: conditions.clone(),
                way,
                syntax_error: None,
                busy: Mutex::new(Some(Busy::new())),
                #[cfg(unix)]
                interpreters: Mutex::default(),
                #[cfg(unix)]
                reads_lines: AtomicBool::new(true),
            };
            let Err(error) = session.prepare() else { return Ok(session) };
            if ways.len() == 0 || !matches!(error, RunError::Interpreter { .. }) {
                return Err(error);
            }
        }
    }

    fn prepare(&mut self) -> Result<(), RunError> {
        let Program::Python { interpreter, submission } = self.program else { return Ok(()) };
        #[cfg(unix)]
        if self.conditions.runner == Runner::Warm && interpreter.is_cpython() && !self.way.wants_a_process_a_run() {
            match Seed::start(self, interpreter, submission)? {
                Started::Ready(seed) => {
                    self.way.runner = "warm";
                    self.interpreters = Mutex::new(Interpreters { seed: Some(*seed), idle: Vec::new() });
                    return Ok(());
                }
                Started::SyntaxError(words) => {
                    self.syntax_error = Some(words);
                    return Ok(());
                }
                Started::Unfit => {}
            }
        }
        self.syntax_error = self.ask_for_syntax_error(interpreter, submission)?;
        Ok(())
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
        self.way.runner
    }

    /// What keeps the program from doing harm, and how much of it holds.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.way.layers
    }

    /// Whether the program is kept from more than taking too much.
    #[must_use]
    pub fn is_sandboxed(&self) -> bool {
        self.way
            .layers
            .iter()
            .any(|layer| layer.name != confinement::LIMITS && matches!(layer.state, State::Enforced | State::Partly))
    }

    /// Runs the program, typing `script`.
    ///
    /// `stop` is asked whether the output is enough, once all lines have been read; then the run ends there as
    /// [`Ending::Stopped`]. It must not take back a yes when more is printed.
    ///
    /// # Errors
    /// Only what is no fault of the program.
    pub fn run(&self, script: &Script, limits: &Limits, stop: &dyn Fn(&[u8]) -> bool) -> Result<Outcome, RunError> {
        let mut worker = self.worker();
        worker.run(script, limits, stop, &|| limits.time, &|| false)
    }

    fn worker(&self) -> Worker<'_> {
        Worker {
            session: self,
            #[cfg(unix)]
            warm: None,
        }
    }

    /// Ends what waits for more runs, and removes the last of its files.
    ///
    /// # Errors
    /// If something of that can't be removed.
    pub fn close(&self) -> Result<(), RunError> {
        #[cfg(unix)]
        std::mem::take(&mut *lock(&self.interpreters)).close()?;
        *lock(&self.busy) = None;
        Ok(())
    }

    /// An interpreter for the runs of one worker, if there can be one.
    #[cfg(unix)]
    fn warm(&self) -> Result<Option<Warm>, RunError> {
        let mut interpreters = lock(&self.interpreters);
        if let Some(warm) = interpreters.idle.pop() {
            return Ok(Some(warm));
        }
        if self.rooms() > 0 {
            return interpreters.seed.as_mut().map_or(Ok(None), |seed| seed.fork(self));
        }
        let seed = interpreters.seed.take();
        drop(interpreters);
        Ok(match (seed, self.program) {
            (Some(seed), _) => Some(seed.into()),
            (None, Program::Python { interpreter, submission }) => {
                Seed::start(self, interpreter, submission)?.ready().map(Warm::from)
            }
            (None, Program::Command { .. }) => None,
        })
    }

    /// How many workers share an interpreter and have a room each in that one's folder. A program can see since Python
    /// 3.13 in which folder it was compiled: a name that is missing in a module of its own is told with it.
    #[cfg(unix)]
    fn rooms(&self) -> usize {
        let moves = |version| version < (3, 13, 0);
        let can_move = matches!(self.program, Program::Python { interpreter, .. } if moves(interpreter.version));
        if can_move { warm::rooms_for(self.conditions.workers) } else { 0 }
    }

    /// What a waiting interpreter is told of how it is confined.
    #[cfg(unix)]
    fn orders(&self) -> io::Result<String> {
        #[cfg(target_os = "linux")]
        if let Some(sandbox) = &self.way.sandbox {
            return sandbox.orders();
        }
        Ok(String::new())
    }

    /// Whom a submission runs as, if it is another user than ours.
    #[cfg(unix)]
    fn user(&self) -> Option<(u32, u32)> {
        #[cfg(target_os = "linux")]
        return self.way.sandbox.as_ref().and_then(Sandbox::user);
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// What a process has to hand to the kernel so that it is kept to one folder, if it is kept to folders.
    #[cfg(unix)]
    fn rules(&self, scratch: &Scratch, writes: Vec<PathBuf>) -> io::Result<Option<OwnedFd>> {
        #[cfg(target_os = "linux")]
        if let Some(sandbox) = &self.way.sandbox {
            return sandbox.rules(&self.program, scratch, writes);
        }
        let _ = (scratch, writes);
        Ok(None)
    }

    /// The command that starts the program, confined.
    fn command(&self, scratch: &mut Scratch, mode: Mode<'_>, time: Option<Duration>) -> Result<Command, RunError> {
        let conditions = &self.conditions;
        #[cfg(target_os = "linux")]
        if let Some(sandbox) = &self.way.sandbox {
            let command = launch::command(&self.program, scratch, mode, conditions)?;
            scratch.give_to(sandbox.user())?;
            if sandbox.has_group() {
                scratch.bound(conditions.memory)?;
            }
            let memory = matches!(self.program, Program::Python { .. }).then_some(conditions.memory);
            let allowance = linux::Allowance::new(memory, time.map(unix::cpu_seconds), sandbox.user().is_some());
            return Ok(sandbox.confine(&command, &self.program, scratch, allowance));
        }
        let _ = time;
        launch::command(&self.program, scratch, mode, conditions)
    }

    /// Python's own words if a submission is no Python program, by an interpreter that does not run it.
    fn ask_for_syntax_error(
        &self,
        interpreter: &Interpreter,
        submission: &Submission,
    ) -> Result<Option<String>, RunError> {
        let mut scratch = Scratch::new(Some(submission))?;
        let command = self.command(&mut scratch, Mode::Syntax, Some(PREPARATION))?;
        let watch = Watch {
            time: &|| PREPARATION,
            output: Limits::default().output,
            memory: self.conditions.memory,
            address_space: true,
            stop: &|_| false,
            cancelled: &|| false,
        };
        let ended = drive(command, &[], &watch, Some(&scratch))?;
        let trace = Trace::read(&scratch.trace(), 0);
        let said = String::from_utf8_lossy(&scratch.hide(&ended.stderr_tail)).into_owned();
        scratch.remove()?;
        if !trace.started {
            return Err(RunError::Interpreter { path: interpreter.path.clone(), said });
        }
        let is_error = ended.cut.is_none() && tells_of_a_syntax_error(&trace, &said);
        Ok((is_error && interpreter.is_cpython()).then_some(said))
    }

    fn outcome(
        &self,
        scratch: &Scratch,
        mut ended: Ended,
        trace: Option<Trace>,
        script: &Script,
        stop: &dyn Fn(&[u8]) -> bool,
    ) -> Outcome {
        if scratch.ran_out_of_memory() {
            ended.cut = Some(Cut::Memory);
        }
        // Whether the program or the stop came first is luck; what was printed is not.
        let all_read = ended.lines_read.is_none_or(|read| read == script.inputs.len());
        if all_read && stop(&ended.stdout) {
            ended.cut = Some(Cut::Stopped);
        }
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
            // How far a program gets that is stopped is luck, and what it complains of then is of no interest.
            stderr_tail: if ending == Ending::Stopped {
                Vec::new()
            } else {
                scratch.hide(&scratch.hide_our_frames(&ended.stderr_tail)).into_owned()
            },
            status: if ended.cut.is_some() { None } else { ended.status.code() },
            lines_read: ended.lines_read,
            duration: ended.duration,
            ending,
            places,
        }
    }
}

impl Way {
    /// Whether each run needs a process of its own.
    #[cfg(unix)]
    fn wants_a_process_a_run(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.sandbox.as_ref().is_some_and(Sandbox::wants_a_process_a_run);
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// The ways to run a program, the most confined first.
    fn all(program: &Program<'_>, conditions: &Conditions) -> Vec<Way> {
        let runner = match program {
            Program::Python { .. } => "spawn",
            Program::Command { .. } => "command",
        };
        #[cfg(target_os = "linux")]
        {
            let ways = Sandbox::all(&conditions.confinement, program).into_iter();
            ways.map(|(sandbox, layers)| Way { runner, sandbox, layers }).collect()
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = conditions;
            vec![Way { runner, layers: vec![Layer::limits()] }]
        }
    }
}

impl Worker<'_> {
    fn run(
        &mut self,
        script: &Script,
        limits: &Limits,
        stop: &dyn Fn(&[u8]) -> bool,
        time: &dyn Fn() -> Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Outcome, RunError> {
        let session = self.session;
        let python = matches!(session.program, Program::Python { .. });
        let watch = Watch {
            time,
            output: limits.output,
            memory: session.conditions.memory,
            address_space: python,
            stop,
            cancelled,
        };
        #[cfg(unix)]
        if session.way.runner == "warm" {
            let reads_lines = session.reads_lines.load(Ordering::Relaxed);
            let typing = if reads_lines { Typing::Ahead } else { Typing::LineByLine };
            if let Some((outcome, is_certain)) = self.run_warm(script, typing, &watch)? {
                if is_certain {
                    return Ok(outcome);
                }
                session.reads_lines.store(false, Ordering::Relaxed);
                if let Some((outcome, _)) = self.run_warm(script, Typing::LineByLine, &watch)? {
                    return Ok(outcome);
                }
            }
        }
        let mut scratch = Scratch::new(session.program.submission())?;
        let command = session.command(&mut scratch, Mode::Run(script), Some(time()))?;
        let ended = drive(command, &script.inputs, &watch, Some(&scratch))?;
        let trace = python.then(|| Trace::read(&scratch.trace(), script.inputs.len()));
        #[cfg(target_os = "linux")]
        if let Some(words) = sandbox::failure(&ended).filter(|_| trace.as_ref().is_none_or(|trace| !trace.started)) {
            scratch.remove()?;
            return Err(RunError::System(io::Error::other(words)));
        }
        let outcome = session.outcome(&scratch, ended, trace, script, stop);
        scratch.remove()?;
        Ok(outcome)
    }

    /// Runs the program as a fork of a warm interpreter, if there can be one. A run that was typed ahead is certain only
    /// if it was by whole lines, and through its standard input, that the program read.
    #[cfg(unix)]
    fn run_warm(
        &mut self,
        script: &Script,
        typing: Typing,
        watch: &Watch<'_>,
    ) -> Result<Option<(Outcome, bool)>, RunError> {
        let session = self.session;
        let warm = match self.warm.take() {
            Some(warm) => Some(warm),
            None => session.warm()?,
        };
        let Some(mut warm) = warm else { return Ok(None) };
        let Some((ended, trace)) = warm.run(session.program.submission(), script, typing, watch)? else {
            return Ok(None);
        };
        let is_certain = typing == Typing::LineByLine || ended.lines_read == Some(trace.places.len());
        let outcome = session.outcome(warm.scratch(), ended, Some(trace), script, watch.stop);
        if warm.is_sound() {
            self.warm = Some(warm);
        }
        Ok(Some((outcome, is_certain)))
    }
}

#[cfg(unix)]
impl Drop for Worker<'_> {
    fn drop(&mut self) {
        lock(&self.session.interpreters).idle.extend(self.warm.take());
    }
}

/// Whether a program that was only to be compiled could not be. A traceback's head means that something ran after all:
/// what it said is for the cases to tell.
fn tells_of_a_syntax_error(trace: &Trace, said: &str) -> bool {
    trace.uncaught.is_some() && !said.contains("Traceback (most recent call last)")
}
