//! What can be typed.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Args, Parser, Subcommand, ValueEnum};

use regex::Regex;

use crate::assignment::BUILT_IN;
use crate::grade::{Checks, Options, Report, Share};
use crate::run::{Confinement, Isolation, Required, Runner};

/// Holds a console game against a reference, line for line
#[derive(Debug, Parser)]
#[command(
    name = "check",
    version,
    about = "Tells whether a console game does what its assignment says, line for line",
    long_about = "Tells whether a console game does what its assignment says, line for line: where it first differs, \
                  which rule that breaks and why.\n\nThree assignments are built in: darts, doubles and racko. \
                  A folder with an assignment.yaml is one too.",
    after_help = "Examples: check darts student.py · check transcript darts --inputs 60,60,20 · check --help for more",
    after_long_help = "Examples:\n  check darts student.py\n      judge a program against all cases of an assignment\n  check darts student.py --case model-game\n      show one case in full\n  check racko --command \"java Racko\"\n      judge a program that is not Python\n  check transcript racko --inputs y,4,5\n      what the reference says\n\nExit codes:\n  0    every case passed\n  1    the submission does not conform\n  2    check could not do its work\n  130  interrupted",
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true
)]
pub struct Cli {
    /// What to do instead of judging a submission.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The submission to judge.
    #[command(flatten)]
    pub judge: JudgeArgs,
}

/// What `check` does besides judging a submission.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Grade the submissions of a class
    Grade(GradeArgs),
    /// Put the shares of a class together
    Merge(MergeArgs),
    /// Show what the reference says for a script
    Transcript(TranscriptArgs),
    /// Play the reference in the terminal
    Play(PlayArgs),
    /// List the cases of an assignment
    #[command(after_long_help = "Example:\n  check cases darts")]
    Cases(AssignmentArgs),
    /// List the rules of an assignment with their place in its text, and its open questions
    #[command(after_long_help = "Example:\n  check rules racko")]
    Rules(AssignmentArgs),
    /// Try what a submission must not do, and tell what of it this system refuses
    Doctor(DoctorArgs),
    /// Make an upload for a service that grades
    Pack(PackArgs),
    /// Print completions for a shell
    #[command(after_long_help = "Example:\n  check completions bash")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the man page, or that of a command
    #[command(after_long_help = "Examples:\n  check man\n  check man transcript")]
    Man {
        /// The command
        command: Option<String>,
    },
}

/// Which assignment.
#[derive(Debug, Args)]
pub struct AssignmentArgs {
    /// darts, doubles, racko, or a folder with an assignment.yaml
    #[arg(value_parser = AssignmentParser, hide_possible_values = true)]
    pub assignment: OsString,
    /// Look for the assignment in this folder, not among those built in
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
}

/// Takes any text for ASSIGNMENT, since folders are assignments too, and lets completions offer the names.
#[derive(Debug, Clone)]
struct AssignmentParser;

impl TypedValueParser for AssignmentParser {
    type Value = OsString;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&Arg>, value: &OsStr) -> Result<OsString, clap::Error> {
        OsStringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(BUILT_IN.into_iter().map(PossibleValue::new)))
    }
}

/// The options of the main job.
#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// darts, doubles, racko, or a folder with an assignment.yaml
    #[arg(required = true, value_parser = AssignmentParser, hide_possible_values = true)]
    pub assignment: Option<OsString>,
    /// The program: a file, or a folder in which one file can be it
    pub submission: Option<PathBuf>,
    /// Show this case only, or this check of the code; all are judged
    #[arg(long, value_name = "ID")]
    pub case: Option<String>,
    /// The formats of the report
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', default_value = "terminal")]
    pub format: Vec<Format>,
    /// Write to this file, or with several formats into this folder
    #[arg(long, short, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Who reads the report: students see no more of a hidden case than its title, verdict and points
    #[arg(long = "for", value_name = "WHOM", default_value = "student")]
    pub audience: Audience,
    /// Show the transcripts beside each other, however narrow the terminal is
    #[arg(long, conflicts_with = "unified")]
    pub side_by_side: bool,
    /// Show the transcripts in one column, however wide the terminal is
    #[arg(long)]
    pub unified: bool,
    /// Show every failing case in full
    #[arg(long, conflicts_with = "case")]
    pub all: bool,
    /// Look for the assignment in this folder, not among those built in
    #[arg(long, value_name = "DIR")]
    pub fixtures: Option<PathBuf>,
    /// Run this command instead of Python
    #[arg(long = "command", value_name = "COMMAND", conflicts_with_all = ["python", "runner"])]
    pub command_line: Option<String>,
    /// What is looked at besides what it prints
    #[command(flatten)]
    pub checks: CheckArgs,
    /// How it is run
    #[command(flatten)]
    pub run: RunArgs,
    /// How many cases run at a time [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: When,
}

/// What is asked of the code.
#[derive(Debug, Clone, Copy, Args)]
pub struct CheckArgs {
    /// Leave out the checks that read the code
    #[arg(long)]
    pub no_source: bool,
    /// Leave out the checks that call the program's functions
    #[arg(long)]
    pub no_functions: bool,
    /// Let a submission fail that fails a check of its code
    #[arg(long)]
    pub strict: bool,
}

