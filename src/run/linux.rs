//! What Linux tells of a process and its descendants, and how none of them gets away.
//!
//! This process adopts the orphans among its descendants (it is their "subreaper"), so whoever called `setsid` and
//! forked twice turns up as a child of ours. A child that nobody here has started is such an orphan.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Mutex, Once, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use crate::shared::lock;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, geteuid, getpgid, getpgrp, getpid, getrlimit, kill_process,
    pidfd_open, prlimit, set_child_subreaper, waitpid,
};
use serde::{Deserialize, Serialize};

/// The processes that are running now, each with the folder that marks its descendants.
static RUNS: Mutex<Vec<(Pid, Option<PathBuf>)>> = Mutex::new(Vec::new());
/// Held to read while a process is started and not yet in `RUNS`, to write while orphans are told from those.
static STARTING: RwLock<()> = RwLock::new(());

/// Starts a process and remembers it.
pub(super) fn start(command: &mut Command, home: Option<&PathBuf>) -> io::Result<Child> {
    static ADOPT: Once = Once::new();
    // Without it orphans get away; that is so on no kernel since 3.4.
    ADOPT.call_once(|| {
        let _ = set_child_subreaper(Some(getpid()));
    });
    let _starting = STARTING.read().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    runs(|runs| runs.push((Pid::from_child(&child), home.cloned())));
    Ok(child)
}

fn runs<T>(look: impl FnOnce(&mut Vec<(Pid, Option<PathBuf>)>) -> T) -> T {
    look(&mut lock(&RUNS))
}

/// Becomes readable when the process ends.
pub(super) fn exit_event(pid: Pid) -> Option<OwnedFd> {
    pidfd_open(pid, PidfdFlags::empty()).ok()
}

/// Bytes of one file.
const FILE_SIZE: u64 = 64 << 20;
const OPEN_FILES: u64 = 1024;
/// Processes and threads of the user that submissions run as, beyond those that it has already, all runs together.
const PROCESSES: u64 = 512;

/// What a process may use. A command may be a whole system with caches and many libraries, so it has no limit of its
/// memory, which is watched.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Allowance {
    address_space: Option<u64>,
    cpu_seconds: Option<u64>,
    processes: Option<u64>,
}

impl Allowance {
    /// Bytes of address space, and seconds on all cores together. The processes of another user are counted by
    /// themselves.
    pub fn new(address_space: Option<u64>, cpu_seconds: Option<u64>, becomes_another_users: bool) -> Self {
        let processes = if becomes_another_users { Some(PROCESSES) } else { most_processes() };
        Self { address_space, cpu_seconds, processes }
    }

    /// Each resource with the most of it: never more than we may have ourselves, which nobody may exceed.
    pub fn limits(self) -> Vec<(Resource, Rlimit)> {
        let limits = [
            (Resource::Core, Some(0)),
            (Resource::As, self.address_space),
            (Resource::Fsize, self.address_space.map(|_| FILE_SIZE)),
            (Resource::Nofile, self.address_space.map(|_| OPEN_FILES)),
            (Resource::Cpu, self.cpu_seconds),
            (Resource::Nproc, self.processes),
        ];
        let both = |(resource, most): (Resource, Option<u64>)| {
            let most = most?;
            let most = getrlimit(resource).maximum.map_or(most, |own| most.min(own));
            Some((resource, Rlimit { current: Some(most), maximum: Some(most) }))
        };
        limits.into_iter().filter_map(both).collect()
    }
}

/// How many processes and threads this user may have; nothing bounds those of the superuser.
fn most_processes() -> Option<u64> {
    static MOST: OnceLock<Option<u64>> = OnceLock::new();
    *MOST.get_or_init(|| {
        let user = geteuid();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let own = processes.filter(|entry| entry.metadata().is_ok_and(|about| about.uid() == user.as_raw()));
        let threads =
            |entry: fs::DirEntry| fs::read_dir(entry.path().join("task")).map_or(0, |tasks| tasks.count() as u64);
        (!user.is_root()).then(|| own.map(threads).sum::<u64>() + PROCESSES)
    })
}

/// Limits a process that does not limit itself, and those that it will start. The program does not run yet: it takes an
/// interpreter milliseconds to begin.
pub(super) fn limit(pid: Pid, address_space: Option<u64>, cpu_seconds: Option<u64>) {
    for (resource, most) in Allowance::new(address_space, cpu_seconds, false).limits() {
        // It may have ended already, or have limited itself and become another user's.
        let _ = prlimit(Some(pid), resource, most);
    }
}

/// The same for an interpreter that limits itself: the number of each resource, and the most of it.
pub(super) fn limits(address_space: u64, becomes_another_users: bool) -> String {
    let limits = Allowance::new(Some(address_space), None, becomes_another_users).limits();
    let limit = |(resource, most): (Resource, Rlimit)| Some(format!("{}:{}", resource as u32, most.maximum?));
    limits.into_iter().filter_map(limit).collect::<Vec<_>>().join(",")
}

