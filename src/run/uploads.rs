//! What a class handed in: a folder, or the zip that a learning platform exports. Nothing in it is followed that leads
//! out of it, and nothing of a zip is written to disk.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use zip::ZipArchive;

use super::submission::{FileCopy, Submission, is_hidden, take};
use crate::shared::{first_of, is_python_name, lock};

/// Of one student, at most so many files and bytes are read, and folders entered.
const MOST_FILES: usize = 1000;
const MOST_BYTES: u64 = 16 << 20;
const MOST_DEPTH: usize = 32;
const PROGRAM_LIMIT: u64 = 1 << 20;
/// Bytes of a path and of each part of it: what a scratch folder has room for.
const MOST_NAME: usize = 1000;
const MOST_PART: usize = 255;

/// What platforms and systems put beside submissions.
const NO_SUBMISSIONS: [&str; 4] = ["__MACOSX", "__pycache__", "submission_metadata.yml", "Thumbs.db"];

/// A folder or a zip with a submission in each file or folder that it holds.
#[derive(Debug)]
pub struct Uploads {
    path: PathBuf,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Folder,
    Zip(Mutex<ZipArchive<File>>),
}

/// One file or folder of them: what one student handed in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Upload {
    /// Its name, for people.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    path: PathBuf,
    /// The places of its files in the zip.
    members: Vec<usize>,
}

/// Why the uploads can't be read at all.
#[derive(Debug, thiserror::Error)]
pub enum UploadsError {
    /// The system says no.
    #[error("{path}: {source}")]
    Unreadable {
        /// The folder or the file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// Nothing there.
    #[error("{0}: there is no such folder or zip file: give what holds the submissions")]
    Missing(String),
    /// Neither a folder nor a zip.
    #[error(
        "{path} is neither a folder nor a zip file that can be read ({reason}): give the folder that holds the submissions"
    )]
    Neither {
        /// What was given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why one upload can't be graded. The texts stand after its name.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// A folder without a program.
    #[error("holds no .py file")]
    NoProgram,
    /// A folder in which several files could be it.
    #[error("holds {} .py files, and which of them is the program is not guessed: {}", .0.len(), first_of(.0, 5))]
    SeveralPrograms(Vec<String>),
    /// A file of another kind.
    #[error("is no Python program: its name does not end in .py")]
    NoPython,
    /// A link.
    #[error("{0} a link, and links are not followed")]
    Link(Named),
    /// A FIFO, a device or a socket.
    #[error("{0} not a regular file")]
    NotAFile(Named),
    /// A name in a zip that leads out of it.
    #[error("has a file whose name leads out of it")]
    LeadsOut,
    /// A name that not every system can have.
    #[error("has a file whose name is too long: {0}…")]
    LongName(String),
    /// A file that would have to be a folder too.
    #[error("has a file and a folder of one name: {0}")]
    TwoKinds(String),
    /// More than a submission has.
    #[error("{0}")]
    TooLarge(&'static str),
    /// The system says no.
    #[error("can't be read: {0}")]
    Unreadable(io::Error),
}

/// The upload itself, or a file in it.
#[derive(Debug)]
pub struct Named(Option<String>);

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            None => f.write_str("is"),
            Some(name) => write!(f, "holds {name}, which is"),
        }
    }
}

/// A file inside of an upload.
struct Inside {
    /// Relative to the upload, or its name where it is a file itself.
    path: PathBuf,
    member: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Link,
    Other,
}

