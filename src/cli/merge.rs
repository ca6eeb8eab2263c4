//! `check merge FOLDER...`.

use std::fs;
use std::path::Path;

use super::args::MergeArgs;
use super::check::at;
use super::grade::{STUDENT_FILES, finish};
use super::{CliError, Exit};
use crate::grade::Shares;
use crate::grade::journal::Journal;

pub fn merge(args: &MergeArgs) -> Result<Exit, CliError> {
    let shares = Shares::open(&args.shares)?;
    fs::create_dir_all(&args.output).map_err(at(&args.output))?;
    let mut journal = Journal::create(&args.output, &shares.head)?;
    for row in shares.rows() {
        let (share, row) = row.map_err(at(&args.output))?;
        copy_reports(&share.join(&row.folder), &args.output.join(&row.folder))?;
        journal.add(&row)?;
    }
    finish(&args.output, shares.head.class, &journal, args.fail_under, args.quiet)
}

fn copy_reports(from: &Path, to: &Path) -> Result<(), CliError> {
    fs::create_dir_all(to).map_err(at(to))?;
    for (file, _) in STUDENT_FILES {
        fs::copy(from.join(file), to.join(file)).map_err(at(&from.join(file)))?;
    }
    Ok(())
}
