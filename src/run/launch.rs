//! The command that starts a program, with an environment built from nothing.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

use super::harness::{Harness, write_caller};
use super::scratch::Scratch;
use super::{Conditions, Interpreter, Program, Purpose, RunError, Script, Submission};

/// The variable that says what is done, to `sitecustomize.py`.
const HOW: &str = "CHECK_RUN";

/// How far a Python program goes.
pub(super) enum Mode<'a> {
    Run(&'a Script),
    /// Up to its first line.
    Syntax,
}

pub(super) fn command(
    program: &Program<'_>,
    scratch: &Scratch,
    mode: Mode<'_>,
    conditions: &Conditions,
) -> Result<Command, RunError> {
    let mut command = match program {
        Program::Python { interpreter, submission } => python(interpreter, submission, scratch, mode, conditions)?,
        Program::Command { line, .. } => words(line)?,
    };
    at_home(&mut command, scratch);
    Ok(command)
}

/// The command that starts an interpreter which waits until it is told that the program is there.
#[cfg(unix)]
pub(super) fn waiting(
    path: &Path,
    harness: &Harness,
    submission: &Submission,
    scratch: &Scratch,
) -> Result<Command, RunError> {
    let mut command = interpreter(path, harness, scratch)?;
    write_caller(scratch.harness())?;
    command.arg(argument(submission)).env(HOW, "warm");
    at_home(&mut command, scratch);
    Ok(command)
}

fn at_home(command: &mut Command, scratch: &Scratch) {
    let home = scratch.home();
    command.env("HOME", &home).env("TMPDIR", &home).env("TEMP", &home).env("TMP", &home).env("LANG", "C.UTF-8");
    if let Some(root) = env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    command.current_dir(home);
}

fn python(
    python: &Interpreter,
    submission: &Submission,
    scratch: &Scratch,
    mode: Mode<'_>,
    conditions: &Conditions,
) -> Result<Command, RunError> {
    let mut command = interpreter(&python.path, &python.harness, scratch)?;
    let program = argument(submission);
    let (mode, program, seed) = match mode {
        Mode::Run(Script { purpose: Purpose::Play, seed, .. }) => ("run", program, seed.as_deref().unwrap_or("")),
        Mode::Run(Script { purpose: Purpose::Call, .. }) => {
            ("run", write_caller(scratch.harness())?.into_os_string(), "")
        }
        Mode::Syntax => ("syntax", program, ""),
    };
    command.arg(program).env(HOW, format!("{mode} {} {seed}", heeded(conditions)));
    Ok(command)
}

/// What Python heeds of the conditions.
pub(super) fn heeded(conditions: &Conditions) -> String {
    format!("{} {}", conditions.memory, if conditions.real_sleep { "real" } else { "skipped" })
}

/// An interpreter that loads the harness first.
fn interpreter(path: &Path, harness: &Harness, scratch: &Scratch) -> Result<Command, RunError> {
    harness.write(scratch.harness())?;
    let mut command = Command::new(path);
    command
        .arg("-u")
        .env_clear()
        .env("PATH", if cfg!(windows) { "" } else { "/usr/local/bin:/usr/bin:/bin" })
        .env("PYTHONPATH", scratch.harness())
        .env("PYTHONUTF8", "1")
        .env("PYTHONIOENCODING", "utf-8")
        .env("PYTHONHASHSEED", "0")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONNOUSERSITE", "1");
    Ok(command)
}

/// A name that begins with a dash is an option to Python, and `-` is the standard input.
fn argument(submission: &Submission) -> OsString {
    let name = submission.file_name();
    let mut argument = OsString::new();
    if name.as_encoded_bytes().starts_with(b"-") {
        argument.push("./");
    }
    argument.push(name);
    argument
}

fn words(line: &str) -> Result<Command, RunError> {
    let wrong = |reason: String| RunError::Command { line: line.to_owned(), reason };
    let words = shell_words::split(line).map_err(|error| wrong(error.to_string()))?;
    let (program, arguments) = words.split_first().ok_or_else(|| wrong("it is empty".to_owned()))?;
    // From inside of a sandbox every folder looks as if it were closed.
    let path = env::var_os("PATH").unwrap_or_default();
    if cfg!(unix) && !program.contains('/') && !env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
        return Err(RunError::Start {
            program: program.clone(),
            source: io::Error::new(io::ErrorKind::NotFound, "no folder of PATH has a program of this name"),
        });
    }
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    // Compilers and other interpreters stand wherever the user has them.
    if let Some(path) = env::var_os("PATH") {
        command.env("PATH", path);
    }
    Ok(command)
}
