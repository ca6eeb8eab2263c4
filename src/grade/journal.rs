//! The journal of a class: a line for each submission that has been graded. Each is written whole and synced to the disk,
//! and when a class is resumed, what stands in it is not graded again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Class, Outcome, Roster, Row, Share, roster};

/// The name of its file.
pub const FILE: &str = "journal.jsonl";
const SCHEMA: &str = "check/journal/v1";

/// What the lines after it are about. A class that is resumed with more students gets another head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    schema: String,
    /// What is graded.
    pub class: Class,
    /// Which share of the submissions it is.
    #[serde(with = "in_words")]
    pub share: Share,
    /// How many submissions there are in all shares together.
    pub submissions: usize,
    /// Tells the keys of all shares together from others.
    pub roster: String,
}

impl Head {
    /// The head of a share.
    #[must_use]
    pub fn new(class: Class, share: Share, roster: &Roster) -> Head {
        Head { schema: SCHEMA.to_owned(), class, share, submissions: roster.whole, roster: roster.fingerprint.clone() }
    }

    /// The same for all shares together.
    #[must_use]
    pub fn whole(self) -> Head {
        Head { share: Share::WHOLE, ..self }
    }
}

/// Where a row stands in a journal, and what has to be known of it without reading it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    at: u64,
    length: u64,
    /// The submission that it is about.
    pub content: Option<String>,
    /// What else it depends on.
    pub basis: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Why it could not be graded.
    pub reason: Option<String>,
}

/// The journal's file, and where each submission's latest row stands in it.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    end: u64,
    /// By key.
    pub rows: BTreeMap<String, Place>,
}

