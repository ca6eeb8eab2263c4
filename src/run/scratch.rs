//! The private folder of one run: the program's working directory, and beside it what Python needs from us.
//!
//! Where runs are forks of one interpreter, each worker's runs have a folder inside of that interpreter's own.

use std::borrow::Cow;
#[cfg(unix)]
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memchr::memmem;

#[cfg(target_os = "linux")]
use super::cgroup::Group;
use super::harness::Harness;
use super::{RunError, Submission};

/// A folder that is gone when the run is over, whatever was made of it.
#[derive(Debug)]
pub(super) struct Scratch {
    root: PathBuf,
    /// What Python loads before the program.
    harness: PathBuf,
    /// Path to name, in the order in which they are replaced.
    names: Vec<(Vec<u8>, Vec<u8>)>,
    /// Who owns what is made for a run, if it is another user than ours.
    user: Option<(u32, u32)>,
    /// The group of the processes that run in it, where there is one.
    #[cfg(target_os = "linux")]
    group: Option<Group>,
    /// What tells whether the home is as it was made.
    #[cfg(unix)]
    seal: Option<Seal>,
}

impl Scratch {
    /// Makes the folder (only its owner may enter) with a fresh copy of the submission in its home.
    pub fn new(submission: Option<&Submission>) -> Result<Self, RunError> {
        let folder = std::env::temp_dir();
        let scratch = Self::empty(&folder, submission).and_then(|scratch| {
            scratch.fill(submission)?;
            Ok(scratch)
        });
        done_in(&folder, scratch)
    }

    /// Makes one in which the submission is not there yet.
    #[cfg(unix)]
    pub fn without(submission: &Submission) -> Result<Self, RunError> {
        let folder = std::env::temp_dir();
        done_in(&folder, Self::empty(&folder, Some(submission)))
    }

    /// Puts the submission into it.
    #[cfg(unix)]
    pub fn admit(&self, submission: &Submission) -> Result<(), RunError> {
        done_in(&self.root, self.fill(Some(submission)).and_then(|()| self.give_home()))
    }

    /// Makes room for the folders of others.
    #[cfg(unix)]
    pub fn add_rooms(&self) -> Result<(), RunError> {
        done_in(&self.root, fs::create_dir(self.rooms()))
    }

    fn empty(folder: &Path, submission: Option<&Submission>) -> io::Result<Self> {
        let mut scratch = Self::made_in(folder, submission)?;
        scratch.harness = scratch.root.join("harness");
        fs::create_dir(&scratch.harness)?;
        File::create_new(scratch.trace())?;
        Ok(scratch)
    }

    /// Makes a folder in here for the runs of one worker: what they leave in theirs no other one finds.
    #[cfg(unix)]
    pub fn inside(&self, submission: Option<&Submission>) -> Result<Self, RunError> {
        let scratch = Self::made_in(&self.rooms(), submission).and_then(|scratch| {
            scratch.fill(submission)?;
            Ok(scratch)
        });
        let mut scratch = done_in(&self.root, scratch)?;
        scratch.harness.clone_from(&self.harness);
        #[cfg(target_os = "linux")]
        scratch.give_to(self.user)?;
        Ok(scratch)
    }