impl Uploads {
    /// Opens a folder, or a zip file.
    ///
    /// # Errors
    /// If it is neither.
    pub fn open(path: &Path) -> Result<Self, UploadsError> {
        let name = || path.display().to_string();
        let unreadable = |source| UploadsError::Unreadable { path: name(), source };
        let about = fs::metadata(path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => UploadsError::Missing(name()),
            _ => unreadable(error),
        })?;
        let place = if about.is_dir() {
            Place::Folder
        } else {
            let neither = |reason: String| UploadsError::Neither { path: name(), reason };
            if !about.is_file() {
                return Err(neither("it is no regular file".to_owned()));
            }
            let file = File::open(path).map_err(unreadable)?;
            let zip = ZipArchive::new(file).map_err(|error| neither(error.to_string()))?;
            // The library knows only the last of two members of one name.
            if members_listed(path, zip.central_directory_start()).map_err(unreadable)? > zip.len() {
                return Err(neither("two files in it have the same name, and neither of them is chosen".to_owned()));
            }
            Place::Zip(Mutex::new(zip))
        };
        Ok(Self { path: path.to_owned(), place })
    }

    /// What is in it, in the order of names. Hidden files and what platforms add are left out.
    ///
    /// # Errors
    /// If it can't be listed.
    pub fn list(&self) -> Result<Vec<Upload>, UploadsError> {
        let mut uploads = match &self.place {
            Place::Folder => self.list_folder(),
            Place::Zip(zip) => list_zip(&mut lock(zip)),
        }
        .map_err(|source| UploadsError::Unreadable { path: self.path.display().to_string(), source })?;
        uploads.retain(|upload| !is_hidden(upload.path.as_os_str()) && !NO_SUBMISSIONS.contains(&&*upload.name));
        uploads.sort();
        Ok(uploads)
    }

    fn list_folder(&self) -> io::Result<Vec<Upload>> {
        let entries = fs::read_dir(&self.path)?.map(|entry| {
            let entry = entry?;
            let path = PathBuf::from(entry.file_name());
            let name = path.to_string_lossy().into_owned();
            Ok(Upload { name, is_folder: entry.file_type()?.is_dir(), path, members: vec![] })
        });
        entries.collect()
    }

    /// Reads one of them. In a folder `program`, if it is given, is the name of the file that is the program; otherwise
    /// it is the only `.py` file, at whatever depth.
    ///
    /// # Errors
    /// Why it can't be graded.
    pub fn read(&self, upload: &Upload, program: Option<&str>) -> Result<Submission, UploadError> {
        let files = match &self.place {
            Place::Folder if upload.is_folder => self.walk(upload)?,
            Place::Folder => vec![Inside { path: upload.path.clone(), member: 0, kind: self.kind(upload)? }],
            Place::Zip(zip) => members(&mut lock(zip), upload)?,
        };
        let (main, siblings) = if upload.is_folder { choose(files, program)? } else { (only(files)?, vec![]) };
        let folder = main.path.parent().unwrap_or(Path::new("")).to_owned();
        let copy = |file: &Inside, limit: u64, words| {
            let relative = file.path.strip_prefix(&folder).unwrap_or(&file.path).to_owned();
            self.copy(upload, file, relative, limit, words)
        };
        let program = copy(&main, PROGRAM_LIMIT, "holds a program over 1 MiB")?;
        let mut room = MOST_BYTES;
        let mut copies = Vec::new();
        for sibling in siblings.iter().filter(|sibling| sibling.path.starts_with(&folder)) {
            let copy = copy(sibling, room, "holds more than 16 MiB")?;
            room -= copy.bytes.len() as u64;
            copies.push(copy);
        }
        let name = if upload.is_folder { upload.path.join(&main.path) } else { main.path.clone() };
        Ok(Submission::new(name.to_string_lossy().into_owned(), program, copies))
    }

    fn kind(&self, upload: &Upload) -> Result<Kind, UploadError> {
        fs::symlink_metadata(self.path.join(&upload.path))
            .map(|about| kind(about.file_type()))
            .map_err(UploadError::Unreadable)
    }

    /// All files of a folder, in the order of their paths.
    fn walk(&self, upload: &Upload) -> Result<Vec<Inside>, UploadError> {
        let top = self.path.join(&upload.path);
        let mut files = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            if folder.components().count() > MOST_DEPTH {
                return Err(UploadError::TooLarge("has folders in folders, more than 32 deep"));
            }
            for entry in fs::read_dir(top.join(&folder)).map_err(UploadError::Unreadable)? {
                let entry = entry.map_err(UploadError::Unreadable)?;
                let path = folder.join(entry.file_name());
                let found = entry.file_type().map_err(UploadError::Unreadable)?;
                if found.is_dir() {
                    folders.push(path);
                } else {
                    files.push(Inside { path, member: 0, kind: kind(found) });
                }
                if files.len() + folders.len() > MOST_FILES {
                    return Err(UploadError::TooLarge("holds more than 1,000 files"));
                }
            }
        }
        fitting(files)
    }

    fn copy(
        &self,
        upload: &Upload,
        file: &Inside,
        relative: PathBuf,
        limit: u64,
        too_large: &'static str,
    ) -> Result<FileCopy, UploadError> {
        let named = || Named(upload.is_folder.then(|| file.path.to_string_lossy().into_owned()));
        match file.kind {
            Kind::File => {}
            Kind::Link => return Err(UploadError::Link(named())),
            Kind::Other => return Err(UploadError::NotAFile(named())),
        }
        let copied = match &self.place {
            Place::Folder => {
                let inside = if upload.is_folder { upload.path.join(&file.path) } else { file.path.clone() };
                let opened = open_beneath(&self.path, &inside).map_err(UploadError::Unreadable)?;
                let about = opened.metadata().map_err(UploadError::Unreadable)?;
                if !about.is_file() {
                    return Err(UploadError::NotAFile(named()));
                }
                take(opened, limit).map_err(UploadError::Unreadable)?
            }
            Place::Zip(zip) => {
                let mut zip = lock(zip);
                let member = zip.by_index(file.member).map_err(|error| UploadError::Unreadable(error.into()))?;
                take(member, limit).map_err(UploadError::Unreadable)?
            }
        };
        let bytes = copied.ok_or(UploadError::TooLarge(too_large))?;
        Ok(FileCopy { path: relative, bytes, executable: false })
    }
}

