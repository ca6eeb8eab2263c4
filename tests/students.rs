//! The gate: every good student program passes in full, and every bad one gets its verdict, cause and rule first.
//!
//! One test a program: `fixtures/students/<assignment>/{good,bad}/*.py`, and `expected.yaml` for the bad ones. Those in
//! `comments` and `good_named` are good too; what the checks of the code find in each program that is not bad, those in
//! `code` among them, stands in `code.yaml`.
//!
//! `CHECK_ROUNDS=200 cargo test --test students good -- --test-threads 1` judges each good program 200 times, with four
//! times as many workers as cores: none may ever get another verdict.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, process::ExitCode, thread};

use console_check::assignment::Assignment;
use console_check::grade::{CheckVerdict, Checks, Graded, Options, Outcome, Report, grade, look_at_code};
use console_check::judge::Verdict;
use console_check::run::{Confinement, Interpreter, Runner, Submission};
use libtest_mimic::{Arguments, Failed, Trial};
use serde::Deserialize;

/// What must be found first in a bad program.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    verdict: String,
    cause: Option<String>,
    rule: Option<String>,
}

fn main() -> ExitCode {
    let interpreter = Arc::new(support::quickest_python());
    let rounds = std::env::var("CHECK_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1);
    let workers = if rounds > 1 { 4 * thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    let mut trials = vec![];
    for name in ["darts", "doubles", "racko"] {
        let assignment = Arc::new(Assignment::built_in(name).expect("the built-in assignments are right"));
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/students").join(name);
        let good = ["good", "good_named", "comments"].map(|kind| programs(&folder.join(kind))).concat();
        for path in &good {
            let path = path.clone();
            let (assignment, interpreter) = (Arc::clone(&assignment), Arc::clone(&interpreter));
            trials.push(Trial::test(format!("{name}::{}", inside(&folder, &path)), move || {
                (0..rounds).try_for_each(|_| is_good(&graded(&assignment, &interpreter, &path, workers)))
            }));
        }
        let mut expected: BTreeMap<String, Expected> = read(&folder.join("expected.yaml"));
        // The many runs of the dice are made only for programs in which no other case finds a fault.
        let mut without_dice = (*assignment).clone();
        without_dice.cases.retain(|case| case.script().is_some());
        let without_dice = Arc::new(without_dice);
        for path in programs(&folder.join("bad")) {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let expected = expected.remove(&file);
            let assignment = Arc::clone(&assignment);
            let never_ends = expected
                .as_ref()
                .is_some_and(|expected| ["timed_out", "too_much_output"].contains(&expected.verdict.as_str()));
            let first = Arc::clone(&without_dice);
            let interpreter = Arc::clone(&interpreter);
            trials.push(Trial::test(title(name, "bad", &path), move || match expected {
                Some(expected) => {
                    let one_by_one = || first_to_fail(&first, &interpreter, &path);
                    let report = never_ends.then(one_by_one).flatten();
                    let report = report.unwrap_or_else(|| graded(&first, &interpreter, &path, 1));
                    let passed = report.outcome == Outcome::Passed;
                    is_bad(&if passed { graded(&assignment, &interpreter, &path, 1) } else { report }, &expected)
                }
                None => Err(Failed::from("it has no row in expected.yaml")),
            }));
        }
        let coded = programs(&folder.join("code"));
        let rows: Findings = read(&folder.join("code.yaml"));
        let without: Vec<PathBuf> =
            good.into_iter().chain(coded).filter(|path| !rows.contains_key(&inside(&folder, path))).collect();
        trials.push(Trial::test(format!("{name}::code::every_program_has_its_row"), move || {
            if without.is_empty() { Ok(()) } else { Err(format!("{without:?}").into()) }
        }));
        for (path, findings) in rows {
            let (assignment, interpreter) = (Arc::clone(&assignment), Arc::clone(&interpreter));
            let program = folder.join(&path);
            trials.push(Trial::test(format!("{name}::code::{path}"), move || {
                finds(&assignment, &interpreter, &program, &findings)
            }));
        }
        let left: Vec<String> = expected.into_keys().collect();
        trials.push(Trial::test(format!("{name}::every_row_has_its_program"), move || {
            if left.is_empty() { Ok(()) } else { Err(format!("{left:?}").into()) }
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The programs in a folder, and those in a folder of their own there; none if it is not there.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return vec![] };
    let entries = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { programs(&path) } else { vec![path] }).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    paths
}

/// A path as it is written in `code.yaml`.
fn inside(folder: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

fn title(assignment: &str, kind: &str, path: &Path) -> String {
    format!("{assignment}::{kind}::{}", path.file_stem().unwrap_or_default().to_string_lossy())
}

fn options(confinement: &Confinement, workers: usize) -> Options<'_> {
    Options {
        // A program that never ends is told after four seconds as well as after five; none that ends takes near as long.
        time: Some(Duration::from_secs(4)),
        real_sleep: false,
        runner: Runner::Warm,
        confinement,
        workers,
        checks: Checks { source: false, functions: false, ..Checks::ALL },
    }
}

fn graded(assignment: &Assignment, interpreter: &Interpreter, path: &Path, workers: usize) -> Report {
    let submission = Submission::open(path).expect("the program can be read");
    let confinement = support::sandbox();
    let options = options(&confinement, workers);
    grade(assignment, Graded::Python(interpreter, &submission), options).expect("the program can be graded")
}

/// The report of the first case that a program fails, by itself: one that never ends does so in every case, and each
/// costs its time.
fn first_to_fail(assignment: &Assignment, interpreter: &Interpreter, path: &Path) -> Option<Report> {
    let reports = assignment.cases.iter().map(|case| {
        let alone = Assignment { cases: vec![case.clone()], ..assignment.clone() };
        graded(&alone, interpreter, path, 1)
    });
    reports.into_iter().find(|report| report.outcome != Outcome::Passed)
}

/// Each check that fails, or has something to note, with the line that it names.
type Findings = BTreeMap<String, BTreeMap<String, Option<usize>>>;

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> T {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The checks of the code find just this.
fn finds(
    assignment: &Assignment,
    interpreter: &Interpreter,
    path: &Path,
    findings: &BTreeMap<String, Option<usize>>,
) -> Result<(), Failed> {
    let submission = Submission::open(path)?;
    let confinement = support::sandbox();
    let options = Options { checks: Checks::ALL, ..options(&confinement, 1) };
    let reports = look_at_code(assignment, Graded::Python(interpreter, &submission), options)?;
    let found = reports.iter().filter(|check| matches!(check.verdict, CheckVerdict::Failed | CheckVerdict::Note));
    let found: BTreeMap<String, Option<usize>> = found.map(|check| (check.id.clone(), check.line)).collect();
    let said: Vec<String> =
        reports.iter().map(|check| format!("{} {}: {}", check.verdict.id(), check.id, check.why)).collect();
    let is_good = !path.parent().is_some_and(|folder| folder.ends_with("code"));
    let is_all = !is_good || !findings.is_empty() || reports.iter().all(|check| check.verdict == CheckVerdict::Passed);
    if found == *findings && is_all {
        Ok(())
    } else {
        Err(format!("wanted {findings:?}\n found {found:?}\n{}", said.join("\n")).into())
    }
}

fn is_good(report: &Report) -> Result<(), Failed> {
    if report.outcome == Outcome::Passed && report.score == report.max_score { Ok(()) } else { Err(found(report)) }
}

fn is_bad(report: &Report, expected: &Expected) -> Result<(), Failed> {
    let Some(first) = report.cases.iter().find(|case| case.verdict != Verdict::Passed) else {
        return Err("it passes every case".into());
    };
    let difference = first.difference.as_ref();
    let got = Expected {
        verdict: first.verdict.id().to_owned(),
        cause: difference.map(|difference| difference.cause.id().to_owned()),
        rule: difference.and_then(|difference| difference.rule).map(|rule| rule.id.to_owned()),
    };
    if got == *expected {
        Ok(())
    } else {
        Err(format!("expected {expected:?}\n     got {got:?}\n{}", found(report).message().unwrap_or_default()).into())
    }
}

/// The first case that did not pass.
fn found(report: &Report) -> Failed {
    let failing = report.cases.iter().find(|case| case.verdict != Verdict::Passed);
    let Some(case) = failing else { return "no case fails".into() };
    let mut text = format!("case {}: {} {:?} {:?}\n", case.id, case.verdict.id(), case.ending, case.ending_detail);
    if let Some(difference) = &case.difference {
        let line = |lines: &[console_check::grade::SideLine], at: Option<usize>| {
            at.and_then(|at| lines.get(at)).map(|line| line.text.clone())
        };
        text += &format!(
            "expected {:?}\n  actual {:?}\n",
            line(&case.expected, difference.expected_line),
            line(&case.actual, difference.actual_line)
        );
        text +=
            &format!("{} {}\n{}", difference.cause.id(), difference.rule.map_or("", |rule| rule.id), difference.why);
    }
    text += &case.stderr_tail;
    text.into()
}
