//! Namespaces of a program's own: of users, processes, network, mounts, inter-process communication and host names.
//!
//! A process can't enter a new namespace of processes, only its children are in there. So three stand in a row: one
//! outside, which `check` knows and limits; the first one inside, whose end is the end of all that are there; and the
//! program.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};

use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{DumpableBehavior, Signal, getegid, geteuid, getpid, kill_process, set_dumpable_behavior};
use rustix::thread::UnshareFlags;

/// Enters new namespaces; that of processes holds for the children of this process.
pub(super) fn enter() -> io::Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    // After a change of user its own files in /proc are closed to it.
    set_dumpable_behavior(DumpableBehavior::Dumpable)?;
    let all = UnshareFlags::NEWUSER
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS;
    #[expect(deprecated, reason = "what makes it unsafe is the table of descriptors, which stays as it is")]
    rustix::thread::unshare(all)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    Ok(())
}

/// Runs a command to its end: the status that tells of it. The first process of a namespace can't be ended by a signal
/// of its own, so a signal is told in the way of a shell.
pub(super) fn keep_house(command: &mut Command) -> io::Result<ExitCode> {
    let status = command.status()?;
    let code = status.code().or(status.signal().map(|signal| TOLD_SIGNAL + signal)).unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Ends as a process ended that kept house.
pub(super) fn end_like(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or(1);
    if let Some(signal) = status.signal().or((code > TOLD_SIGNAL).then(|| code - TOLD_SIGNAL))
        && let Some(signal) = Signal::from_named_raw(signal)
    {
        // The first may only take away a handler of Rust's own. Where it is ignored, the status is left to tell.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// As a shell tells of a signal.
const TOLD_SIGNAL: i32 = 128;
