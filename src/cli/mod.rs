//! The command line: what was typed becomes a plan, the plan is carried out, and an exit code comes of it.

mod args;
mod check;
mod doctor;
mod grade;
mod listing;
mod merge;
mod pack;
mod progress;
mod transcript;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

pub use args::{Cli, Command};

use crate::assignment::AssignmentError;
use crate::grade::journal::JournalError;
use crate::grade::{ClassError, GradeError, MergeError};
use crate::pack::PackError;
use crate::report::visible::without_commands;
use crate::run::{InterpreterError, OpenError, RunError, UploadsError};

/// The exit codes, which scripts rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Every case passed, or what was asked for was done.
    Success = 0,
    /// The submission does not conform.
    DoesNotConform = 1,
    /// `check` could not do its work.
    Error = 2,
    /// Interrupted by a signal.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// Why `check` could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The assignment.
    #[error(transparent)]
    Assignment(#[from] AssignmentError),
    /// The submission.
    #[error(transparent)]
    Submission(#[from] OpenError),
    /// The interpreter.
    #[error(transparent)]
    Interpreter(#[from] InterpreterError),
    /// Running or judging it.
    #[error(transparent)]
    Grade(#[from] GradeError),
    /// What a class handed in.
    #[error(transparent)]
    Uploads(#[from] UploadsError),
    /// The results of a class.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Grading a class.
    #[error(transparent)]
    Class(#[from] ClassError),
    /// Putting its shares together.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// Packing an upload.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// What was asked for can't be done.
    #[error("{0}")]
    Usage(String),
    /// A file can't be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// Standard output can't be written.
    #[error("can't write to standard output: {0}")]
    Output(io::Error),
}

impl CliError {
    fn exit(&self) -> Exit {
        match self {
            CliError::Grade(GradeError::Run(RunError::Interrupted))
            | CliError::Class(ClassError::Interrupted)
            | CliError::Interpreter(InterpreterError::Interrupted) => Exit::Interrupted,
            _ => Exit::Error,
        }
    }
}

/// Does what was typed.
pub fn run() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors, and a closed output is none of ours.
            let _ = error.print();
            return if error.use_stderr() { Exit::Error } else { Exit::Success };
        }
    };
    let result = match cli.command {
        None => check::check(cli.judge),
        Some(Command::Grade(args)) => grade::grade(&args),
        Some(Command::Merge(args)) => merge::merge(&args),
        Some(Command::Transcript(args)) => transcript::transcript(&args),
        Some(Command::Play(args)) => transcript::play(&args),
        Some(Command::Cases(args)) => listing::cases(&args),
        Some(Command::Rules(args)) => listing::rules(&args),
        Some(Command::Doctor(args)) => doctor::doctor(&args),
        Some(Command::Pack(args)) => pack::pack(&args),
        Some(Command::Completions { shell }) => {
            let mut script = vec![];
            clap_complete::generate(shell, &mut Cli::command(), "check", &mut script);
            print(&script).map(|()| Exit::Success)
        }
        Some(Command::Man { command }) => man(command.as_deref()),
    };
    result.unwrap_or_else(|error| {
        complain(&error.to_string());
        error.exit()
    })
}

/// The man page of `check`, or of one of its commands.
fn man(name: Option<&str>) -> Result<Exit, CliError> {
    let mut root = Cli::command();
    root.build();
    let known = || root.get_subcommands().map(clap::Command::get_name);
    let command = match name {
        None => root.clone(),
        Some(name) => root.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = known().collect();
            CliError::Usage(format!("there is no command {name:?}: the commands are {}", names.join(", ")))
        })?,
    };
    let mut page = vec![];
    clap_mangen::Man::new(command).render(&mut page).map_err(CliError::Output)?;
    print(&page)?;
    Ok(Exit::Success)
}

/// Tells on standard error what went wrong. None of it is a command to the terminal or to the log of a build server.
fn complain(message: &str) {
    let message = format!("check: {message}");
    let lines = message.lines().map(|line| without_commands(line) + "\n");
    let message: String = lines.collect::<String>().chars().map(printable).collect();
    // Where standard error is closed there is nobody to be told.
    let _ = io::stderr().write_all(message.as_bytes());
}

/// What a file's name or an argument has of control characters never reaches the terminal raw.
fn printable(c: char) -> char {
    if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c }
}

/// Writes to standard output. That a reader has gone away, as `head` does, is no error.
fn print(bytes: &[u8]) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Output(error)),
        _ => Ok(()),
    }
}
