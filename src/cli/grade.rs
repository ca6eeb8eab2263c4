//! `check grade ASSIGNMENT FOLDER`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Mutex;

use super::args::{Audience, GradeArgs};
use super::check::{at, same_file, workers};
use super::progress::Progress;
use super::{CliError, Exit, complain, print};
use crate::assignment::Assignment;
use crate::grade::journal::{Head, Journal};
use crate::grade::{
    Class, ClassError, ClassJob, GradeError, Graded, Outcome, Plan, Report, Roster, Row, Share, basis, folder,
    grade_class,
};
use crate::report::{class_html, class_json, csv, gradescope, html, json, junit};
use crate::run::{self, Interpreter, RunError, Submission, Uploads};
use crate::shared::first_of;

pub fn grade(args: &GradeArgs) -> Result<Exit, CliError> {
    let assignment = Assignment::find(&args.assignment.assignment, args.assignment.fixtures.as_deref())?;
    let plan = Plan::new(&assignment, args.run.timeout)?;
    let uploads = Uploads::open(&args.submissions)?;
    let share = args.partition.unwrap_or(Share::WHOLE);
    let roster = roster(args, &uploads)?.share(share);
    run::stop_on_signals().map_err(|error| CliError::Grade(RunError::System(error).into()))?;
    let interpreter = Interpreter::find(args.run.python.as_deref())?;
    let confinement = args.run.confinement();
    // The cases of a submission run one after the other, and submissions beside each other.
    let checks = args.checks.checks(true);
    let options = args.run.options(&confinement, 1, checks);
    // What no submission could be run under is told once, before anything is written.
    plan.try_out(&interpreter, options)?;

    make_folder(&args.output)?;
    let head = Head::new(Class::new(&assignment), share, &roster);
    let journal =
        if args.resume { Journal::resume(&args.output, &head) } else { Journal::create(&args.output, &head) }?;
    let journal = Mutex::new(journal);
    let progress = Progress::new(roster.students.len(), !args.quiet);
    let run = args.run.conditions();
    let conditions =
        format!("{interpreter} {run} {:?} {} {:?} {checks:?}", args.audience, args.no_durations, args.program);
    let grade_one = |submission: &Submission| -> Result<Report, GradeError> {
        plan.grade(Graded::Python(&interpreter, submission), options)
    };
    let job = ClassJob {
        assignment: &assignment,
        uploads: &uploads,
        roster: &roster,
        program: args.program.as_deref(),
        basis: basis(&assignment, &conditions),
        workers: workers(args.jobs),
        checks,
        durations: !args.no_durations,
        for_students: args.audience == Some(Audience::Student),
        grade: &grade_one,
        write: &|row, report| {
            let report = match args.audience {
                Some(Audience::Instructor) => report,
                // Why a layer is missing tells of the machine.
                _ => Audience::Student.sees(report).without_machine(),
            };
            write_reports(&args.output.join(&row.folder), &report)
        },
        is_written: &|folder| STUDENT_FILES.iter().all(|(file, _)| args.output.join(folder).join(file).is_file()),
        progress: &|outcome, is_new| progress.count(outcome, is_new),
    };
    let graded = grade_class(&job, &journal);
    progress.finish();
    graded?;
    let mut journal = journal.into_inner().map_err(|_| CliError::Usage("the journal is lost".to_owned()))?;
    let keys: BTreeSet<&str> = roster.students.iter().map(|student| student.key.as_str()).collect();
    let gone: Vec<String> = journal.rows.keys().filter(|key| !keys.contains(key.as_str())).cloned().collect();
    for key in &gone {
        journal.rows.remove(key);
        remove_reports(&args.output.join(folder(key)));
    }
    finish(&args.output, head.class, &journal, args.fail_under, args.quiet)
}

/// Writes a report in one format.
type Format = fn(&Report, &mut dyn Write) -> io::Result<()>;

/// The files of each student.
pub const STUDENT_FILES: [(&str, Format); 3] =
    [("report.html", html::write), ("report.json", json::write), ("results.json", gradescope::write)];

/// Who handed something in.
fn roster(args: &GradeArgs, uploads: &Uploads) -> Result<Roster, CliError> {
    let shown = args.submissions.display();
    if same_file(&args.submissions, &args.output) {
        let message = format!("{shown}: the results can't be written among the submissions: name another --output");
        return Err(CliError::Usage(message));
    }
    let mut handed_in = uploads.list()?;
    handed_in.retain(|upload| {
        let folder = args.submissions.join(&upload.name);
        let is_results = Journal::is_in(&folder);
        if is_results && !same_file(&folder, &args.output) {
            complain(&format!("{} holds results of check grade, and is no submission", folder.display()));
        }
        !is_results && !same_file(&folder, &args.output)
    });
    if handed_in.is_empty() {
        return Err(CliError::Usage(format!("{shown}: there are no submissions in it")));
    }
    let roster = Roster::new(handed_in, args.key.as_ref());
    if args.key.is_some() && roster.students.iter().all(|student| student.upload.is_err()) {
        return Err(CliError::Usage(format!("{shown}: --key finds no key in any name that could be graded")));
    }
    Ok(roster)
}

