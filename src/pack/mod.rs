//! Uploads for services that grade: all that a service needs to run `check` by itself, in one file.

use std::io::{Cursor, Write};

use memchr::memmem;
use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::assignment::{AssignmentError, Source};

const SETUP: &str = include_str!("setup.sh");
const RUN_AUTOGRADER: &str = include_str!("run_autograder.sh");
/// What stands in the script for the assignment's argument.
const ASSIGNMENT: &str = "assignment=ASSIGNMENT\n";
/// The folder of an assignment that is not built in, as a shell writes it.
const FOLDER: &str = "\"$source/assignment\"";

/// Why no upload could be made.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// A file of the assignment.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The zip.
    #[error("can't make the zip: {0}")]
    Zip(#[from] zip::result::ZipError),
}

/// A `check` that runs on 64-bit x86 Linux, as services do.
#[derive(Debug, Clone)]
pub struct LinuxProgram(Vec<u8>);

impl LinuxProgram {
    /// The program in these bytes of a file; none if it is one for another system.
    #[must_use]
    pub fn new(file: Vec<u8>) -> Option<Self> {
        // ELF, 64 bits, little-endian; and the number of the processor.
        let is_ours = file.starts_with(b"\x7fELF\x02\x01") && file.get(18..20) == Some(&[62, 0]);
        is_ours.then_some(Self(file))
    }

    /// The oldest glibc that it runs with; none if it names none.
    #[must_use]
    pub fn oldest_glibc(&self) -> Option<(u32, u32)> {
        const NAME: &[u8] = b"GLIBC_";
        // The versions stand as text in the table of what it takes from other libraries.
        let version = |at: usize| {
            let rest = &self.0[at + NAME.len()..];
            let text = rest.split(|&byte| byte == 0).next()?;
            let mut numbers = str::from_utf8(text.get(..16.min(text.len()))?).ok()?.split('.').map(str::parse);
            Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
        };
        memmem::find_iter(&self.0, NAME).filter_map(version).max()
    }
}

/// The `autograder.zip` of a programming assignment at Gradescope, the same bytes for the same assignment and program.
///
/// # Errors
/// If a file of the assignment can't be read.
pub fn gradescope(assignment: &Source, program: &LinuxProgram) -> Result<Vec<u8>, PackError> {
    let (argument, files) = if assignment.is_built_in() {
        (shell_words::quote(&assignment.name()).into_owned(), Vec::new())
    } else {
        let name = assignment.name();
        (format!("{FOLDER}/{}", shell_words::quote(&name)), assignment.files()?)
    };
    let script = RUN_AUTOGRADER.replacen(ASSIGNMENT, &format!("assignment={argument}\n"), 1);
    let mut zip = Zip(ZipWriter::new(Cursor::new(Vec::new())));
    zip.add("setup.sh", 0o700, SETUP.as_bytes())?;
    zip.add("run_autograder", 0o700, script.as_bytes())?;
    zip.add("check", 0o700, &program.0)?;
    for (path, text) in &files {
        zip.add(&format!("assignment/{}/{path}", assignment.name()), 0o600, text.as_bytes())?;
    }
    Ok(zip.0.finish()?.into_inner())
}

struct Zip(ZipWriter<Cursor<Vec<u8>>>);

impl Zip {
    /// Adds a file; its time is that of no day, so that the same files are the same zip.
    fn add(&mut self, path: &str, mode: u32, bytes: &[u8]) -> ZipResult<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .unix_permissions(mode);
        self.0.start_file(path, options)?;
        self.0.write_all(bytes)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_has_a_place_for_the_assignment() {
        assert_eq!(RUN_AUTOGRADER.matches(ASSIGNMENT).count(), 1);
    }

    #[test]
    fn a_program_of_another_system_is_none() {
        let header = |kind: &[u8], processor: u8| [kind, &[0; 12], &[processor, 0]].concat();
        assert!(LinuxProgram::new(header(b"\x7fELF\x02\x01", 62)).is_some());
        assert!(LinuxProgram::new(header(b"\x7fELF\x02\x01", 183)).is_none(), "another processor");
        assert!(LinuxProgram::new(header(b"\x7fELF\x01\x01", 62)).is_none(), "32 bits");
        assert!(LinuxProgram::new(header(b"MZ\0\0\0\0", 62)).is_none());
        assert!(LinuxProgram::new(b"\x7fELF\x02\x01".to_vec()).is_none(), "no whole header");
        assert!(LinuxProgram::new(Vec::new()).is_none());
    }

    #[test]
    fn the_newest_library_that_is_asked_for_counts() {
        let program = |names: &[u8]| LinuxProgram(names.to_vec()).oldest_glibc();
        assert_eq!(program(b"..\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0"), Some((2, 34)));
        assert_eq!(program(b"\0GLIBC_PRIVATE\0GLIBC_"), None);
        assert_eq!(program(b"\0"), None);
    }
}
