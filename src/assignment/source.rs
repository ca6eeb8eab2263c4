//! Where an assignment's files are: in the binary, or in a folder.

use std::ffi::OsStr;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::error::{AssignmentError, FileError, Position, did_you_mean};
use super::nearest::nearest;

/// The names of the built-in assignments.
pub const BUILT_IN: [&str; 3] = ["darts", "doubles", "racko"];

static DARTS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/darts");
static DOUBLES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/doubles");
static RACKO: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/racko");

/// The file that makes a folder an assignment.
pub(super) const ASSIGNMENT_FILE: &str = "assignment.yaml";

/// The folder in it that holds the cases.
pub(super) const CASES_FOLDER: &str = "cases";

/// No file of an assignment is larger, in bytes.
const LARGEST_FILE: u64 = 4 << 20;

/// Where the files of one assignment are.
#[derive(Debug, Clone)]
pub struct Source(Place);

#[derive(Debug, Clone)]
enum Place {
    BuiltIn { name: &'static str, files: &'static Dir<'static> },
    Folder(PathBuf),
}

impl Source {
    /// The built-in assignment of this name, if there is one.
    pub fn built_in(name: &str) -> Option<Source> {
        let files = [&DARTS, &DOUBLES, &RACKO];
        BUILT_IN
            .into_iter()
            .zip(files)
            .find(|&(built_in, _)| built_in == name)
            .map(|(name, files)| Source(Place::BuiltIn { name, files }))
    }

    /// An assignment's folder.
    ///
    /// # Errors
    /// If it is not there, or no folder with an `assignment.yaml`.
    pub fn folder(path: &Path) -> Result<Source, AssignmentError> {
        let not_an_assignment = |message: &str, help: String| {
            Err(AssignmentError::NotAnAssignment {
                path: path.display().to_string(),
                message: message.to_owned(),
                help,
            })
        };
        let Ok(metadata) = path.metadata() else {
            return not_an_assignment(
                "there is no such folder",
                "give the folder that holds an assignment.yaml".to_owned(),
            );
        };
        if path.file_name() == Some(OsStr::new(ASSIGNMENT_FILE)) && metadata.is_file() {
            return not_an_assignment("this is a file", "give the folder that it is in".to_owned());
        }
        if !metadata.is_dir() {
            let help =
                format!("the assignment comes first, then the submission: `check {} {}`", BUILT_IN[0], path.display());
            return not_an_assignment("this is a file, and not an assignment", help);
        }
        if path.join(ASSIGNMENT_FILE).symlink_metadata().is_err() {
            return not_an_assignment(
                "this folder is no assignment: it holds no assignment.yaml",
                help_for_folder(path),
            );
        }
        Ok(Source(Place::Folder(path.to_owned())))
    }

