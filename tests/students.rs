//! The gate: every good student program passes in full, and every bad one gets its verdict, cause and rule first.
//!
//! One test a program: `fixtures/students/<assignment>/{good,bad}/*.py`, and `expected.yaml` for the bad ones.
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
use console_check::grade::{Checks, Graded, Options, Outcome, Report, grade};
use console_check::judge::Verdict;
use console_check::run::{Interpreter, Runner, Submission};
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
        for path in programs(&folder.join("good")) {
            let (assignment, interpreter) = (Arc::clone(&assignment), Arc::clone(&interpreter));
            trials.push(Trial::test(title(name, "good", &path), move || {
                (0..rounds).try_for_each(|_| is_good(&graded(&assignment, &interpreter, &path, workers)))
            }));
        }
        let text = fs::read_to_string(folder.join("expected.yaml")).expect("what the bad programs are to get");
        let mut expected: BTreeMap<String, Expected> =
            serde_yaml::from_str(&text).expect("expected.yaml is well-formed");
        // The many runs of the dice are made only for programs in which no other case finds a fault.
        let mut without_dice = (*assignment).clone();
        without_dice.cases.retain(|case| case.script().is_some());
        // A program that never ends does so in every case, and each costs its time.
        let mut few = without_dice.clone();
        few.cases.truncate(6);
        let (without_dice, few) = (Arc::new(without_dice), Arc::new(few));
        for path in programs(&folder.join("bad")) {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let expected = expected.remove(&file);
            let assignment = Arc::clone(&assignment);
            let never_ends = expected
                .as_ref()
                .is_some_and(|expected| ["timed_out", "too_much_output"].contains(&expected.verdict.as_str()));
            let first = Arc::clone(if never_ends { &few } else { &without_dice });
            let interpreter = Arc::clone(&interpreter);
            trials.push(Trial::test(title(name, "bad", &path), move || match expected {
                Some(expected) => {
                    let report = graded(&first, &interpreter, &path, 1);
                    let passed = report.outcome == Outcome::Passed;
                    is_bad(&if passed { graded(&assignment, &interpreter, &path, 1) } else { report }, &expected)
                }
                None => Err(Failed::from("it has no row in expected.yaml")),
            }));
        }
        let left: Vec<String> = expected.into_keys().collect();
        trials.push(Trial::test(format!("{name}::every_row_has_its_program"), move || {
            if left.is_empty() { Ok(()) } else { Err(format!("{left:?}").into()) }
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of the programs");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    paths
}

fn title(assignment: &str, kind: &str, path: &Path) -> String {
    format!("{assignment}::{kind}::{}", path.file_stem().unwrap_or_default().to_string_lossy())
}

fn graded(assignment: &Assignment, interpreter: &Interpreter, path: &Path, workers: usize) -> Report {
    let submission = Submission::open(path).expect("the program can be read");
    // A program that never ends is told after four seconds as well as after five; none that ends takes near as long.
    let options = Options {
        time: Some(Duration::from_secs(4)),
        real_sleep: false,
        runner: Runner::Warm,
        confinement: &support::sandbox(),
        workers,
        checks: Checks { source: false, functions: false, ..Checks::ALL },
    };
    grade(assignment, Graded::Python(interpreter, &submission), options).expect("the program can be graded")
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