    fn made_in(folder: &Path, submission: Option<&Submission>) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("check-").tempdir_in(folder)?.keep();
        let mut scratch = Self {
            root,
            harness: PathBuf::new(),
            names: Vec::new(),
            user: None,
            #[cfg(target_os = "linux")]
            group: None,
            #[cfg(unix)]
            seal: None,
        };
        scratch.root = scratch.root.canonicalize()?;
        fs::create_dir(scratch.room())?;
        fs::create_dir(scratch.home())?;
        if let Some(submission) = submission {
            scratch.names = names(&scratch.home(), submission);
        }
        Ok(scratch)
    }

    /// Gives what a program may write to the user that it runs as, who may pass the folders above it.
    #[cfg(target_os = "linux")]
    pub fn give_to(&mut self, user: Option<(u32, u32)>) -> Result<(), RunError> {
        self.user = user;
        let given = user.map_or(Ok(()), |_| {
            allow(&self.root, 0o711)?;
            allow(&self.room(), 0o711)?;
            if self.has_harness() {
                walk(&self.harness, &|path, is_folder| allow(path, if is_folder { 0o755 } else { 0o644 }))?;
                self.give(&self.trace())?;
            }
            if self.rooms().is_dir() {
                allow(&self.rooms(), 0o711)?;
            }
            self.give_home()
        });
        done_in(&self.root, given)
    }

    /// Bounds what the processes take together that run in it.
    #[cfg(target_os = "linux")]
    pub fn bound(&mut self, memory: u64) -> io::Result<()> {
        self.group = Some(Group::new(memory)?);
        Ok(())
    }

    /// The group of its processes, if they are bound.
    #[cfg(target_os = "linux")]
    pub fn group(&self) -> Option<&Group> {
        self.group.as_ref()
    }

    /// Whether its processes were ended by the kernel for want of memory since this was last asked.
    pub fn ran_out_of_memory(&self) -> bool {
        #[cfg(target_os = "linux")]
        return self.group.as_ref().is_some_and(Group::ran_out_of_memory);
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// Whom its program runs as, if it is another user than ours.
    #[cfg(unix)]
    pub fn user(&self) -> Option<(u32, u32)> {
        self.user
    }

    fn give_home(&self) -> io::Result<()> {
        if self.user.is_none() {
            return Ok(());
        }
        walk(&self.home(), &|path, _| self.give(path))
    }

    #[cfg(unix)]
    fn give(&self, path: &Path) -> io::Result<()> {
        self.user.map_or(Ok(()), |(user, group)| std::os::unix::fs::lchown(path, Some(user), Some(group)))
    }

    #[cfg(not(unix))]
    fn give(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Makes the home anew for another run of the same program, unless it is as it was made. Not so if a run has left
    /// something beside its home for the next one to find: that one needs another folder.
    #[cfg(unix)]
    pub fn renew(&mut self, submission: Option<&Submission>) -> Result<bool, RunError> {
        let mut renewed = || {
            if !self.is_room_empty()? {
                return Ok(false);
            }
            if self.seal.as_ref().is_some_and(Seal::is_whole) {
                return Ok(true);
            }
            self.seal = None;
            remove_tree(&self.home())?;
            self.furnish(submission)?;
            Ok(true)
        };
        let renewed = renewed();
        done_in(&self.root, renewed)
    }

    /// Whether nothing is noted in the room, or beside the home in it. Its times and its mode are set anew.
    #[cfg(unix)]
    fn is_room_empty(&self) -> io::Result<bool> {
        use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, utimensat};
        let room = self.room();
        allow(&room, if self.user.is_some() { 0o711 } else { 0o700 })?;
        let now = Timespec { tv_sec: 0, tv_nsec: UTIME_NOW };
        utimensat(CWD, &room, &Timestamps { last_access: now, last_modification: now }, AtFlags::empty())?;
        let entries = fs::read_dir(&room)?.collect::<io::Result<Vec<_>>>()?;
        let is_alone = entries.iter().all(|entry| entry.file_name() == "home");
        #[cfg(target_os = "linux")]
        {
            let mut names = vec![0_u8; 1 << 16];
            // A file system that has no such notes refuses.
            let length = rustix::fs::listxattr(&room, &mut names[..]).unwrap_or(0);
            let mut names = names[..length].split(|&byte| byte == 0);
            Ok(is_alone && !names.any(|name| name.starts_with(b"user.")))
        }
        #[cfg(not(target_os = "linux"))]
        Ok(is_alone)
    }

    /// From now on runs may happen in it: whether they leave the home as it is can be told, if enough time has passed.
    #[cfg(unix)]
    pub fn seal(&mut self, submission: Option<&Submission>) {
        let files = submission.into_iter().flat_map(Submission::files).map(|file| file.path.as_path());
        self.seal = Seal::of(&self.home(), files);
    }

    fn furnish(&self, submission: Option<&Submission>) -> io::Result<()> {
        fs::create_dir(self.home())?;
        self.fill(submission)?;
        self.give_home()
    }

    fn fill(&self, submission: Option<&Submission>) -> io::Result<()> {
        for file in submission.into_iter().flat_map(Submission::files) {
            let path = self.home().join(&file.path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            #[cfg(target_os = "linux")]
            if file.executable {
                super::linux::while_none_starts(|| fs::write(&path, &file.bytes))?;
                allow(&path, 0o700)?;
                continue;
            }
            fs::write(&path, &file.bytes)?;
            #[cfg(unix)]
            if file.executable {
                allow(&path, 0o700)?;
            }
        }
        Ok(())
    }

    /// The program's working directory, home and folder for temporary files.
    pub fn home(&self) -> PathBuf {
        self.room().join("home")
    }

    /// The folder around it, which stays from run to run.
    pub fn room(&self) -> PathBuf {
        self.root.join("run")
    }

    /// The folders of others.
    #[cfg(unix)]
    pub fn rooms(&self) -> PathBuf {
        self.root.join("rooms")
    }

    /// What Python loads before the program.
    pub fn harness(&self) -> &Path {
        &self.harness
    }

    fn has_harness(&self) -> bool {
        self.harness.starts_with(&self.root)
    }

    /// Where that notes what it sees.
    pub fn trace(&self) -> PathBuf {
        self.harness.join("trace")
    }

    /// `text` with the paths in here replaced by the names that the user typed.
    pub fn hide<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut text = Cow::Borrowed(text);
        for (path, name) in &self.names {
            if let Some(replaced) = replace(&text, path, name) {
                text = Cow::Owned(replaced);
            }
        }
        text
    }

    /// `text` without the lines that a traceback gives to our own part in it.
    pub fn hide_our_frames(&self, text: &[u8]) -> Vec<u8> {
        let frame = |file: &[u8]| [b"  File \"", file].concat();
        let compiled = frame(Harness::NAME.as_bytes());
        let source = frame(self.harness.as_os_str().as_encoded_bytes());
        let mut in_ours = false;
        let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| {
            in_ours = line.starts_with(&compiled) || line.starts_with(&source) || in_ours && line.starts_with(b"    ");
            !in_ours
        });
        lines.flatten().copied().collect()
    }

    /// Removes the folder, and says so if that fails.
    #[cfg_attr(not(target_os = "linux"), expect(unused_mut, reason = "only there is something to take out of it"))]
    pub fn remove(mut self) -> Result<(), RunError> {
        #[cfg(target_os = "linux")]
        if let Some(mut group) = self.group.take() {
            group.end()?;
        }
        remove_tree(&self.root).map_err(|source| RunError::Cleanup { folder: self.root.clone(), source })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // After `remove` there is nothing here; otherwise another error is on its way already.
        let _ = remove_tree(&self.root);
    }
}

