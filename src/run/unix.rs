//! One process from start to end, on Unix: a single loop types, listens and watches the limits.

use std::io::{self, PipeReader, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Gid, Uid, fchown};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};

use super::descriptors;
use super::feed::{Feed, Typing};
#[cfg(target_os = "linux")]
pub(super) use super::linux as system;
use super::scratch::Scratch;
use super::warm::Nursery;
use super::{Cut, Ended, RunError, STDERR_LIMIT, STDERR_TAIL, Watch, signals};

/// How long to wait for what others print into the pipes of a process that has ended.
const GRACE: Duration = Duration::from_millis(100);
/// The longest nap: limits and signals are looked at this often.
const TICK: Duration = Duration::from_millis(20);
/// A program that prints wakes us no more often than this: there are two system calls to a `print`. It does not print
/// so much meanwhile that a pipe can't hold it, or else waits.
const QUIET: Duration = Duration::from_millis(3);

/// Runs `command` with `lines` typed, in `scratch` if it has such a folder: that also marks processes as this run's.
pub(super) fn drive(
    mut command: Command,
    lines: &[String],
    watch: &Watch<'_>,
    scratch: Option<&Scratch>,
) -> Result<Ended, RunError> {
    let user = scratch.and_then(Scratch::user);
    drive_process((lines, Typing::LineByLine), watch, user, |[stdin, stdout, stderr]| {
        command.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);
        let running = Running::start(command, scratch.map(Scratch::home))?;
        running.limit(watch.address_space.then_some(watch.memory), Some(cpu_seconds((watch.time)())));
        Ok(running)
    })
}

/// The time that a process may take on all cores together, in seconds: never less than it may take on the clock, which
/// stops it before.
pub(super) fn cpu_seconds(time: Duration) -> u64 {
    time.as_secs().saturating_mul(3) + 2
}

/// Runs the process that `start` makes with the three streams, in a process group of its own.
pub(super) fn drive_process<'p>(
    (lines, way): (&[String], Typing),
    watch: &Watch<'_>,
    user: Option<(u32, u32)>,
    start: impl FnOnce([OwnedFd; 3]) -> Result<Running<'p>, RunError>,
) -> Result<Ended, RunError> {
    let (stdin, typing) = io::pipe()?;
    let (printed, stdout) = io::pipe()?;
    let (complained, stderr) = io::pipe()?;
    if let Some((user, group)) = user {
        // `/dev/stdin` and the like can be opened by their owner only.
        for pipe in [stdin.as_fd(), stdout.as_fd(), stderr.as_fd()] {
            fchown(pipe, Some(Uid::from_raw(user)), Some(Gid::from_raw(group))).map_err(io::Error::from)?;
        }
    }
    let mut feed = Feed::new(lines, way, typing, stdin.try_clone()?)?;
    let mut stdout_end = Listener::new(printed)?;
    let mut stderr_end = Listener::new(complained)?;

    let started = Instant::now();
    let mut running = start([stdin.into(), stdout.into(), stderr.into()])?;

    let mut stdout = Vec::new();
    let mut stderr_tail = Vec::new();
    let mut exited = None;
    let mut last_news = started;
    let mut memory_due = started + TICK;
    let mut asked = false;
    let mut may_have_exited = true;
    let mut nap = Nap::new(feed.wakes_us() && running.exit.is_some());
    let cut = loop {
        let now = Instant::now();
        if exited.is_none() && may_have_exited && running.has_exited()? {
            exited = Some(now);
        }
        feed.step()?;
        let mut news = stdout_end.drain(watch.output, |bytes| stdout.extend_from_slice(bytes))?;
        if stdout_end.total > watch.output {
            stdout.truncate(usize::try_from(watch.output).unwrap_or(usize::MAX));
            break Some(Cut::Output);
        }
        let printed = news > 0;
        news += stderr_end.drain(STDERR_LIMIT, |bytes| keep_tail(&mut stderr_tail, bytes))?;
        if stderr_end.total > STDERR_LIMIT {
            break Some(Cut::Output);
        }
        if feed.is_done() && (printed || !asked) {
            asked = true;
            if (watch.stop)(&stdout) {
                break Some(Cut::Stopped);
            }
        }
        if news > 0 {
            last_news = now;
        }
        if let Some(exited) = exited
            && (stdout_end.is_closed() && stderr_end.is_closed() || now.duration_since(last_news.max(exited)) >= GRACE)
        {
            break None;
        }
        if signals::interrupted() || (watch.cancelled)() {
            return Err(RunError::Interrupted);
        }
        let limit = (watch.time)();
        let elapsed = now.duration_since(started);
        if elapsed >= limit && (elapsed >= 3 * limit || elapsed.saturating_sub(running.waited()) >= limit) {
            break Some(Cut::Time);
        }
        if now >= memory_due {
            memory_due = now + TICK;
            if system::resident(running.pid) > watch.memory {
                break Some(Cut::Memory);
            }
        }

        let quiet = (1..32_768).contains(&news) && exited.is_none();
        let mut ends: Vec<BorrowedFd<'_>> = Vec::with_capacity(3);
        if !quiet {
            ends.extend([&stdout_end, &stderr_end].into_iter().filter_map(|end| end.pipe.as_ref()).map(AsFd::as_fd));
        }
        let exit = running.exit.as_ref().filter(|_| exited.is_none()).map(AsFd::as_fd);
        let longest = if quiet { QUIET } else { TICK };
        let left = limit.checked_sub(elapsed).unwrap_or(TICK);
        may_have_exited = nap.sleep(exit, &ends, feed.awaited(), longest.min(left), news > 0)?;
    };
    let ended = exited.unwrap_or_else(Instant::now);
    let duration = ended.duration_since(started).saturating_sub(running.waited());
    let status = running.finish()?;
    Ok(Ended { stdout, stderr_tail, cut, status, lines_read: Some(feed.lines_read()?), duration })
}

