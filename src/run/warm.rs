//! An interpreter that has compiled a program and stands at its first line: each run is a fork of it, which takes a
//! tenth of a start. How it does that is told in `python/sitecustomize.py`.
//!
//! What makes the runs of a worker, one after the other, is a [`Warm`]. One [`Seed`] may become it, or may be forked into
//! several that have a folder each.

use std::io::{self, IoSlice, PipeReader, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::Pid;

use super::ending::Trace;
use super::feed::Typing;
use super::harness::Harness;
use super::interpreter::Hello;
use super::launch;
use super::scratch::Scratch;
use super::unix::{Listener, Running, cpu_seconds, drive_process, keep_tail, system};
use super::{
    Busy, Ended, Interpreter, PREPARATION, Purpose, RunError, STDERR_LIMIT, Script, Session, Submission, Watch,
    signals, tells_of_a_syntax_error,
};

use crate::shared::digits;

/// How long it may take to fork, or to tell of a process that was killed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The status of a fork that could not confine itself.
const UNCONFINED: i32 = 126;

/// What became of an attempt to start one.
pub(super) enum Started {
    Ready(Box<Seed>),
    /// The program is none; Python's own words.
    SyntaxError(String),
    /// It is a matter for a fresh interpreter.
    Unfit,
}

impl Started {
    pub fn ready(self) -> Option<Seed> {
        match self {
            Self::Ready(seed) => Some(*seed),
            Self::SyntaxError(_) | Self::Unfit => None,
        }
    }
}

/// The interpreters of a session that no worker has.
#[derive(Debug, Default)]
pub(super) struct Interpreters {
    pub seed: Option<Seed>,
    /// Those of workers that have made all their runs.
    pub idle: Vec<Warm>,
}

impl Interpreters {
    /// Ends them, and removes their folders.
    pub fn close(mut self) -> Result<(), RunError> {
        // Removed with the folder that they are in.
        let _unused = self.seed.as_mut().map(|seed| std::mem::take(&mut seed.rooms));
        let all: Vec<_> = self.idle.into_iter().chain(self.seed.map(Warm::from)).collect();
        // They end while the first folders are removed; that from which others come goes last.
        all.iter().filter_map(|warm| warm.interpreter.as_ref()).for_each(Running::kill);
        all.into_iter().try_for_each(Warm::close)
    }
}

/// An interpreter that waits for a program. Nothing of the program is there before it says what it is: whatever else was
/// taken for an interpreter runs nothing.
#[derive(Debug)]
pub(super) struct Waiting {
    nursery: Nursery,
    // Ended before its folder is removed, and all that come from it end with it.
    interpreter: Running<'static>,
    scratch: Scratch,
    /// Made in time: only of what has lain there for a while can be told whether a run has changed it.
    rooms: Vec<Scratch>,
    /// Whether the submission is there.
    is_admitted: bool,
    submission: Submission,
    printed: PipeReader,
    complained: PipeReader,
    _busy: Busy,
}

/// An interpreter that has compiled a program, from which others come.
#[derive(Debug)]
pub(super) struct Seed {
    nursery: Nursery,
    // As above.
    interpreter: Running<'static>,
    scratch: Scratch,
    rooms: Vec<Scratch>,
    /// What Python said while it compiled the program.
    warnings: Vec<u8>,
}

/// An interpreter at the first line of a program, and the folder in which its runs are made, one after the other.
#[derive(Debug)]
pub(super) struct Warm {
    nursery: Nursery,
    // As above; none where it is a fork of another, and ends with that.
    interpreter: Option<Running<'static>>,
    scratch: Scratch,
    /// The folder of the seed, which marks what comes from it.
    origin: PathBuf,
    warnings: Vec<u8>,
}

/// The socket on which runs are asked for.
#[derive(Debug)]
pub(super) struct Nursery {
    control: UnixStream,
    heard: Vec<u8>,
    ended: Option<ExitStatus>,
    /// Whether it does what is expected of it.
    sound: bool,
}

/// How many rooms so many workers need: one that is alone has the interpreter's own folder.
pub(super) fn rooms_for(workers: usize) -> usize {
    if workers > 1 { workers } else { 0 }
}

impl Waiting {
    /// Starts one for a submission, with so many rooms, which are this user's if it is another one than ours. If nothing
    /// but its path is known of it, it gets the submission later.
    pub fn start(
        (path, harness): (&Path, &Harness),
        is_known: bool,
        submission: &Submission,
        user: Option<(u32, u32)>,
        rooms: usize,
    ) -> Result<Self, RunError> {
        let busy = Busy::new();
        #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "only there is another user to give it to"))]
        let mut scratch = if is_known { Scratch::new(Some(submission)) } else { Scratch::without(submission) }?;
        if rooms > 0 {
            scratch.add_rooms()?;
        }
        let mut command = launch::waiting(path, harness, submission, &scratch)?;
        #[cfg(target_os = "linux")]
        scratch.give_to(user)?;
        #[cfg(not(target_os = "linux"))]
        let _ = user;
        let (nursery, theirs) = Nursery::new()?;
        let (printed, stdout) = io::pipe()?;
        let (complained, stderr) = io::pipe()?;
        command.stdin(theirs).stdout(stdout).stderr(stderr).process_group(0);
        let interpreter = Running::start(command, Some(scratch.home()))?;
        let rooms = (0..rooms).map(|_| scratch.inside(Some(submission))).collect::<Result<_, _>>()?;
        Ok(Self {
            nursery,
            interpreter,
            scratch,
            rooms,
            is_admitted: is_known,
            submission: submission.clone(),
            printed,
            complained,
            _busy: busy,
        })
    }

    /// What it says that it is; nothing if it is no Python, or none that can wait.
    pub fn hello(&mut self) -> io::Result<Option<Hello>> {
        Ok(self.nursery.line(PREPARATION)?.and_then(|line| Hello::read(&line)))
    }

    /// Whether it was started for this one.
    pub fn is_for(&self, submission: &Submission) -> bool {
        self.submission == *submission
    }
}

impl Seed {
    pub fn start(
        session: &Session<'_>,
        interpreter: &Interpreter,
        submission: &Submission,
    ) -> Result<Started, RunError> {
        let user = session.user();
        let waiting = if let Some(waiting) = interpreter.waiting_for(submission) {
            waiting
        } else {
            let program = (interpreter.path.as_path(), &interpreter.harness);
            let mut waiting = Waiting::start(program, true, submission, user, session.rooms())?;
            if waiting.hello()?.is_none() {
                return Ok(Started::Unfit);
            }
            waiting
        };
        let Waiting { mut nursery, mut interpreter, mut scratch, mut rooms, is_admitted, printed, complained, .. } =
            waiting;
        if !is_admitted {
            scratch.admit(submission)?;
        }
        #[cfg(target_os = "linux")]
        for scratch in rooms.iter_mut().chain([&mut scratch]).filter(|scratch| scratch.user() != user) {
            scratch.give_to(user)?;
        }
        let limits = system::limits(session.conditions.memory, user.is_some());
        let orders = format!("go {} {limits}{}\n", launch::heeded(&session.conditions), session.orders()?);
        let mut writes = vec![scratch.room()];
        writes.extend((session.rooms() > 0).then(|| scratch.rooms()));
        let rules: Vec<_> = session.rules(&scratch, writes)?.into_iter().collect();
        // If it has ended, it has said why.
        if nursery.tell(&orders, &rules).is_ok() && nursery.is_ready()? {
            let mut warnings = Vec::new();
            Listener::new(complained)?.drain(STDERR_LIMIT, |bytes| keep_tail(&mut warnings, bytes))?;
            let warnings = scratch.hide(&warnings).into_owned();
            scratch.seal(Some(submission));
            return Ok(Started::Ready(Box::new(Self { nursery, interpreter, scratch, rooms, warnings })));
        }
        let said = last_words(&mut interpreter, printed, complained)?;
        let trace = Trace::read(&scratch.trace(), 0);
        let said = String::from_utf8_lossy(&scratch.hide(&said)).into_owned();
        drop(rooms);
        scratch.remove()?;
        let is_error = trace.started && tells_of_a_syntax_error(&trace, &said);
        Ok(if is_error { Started::SyntaxError(said) } else { Started::Unfit })
    }

    /// Another interpreter at the program's first line; nothing if this one did not do what it should.
    pub fn fork(&mut self, session: &Session<'_>) -> Result<Option<Warm>, RunError> {
        if !self.nursery.sound {
            return Ok(None);
        }
        let submission = session.program.submission();
        let mut scratch = self.rooms.pop().map_or_else(|| self.scratch.inside(submission), Ok)?;
        scratch.seal(submission);
        let (mut nursery, theirs) = Nursery::new()?;
        let descriptors: Vec<_> = [theirs].into_iter().chain(session.rules(&scratch, vec![scratch.room()])?).collect();
        let home = scratch.home();
        let home = digits(home.into_os_string().into_encoded_bytes());
        let is_ready = match self.nursery.fork(&format!("room {home}\n"), &descriptors) {
            Ok(_) => nursery.is_ready()?,
            Err(_) if !self.nursery.sound => false,
            Err(error) => return Err(error.into()),
        };
        self.nursery.sound = is_ready;
        let (origin, warnings) = (self.scratch.home(), self.warnings.clone());
        Ok(is_ready.then_some(Warm { nursery, interpreter: None, scratch, origin, warnings }))
    }
}

impl From<Seed> for Warm {
    fn from(seed: Seed) -> Self {
        let Seed { nursery, interpreter, scratch, rooms: _, warnings } = seed;
        let origin = scratch.home();
        Warm { nursery, interpreter: Some(interpreter), scratch, origin, warnings }
    }
}

impl Warm {
    /// Runs the program once; nothing if the interpreter did not do what it should.
    pub fn run(
        &mut self,
        submission: Option<&Submission>,
        script: &Script,
        typing: Typing,
        watch: &Watch<'_>,
    ) -> Result<Option<(Ended, Trace)>, RunError> {
        if !self.scratch.renew(submission)? {
            return Ok(None);
        }
        // A file without a name, and another one for each run: nothing of it is left for the next.
        let (trace, told) = system::nameless_file()?;
        let (nursery, homes) = (&mut self.nursery, vec![self.scratch.home(), self.origin.clone()]);
        let ended = drive_process((&script.inputs, typing), watch, self.scratch.user(), |[stdin, stdout, stderr]| {
            let word = match script.purpose {
                Purpose::Play => "run",
                Purpose::Call => "calls",
            };
            let (seconds, seed) = (cpu_seconds((watch.time)()), script.seed.as_deref().unwrap_or(""));
            let pid = nursery.fork(&format!("{word} {seconds} {seed}\n"), &[stdin, stdout, stderr, trace.into()])?;
            Ok(Running::fork(pid, nursery, homes)?)
        });
        match ended {
            Err(RunError::System(_)) if !self.nursery.sound => Ok(None),
            ended => {
                let mut ended = ended?;
                let trace = Trace::read_from(told, script.inputs.len());
                if !trace.started && ended.status.code() == Some(UNCONFINED) {
                    return Ok(None);
                }
                // What Python says of a program when it compiles it comes before all else.
                let said = [self.warnings.as_slice(), &ended.stderr_tail].concat();
                ended.stderr_tail.clear();
                keep_tail(&mut ended.stderr_tail, &said);
                Ok(Some((ended, trace)))
            }
        }
    }

    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    pub fn is_sound(&self) -> bool {
        self.nursery.sound
    }

    /// Ends it with all that came from it, and removes its folder.
    pub fn close(self) -> Result<(), RunError> {
        drop(self.nursery);
        drop(self.interpreter);
        self.scratch.remove()
    }
}

impl Nursery {
    /// And the end that an interpreter listens at.
    fn new() -> io::Result<(Self, OwnedFd)> {
        let (control, theirs) = UnixStream::pair()?;
        control.set_nonblocking(true)?;
        Ok((Self { control, heard: Vec::new(), ended: None, sound: true }, theirs.into()))
    }

    /// Whether it comes so far as to listen.
    fn is_ready(&mut self) -> io::Result<bool> {
        Ok(self.line(PREPARATION)?.is_some_and(|line| line == "ready"))
    }

    /// Sends a line and descriptors.
    fn tell(&mut self, message: &str, descriptors: &[OwnedFd]) -> io::Result<()> {
        let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() {
            ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        }
        // It fits into the socket: nothing else is in there, and a seed is no book.
        let sent = sendmsg(&self.control, &[IoSlice::new(message.as_bytes())], &mut ancillary, SendFlags::empty())?;
        if sent == message.len() { Ok(()) } else { Err(io::Error::other("a seed is too long for a warm interpreter")) }
    }

    /// Asks for a process that gets these descriptors; its number.
    fn fork(&mut self, message: &str, descriptors: &[OwnedFd]) -> io::Result<Pid> {
        self.ended = None;
        self.sound = false;
        self.tell(message, descriptors)?;
        let line = self.line(PATIENCE)?;
        let pid = line.and_then(|line| Pid::from_raw(line.parse().ok()?)).ok_or_else(silent)?;
        self.sound = true;
        Ok(pid)
    }

    /// Readable when the run has ended.
    pub fn exit_event(&self) -> io::Result<OwnedFd> {
        Ok(self.control.try_clone()?.into())
    }

    pub fn has_exited(&mut self) -> io::Result<bool> {
        if self.ended.is_none()
            && let Some(line) = self.line(Duration::ZERO)?
        {
            self.ended = Some(status(&line).ok_or_else(silent)?);
        }
        Ok(self.ended.is_some())
    }

    /// Waits for a run that has been killed.
    pub fn wait(&mut self) -> io::Result<ExitStatus> {
        if self.ended.is_none() {
            self.sound = false;
            let line = self.line(PATIENCE)?.ok_or_else(silent)?;
            self.ended = Some(status(&line).ok_or_else(silent)?);
            self.sound = true;
        }
        self.ended.ok_or_else(silent)
    }

    /// The next line that it says within some time; nothing if it says none.
    fn line(&mut self, time: Duration) -> io::Result<Option<String>> {
        let deadline = Instant::now() + time;
        loop {
            if let Some(end) = self.heard.iter().position(|&byte| byte == b'\n') {
                let line = self.heard.drain(..=end).take(end).collect();
                return Ok(String::from_utf8(line).ok());
            }
            let mut buffer = [0; 64];
            match self.control.read(&mut buffer) {
                Ok(0) => {
                    self.sound = false;
                    return if time.is_zero() { Err(silent()) } else { Ok(None) };
                }
                Ok(count) => self.heard.extend_from_slice(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    if left.is_zero() || signals::interrupted() {
                        return Ok(None);
                    }
                    let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
                    match poll(&mut [PollFd::new(&self.control, PollFlags::IN)], Some(&left)) {
                        Ok(_) | Err(rustix::io::Errno::INTR) => {}
                        Err(error) => return Err(error.into()),
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }
}

fn silent() -> io::Error {
    io::Error::other("the warm interpreter does not answer")
}

/// `e STATUS` or `s SIGNAL`.
fn status(line: &str) -> Option<ExitStatus> {
    let (kind, number) = line.split_once(' ')?;
    let number: i32 = number.parse().ok()?;
    Some(ExitStatus::from_raw(if kind == "e" { (number & 0xff) << 8 } else { number & 0x7f }))
}

/// What an interpreter that has given up says.
fn last_words(interpreter: &mut Running<'_>, printed: PipeReader, complained: PipeReader) -> Result<Vec<u8>, RunError> {
    let (mut stdout, mut stderr) = (Listener::new(printed)?, Listener::new(complained)?);
    let mut said = Vec::new();
    let deadline = Instant::now() + PREPARATION;
    while !(interpreter.has_exited()? || Instant::now() > deadline) {
        if signals::interrupted() {
            return Err(RunError::Interrupted);
        }
        stdout.drain(STDERR_LIMIT, |_| {})?;
        stderr.drain(STDERR_LIMIT, |bytes| keep_tail(&mut said, bytes))?;
        std::thread::sleep(Duration::from_millis(1));
    }
    stderr.drain(STDERR_LIMIT, |bytes| keep_tail(&mut said, bytes))?;
    interpreter.finish()?;
    Ok(said)
}
