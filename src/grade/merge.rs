//! The shares of a class, put together.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::digest;
use super::journal::{Head, Journal, JournalError};
use super::{Row, Share};
use crate::shared::first_of;

/// Why shares are not those of one class, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A share can't be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A folder's journal has nothing in it.
    #[error("{0} holds a journal without its beginning: grade that share again, into another folder")]
    NoHead(String),
    /// Two are not of one class.
    #[error("{one} and {other} do not belong together: {differ}")]
    Mixed {
        /// One.
        one: String,
        /// Another.
        other: String,
        /// In what they differ.
        differ: String,
    },
    /// The same share twice.
    #[error("{one} and {other} are both share {share}: leave one of them out")]
    Overlap {
        /// One.
        one: String,
        /// Another.
        other: String,
        /// Which.
        share: Share,
    },
    /// A submission where it does not belong.
    #[error("{folder} is share {share}, but holds a submission of another share: {key}")]
    Stray {
        /// The share.
        folder: String,
        /// Which.
        share: Share,
        /// The submission.
        key: String,
    },
    /// Not all shares.
    #[error("share {} is missing: the class was graded in {of} shares", first_of(.missing, 10))]
    MissingShares {
        /// Their numbers.
        missing: Vec<u32>,
        /// How many there are.
        of: u32,
    },
    /// Not all submissions.
    #[error(
        "{found} of {wanted} submissions are there, and all of the shares: one was not graded to its end (go on with --resume), or its submissions have changed since"
    )]
    MissingSubmissions {
        /// How many are there.
        found: usize,
        /// How many there should be.
        wanted: usize,
    },
}

/// All shares of a class, proved to be whole.
#[derive(Debug)]
pub struct Shares {
    /// What the class is.
    pub head: Head,
    /// Which of the journals has a submission, by its key.
    rows: BTreeMap<String, usize>,
    journals: Vec<(PathBuf, Journal)>,
}

impl Shares {
    /// Opens the results of all shares.
    ///
    /// # Errors
    /// If some are missing, are there twice or are of another class, another version of the cases or other conditions.
    pub fn open(folders: &[PathBuf]) -> Result<Shares, MergeError> {
        let mut found: Vec<(PathBuf, Head, Journal)> = Vec::new();
        for folder in folders {
            let (journal, head) = Journal::open(folder)?;
            let head = head.ok_or_else(|| MergeError::NoHead(shown(folder)))?;
            if let Some((other, first, first_journal)) = found.first() {
                let differ = difference((first, first_journal), (&head, &journal));
                if let Some(differ) = differ {
                    return Err(MergeError::Mixed { one: shown(other), other: shown(folder), differ });
                }
            }
            if let Some((other, ..)) = found.iter().find(|(_, other, _)| other.share == head.share) {
                return Err(MergeError::Overlap { one: shown(other), other: shown(folder), share: head.share });
            }
            found.push((folder.clone(), head, journal));
        }
        let Some((_, head, _)) = found.first() else {
            return Err(MergeError::MissingShares { missing: vec![], of: 0 });
        };
        let head = head.clone();
        let of = head.share.of();
        let missing: Vec<u32> =
            (1..=of).filter(|number| !found.iter().any(|(_, head, _)| head.share.number() == *number)).collect();
        if !missing.is_empty() {
            return Err(MergeError::MissingShares { missing, of });
        }
        let mut rows = BTreeMap::new();
        let mut basis: Option<(&str, &Path)> = None;
        for (index, (folder, head, journal)) in found.iter().enumerate() {
            for (key, place) in &journal.rows {
                if !head.share.has(key) {
                    return Err(MergeError::Stray { folder: shown(folder), share: head.share, key: key.clone() });
                }
                let (first, other) = *basis.get_or_insert((&place.basis, folder));
                if first != place.basis {
                    let differ = format!(
                        "{key} was graded by other cases or under other conditions (with --resume its share is graded again where that is so)"
                    );
                    return Err(MergeError::Mixed { one: shown(other), other: shown(folder), differ });
                }
                rows.insert(key.clone(), index);
            }
        }
        if rows.len() != head.submissions || digest::of(rows.keys()) != head.roster {
            return Err(MergeError::MissingSubmissions { found: rows.len(), wanted: head.submissions });
        }
        let journals = found.into_iter().map(|(folder, _, journal)| (folder, journal)).collect();
        Ok(Shares { head: head.whole(), rows, journals })
    }

    /// The rows of the class in the order of their keys, and the folder of the share that each is from.
    pub fn rows(&self) -> impl Iterator<Item = io::Result<(&Path, Row)>> {
        self.rows.iter().map(|(key, &index)| {
            let (folder, journal) = &self.journals[index];
            Ok((folder.as_path(), journal.row(key)?))
        })
    }
}

fn difference((one, _): (&Head, &Journal), (other, _): (&Head, &Journal)) -> Option<String> {
    let shares = |head: &Head| format!("shares of {}", head.share.of());
    match () {
        () if one.class.assignment != other.class.assignment => {
            Some(format!("one is {}, the other {}", one.class.assignment, other.class.assignment))
        }
        () if one.share.of() != other.share.of() => Some(format!("{} and {}", shares(one), shares(other))),
        () if one.class.cases != other.class.cases => Some("their cases are not the same".to_owned()),
        () if one.class.checks != other.class.checks => Some("what is asked of the code is not the same".to_owned()),
        () if one.class != other.class => Some("their titles are not the same".to_owned()),
        () if one.roster != other.roster => Some("they were made from other sets of submissions".to_owned()),
        () => None,
    }
}

fn shown(folder: &Path) -> String {
    folder.display().to_string()
}