pub(super) fn keep_tail(tail: &mut Vec<u8>, bytes: &[u8]) {
    tail.extend_from_slice(bytes);
    tail.drain(..tail.len().saturating_sub(STDERR_TAIL));
}

/// Waits for something to happen.
struct Nap {
    /// Whether all that happens wakes us; otherwise naps begin short.
    woken: bool,
    next: Duration,
}

impl Nap {
    const SHORTEST: Duration = Duration::from_micros(50);
    const LONGEST: Duration = Duration::from_millis(2);

    fn new(woken: bool) -> Self {
        Self { woken, next: Self::SHORTEST }
    }

    /// Whether the process may have exited meanwhile, as `exit` tells if there is one.
    fn sleep(
        &mut self,
        exit: Option<BorrowedFd<'_>>,
        readable: &[BorrowedFd<'_>],
        writable: Option<BorrowedFd<'_>>,
        longest: Duration,
        news: bool,
    ) -> io::Result<bool> {
        let mut time = longest;
        if !self.woken {
            self.next = if news { Self::SHORTEST } else { (self.next * 2).min(Self::LONGEST) };
            time = time.min(self.next);
        }
        let readable = exit.iter().chain(readable);
        let mut ends: Vec<PollFd<'_>> = readable.map(|&end| PollFd::from_borrowed_fd(end, PollFlags::IN)).collect();
        ends.extend(writable.filter(|_| self.woken).map(|end| PollFd::from_borrowed_fd(end, PollFlags::OUT)));
        let time = Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() };
        match poll(&mut ends, Some(&time)) {
            Ok(_) => Ok(exit.is_none() || !ends[0].revents().is_empty()),
            Err(rustix::io::Errno::INTR) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }
}

/// Our end of a pipe that the program prints into.
pub(super) struct Listener {
    pipe: Option<PipeReader>,
    total: u64,
    buffer: Vec<u8>,
}

impl Listener {
    pub fn new(pipe: PipeReader) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe: Some(pipe), total: 0, buffer: vec![0; 1 << 14] })
    }

    fn is_closed(&self) -> bool {
        self.pipe.is_none()
    }

    /// Takes what is there, but not much more than `most` in all; the number of bytes.
    pub fn drain(&mut self, most: u64, mut take: impl FnMut(&[u8])) -> io::Result<u64> {
        let before = self.total;
        while let Some(pipe) = &mut self.pipe
            && self.total <= most
        {
            match pipe.read(&mut self.buffer) {
                Ok(0) => self.pipe = None,
                Ok(count) => {
                    self.total += count as u64;
                    take(&self.buffer[..count]);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.total - before)
    }
}

/// A process, with all that it may start: dropping it ends them all.
#[derive(Debug)]
pub(super) struct Running<'p> {
    process: Process<'p>,
    pid: Pid,
    /// Readable when the process ends, where there is such a thing.
    exit: Option<OwnedFd>,
    /// Its folders, which mark those that it starts.
    homes: Vec<PathBuf>,
    finished: bool,
}