/// The program, and what else there is.
fn choose(files: Vec<Inside>, program: Option<&str>) -> Result<(Inside, Vec<Inside>), UploadError> {
    let is_ours =
        |path: &Path| path.iter().any(|part| is_hidden(part) || NO_SUBMISSIONS.iter().any(|other| part == *other));
    let (mut candidates, mut others): (Vec<Inside>, Vec<Inside>) =
        files.into_iter().filter(|file| !is_ours(&file.path)).partition(|file| is_python_name(&file.path));
    if let Some(program) = program
        && candidates.iter().any(|file| file.path.file_name().is_some_and(|name| name == program))
    {
        let (named, rest) =
            candidates.into_iter().partition(|file: &Inside| file.path.file_name().is_some_and(|name| name == program));
        candidates = named;
        others.extend(rest);
        others.sort_by(|one, other| one.path.cmp(&other.path));
    }
    // Links beside the program are nothing that it could be given.
    others.retain(|file| file.kind == Kind::File);
    match candidates.len() {
        0 => Err(UploadError::NoProgram),
        1 => Ok((candidates.remove(0), others)),
        _ => Err(UploadError::SeveralPrograms(
            candidates.iter().map(|file| file.path.to_string_lossy().into_owned()).collect(),
        )),
    }
}

fn only(files: Vec<Inside>) -> Result<Inside, UploadError> {
    let file = files.into_iter().next().ok_or(UploadError::NoProgram)?;
    if is_python_name(&file.path) || file.kind != Kind::File { Ok(file) } else { Err(UploadError::NoPython) }
}

fn kind(found: fs::FileType) -> Kind {
    match () {
        () if found.is_file() => Kind::File,
        () if found.is_symlink() => Kind::Link,
        () => Kind::Other,
    }
}

/// Opens a file under a folder; nothing on the way to it may be a link. Never waits for a file that is none.
#[cfg(unix)]
fn open_beneath(top: &Path, inside: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open, openat};
    let into = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = open(top, into, Mode::empty())?;
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            return Ok(File::from(openat(&folder, part.as_os_str(), flags, Mode::empty())?));
        }
        folder = openat(&folder, part.as_os_str(), into | OFlags::NOFOLLOW, Mode::empty())?;
    }
    Err(io::ErrorKind::InvalidInput.into())
}

#[cfg(not(unix))]
fn open_beneath(top: &Path, inside: &Path) -> io::Result<File> {
    let mut path = top.to_owned();
    for part in inside.components() {
        path.push(part);
        if fs::symlink_metadata(&path)?.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
    }
    File::open(path)
}

/// What is at the top of a zip; where that is one folder around all submissions, what is in it.
fn list_zip(zip: &mut ZipArchive<File>) -> io::Result<Vec<Upload>> {
    let mut paths = Vec::new();
    for index in 0..zip.len() {
        // A member that can't be read is its student's matter, not that of the class.
        let name = name_of(zip, index);
        if name.ends_with(['/', '\\']) || name.starts_with("__MACOSX") {
            continue;
        }
        let path = inside(&name).unwrap_or_else(|| {
            // It has to stand somewhere, to be told of: where its name begins.
            let mut parts = name.split(['/', '\\']).map(|part| part.trim_start_matches('.').replace('\0', "_"));
            parts.find(|part| !part.is_empty()).map_or_else(|| PathBuf::from("_"), PathBuf::from)
        });
        paths.push((path, index));
    }
    let groups = grouped(&paths, 0);
    if let [upload] = groups.as_slice()
        && upload.is_folder
    {
        let direct = paths.iter().filter(|(path, _)| path.iter().count() == 2 && is_python_name(path)).count();
        if direct != 1 {
            let mut inside = grouped(&paths, 1);
            inside.iter_mut().for_each(|one| one.path = upload.path.join(&one.path));
            return Ok(inside);
        }
    }
    Ok(groups)
}

