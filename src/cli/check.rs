//! `check ASSIGNMENT SUBMISSION`.

use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io, thread};

use clap::CommandFactory;

use super::args::{Cli, Format, JudgeArgs, When};
use super::{CliError, Exit, print};
use crate::assignment::Assignment;
use crate::grade::{GradeError, Graded, Outcome, Plan, Report, open, runs_at_a_time};
use crate::report::terminal::{Layout, SIDE_BY_SIDE_WIDTH, shell_word};
use crate::report::{csv, github, gradescope, html, json, junit, terminal};
use crate::run::{self, Interpreter, OpenError, Presumed, RunError, Runner, Submission};
use crate::shared::{is_python_name, joined};

pub fn check(args: JudgeArgs) -> Result<Exit, CliError> {
    let Some(name) = &args.assignment else {
        return Err(CliError::Usage("which assignment? see check --help".to_owned()));
    };
    if let Some(command) = Cli::command().get_subcommands().map(clap::Command::get_name).find(|command| name == command)
    {
        let message = format!("`{command}` is a command and stands first, its options after it: check {command} …");
        return Err(CliError::Usage(message));
    }
    if args.format.len() > 1 && args.output.is_none() {
        return Err(CliError::Usage("several formats need a folder to be written into: --output DIR".to_owned()));
    }
    check_output(&args)?;
    run::stop_on_signals().map_err(|error| CliError::Grade(RunError::System(error).into()))?;
    let submission = submission(&args)?;
    let python = args.run.python.as_deref();
    let own_command = submission.as_ref().filter(|submission| !is_python(submission)).map(Submission::command_line);
    let command = args.command_line.clone().or(own_command);
    let confinement = args.run.confinement();
    let options = args.run.options(&confinement, workers(args.jobs), args.checks.checks(false));
    // It takes an interpreter longer to start than it takes to read everything else.
    let is_warm = command.is_none() && options.runner == Runner::Warm;
    let presumed = submission
        .as_ref()
        .filter(|_| is_warm)
        .map(|submission| Presumed::start(python, submission, &confinement, runs_at_a_time(options.workers)));
    // The process ends with the report: to take down all that was expected would only keep it for longer.
    let assignment = ManuallyDrop::new(assignment(&args, name)?);
    let found = OnceLock::new();
    let report = match (&command, &submission) {
        (Some(line), submission) => {
            let plan = ManuallyDrop::new(Plan::new(&assignment, args.run.timeout)?);
            plan.grade(Graded::Command(line, submission.as_ref()), options)?
        }
        (None, Some(submission)) => thread::scope(|scope| {
            let opening = scope.spawn(|| -> Result<_, CliError> {
                let interpreter = match presumed {
                    Some(presumed) => Interpreter::find_presumed(python, presumed, &confinement),
                    None => Interpreter::find(python),
                }?;
                let graded = Graded::Python(found.get_or_init(|| interpreter), submission);
                Ok((graded, open(&assignment, graded, options).map_err(GradeError::Run)?))
            });
            let plan = ManuallyDrop::new(Plan::new(&assignment, args.run.timeout)?);
            let looked = plan.look(Some(submission), options.checks);
            plan.prepare(|| !opening.is_finished());
            let (graded, session) = joined(opening)?;
            Ok::<_, CliError>(plan.grade_opened(graded, &session, looked, options)?)
        })?,
        (None, None) => {
            let assignment = assignment.source.argument();
            let message = format!("which program? give its file: check {assignment} student.py");
            return Err(CliError::Usage(message));
        }
    };
    let report = args.audience.sees(report);
    write(&args, &report, submission.as_ref())?;
    Ok(if report.outcome == Outcome::Passed { Exit::Success } else { Exit::DoesNotConform })
}

/// The assignment that was named.
fn assignment(args: &JudgeArgs, name: &OsStr) -> Result<Assignment, CliError> {
    let assignment = Assignment::find(name, args.fixtures.as_deref())?;
    if let Some(id) = args.case.as_deref().filter(|id| !assignment.has_check(id)) {
        assignment.case(id)?;
    }
    Ok(assignment)
}

/// The program that was named.
fn submission(args: &JudgeArgs) -> Result<Option<Submission>, CliError> {
    Ok(match (&args.submission, &args.command_line) {
        (Some(path), None) => Some(Submission::open(path)?),
        (Some(path), Some(_)) => Some(Submission::open_for_command(path)?),
        // A folder without files has nothing to copy.
        (None, None) => None,
        (None, Some(_)) => match Submission::open_for_command(Path::new(".")) {
            Err(OpenError::NoProgram(_)) => None,
            opened => Some(opened?),
        },
    })
}