impl CheckArgs {
    /// Which checks are made; of a class, files may have been renamed on their way.
    pub fn checks(self, renamed: bool) -> Checks {
        Checks { source: !self.no_source, functions: !self.no_functions, strict: self.strict, renamed }
    }
}

/// How submissions are run.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The Python that runs the program
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// Seconds that one case may take
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Let time.sleep sleep, which it does not otherwise
    #[arg(long)]
    pub real_sleep: bool,
    /// How a Python program is started
    #[arg(long, value_name = "RUNNER", default_value = "warm")]
    pub runner: RunnerName,
    /// How closely the program is confined
    #[arg(long, value_name = "LEVEL", default_value = "sandbox")]
    pub isolation: IsolationName,
    /// Do nothing unless the program is confined as closely as this, all layers in force
    #[arg(long, value_name = "LEVEL")]
    pub require_isolation: Option<RequiredName>,
    /// What a sandboxed program may do all the same
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub allow: Vec<Allowed>,
}

impl RunArgs {
    /// All of it that an outcome can depend on.
    pub fn conditions(&self) -> String {
        let RunArgs { python: _, timeout, real_sleep, runner, isolation, require_isolation: _, allow } = self;
        format!("{timeout:?} {real_sleep} {runner:?} {isolation:?} {allow:?}")
    }

    /// What was asked for to keep a submission from doing harm.
    pub fn confinement(&self) -> Confinement {
        Confinement {
            isolation: self.isolation.into(),
            required: self.require_isolation.map_or(Required::Nothing, Required::from),
            // Where this program can't be found again there are limits only, and the report says so.
            launcher: std::env::current_exe().ok(),
            allow_subprocess: self.allow.contains(&Allowed::Subprocess),
            allow_network: self.allow.contains(&Allowed::Network),
        }
    }

    /// How the runs are made, so many at a time.
    pub fn options<'o>(&self, confinement: &'o Confinement, workers: usize, checks: Checks) -> Options<'o> {
        let RunArgs { timeout, real_sleep, runner, .. } = *self;
        Options { time: timeout, real_sleep, runner: runner.into(), confinement, workers, checks }
    }
}

/// The options of `check grade`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  check grade racko submissions/ --output results/\n  check grade racko submissions/ --output results/ --resume\n      go on after an interruption, or with what was handed in since\n  check grade racko submissions/ --output results-3/ --partition 3/16\n      one of 16 shares, for one of 16 machines; check merge puts them together\n  check grade racko export.zip --output results/ --key '^([^_]+)_'\n      the zip of a learning platform, where a student's key is what stands before the first _\n\nExit codes:\n  0    every submission was graded, whatever its marks\n  1    one is under --fail-under\n  2    check could not do its work, or failed at a submission\n  130  interrupted: --resume goes on"
)]
pub struct GradeArgs {
    /// Which assignment.
    #[command(flatten)]
    pub assignment: AssignmentArgs,
    /// A folder or a zip: in it a file or a folder for each student
    pub submissions: PathBuf,
    /// Write the results into this folder
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    pub output: PathBuf,
    /// Go on with the results that are in the folder
    #[arg(long)]
    pub resume: bool,
    /// A student's key: what this pattern's first group finds in the name of the file or folder [default: the name]
    #[arg(long, value_name = "REGEX")]
    pub key: Option<Regex>,
    /// In a student's folder, the name of the file that is the program [default: the only .py file]
    #[arg(long, value_name = "NAME")]
    pub program: Option<String>,
    /// Grade the K-th of N shares of the submissions, which depend on the keys alone
    #[arg(long, value_name = "K/N")]
    pub partition: Option<Share>,
    /// How many submissions are graded at a time [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Who reads the results [default: students read the reports in their folders, instructors all else]
    #[arg(long = "for", value_name = "WHOM")]
    pub audience: Option<Audience>,
    /// Leave out how long things took, so that two runs give the same bytes
    #[arg(long)]
    pub no_durations: bool,
    /// Exit with 1 if a submission earns less than so many percent of the points
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub fail_under: Option<f64>,
    /// Say nothing but what went wrong
    #[arg(long, short)]
    pub quiet: bool,
    /// What is looked at besides what they print
    #[command(flatten)]
    pub checks: CheckArgs,
    /// How they are run
    #[command(flatten)]
    pub run: RunArgs,
}

/// The options of `check merge`.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  check merge results-1/ results-2/ results-3/ --output results/")]
pub struct MergeArgs {
    /// The results of all shares of a class
    #[arg(required = true)]
    pub shares: Vec<PathBuf>,
    /// Write the results of the class into this folder
    #[arg(long, short, value_name = "DIR", default_value = "results")]
    pub output: PathBuf,
    /// Exit with 1 if a submission earns less than so many percent of the points
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub fail_under: Option<f64>,
    /// Say nothing but what went wrong
    #[arg(long, short)]
    pub quiet: bool,
}

