//! `check merge FOLDER...`.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::args::MergeArgs;
use super::check::at;
use super::grade::{STUDENT_FILES, create, finish, make_folder, make_own_folder};
use super::{CliError, Exit};
use crate::grade::Shares;
use crate::grade::journal::{Journal, JournalError};

pub fn merge(args: &MergeArgs) -> Result<Exit, CliError> {
    let shares = Shares::open(&args.shares)?;
    // All of it is looked at before anything is written.
    for row in shares.rows() {
        let (share, row) = row.map_err(at(&args.output))?;
        for (file, _) in STUDENT_FILES {
            open_report(&share.join(&row.folder).join(file))?;
        }
    }
    make_folder(&args.output)?;
    let mut journal = Journal::create(&args.output, &shares.head).map_err(|error| match error {
        JournalError::Exists(folder) => {
            CliError::Usage(format!("{folder} already holds results: remove it, or name another folder"))
        }
        error => error.into(),
    })?;
    for row in shares.rows() {
        let (share, row) = row.map_err(at(&args.output))?;
        copy_reports(&share.join(&row.folder), &args.output.join(&row.folder))?;
        journal.add(&row)?;
    }
    finish(&args.output, shares.head.class, &journal, args.fail_under, args.quiet)
}

fn copy_reports(from: &Path, to: &Path) -> Result<(), CliError> {
    make_own_folder(to).map_err(at(to))?;
    for (file, _) in STUDENT_FILES {
        let mut report = open_report(&from.join(file))?;
        let mut copy = create(&to.join(file)).map_err(at(&to.join(file)))?;
        io::copy(&mut report, &mut copy).map_err(at(&to.join(file)))?;
    }
    Ok(())
}

/// A report as it was written: a link, or whatever else may lie in its place, is none.
fn open_report(path: &Path) -> Result<File, CliError> {
    let about = fs::symlink_metadata(path).map_err(at(path))?;
    if !about.is_file() {
        return Err(CliError::Usage(format!("{} is no regular file: grade its share again", path.display())));
    }
    File::open(path).map_err(at(path))
}