/// How many things are done at a time.
pub fn workers(jobs: Option<u16>) -> usize {
    jobs.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Whether a file is run by Python: all are, but executable ones that are not named as Python programs.
fn is_python(submission: &Submission) -> bool {
    is_python_name(Path::new(submission.file_name())) || !submission.is_executable()
}

/// A report never takes the place of what it is about, and has a place: seen before anything is run.
fn check_output(args: &JudgeArgs) -> Result<(), CliError> {
    let Some(output) = &args.output else { return Ok(()) };
    let is_submission = |submission: &PathBuf| submission.is_file() && same_file(output, submission);
    if args.submission.as_ref().is_some_and(is_submission) {
        return Err(CliError::Usage(format!(
            "--output {} is the submission itself: name another file",
            output.display()
        )));
    }
    let folder = output.parent().filter(|folder| *folder != Path::new(""));
    match folder.filter(|folder| args.format.len() == 1 && !folder.is_dir()) {
        Some(folder) => Err(CliError::Usage(format!(
            "--output {}: there is no folder {}: make it, or name another file",
            output.display(),
            folder.display()
        ))),
        None => Ok(()),
    }
}

/// Whether two paths lead to the same file or folder.
pub fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn write(args: &JudgeArgs, report: &Report, submission: Option<&Submission>) -> Result<(), CliError> {
    let mut files = Vec::new();
    for format in &args.format {
        let mut bytes = vec![];
        let (name, written) = match format {
            Format::Terminal => {
                bytes = terminal::render(report, &layout(args, submission)).into_bytes();
                ("report.txt", Ok(()))
            }
            Format::Json => ("report.json", json::write(report, &mut bytes)),
            Format::Html => ("report.html", html::write(report, &mut bytes)),
            Format::Junit => ("junit.xml", junit::write(report, &mut bytes)),
            Format::Gradescope => ("results.json", gradescope::write(report, &mut bytes)),
            Format::Csv => ("results.csv", csv::write(report, &mut bytes)),
            Format::Github => {
                annotate(report)?;
                if args.output.is_none() {
                    continue;
                }
                ("summary.md", github::write_summary(report, github::MOST_SUMMARY, &mut bytes))
            }
        };
        written.map_err(CliError::Output)?;
        files.push((name, bytes));
    }
    match (&args.output, files.as_slice()) {
        (None, []) => Ok(()),
        (None, [(_, bytes)]) => print(bytes),
        (Some(file), [(_, bytes)]) => save(file, bytes),
        (folder, files) => {
            let folder = folder.as_deref().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).map_err(at(folder))?;
            files.iter().try_for_each(|(name, bytes)| save(&folder.join(name), bytes))
        }
    }
}

/// Prints the annotations, and adds to the summary of the step where there is one.
fn annotate(report: &Report) -> Result<(), CliError> {
    let mut annotations = vec![];
    github::write(report, &mut annotations).map_err(CliError::Output)?;
    print(&annotations)?;
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return Ok(()) };
    let path = Path::new(&path);
    let append = || {
        let mut summary = fs::File::options().append(true).create(true).open(path)?;
        // A step may judge several submissions, and a summary that is too large in all is not taken at all.
        let before = usize::try_from(summary.metadata()?.len()).unwrap_or(usize::MAX);
        let mut text = vec![];
        github::write_summary(report, github::MOST_SUMMARY.saturating_sub(before), &mut text)?;
        summary.write_all(&text)
    };
    append().map_err(at(path))
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    fs::write(path, bytes).map_err(at(path))
}

pub fn at(path: &Path) -> impl Fn(io::Error) -> CliError {
    move |source| CliError::File { path: path.display().to_string(), source }
}

fn layout(args: &JudgeArgs, submission: Option<&Submission>) -> Layout {
    let width = columns();
    let word = |text: &OsStr| shell_word(&text.to_string_lossy());
    let mut command = format!("check {}", args.assignment.as_deref().map(word).unwrap_or_default());
    command.extend(args.submission.as_ref().map(|path| format!(" {}", word(path.as_os_str()))));
    for (option, value) in [("fixtures", args.fixtures.as_ref()), ("python", args.run.python.as_ref())] {
        command.extend(value.map(|value| format!(" --{option} {}", word(value.as_os_str()))));
    }
    command.extend(args.command_line.as_ref().map(|line| format!(" --command {}", shell_word(line))));
    let python = args.run.python.as_ref().map_or("python3".to_owned(), |path| word(path.as_os_str()));
    let program = match (&args.command_line, submission) {
        (Some(line), _) => line.clone(),
        (None, Some(submission)) if is_python(submission) => format!("{python} {}", shell_word(submission.name())),
        // A shell looks for a bare name elsewhere.
        (None, Some(submission)) => shell_word(&Path::new(".").join(submission.name()).to_string_lossy()),
        (None, None) => String::new(),
    };
    // A command is run where the submission is.
    let beside = |path: &PathBuf| if path.is_dir() { path.clone() } else { path.parent().unwrap_or(path).to_owned() };
    let folder = args.submission.as_ref().filter(|_| args.command_line.is_some()).map(beside);
    let folder = folder.filter(|folder| folder != Path::new("")).map(|folder| word(folder.as_os_str()));
    Layout {
        width,
        colour: args.output.is_none() && colour(args.color),
        side_by_side: args.side_by_side || !args.unified && width >= SIDE_BY_SIDE_WIDTH,
        all: args.all,
        case: args.case.clone(),
        command,
        program,
        folder,
        python,
    }
}

/// The terminal's width; `COLUMNS` speaks for an output that is no terminal.
pub fn columns() -> usize {
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let seen = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    seen().or_else(told).unwrap_or(80).clamp(40, 250)
}

fn colour(when: When) -> bool {
    match when {
        When::Always => true,
        When::Never => false,
        // NO_COLOR, CLICOLOR, CLICOLOR_FORCE and the terminal's own word.
        When::Auto => anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never && wants_colour(),
    }
}

/// `choice` says what the stream can do; a stream that is no terminal wants colour only where it is forced.
fn wants_colour() -> bool {
    let forced = std::env::var_os("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0");
    io::stdout().is_terminal() || forced
}