/// A folder that is there or can be made.
pub fn make_folder(folder: &Path) -> Result<(), CliError> {
    if folder.exists() && !folder.is_dir() {
        return Err(CliError::Usage(format!("{} is no folder: name another --output", folder.display())));
    }
    fs::create_dir_all(folder).map_err(at(folder))
}

/// A student's folder, which is no link to another.
pub fn make_own_folder(folder: &Path) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && fs::symlink_metadata(folder)?.is_dir() => Ok(()),
        made => made,
    }
}

/// A new file in the place of what is there, which may be a link.
pub fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// What was written for somebody who is no longer among the students.
fn remove_reports(folder: &Path) {
    for (name, _) in STUDENT_FILES {
        // What is not there need not be removed, and what else is there is not ours.
        let _ = fs::remove_file(folder.join(name));
    }
    let _ = fs::remove_dir(folder);
}

fn write_reports(folder: &Path, report: &Report) -> io::Result<()> {
    make_own_folder(folder)?;
    for (name, write) in STUDENT_FILES {
        // What the journal says is there is on the disk.
        let file = create(&folder.join(name))?;
        let mut writer = BufWriter::new(&file);
        write(report, &mut writer)?;
        writer.flush()?;
        drop(writer);
        file.sync_all()?;
    }
    Ok(())
}

/// Writes the files of the whole class, in one pass over the rows.
fn write_class(folder: &Path, class: &Class, rows: impl Iterator<Item = io::Result<Row>>) -> io::Result<()> {
    let create = |name| Ok::<_, io::Error>(BufWriter::new(create(&folder.join(name))?));
    let mut html = create("index.html")?;
    let (mut json, mut csv, mut junit) = (create("results.json")?, create("results.csv")?, create("junit.xml")?);
    let mut results = class_json::Results::begin(class, &mut json)?;
    let mut table = csv::Table::begin(class, &mut csv)?;
    let mut suites = junit::Suites::begin(class, &mut junit)?;
    let mut page = class_html::Index::begin(class, &mut html)?;
    for row in rows {
        let row = row?;
        results.row(&row)?;
        table.row(&row)?;
        suites.row(&row)?;
        page.row(&row)?;
    }
    results.finish()?;
    table.finish()?;
    suites.finish()?;
    page.finish()?;
    [json, csv, junit, html].iter_mut().try_for_each(BufWriter::flush)
}

/// Writes what instructors read of the whole class, and tells how it went.
pub fn finish(
    folder: &Path,
    mut class: Class,
    journal: &Journal,
    fail_under: Option<f64>,
    quiet: bool,
) -> Result<Exit, CliError> {
    let rows =
        || journal.read().map(|row| if run::interrupted() { Err(io::ErrorKind::Interrupted.into()) } else { row });
    let stopped = |error: io::Error| match error.kind() {
        io::ErrorKind::Interrupted => ClassError::Interrupted.into(),
        _ => at(folder)(error),
    };
    let mut below = vec![];
    let mut faults = vec![];
    for row in rows() {
        let Row { key, report, .. } = row.map_err(stopped)?;
        class.totals.count(&report);
        if fail_under.is_some_and(|least| report.score.percent_of(report.max_score) < least) {
            below.push(key.clone());
        }
        if report.outcome == Outcome::Error {
            faults.push(format!("{key} could not be graded: {}", report.reason.as_deref().unwrap_or_default()));
        }
    }
    write_class(folder, &class, rows()).map_err(stopped)?;
    let totals = class.totals;
    if !quiet {
        let submissions = if totals.submissions == 1 { "submission" } else { "submissions" };
        let mut said = format!("{} {submissions} of {}: {} passed", totals.submissions, class.title, totals.passed);
        for (count, words) in [
            (totals.failed, "failed"),
            (totals.not_run, "could not be run"),
            (totals.errors, "could not be graded, by a fault of check"),
        ] {
            if count > 0 {
                said += &format!(", {count} {words}");
            }
        }
        print(format!("{said}.\nTo be read first: {}\n", folder.join("index.html").display()).as_bytes())?;
    }
    faults.iter().for_each(|fault| complain(fault));
    if let (Some(least), false) = (fail_under, below.is_empty()) {
        complain(&format!("under {least} % of the points: {}", first_of(&below, 10)));
    }
    Ok(match (totals.errors, below.len()) {
        (0, 0) => Exit::Success,
        (0, _) => Exit::DoesNotConform,
        _ => Exit::Error,
    })
}
