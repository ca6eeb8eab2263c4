//! The command that starts a program, with an environment built from nothing.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::process::Command;

use super::scratch::Scratch;
use super::{Conditions, Interpreter, Program, Purpose, RunError, Script, Submission};

/// The variable that holds the filter which forks set for themselves.
#[cfg(target_os = "linux")]
pub(super) const FILTER: &str = "CHECK_FILTER";

/// How far a Python program goes.
pub(super) enum Mode<'a> {
    Run(&'a Script),
    /// Up to its first line, where every run is a fork.
    #[cfg(unix)]
    Warm,
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
    let home = scratch.home();
    command.env("HOME", &home).env("TMPDIR", &home).env("TEMP", &home).env("TMP", &home).env("LANG", "C.UTF-8");
    if let Some(root) = env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    command.current_dir(home);
    Ok(command)
}

fn python(
    interpreter: &Interpreter,
    submission: &Submission,
    scratch: &Scratch,
    mode: Mode<'_>,
    conditions: &Conditions,
) -> Result<Command, RunError> {
    let harness = scratch.harness();
    interpreter.harness.write(harness)?;
    let caller = harness.join("calls.py");
    let write_caller = || fs::write(&caller, include_bytes!("python/calls.py"));
    let program = argument(submission);
    let (mode, program, seed) = match mode {
        Mode::Run(Script { purpose: Purpose::Play, seed, .. }) => ("run", program, seed.as_deref().unwrap_or("")),
        Mode::Run(Script { purpose: Purpose::Call, .. }) => {
            write_caller()?;
            ("run", caller.into_os_string(), "")
        }
        Mode::Syntax => ("syntax", program, ""),
        #[cfg(unix)]
        Mode::Warm => {
            write_caller()?;
            ("warm", program, "")
        }
    };
    let sleeping = if conditions.real_sleep { "real" } else { "skipped" };
    let mut command = Command::new(&interpreter.path);
    command
        .arg("-u")
        .arg(program)
        .env_clear()
        .env("PATH", if cfg!(windows) { "" } else { "/usr/local/bin:/usr/bin:/bin" })
        .env("PYTHONPATH", harness)
        .env("PYTHONUTF8", "1")
        .env("PYTHONIOENCODING", "utf-8")
        .env("PYTHONHASHSEED", "0")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONUNBUFFERED", "1")
        .env("PYTHONNOUSERSITE", "1")
        .env("CHECK_RUN", format!("{mode} {} {sleeping} {seed}", conditions.memory));
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