/// What was done in a folder, or why it could not be.
fn done_in<T>(folder: &Path, done: io::Result<T>) -> Result<T, RunError> {
    done.map_err(|source| RunError::Scratch { folder: folder.to_owned(), source })
}

fn names(home: &Path, submission: &Submission) -> Vec<(Vec<u8>, Vec<u8>)> {
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    let typed = submission.path();
    let folder = typed.parent().unwrap_or(Path::new(""));
    let program = home.join(submission.file_name());
    let mut inside = bytes(folder);
    if !inside.is_empty() && !inside.ends_with(b"/") {
        inside.push(b'/');
    }
    let folder = if inside.is_empty() { b".".to_vec() } else { bytes(folder) };
    vec![(bytes(&program), bytes(&typed)), (bytes(&home.join("")), inside), (bytes(home), folder)]
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    let mut replaced = Vec::new();
    let mut rest = 0;
    for at in memmem::find_iter(text, from) {
        replaced.extend_from_slice(&text[rest..at]);
        replaced.extend_from_slice(to);
        rest = at + from.len();
    }
    if rest == 0 {
        return None;
    }
    replaced.extend_from_slice(&text[rest..]);
    Some(replaced)
}

/// A folder's files and folders as they were at some time. Whatever is done to one of them later changes the time of
/// its last change, which no program can set.
#[cfg(unix)]
#[derive(Debug)]
struct Seal(Vec<(PathBuf, State)>);