/// How long the process has waited for a core. Where it may be launchers that stand before the program, they wait with it
/// for nothing, so of a process and its first descendants it is the longest time that counts.
pub(super) fn waited(pid: Pid, may_launch: bool) -> Duration {
    let of_one = |pid: Pid| {
        let text = fs::read_to_string(of(pid, "schedstat")).unwrap_or_default();
        let nanoseconds = text.split(' ').nth(1).and_then(|word| word.parse().ok());
        Duration::from_nanos(nanoseconds.unwrap_or(0))
    };
    if !may_launch {
        return of_one(pid);
    }
    let first_child = |pid: &Pid| children(*pid).into_iter().next();
    std::iter::successors(Some(pid), first_child).take(LAUNCHERS + 1).map(of_one).max().unwrap_or_default()
}

/// The most launchers that stand before a program.
const LAUNCHERS: usize = 2;

/// The bytes in memory of a process and its descendants.
pub(super) fn resident(pid: Pid) -> u64 {
    let page = rustix::param::page_size() as u64;
    let mut pages = 0;
    let mut family = vec![pid];
    while let Some(pid) = family.pop() {
        let text = fs::read_to_string(of(pid, "statm")).unwrap_or_default();
        pages += text.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
        family.extend(children(pid));
    }
    pages * page
}

/// Does something while no process is being started: until it runs its program a new process holds every file that is
/// open here, and a program can't be run while its file is open for writing.
pub(super) fn while_none_starts<T>(action: impl FnOnce() -> T) -> T {
    let _starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
    action()
}

/// The two ends of a file that is in memory only, which is made in no time: to write to it, and to read it.
pub(super) fn nameless_file() -> io::Result<(File, File)> {
    let file = File::from(memfd_create(c"", MemfdFlags::CLOEXEC)?);
    let writer = File::options().append(true).open(format!("/proc/self/fd/{}", file.as_raw_fd()));
    Ok((writer.or_else(|_| file.try_clone())?, file))
}

/// A process that was started here has been reaped.
pub(super) fn forget(pid: Pid) {
    runs(|runs| runs.retain(|(running, _)| *running != pid));
}

/// Ends what is left of a run whose first process has been reaped, and bears one of its marks.
pub(super) fn sweep(homes: &[PathBuf]) -> io::Result<()> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if unknown_children().is_empty() {
            return Ok(());
        }
        let starting = STARTING.write().unwrap_or_else(PoisonError::into_inner);
        let orphans: Vec<_> = unknown_children().into_iter().filter(|&child| is_ours(child, homes)).collect();
        drop(starting);
        if orphans.is_empty() {
            return Ok(());
        }
        for orphan in &orphans {
            let _ = kill_process(*orphan, Signal::KILL);
        }
        for orphan in orphans {
            // Another worker may have been faster.
            let _ = waitpid(Some(orphan), WaitOptions::empty());
        }
        if Instant::now() > deadline {
            return Err(io::Error::other("a submission starts processes faster than they can be ended"));
        }
    }
}

/// The kernel gives orphans to the first thread of their new parent, and what others have started is known.
fn unknown_children() -> Vec<Pid> {
    let children = children_of_thread(&of(getpid(), "task").join(getpid().as_raw_nonzero().to_string()));
    runs(|runs| children.into_iter().filter(|child| runs.iter().all(|(running, _)| running != child)).collect())
}

/// Whether an orphan is to be ended now: not if it bears the mark of another run, which is not over yet; not if it
/// bears none and is in our own process group, where children of other parts of this program are.
fn is_ours(orphan: Pid, homes: &[PathBuf]) -> bool {
    let mut environment = Vec::new();
    let _ = File::open(of(orphan, "environ")).and_then(|file| file.take(1 << 18).read_to_end(&mut environment));
    let folder = fs::read_link(of(orphan, "cwd")).unwrap_or_default();
    let marked = |home: &Path| {
        let mark = home.as_os_str().as_encoded_bytes();
        folder.starts_with(home) || environment.windows(mark.len()).any(|window| window == mark)
    };
    if homes.iter().any(|home| marked(home)) {
        return true;
    }
    let another = runs(|runs| runs.iter().filter_map(|(_, home)| home.as_deref()).any(marked));
    !another && getpgid(Some(orphan)).is_ok_and(|group| group != getpgrp())
}

/// The children of all threads of a process.
fn children(pid: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(of(pid, "task")).into_iter().flatten().flatten();
    threads.flat_map(|thread| children_of_thread(&thread.path())).collect()
}

fn children_of_thread(folder: &Path) -> Vec<Pid> {
    let text = fs::read_to_string(folder.join("children")).unwrap_or_default();
    text.split_ascii_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect()
}

fn of(pid: Pid, file: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{}/{file}", pid.as_raw_nonzero()))
}
