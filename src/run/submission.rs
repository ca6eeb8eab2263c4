//! The student's program, read once from disk.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const PROGRAM_LIMIT: u64 = 1 << 20;
const SIBLINGS_LIMIT: (usize, u64) = (50, 1 << 20);
const FOLDER_LIMIT: (usize, u64) = (1000, 16 << 20);

/// The student's program and the files beside it, as they were when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    name: String,
    program: FileCopy,
    siblings: Vec<FileCopy>,
    notes: Vec<String>,
}

/// A file, relative to the program's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileCopy {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

/// Why something can't be judged. The texts stand after `check: `.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Nothing there.
    #[error("{0}: no such file")]
    Missing(String),
    /// A link to nothing.
    #[error("{0} is a link to a file that does not exist")]
    DanglingLink(String),
    /// A FIFO, a device or a socket.
    #[error("{name} is {kind}, not a file: give the file that holds the program")]
    NotAFile {
        /// What was typed.
        name: String,
        /// What it is.
        kind: &'static str,
    },
    /// No program in a folder.
    #[error("{0} is a folder without a .py file: give the file that holds the program")]
    NoProgram(String),
    /// Several in a folder.
    #[error("{name} is a folder with {} .py files ({}): give the one that is the program", candidates.len(), candidates.join(", "))]
    SeveralPrograms {
        /// What was typed.
        name: String,
        /// What could be the program.
        candidates: Vec<String>,
    },
    /// More than a program has.
    #[error("{name} is over {limit}")]
    TooLarge {
        /// The file or the folder.
        name: String,
        /// What would be taken.
        limit: &'static str,
    },
    /// The system says no.
    #[error("can't read {name}: {source}")]
    Unreadable {
        /// The file or the folder.
        name: String,
        /// Why.
        source: io::Error,
    },
}

impl Submission {
    /// A program that does nothing.
    #[must_use]
    pub fn empty() -> Self {
        let program = FileCopy { path: PathBuf::from("empty.py"), bytes: Vec::new(), executable: false };
        Self::new("empty.py".to_owned(), program, Vec::new())
    }

    /// A program and the files beside it, as they were read elsewhere.
    pub(super) fn new(name: String, program: FileCopy, siblings: Vec<FileCopy>) -> Self {
        Self { name, program, siblings, notes: Vec::new() }
    }

    /// Reads a program, and the `.py` files beside it or, if a folder is given, all that is in it. Never blocks.
    ///
    /// # Errors
    /// If there is no program, or it is none that can be run; see [`OpenError`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let name = path.to_string_lossy().into_owned();
        let about = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound if fs::symlink_metadata(path).is_ok() => OpenError::DanglingLink(name.clone()),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => OpenError::Missing(name.clone()),
            _ => unreadable(path)(error),
        })?;
        if about.is_dir() { Self::open_folder(path) } else { Self::open_file(path) }
    }

    /// The same for what a command runs: of a folder every file is taken, and which of them is run is the command's
    /// own matter.
    ///
    /// # Errors
    /// As [`Submission::open`]; a folder needs only to hold a file.
    pub fn open_for_command(path: &Path) -> Result<Self, OpenError> {
        if !path.is_dir() {
            return Self::open(path);
        }
        let name = path.to_string_lossy().into_owned();
        let mut files = Vec::new();
        walk(path, Path::new(""), OsStr::new(""), &mut files)?;
        let program = files.pop().ok_or_else(|| OpenError::NoProgram(name.clone()))?;
        Ok(Self { name, program, siblings: files, notes: Vec::new() })
    }

    fn open_file(path: &Path) -> Result<Self, OpenError> {
        let file_name = path.file_name().unwrap_or(OsStr::new("-")).to_owned();
        let program = read(path, PathBuf::from(&file_name), PROGRAM_LIMIT, "1 MiB")?;
        let name = path.to_string_lossy().into_owned();
        let mut notes = Vec::new();
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let siblings = match python_files(folder) {
            Ok(names) => siblings(folder, names, &file_name, &mut notes),
            // A folder that can't be listed can still hold a file that can be read.
            Err(_) => Vec::new(),
        };
        Ok(Self { name, program, siblings, notes })
    }

    fn open_folder(folder: &Path) -> Result<Self, OpenError> {
        let name = folder.to_string_lossy().into_owned();
        let candidates = python_files(folder).map_err(unreadable(folder))?;
        let [file_name] = candidates.as_slice() else {
            return Err(if candidates.is_empty() {
                OpenError::NoProgram(name)
            } else {
                let candidates = candidates.iter().map(|name| name.to_string_lossy().into_owned()).collect();
                OpenError::SeveralPrograms { name, candidates }
            });
        };
        let path = folder.join(file_name);
        let program = read(&path, PathBuf::from(file_name), PROGRAM_LIMIT, "1 MiB")?;
        let mut siblings = Vec::new();
        walk(folder, Path::new(""), file_name, &mut siblings)?;
        Ok(Self { name: path.to_string_lossy().into_owned(), program, siblings, notes: Vec::new() })
    }

    /// What was typed, for messages; of a folder, with the program's file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the program is, as it would be typed.
    pub(super) fn path(&self) -> PathBuf {
        let typed = Path::new(&self.name);
        if typed.file_name() == Some(self.file_name()) {
            return typed.to_owned();
        }
        let path = typed.join(&self.program.path);
        path.strip_prefix(".").map(Path::to_owned).unwrap_or(path)
    }

    /// The program's file name.
    #[must_use]
    pub fn file_name(&self) -> &OsStr {
        self.program.path.as_os_str()
    }

    /// The program's text, byte for byte.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        &self.program.bytes
    }

    /// Whether the file is marked as executable.
    #[must_use]
    pub fn is_executable(&self) -> bool {
        self.program.executable
    }

    /// The command line that runs an executable file.
    #[must_use]
    pub fn command_line(&self) -> String {
        format!("./{}", shell_words::quote(&self.file_name().to_string_lossy()))
    }

    /// What the user should know about how it was read.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The files that are copied with the program: their paths beside it, and what is in them.
    pub fn siblings(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.siblings.iter().map(|copy| (copy.path.as_path(), copy.bytes.as_slice()))
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &FileCopy> {
        self.siblings.iter().chain([&self.program])
    }
}