/// Why there is no journal to go on with.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is one, and nobody said what to do with it.
    #[error("{0} already holds results: go on with --resume, or name another folder")]
    Exists(String),
    /// Another process is at it.
    #[error("{0} is being written by another check: wait for it, or name another folder")]
    Busy(String),
    /// There is none.
    #[error("{0} holds no results of check grade")]
    None(String),
    /// Something else has its name.
    #[error("{0} is no file: name another folder")]
    NoFile(String),
    /// It is about something else.
    #[error("{path} holds results of {found}, and not of {wanted}: name another folder")]
    Other {
        /// The journal.
        path: String,
        /// What it is about.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// A line is none that `check` writes.
    #[error(
        "{path}, line {line}: this is no journal that this version of check can read ({reason}): name another folder"
    )]
    Line {
        /// The journal.
        path: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The system says no.
    #[error("{path}: {source}")]
    Io {
        /// The journal.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl Journal {
    /// Starts one in a folder that has none.
    ///
    /// # Errors
    /// If there is one, or it can't be written.
    pub fn create(folder: &Path, head: &Head) -> Result<Journal, JournalError> {
        let path = folder.join(FILE);
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(&path);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Exists(folder.display().to_string()),
            _ => io_error(&path)(error),
        })?;
        let mut journal = Journal { path, file, end: 0, rows: BTreeMap::new() };
        journal.lock(folder)?;
        journal.write(head)?;
        Ok(journal)
    }

    /// Goes on with the one in a folder, or starts one. A last line that was not written to its end is taken away.
    ///
    /// # Errors
    /// If it is another class's, or can't be read or written.
    pub fn resume(folder: &Path, head: &Head) -> Result<Journal, JournalError> {
        if folder.join(FILE).symlink_metadata().is_err() {
            return Journal::create(folder, head);
        }
        let (mut journal, found) = Journal::open(folder)?;
        journal.file =
            OpenOptions::new().read(true).append(true).open(&journal.path).map_err(io_error(&journal.path))?;
        journal.lock(folder)?;
        // What is left was never finished: the power went, or the disk was full.
        journal.file.set_len(journal.end).map_err(io_error(&journal.path))?;
        let about = |head: &Head| (head.class.assignment.clone(), head.share);
        match found {
            Some(found) if found == *head => {}
            Some(found) if about(&found) != about(head) => {
                let name = |head: &Head| format!("{}, share {}", head.class.assignment, head.share);
                return Err(JournalError::Other {
                    path: journal.path.display().to_string(),
                    found: name(&found),
                    wanted: name(head),
                });
            }
            _ => {
                journal.write(head)?;
            }
        }
        Ok(journal)
    }

    /// Opens the one in a folder, and tells what it is about.
    ///
    /// # Errors
    /// If there is none, or it can't be read.
    pub fn open(folder: &Path) -> Result<(Journal, Option<Head>), JournalError> {
        let path = folder.join(FILE);
        let about = path.symlink_metadata().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => JournalError::None(folder.display().to_string()),
            _ => io_error(&path)(error),
        })?;
        if !about.is_file() {
            return Err(JournalError::NoFile(path.display().to_string()));
        }
        let file = File::open(&path).map_err(io_error(&path))?;
        let mut reader = BufReader::new(&file);
        let (mut head, mut rows, mut end) = (None, BTreeMap::new(), 0);
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(io_error(&path))? as u64;
            let fault = |reason: String| JournalError::Line { path: path.display().to_string(), line: number, reason };
            if !line.ends_with(b"\n") {
                // A line of ours that was not written to its end.
                if !line.is_empty() && !line.starts_with(b"{") {
                    return Err(fault("no line of a journal begins like this".to_owned()));
                }
                break;
            }
            match serde_json::from_slice(&line).map_err(|error| fault(error.to_string()))? {
                Line::Head(found) if found.schema != SCHEMA => {
                    return Err(fault(format!("it is of schema {:?}", found.schema)));
                }
                Line::Head(found) => head = Some(*found),
                Line::Row(row) => {
                    if row.folder != roster::folder(&row.key) {
                        return Err(fault("the folder in it is not that of its key".to_owned()));
                    }
                    rows.insert(row.key.clone(), Place::new(end, length, &row));
                }
            }
            end += length;
        }
        Ok((Journal { path, file, end, rows }, head))
    }

    /// Whether a folder is one of results.
    #[must_use]
    pub fn is_in(folder: &Path) -> bool {
        let path = folder.join(FILE);
        // Anything may lie there, and opening a FIFO waits.
        if !path.symlink_metadata().is_ok_and(|about| about.is_file()) {
            return false;
        }
        let mut start = Vec::new();
        let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
        read.is_ok() && start.starts_with(format!("{{\"schema\":\"{SCHEMA}\"").as_bytes())
    }

    /// Keeps other processes away as long as this one lives.
    fn lock(&self, folder: &Path) -> Result<(), JournalError> {
        self.file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::Busy(folder.display().to_string()),
            TryLockError::Error(error) => io_error(&self.path)(error),
        })
    }

    /// Adds a row. It is on the disk when this returns.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn add(&mut self, row: &Row) -> Result<(), JournalError> {
        let at = self.end;
        let length = self.write(row)?;
        self.rows.insert(row.key.clone(), Place::new(at, length, row));
        Ok(())
    }

    fn write(&mut self, line: &impl Serialize) -> Result<u64, JournalError> {
        let mut text = serde_json::to_vec(line).map_err(|error| io_error(&self.path)(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).and_then(|()| self.file.sync_data()).map_err(io_error(&self.path))?;
        let length = text.len() as u64;
        self.end += length;
        Ok(length)
    }

    /// The latest rows, in the order of their keys, one at a time.
    pub fn read(&self) -> impl Iterator<Item = io::Result<Row>> {
        self.rows.values().map(|place| self.at(place))
    }

    /// The latest row of this key.
    ///
    /// # Errors
    /// If there is none, or it can't be read.
    pub fn row(&self, key: &str) -> io::Result<Row> {
        self.at(self.rows.get(key).ok_or(io::ErrorKind::NotFound)?)
    }

    fn at(&self, place: &Place) -> io::Result<Row> {
        let mut text = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
        let mut file = &self.file;
        file.seek(SeekFrom::Start(place.at))?;
        file.read_exact(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Head(Box<Head>),
    Row(Box<Row>),
}

impl Place {
    fn new(at: u64, length: u64, row: &Row) -> Place {
        Place {
            at,
            length,
            content: row.content.clone(),
            basis: row.basis.clone(),
            outcome: row.report.outcome,
            reason: row.report.reason.clone(),
        }
    }
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> JournalError {
    move |source| JournalError::Io { path: path.display().to_string(), source }
}

/// A share is written as it is typed.
mod in_words {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Share;

    pub fn serialize<S: Serializer>(share: &Share, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(share)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Share, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