#[cfg(unix)]
type State = (u64, u64, u32, u32, u64, (i64, i64), (i64, i64));

#[cfg(unix)]
impl Seal {
    /// No clock of a file system that counts parts of a second is coarser.
    const TICK: Duration = Duration::from_millis(20);

    /// Nothing, if a change right after this could have the same time as what is there now.
    fn of<'f>(home: &Path, files: impl Iterator<Item = &'f Path>) -> Option<Self> {
        // Of a path that ends in a slash the system would follow a link.
        let inside = |path: &&Path| !path.as_os_str().is_empty();
        let mut paths = BTreeSet::from([home.to_owned()]);
        for file in files {
            paths.extend(file.ancestors().filter(inside).map(|path| home.join(path)));
        }
        let entries: Option<Vec<_>> = paths.into_iter().map(|path| Some((state(&path)?, path))).collect();
        let settled = SystemTime::now().checked_sub(Self::TICK)?.duration_since(UNIX_EPOCH).ok()?;
        let is_settled = |(.., (seconds, part)): &State| {
            let changed = Duration::new(u64::try_from(*seconds).ok()?, u32::try_from(*part).ok()?);
            Some(*part != 0 && changed < settled)
        };
        let entries = entries?;
        let all = entries.iter().all(|(state, _)| is_settled(state) == Some(true));
        all.then(|| Self(entries.into_iter().map(|(state, path)| (path, state)).collect()))
    }

    /// Whether all is as it was.
    fn is_whole(&self) -> bool {
        self.0.iter().all(|(path, then)| state(path).as_ref() == Some(then))
    }
}

#[cfg(unix)]
fn state(path: &Path) -> Option<State> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::symlink_metadata(path).ok()?;
    let (modified, changed) = ((about.mtime(), about.mtime_nsec()), (about.ctime(), about.ctime_nsec()));
    Some((about.dev(), about.ino(), about.mode(), about.uid(), about.size(), modified, changed))
}

/// Removes a folder of any depth, without following links, with constant memory and few descriptors: each folder's
/// own folders are moved up to the root before it is removed.
fn remove_tree(root: &Path) -> io::Result<()> {
    match fs::symlink_metadata(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(about) if !about.is_dir() => return fs::remove_file(root),
        Ok(_) => unlock(root)?,
    }
    let mut moved = 0_u64;
    loop {
        let mut folders = 0;
        for entry in fs::read_dir(root)? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                fs::remove_file(entry.path())?;
                continue;
            }
            folders += 1;
            unlock(&entry.path())?;
            for inner in fs::read_dir(entry.path())? {
                let inner = inner?;
                if inner.file_type()?.is_dir() {
                    unlock(&inner.path())?;
                    fs::rename(inner.path(), root.join(format!("removed-{}-{moved}", std::process::id())))?;
                    moved += 1;
                } else {
                    fs::remove_file(inner.path())?;
                }
            }
            fs::remove_dir(entry.path())?;
        }
        if folders == 0 {
            return fs::remove_dir(root);
        }
    }
}

/// Lets us into a folder that its program has locked.
#[cfg(unix)]
fn unlock(folder: &Path) -> io::Result<()> {
    allow(folder, 0o700)
}

/// Visits a folder and all that is in it: each path, and whether it is a folder.
fn walk(folder: &Path, visit: &dyn Fn(&Path, bool) -> io::Result<()>) -> io::Result<()> {
    let mut paths = vec![folder.to_owned()];
    while let Some(path) = paths.pop() {
        let is_folder = path.symlink_metadata()?.is_dir();
        visit(&path, is_folder)?;
        if is_folder {
            for entry in fs::read_dir(path)? {
                paths.push(entry?.path());
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn allow(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn unlock(_: &Path) -> io::Result<()> {
    Ok(())
}