/// The options of `check transcript`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  check transcript darts --inputs 60,60,20\n  check transcript doubles --seed 2880 --inputs y,\n  check transcript darts --inputs 60 --form piped --ruling double-out=even"
)]
pub struct TranscriptArgs {
    /// Which assignment.
    #[command(flatten)]
    pub assignment: AssignmentArgs,
    /// The inputs, separated by commas
    #[arg(long, value_name = "A,B,C", allow_hyphen_values = true, conflicts_with = "script")]
    pub inputs: Option<String>,
    /// A file with the inputs, a line each
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// The seed, for a game that does not ask for one
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<String>,
    /// As a terminal shows it, or as a pipe carries it
    #[arg(long, value_name = "FORM", default_value = "terminal")]
    pub form: Form,
    /// An answer to an open question
    #[arg(long, value_name = "QUESTION=ANSWER")]
    pub ruling: Vec<String>,
}

/// The options of `check play`.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  check play darts")]
pub struct PlayArgs {
    /// Which assignment.
    #[command(flatten)]
    pub assignment: AssignmentArgs,
    /// The seed of the dice, for a game that does not ask for one
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<String>,
    /// An answer to an open question
    #[arg(long, value_name = "QUESTION=ANSWER")]
    pub ruling: Vec<String>,
}

/// The options of `check pack`.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  check pack gradescope racko -o autograder.zip")]
pub struct PackArgs {
    /// The service
    pub service: Service,
    /// Which assignment.
    #[command(flatten)]
    pub assignment: AssignmentArgs,
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// The check that the service runs, made for 64-bit x86 Linux [default: this one]
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
}

/// A service that grades.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Service {
    /// Gradescope, a zip for a programming assignment
    Gradescope,
}

/// The options of `check doctor`.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  check doctor\n  check doctor --isolation strong")]
pub struct DoctorArgs {
    /// The Python that runs programs
    #[arg(long, value_name = "PATH")]
    pub python: Option<PathBuf>,
    /// How closely programs are to be confined
    #[arg(long, value_name = "LEVEL", default_value = "sandbox")]
    pub isolation: IsolationName,
}

/// A format of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a person at a terminal
    Terminal,
    /// JSON, schema check/report/v1
    Json,
    /// A page for a browser
    Html,
    /// JUnit's XML, a test case a case
    Junit,
    /// Gradescope's results.json
    Gradescope,
    /// GitHub Actions: annotations on standard output; a summary in Markdown is added to $GITHUB_STEP_SUMMARY and
    /// written to --output, where these are given
    Github,
    /// A table for a spreadsheet: a row, with a column a case
    Csv,
}

/// Who reads a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Audience {
    /// Whoever handed it in
    Student,
    /// Whoever grades it
    Instructor,
}

impl Audience {
    /// The report as these may see it.
    pub fn sees(self, report: Report) -> Report {
        match self {
            Audience::Student => report.for_students(),
            Audience::Instructor => report,
        }
    }
}

/// How a Python program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunnerName {
    /// As a fork of an interpreter that has compiled it, where that can be
    Warm,
    /// By an interpreter of its own in every case
    Spawn,
}

impl From<RunnerName> for Runner {
    fn from(name: RunnerName) -> Self {
        match name {
            RunnerName::Warm => Runner::Warm,
            RunnerName::Spawn => Runner::Spawn,
        }
    }
}

/// How closely a program is confined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IsolationName {
    /// Limits, and a folder, an environment and pipes of its own
    Limits,
    /// All that the system offers besides: on Linux another user, Landlock and seccomp
    Sandbox,
    /// Namespaces of users, processes, network and mounts and a cgroup too, where a Linux lets a user make them; slower
    Strong,
}

impl From<IsolationName> for Isolation {
    fn from(name: IsolationName) -> Self {
        match name {
            IsolationName::Limits => Isolation::Limits,
            IsolationName::Sandbox => Isolation::Sandbox,
            IsolationName::Strong => Isolation::Strong,
        }
    }
}

/// What has to keep a program from doing harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RequiredName {
    /// Limits, which are always there
    Limits,
    /// Another user, who can be kept out of files: only where check runs as root
    User,
    /// Landlock and seccomp
    Sandbox,
    /// Namespaces and a cgroup too
    Strong,
}

impl From<RequiredName> for Required {
    fn from(name: RequiredName) -> Self {
        match name {
            RequiredName::Limits => Required::Nothing,
            RequiredName::User => Required::User,
            RequiredName::Sandbox => Required::Sandbox,
            RequiredName::Strong => Required::Strong,
        }
    }
}

/// What a sandboxed program may do all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Allowed {
    /// Start other processes
    Subprocess,
    /// Use the network
    Network,
}

/// A form of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// As a person sees it
    Terminal,
    /// As a pipe carries it
    Piped,
}

/// When something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// Where it is of use
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "a number of seconds is wanted, such as 5 or 0.5".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() && seconds <= 86_400.0 => Ok(duration),
        _ => Err("the time has to be more than 0 and at most a day (86400 seconds)".to_owned()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse().ok();
    number
        .filter(|percent| (0.0..=100.0).contains(percent))
        .ok_or_else(|| "a number from 0 to 100 is wanted".to_owned())
}
