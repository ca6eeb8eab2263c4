//! The command line as a person or a script meets it.

mod bad_input;
#[cfg(unix)]
mod ci;
mod code;
mod commands;
mod formats;
mod grade;
mod pack;
mod pictures;
#[cfg(target_os = "linux")]
mod sandbox;
pub mod schema;
mod wheel;

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

use crate::support::{path_with_quickest_python, quickest_python};

static PATH: LazyLock<OsString> = LazyLock::new(path_with_quickest_python);

/// A folder of one's own in which `check` is called.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    pub fn new() -> Desk {
        Desk { folder: tempfile::tempdir().unwrap() }
    }

    /// A desk with this program on it, as `student.py`.
    pub fn with(program: &str) -> Desk {
        let desk = Desk::new();
        desk.write("student.py", program);
        desk
    }

    /// A desk with one of the student programs on it, as `student.py`.
    pub fn with_student(path: &str) -> Desk {
        let path = fixtures().join("students").join(path);
        Desk::with(&fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// An assignment in the folder `mine`, with one hidden case.
    pub fn write_hidden_case(&self) {
        self.write("mine/assignment.yaml", "title: Mine\ngame: darts\ncases: [first]\n");
        self.write("mine/cases/first.yaml", "title: the first dart\nvisibility: hidden\ninputs: [\"60\"]\n");
        self.write("mine/cases/first.transcript", &self.check(&["transcript", "darts", "--inputs", "60"]).out);
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_check"));
        command.args(arguments).current_dir(self.path()).env("COLUMNS", "80").env("PATH", &*PATH);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "GITHUB_STEP_SUMMARY"] {
            command.env_remove(name);
        }
        command
    }

    /// Calls Python, for what `check` is not to judge itself.
    pub fn python(&self, arguments: &[&str]) -> Output {
        Command::new(quickest_python().path).args(arguments).current_dir(self.path()).output().unwrap()
    }

    pub fn check(&self, arguments: &[&str]) -> Said {
        Said::from(self.command(arguments).output().unwrap())
    }
}

/// What `check` said.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Said {
        Said {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Tells that a test could not be made here; not by a macro, whose words nobody sees if the test passes.
pub fn skipped(why: &str) {
    let _ = writeln!(io::stderr(), "skipped: {why}");
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}