/// The members by the part of their path at this depth.
fn grouped(paths: &[(PathBuf, usize)], depth: usize) -> Vec<Upload> {
    let mut groups: BTreeMap<PathBuf, Upload> = BTreeMap::new();
    for (path, index) in paths {
        let mut parts = path.components().skip(depth);
        let Some(Component::Normal(top)) = parts.next() else { continue };
        let is_folder = parts.next().is_some();
        let name = top.to_string_lossy().into_owned();
        let group = groups.entry(PathBuf::from(top)).or_insert_with(|| Upload {
            name,
            is_folder,
            path: PathBuf::from(top),
            members: vec![],
        });
        group.is_folder |= is_folder;
        group.members.push(*index);
    }
    groups.into_values().collect()
}

/// The files of one upload in a zip.
fn members(zip: &mut ZipArchive<File>, upload: &Upload) -> Result<Vec<Inside>, UploadError> {
    if upload.members.len() > MOST_FILES {
        return Err(UploadError::TooLarge("holds more than 1,000 files"));
    }
    let mut files = Vec::new();
    for &member in &upload.members {
        let name = name_of(zip, member);
        let found = zip.by_index_raw(member).map_err(|error| UploadError::Unreadable(error.into()))?;
        let path = inside(&name).ok_or(UploadError::LeadsOut)?;
        let link = found.unix_mode().is_some_and(|mode| mode & 0o170_000 == 0o120_000);
        let kind = if link { Kind::Link } else { Kind::File };
        let path = if upload.is_folder {
            path.strip_prefix(&upload.path).unwrap_or(&path).to_owned()
        } else {
            path.file_name().map(PathBuf::from).unwrap_or(path)
        };
        files.push(Inside { path, member, kind });
    }
    fitting(files)
}

/// How many members a zip's own list has, two of one name counted twice.
fn members_listed(path: &Path, start: u64) -> io::Result<usize> {
    let mut list = BufReader::new(File::open(path)?);
    list.seek(SeekFrom::Start(start))?;
    let mut count = 0;
    let mut entry = [0; 46];
    while list.read_exact(&mut entry).is_ok() && entry.starts_with(b"PK\x01\x02") {
        count += 1;
        // The lengths of its name, of what else is known of it, and of a comment.
        let length = |at: usize| i64::from(u16::from_le_bytes([entry[at], entry[at + 1]]));
        list.seek_relative(length(28) + length(30) + length(32))?;
    }
    Ok(count)
}

/// A member's name; one that can't be read is a row of its own.
fn name_of(zip: &ZipArchive<File>, index: usize) -> String {
    let name = zip.name_for_index(index).and_then(Result::ok);
    name.map_or_else(|| "unreadable-name".to_owned(), Cow::into_owned)
}

/// A member's path, if it stays inside.
fn inside(name: &str) -> Option<PathBuf> {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\0', ':']);
    let parts = name.split(['/', '\\']);
    parts.clone().all(is_plain).then(|| parts.collect())
}

/// The files in the order of their paths, if all of them can stand in one folder on every system.
fn fitting(mut files: Vec<Inside>) -> Result<Vec<Inside>, UploadError> {
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let length = |part: &std::ffi::OsStr| part.as_encoded_bytes().len();
    let is_long = |file: &&Inside| {
        length(file.path.as_os_str()) > MOST_NAME || file.path.iter().any(|part| length(part) > MOST_PART)
    };
    if let Some(file) = files.iter().find(is_long) {
        return Err(UploadError::LongName(file.path.to_string_lossy().chars().take(40).collect()));
    }
    match files.windows(2).find(|pair| pair[1].path.starts_with(&pair[0].path)) {
        Some(pair) => Err(UploadError::TwoKinds(pair[0].path.to_string_lossy().into_owned())),
        None => Ok(files),
    }
}