fn unreadable(path: &Path) -> impl Fn(io::Error) -> OpenError {
    move |source| OpenError::Unreadable { name: path.to_string_lossy().into_owned(), source }
}

/// Reads a regular file without ever waiting for one that is none.
fn read(path: &Path, relative: PathBuf, most: u64, limit: &'static str) -> Result<FileCopy, OpenError> {
    let name = path.to_string_lossy().into_owned();
    let unreadable = unreadable(path);
    let not_a_file = |about: &fs::Metadata| OpenError::NotAFile { name: name.clone(), kind: kind(about) };
    // Looked at before it is opened, since opening a device can do something, and afterwards, since it may be another.
    let about = fs::metadata(path).map_err(&unreadable)?;
    if !about.is_file() {
        return Err(not_a_file(&about));
    }
    let file = open(path).map_err(&unreadable)?;
    let about = file.metadata().map_err(&unreadable)?;
    if !about.is_file() {
        return Err(not_a_file(&about));
    }
    let bytes = take(file, most).map_err(&unreadable)?.ok_or(OpenError::TooLarge { name, limit })?;
    Ok(FileCopy { path: relative, bytes, executable: executable(&about) })
}

/// All of a file, unless it is over so many bytes.
pub(super) fn take(file: impl Read, most: u64) -> io::Result<Option<Vec<u8>>> {
    // Room for most programs: they are read in one go.
    let mut bytes = Vec::with_capacity(1 << 14);
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn executable(about: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn executable(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn kind(about: &fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = about.file_type();
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(not(unix))]
fn kind(_: &fs::Metadata) -> &'static str {
    "something else"
}

/// The names of the `.py` files in a folder, sorted; hidden ones are none.
fn python_files(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_python = Path::new(&name).extension().is_some_and(|end| end == "py") && !is_hidden(&name);
        if is_python && fs::metadata(entry.path()).is_ok_and(|about| about.is_file()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// All of the modules beside a program, or none if they are too many: half of them would be a riddle.
fn siblings(folder: &Path, names: Vec<OsString>, program: &OsStr, notes: &mut Vec<String>) -> Vec<FileCopy> {
    let (most, mut room) = SIBLINGS_LIMIT;
    let names: Vec<_> = names.into_iter().filter(|name| name != program).collect();
    let mut copies = Vec::new();
    if names.len() <= most {
        for name in &names {
            match read(&folder.join(name), PathBuf::from(name), room, "1 MiB") {
                Ok(copy) => {
                    room -= copy.bytes.len() as u64;
                    copies.push(copy);
                }
                Err(OpenError::TooLarge { .. }) => break,
                Err(error) => {
                    notes.push(format!("{error}; the program ran without it"));
                }
            }
        }
        if copies.len() + notes.len() == names.len() {
            return copies;
        }
    }
    notes.clear();
    notes.push(format!(
        "the {} other .py files beside the program were not copied: up to 50 of 1 MiB together are; put the program \
         and its modules into a folder of their own",
        names.len()
    ));
    Vec::new()
}

/// All files under `top`/`inside` but the program; hidden ones, links and `__pycache__` are left out.
fn walk(top: &Path, inside: &Path, program: &OsStr, copies: &mut Vec<FileCopy>) -> Result<(), OpenError> {
    let folder = top.join(inside);
    let mut entries =
        fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(unreadable(&folder))?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let relative = inside.join(&name);
        let kind = entry.file_type().map_err(unreadable(&entry.path()))?;
        if is_hidden(&name) || name == "__pycache__" || relative == Path::new(program) {
            continue;
        }
        if kind.is_dir() {
            walk(top, &relative, program, copies)?;
        } else if kind.is_file() {
            let (most, room) = FOLDER_LIMIT;
            let limit = "1,000 files or 16 MiB";
            let taken: u64 = copies.iter().map(|copy| copy.bytes.len() as u64).sum();
            if copies.len() == most {
                return Err(OpenError::TooLarge { name: top.to_string_lossy().into_owned(), limit });
            }
            copies.push(read(&entry.path(), relative, room - taken, limit)?);
        }
    }
    Ok(())
}