    /// What the argument ASSIGNMENT names: built in, or a folder; with `fixtures` a folder of that name in it, and
    /// nothing else, so that nobody is judged by other cases than those that were meant.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(argument: &OsStr, fixtures: Option<&Path>) -> Result<Source, AssignmentError> {
        let path = Path::new(argument);
        let is_name = path.file_name() == Some(argument);
        if let Some(fixtures) = fixtures {
            let mut others = Vec::new();
            let entries = fixtures.read_dir().map_err(|error| AssignmentError::NotAnAssignment {
                path: fixtures.display().to_string(),
                message: format!("this folder can't be read: {}", reason(&error)),
                help: "--fixtures takes a folder that holds folders of assignments".to_owned(),
            })?;
            others.extend(
                entries
                    .filter_map(|entry| Some(entry.ok()?.path()))
                    .filter(|folder| folder.join(ASSIGNMENT_FILE).is_file())
                    .filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned())),
            );
            others.sort();
            let folder = fixtures.join(path);
            if is_name && folder.is_dir() {
                return Source::folder(&folder);
            }
            if is_name {
                let near = nearest(&argument.to_string_lossy(), others.iter().map(String::as_str)).map(str::to_owned);
                return Err(AssignmentError::NotAnAssignment {
                    path: fixtures.display().to_string(),
                    message: format!(
                        "there is no assignment {:?} in this folder{}",
                        argument.to_string_lossy(),
                        did_you_mean(near.as_deref())
                    ),
                    help: match others.is_empty() {
                        true => "--fixtures takes a folder that holds folders of assignments".to_owned(),
                        false => format!("it holds {}", others.join(", ")),
                    },
                });
            }
        }
        if let Some(source) = argument.to_str().and_then(Source::built_in) {
            return Ok(source);
        }
        if argument.is_empty() || (is_name && path.symlink_metadata().is_err()) {
            return Err(AssignmentError::unknown(&argument.to_string_lossy()));
        }
        Source::folder(path)
    }

    /// The assignment's name for reports: the built-in name, or the folder's.
    pub fn name(&self) -> String {
        match &self.0 {
            Place::BuiltIn { name, .. } => (*name).to_owned(),
            Place::Folder(path) => {
                let full = path.file_name().is_none().then(|| path.canonicalize().ok()).flatten();
                let path = full.as_deref().unwrap_or(path);
                path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
            }
        }
    }

    /// Whether it is embedded in the binary.
    pub fn is_built_in(&self) -> bool {
        matches!(self.0, Place::BuiltIn { .. })
    }

    /// What stands on the command line for it.
    pub fn argument(&self) -> String {
        match &self.0 {
            Place::BuiltIn { name, .. } => (*name).to_owned(),
            Place::Folder(path) => path.display().to_string(),
        }
    }

    /// How a file of it is called in messages; `path` is written with `/`.
    pub(super) fn file_name(&self, path: &str) -> String {
        match &self.0 {
            Place::BuiltIn { name, .. } => format!("built-in {name}/{path}"),
            Place::Folder(folder) => join(folder, path).display().to_string(),
        }
    }

    /// Reads a text file of it; none if there is no such file.
    pub(super) fn read(&self, path: &str) -> Result<Option<String>, AssignmentError> {
        let file = self.file_name(path);
        let bytes = match &self.0 {
            Place::BuiltIn { files, .. } => match files.get_file(path) {
                Some(found) => found.contents().to_vec(),
                None => return Ok(None),
            },
            Place::Folder(folder) => match read_file(&join(folder, path)) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => {
                    let message = format!("this file can't be read: {}", reason(&error));
                    return Err(
                        FileError::new(file, message, "an assignment is made of plain files of at most 4 MiB").into()
                    );
                }
            },
        };
        String::from_utf8(bytes).map(Some).map_err(|error| not_utf8(file, &error).into())
    }

    /// All files of it with their paths, written with `/`, and texts.
    ///
    /// # Errors
    /// If one can't be read.
    pub fn files(&self) -> Result<Vec<(String, String)>, AssignmentError> {
        let cases = self.case_files()?.unwrap_or_default();
        let cases = cases.into_iter().filter(|name| name.ends_with(".yaml") || name.ends_with(".transcript"));
        let paths = [ASSIGNMENT_FILE.to_owned()].into_iter().chain(cases.map(|name| format!("{CASES_FOLDER}/{name}")));
        paths.filter_map(|path| Some(self.read(&path).transpose()?.map(|text| (path, text)))).collect()
    }

    /// The names of the files in the folder of the cases, in order, without hidden ones; none if there is no such folder.
    pub(super) fn case_files(&self) -> Result<Option<Vec<String>>, AssignmentError> {
        let mut names: Vec<String> = match &self.0 {
            Place::BuiltIn { files, .. } => {
                let Some(cases) = files.get_dir(CASES_FOLDER) else {
                    return Ok(None);
                };
                cases.files().filter_map(|file| Some(file.path().file_name()?.to_string_lossy().into_owned())).collect()
            }
            Place::Folder(folder) => {
                let listed = folder.join(CASES_FOLDER).read_dir().and_then(|entries| {
                    entries
                        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                        .collect::<io::Result<_>>()
                });
                match listed {
                    Ok(names) => names,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                    Err(error) => {
                        let message = format!("this folder can't be read: {}", reason(&error));
                        let help = "the cases stand in a folder `cases` beside assignment.yaml";
                        return Err(FileError::new(self.file_name(CASES_FOLDER), message, help).into());
                    }
                }
            }
        };
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        Ok(Some(names))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.argument())
    }
}

/// A path written with `/`, under a folder.
fn join(folder: &Path, path: &str) -> PathBuf {
    path.split('/').fold(folder.to_owned(), |folder, part| folder.join(part))
}

/// What to do with a folder that is no assignment.
fn help_for_folder(path: &Path) -> String {
    let near = path.file_name().and_then(OsStr::to_str).and_then(|name| nearest(name, BUILT_IN));
    match near {
        Some(name) => format!("for the built-in assignment write `{name}`"),
        None => format!("give a folder with an assignment.yaml, or a built-in name: {}", BUILT_IN.join(", ")),
    }
}

/// A plain file in whole; what could block or be endless is not opened.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(io::Error::other("it is larger than 4 MiB"));
    }
    Ok(bytes)
}

/// Why something can't be read, the same on every system.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        io::ErrorKind::NotADirectory => "it is no folder".to_owned(),
        _ => error.to_string(),
    }
}

/// The first byte that is no UTF-8, with its place.
fn not_utf8(file: String, error: &std::string::FromUtf8Error) -> FileError {
    let bytes = error.as_bytes();
    let valid = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(bytes);
    let position = Position::of_byte(&text, valid);
    let message = format!("the byte 0x{:02x} is no UTF-8", bytes[valid]);
    FileError::new(file, message, "save the file as UTF-8").at(&text, position)
}