#[derive(Debug)]
enum Process<'p> {
    Child(Child),
    /// A child of a warm interpreter, which tells how it ended.
    Fork(&'p mut Nursery),
}

impl<'p> Running<'p> {
    pub fn start(mut command: Command, home: Option<PathBuf>) -> Result<Self, RunError> {
        descriptors::keep_ours();
        let child = system::start(&mut command, home.as_ref()).map_err(|source| RunError::Start {
            program: command.get_program().to_string_lossy().into_owned(),
            source,
        })?;
        let pid = Pid::from_child(&child);
        Ok(Self {
            process: Process::Child(child),
            pid,
            exit: system::exit_event(pid),
            homes: home.into_iter().collect(),
            finished: false,
        })
    }

    pub fn fork(pid: Pid, nursery: &'p mut Nursery, homes: Vec<PathBuf>) -> io::Result<Self> {
        let exit = nursery.exit_event()?;
        Ok(Self { process: Process::Fork(nursery), pid, exit: Some(exit), homes, finished: false })
    }

    /// Limits what it and those that it starts may use.
    pub fn limit(&self, address_space: Option<u64>, cpu_seconds: Option<u64>) {
        system::limit(self.pid, address_space, cpu_seconds);
    }

    /// How long it has waited for a core.
    fn waited(&self) -> Duration {
        system::waited(self.pid, matches!(self.process, Process::Child(_)))
    }

    /// Whether the process has ended. It is not reaped, so that its group can't be another's yet.
    pub fn has_exited(&mut self) -> io::Result<bool> {
        match &mut self.process {
            Process::Child(_) => {
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
                Ok(waitid(WaitId::Pid(self.pid), options)?.is_some())
            }
            Process::Fork(nursery) => nursery.has_exited(),
        }
    }

    /// Tells it to end at once, with its group.
    pub fn kill(&self) {
        // Neither can fail in a way that matters: what is gone already is what is wanted.
        let _ = kill_process_group(self.pid, Signal::KILL);
        let _ = kill_process(self.pid, Signal::KILL);
    }

    pub fn finish(&mut self) -> io::Result<ExitStatus> {
        self.finished = true;
        self.kill();
        let status = match &mut self.process {
            Process::Child(child) => {
                let status = child.wait();
                system::forget(self.pid);
                status
            }
            Process::Fork(nursery) => nursery.wait(),
        };
        let swept = system::sweep(&self.homes);
        let status = status?;
        swept?;
        Ok(status)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // Another error is on its way already.
            let _ = self.finish();
        }
    }
}

/// What only Linux tells.
#[cfg(not(target_os = "linux"))]
pub(super) mod system {
    use super::{Child, Command, Duration, OwnedFd, Pid, io};
    use std::fs::File;
    use std::path::PathBuf;

    pub fn start(command: &mut Command, _: Option<&PathBuf>) -> io::Result<Child> {
        command.spawn()
    }

    pub fn exit_event(_: Pid) -> Option<OwnedFd> {
        None
    }

    pub fn limit(_: Pid, _: Option<u64>, _: Option<u64>) {}

    pub fn limits(_: u64, _: bool) -> String {
        "-".to_owned()
    }

    pub fn waited(_: Pid, _: bool) -> Duration {
        Duration::ZERO
    }

    pub fn resident(_: Pid) -> u64 {
        0
    }

    pub fn nameless_file() -> io::Result<(File, File)> {
        let file = tempfile::NamedTempFile::new()?;
        let writer = File::options().append(true).open(file.path())?;
        Ok((writer, file.into_file()))
    }

    pub fn forget(_: Pid) {}

    pub fn sweep(_: &[PathBuf]) -> io::Result<()> {
        Ok(())
    }
}
