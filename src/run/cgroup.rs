//! A group of processes of the kernel's ("cgroup") for each run: what all of them take together is bounded, and none of
//! them gets out of it.
//!
//! There are two kinds of groups, and a system may have both at the same time: one tree for everything, or a tree for
//! each thing that is bounded.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::confinement::{CGROUP, Layer, State};
use crate::shared::lock;

const PREFIX: &str = "check-";
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// Processes and threads of one run.
const PROCESSES: u64 = 256;
/// Bytes beyond the memory limit, for what the kernel counts too: the launchers, and files that are in memory.
const SPARE_MEMORY: u64 = 64 << 20;
/// How long it may take to end all processes of a group.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where this process may make groups.
#[derive(Debug, Clone, Default)]
struct Places {
    processes: Option<PathBuf>,
    memory: Option<PathBuf>,
}

static PLACES: LazyLock<Places> = LazyLock::new(Places::find);

/// The group of a run.
#[derive(Debug)]
pub(super) struct Group {
    folders: Vec<PathBuf>,
    /// How many processes have been ended because there was no memory left, as far as was told.
    ended_for_memory: Mutex<u64>,
}

/// What can be had of it here.
pub(super) fn layer() -> Layer {
    match (&PLACES.processes, &PLACES.memory) {
        (Some(_), Some(_)) => Layer::new(CGROUP, State::Enforced, ""),
        (Some(_), None) => Layer::new(CGROUP, State::Partly, "it bounds processes, but no memory"),
        (None, Some(_)) => Layer::new(CGROUP, State::Partly, "it bounds memory, but no processes"),
        (None, None) => Layer::new(CGROUP, State::Unavailable, "this system does not let this user make one"),
    }
}

impl Places {
    fn find() -> Places {
        let mut places = Places::default();
        for parent in candidates() {
            tidy(&parent);
            let Ok(trial) = make(&parent) else { continue };
            let has = |file: &str| trial.join(file).exists();
            let (processes, memory) = (has("pids.max"), has("memory.max") || has("memory.limit_in_bytes"));
            // A group that nobody was in.
            let _ = fs::remove_dir(&trial);
            if processes {
                places.processes.get_or_insert_with(|| parent.clone());
            }
            if memory {
                places.memory.get_or_insert(parent);
            }
        }
        places
    }
}

/// The folders of the groups that this process is in, and those above them: a group with processes of its own may not
/// bound what the groups inside it take.
fn candidates() -> Vec<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut candidates = Vec::new();
    // `0::/user.slice/…`, or `8:pids:/…`
    for line in own.lines() {
        let Some((controllers, path)) = line.split_once(':').and_then(|(_, rest)| rest.split_once(':')) else {
            continue;
        };
        let is_its_mount =
            |options: &str| controllers.split(',').all(|one| options.split(',').any(|other| one == other));
        for mount in mounts.lines() {
            // `36 35 0:30 ROOT PLACE … - KIND SOURCE OPTIONS`
            let Some((before, after)) = mount.split_once(" - ") else { continue };
            let (before, after): (Vec<_>, Vec<_>) = (before.split(' ').collect(), after.split(' ').collect());
            let ([_, _, _, root, place, ..], [kind, _, options, ..]) = (before.as_slice(), after.as_slice()) else {
                continue;
            };
            let is_whole = *kind == "cgroup2" && controllers.is_empty();
            let is_part = *kind == "cgroup" && !controllers.is_empty() && is_its_mount(options);
            let Ok(inside) = Path::new(path).strip_prefix(root) else { continue };
            if is_whole || is_part {
                let folder = Path::new(place).join(inside);
                let above = folder.parent().filter(|above| is_whole && above.starts_with(place)).map(Path::to_path_buf);
                candidates.extend([folder].into_iter().chain(above));
            }
        }
    }
    candidates
}

fn make(parent: &Path) -> io::Result<PathBuf> {
    Ok(tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?.keep())
}

/// Removes what a `check` that was killed has left. No run lasts so long, and a group with processes can't be removed.
fn tidy(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let age = entry.metadata().and_then(|about| about.modified()).ok().and_then(|time| time.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > DAY) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

impl Group {
    /// For a run that may take so many bytes of memory.
    pub fn new(memory: u64) -> io::Result<Group> {
        let mut group = Group { folders: Vec::new(), ended_for_memory: Mutex::new(0) };
        let mut places: Vec<&PathBuf> = PLACES.processes.iter().chain(&PLACES.memory).collect();
        places.dedup();
        for place in places {
            group.folders.push(make(place)?);
        }
        let memory = memory.saturating_add(SPARE_MEMORY);
        for folder in &group.folders {
            let set = |file: &str, most: u64| {
                let file = folder.join(file);
                if file.exists() { fs::write(file, most.to_string()) } else { Ok(()) }
            };
            set("pids.max", PROCESSES)?;
            set("memory.max", memory)?;
            set("memory.limit_in_bytes", memory)?;
            // A system may refuse this: what was put on a disk counts elsewhere.
            let _ = set("memory.swap.max", 0);
            let _ = set("memory.swappiness", 0);
        }
        Ok(group)
    }

    /// What a process writes its number to in order to be in it.
    pub fn doors(&self) -> Vec<PathBuf> {
        self.folders.iter().map(|folder| folder.join("cgroup.procs")).collect()
    }

    /// Whether processes have been ended since this was last asked because there was no memory left.
    pub fn ran_out_of_memory(&self) -> bool {
        let told = |folder: &PathBuf| {
            let files = ["memory.events", "memory.oom_control"].map(|file| folder.join(file));
            let text = files.iter().find_map(|file| fs::read_to_string(file).ok())?;
            text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok())
        };
        let now = self.folders.iter().filter_map(told).sum();
        let mut before = lock(&self.ended_for_memory);
        std::mem::replace(&mut *before, now) < now
    }

    /// Ends what is left in it, and removes it.
    pub fn end(&mut self) -> io::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while let Some(folder) = self.folders.last() {
            match fs::remove_dir(folder) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) if Instant::now() > deadline => return Err(error),
                Err(_) => {
                    // No new ones, and all at once where the kernel can.
                    let _ = fs::write(folder.join("pids.max"), "0");
                    if fs::write(folder.join("cgroup.kill"), "1").is_err() {
                        kill_all(folder);
                    }
                    thread::sleep(Duration::from_millis(1));
                    continue;
                }
            }
            self.folders.pop();
        }
        Ok(())
    }
}

fn kill_all(folder: &Path) {
    let numbers = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    for process in numbers.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?)) {
        let _ = kill_process(process, Signal::KILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // After `end` there is nothing here; otherwise another error is on its way already.
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command};

    use super::*;

    /// A shell that enters the group before it does something.
    fn start(group: &Group, action: &str) -> Child {
        let script = format!(r#"for door; do echo 0 > "$door"; done; {action}"#);
        Command::new("sh").args(["-c", &script, "sh"]).args(group.doors()).spawn().unwrap()
    }

    #[test]
    fn want_of_memory_is_told_once() {
        if layer().state != State::Enforced {
            return;
        }
        let mut group = Group::new(0).unwrap();
        assert!(start(&group, "true").wait().unwrap().success());
        assert!(!group.ran_out_of_memory());
        // The shell tells of the last in the row, which has to keep what it reads.
        let status = start(&group, "head -c 300M /dev/zero | tail -c 200M > /dev/null").wait().unwrap();
        assert_eq!(status.code(), Some(128 + Signal::KILL.as_raw()));
        assert!(group.ran_out_of_memory());
        assert!(!group.ran_out_of_memory());
        group.end().unwrap();
    }

    #[test]
    fn nothing_outlives_its_group() {
        if layer().state == State::Unavailable {
            return;
        }
        let mut group = Group::new(64 << 20).unwrap();
        let folders = group.folders.clone();
        let mut sleeper = start(&group, "exec sleep 600");
        let is_in = |folder: &PathBuf| !fs::read_to_string(folder.join("cgroup.procs")).unwrap().is_empty();
        while !folders.iter().all(is_in) {
            thread::sleep(Duration::from_millis(1));
        }
        group.end().unwrap();
        assert_eq!(sleeper.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
        assert!(folders.iter().all(|folder| !folder.exists()));
    }
}
