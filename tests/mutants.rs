//! Whether the cases find faults: two good programs of each assignment, every single small fault by rule, and random
//! games as the yardstick. Run by hand, since it takes a while:
//!
//! ```text
//! cargo test --release --test mutants -- --ignored --nocapture
//! ```
//!
//! A mutant counts if it differs from its program on any of the random games; at least 97 in 100 of those have to fail
//! the cases. The survivors are printed. `CHECK_MUTANTS=darts:30` takes every 30th mutant of one assignment.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a report for the person who started it")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use console_check::assignment::Assignment;
use console_check::grade::{Checks, Graded, Options, Outcome, grade};
use console_check::judge::{self, Verdict};
use console_check::run::{self, Confinement, Ending, Interpreter, Runner, Submission};
use reference::Game;
use reference::rulings::Rulings;
use reference::script::{Script, random_script};

/// Random games on which a mutant is held against its program.
const GAMES: u64 = 1_000;

const PROGRAMS: [(&str, Game, [&str; 2]); 3] = [
    ("darts", Game::Darts, ["text_only_functions", "model_like_globals"]),
    ("doubles", Game::Doubles, ["one_long_script", "three_dice_up_front"]),
    ("racko", Game::Racko, ["functions_with_f_strings", "pile_class_on_a_list"]),
];

#[test]
#[ignore = "takes an hour; see the top of this file"]
fn the_cases_find_mutants() {
    let chosen = std::env::var("CHECK_MUTANTS").unwrap_or_default();
    let (only, step) = chosen.split_once(':').unwrap_or((&chosen, "1"));
    let step: usize = step.parse().unwrap();
    let interpreter = Interpreter::find(None).unwrap();
    for (name, game, programs) in PROGRAMS.into_iter().filter(|(name, ..)| only.is_empty() || *name == only) {
        let assignment = Assignment::built_in(name).unwrap();
        let (mut differing, mut survivors) = (0, vec![]);
        for program in programs {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("fixtures/students")
                .join(name)
                .join("good")
                .join(program)
                .with_extension("py");
            let source = fs::read_to_string(path).unwrap();
            let mutants: Vec<Mutant> = mutants(&source).into_iter().step_by(step).collect();
            let played = Yardstick::new(game, &interpreter, &source, &mutants);
            for (mutant, &differs) in mutants.iter().zip(&played.differs) {
                if !differs {
                    continue;
                }
                differing += 1;
                let folder = tempfile::tempdir().unwrap();
                let file = folder.path().join("student.py");
                fs::write(&file, &mutant.source).unwrap();
                let options = Options {
                    time: Some(Duration::from_secs(2)),
                    real_sleep: false,
                    runner: Runner::Warm,
                    confinement: &Confinement::default(),
                    workers: 2,
                    checks: Checks { source: false, functions: false, ..Checks::ALL },
                };
                let report =
                    grade(&assignment, Graded::Python(&interpreter, &Submission::open(&file).unwrap()), options)
                        .unwrap();
                if report.outcome == Outcome::Passed {
                    if played.is_right(game, &interpreter, &mutant.source) {
                        // It differs in what is not graded.
                        differing -= 1;
                    } else {
                        survivors.push(format!("{program}: {}", mutant.what));
                    }
                }
            }
        }
        println!(
            "{name}: {} of {differing} mutants that differ on {GAMES} random games fail the cases",
            differing - survivors.len()
        );
        survivors.iter().for_each(|survivor| println!("    survives: {survivor}"));
        assert!(differing > 0 && (differing - survivors.len()) * 100 >= 97 * differing, "{name}: too many survivors");
    }
}

struct Mutant {
    source: String,
    what: String,
}

/// Every single small fault: a comparison shifted, a constant off by one, a statement lost, a letter or a space changed
/// in a message.
fn mutants(source: &str) -> Vec<Mutant> {
    let mut sources = BTreeSet::new();
    let mut mutants = vec![];
    let mut push = |line: usize, kind: &str, source: String| {
        if sources.insert(source.clone()) {
            let text = source.lines().nth(line).unwrap_or_default().trim().to_owned();
            mutants.push(Mutant { source, what: format!("line {}, {kind}: {text}", line + 1) });
        }
    };
    let lines: Vec<&str> = source.lines().collect();
    let with = |line: usize, text: &str| {
        let mut changed: Vec<&str> = lines.clone();
        changed[line] = text;
        changed.join("\n") + "\n"
    };
    for (number, &line) in lines.iter().enumerate() {
        let code = line.trim_start();
        if code.is_empty() || code.starts_with('#') {
            continue;
        }
        for (from, to) in [
            (" <= ", " < "),
            (" < ", " <= "),
            (" >= ", " > "),
            (" > ", " >= "),
            (" == ", " != "),
            (" and ", " or "),
            (" + ", " - "),
            (" - ", " + "),
            (" // ", " / "),
            (" * ", " + "),
        ] {
            for (at, _) in line.match_indices(from) {
                push(number, "operator", with(number, &format!("{}{to}{}", &line[..at], &line[at + from.len()..])));
            }
        }
        for (at, digits) in numbers(line) {
            let value: i64 = digits.parse().unwrap();
            for other in [value + 1, value - 1] {
                push(
                    number,
                    "constant",
                    with(number, &format!("{}{other}{}", &line[..at], &line[at + digits.len()..])),
                );
            }
        }
        for at in inside_strings(line) {
            let c = line.as_bytes()[at];
            if c == b' ' {
                push(number, "space lost", with(number, &format!("{}{}", &line[..at], &line[at + 1..])));
            } else if c.is_ascii_alphabetic() && at % 4 == 0 {
                push(number, "letter", with(number, &format!("{}x{}", &line[..at], &line[at + 1..])));
            }
        }
        let is_statement = !code.ends_with(':')
            && !code.starts_with(['"', '\'', ')', '@'])
            && !code.starts_with("import")
            && !code.starts_with("from");
        if is_statement {
            let indent = &line[..line.len() - code.len()];
            push(number, "statement lost", with(number, &format!("{indent}pass  # {code}")));
        }
    }
    mutants
}

fn numbers(line: &str) -> Vec<(usize, &str)> {
    let bytes = line.as_bytes();
    let mut found = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let stands_alone = at == 0 || !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b'_';
        if length > 0 && length < 10 && stands_alone {
            found.push((at, &line[at..at + length]));
        }
        at += length.max(1);
    }
    found
}

/// The places inside of the string literals of a line.
fn inside_strings(line: &str) -> Vec<usize> {
    let mut places = vec![];
    let mut quote = None;
    for (at, byte) in line.bytes().enumerate() {
        match quote {
            None if byte == b'#' => break,
            None if byte == b'"' || byte == b'\'' => quote = Some(byte),
            Some(open) if byte == open => quote = None,
            Some(_) if byte.is_ascii() => places.push(at),
            _ => {}
        }
    }
    places
}

/// Which mutants differ from their program on any random game: one Python process plays them all, so that a thousand
/// games cost no thousand interpreters.
struct Yardstick {
    games: Vec<Script>,
    differs: Vec<bool>,
}

impl Yardstick {
    fn new(game: Game, interpreter: &Interpreter, source: &str, mutants: &[Mutant]) -> Yardstick {
        let rulings = game.default_rulings();
        let games: Vec<Script> = (0..GAMES).map(|number| random_script(game, &rulings, number)).collect();
        let sources = std::iter::once(source).chain(mutants.iter().map(|mutant| mutant.source.as_str()));
        let differs: Vec<bool> = serde_json::from_slice(&played(interpreter, &games, sources)).unwrap();
        assert_eq!(differs.len(), mutants.len());
        Yardstick { games, differs }
    }

    /// Whether a program is right in all games as far as they are graded, under some rulings.
    fn is_right(&self, game: Game, interpreter: &Interpreter, source: &str) -> bool {
        let printed: Vec<Option<String>> =
            serde_json::from_slice(&played(interpreter, &self.games, std::iter::once(source))).unwrap();
        let outcome = |printed: String, inputs: usize| run::Outcome {
            stdout: printed.into_bytes(),
            stderr_tail: vec![],
            ending: Ending::Exited { status: 0 },
            lines_read: Some(inputs),
            places: None,
            status: Some(0),
            duration: Duration::ZERO,
        };
        let games = self.games.iter().zip(printed);
        let Some(outcomes) =
            games.map(|(script, printed)| Some(outcome(printed?, script.inputs.len()))).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let seeds: Vec<_> = self.games.iter().map(|script| script.seed.map(num_bigint::BigInt::from)).collect();
        let runs = self.games.iter().zip(&seeds).zip(&outcomes).map(|((script, seed), outcome)| judge::Run {
            script: judge::Script { inputs: &script.inputs, seed: seed.as_ref() },
            outcome,
        });
        let runs: Vec<_> = runs.collect();
        Rulings::combinations(game.questions(), |_, _| true).into_iter().any(|rulings| {
            let rulings = [rulings];
            runs.iter().all(|run| {
                let assessment = judge::assess(game, &judge::Wanted::of(game, run, &rulings).unwrap(), run);
                let judged = judge::judge_submission(game, &rulings, &[*run], &[assessment]).unwrap();
                judged.cases[0].verdict == Verdict::Passed
            })
        })
    }
}

/// What `mutants.py` says of programs on these games.
fn played<'s>(interpreter: &Interpreter, games: &[Script], sources: impl Iterator<Item = &'s str>) -> Vec<u8> {
    let games: Vec<_> = games.iter().map(|script| (&script.inputs, script.seed)).collect();
    let sources: Vec<&str> = sources.collect();
    let folder = tempfile::tempdir().unwrap();
    let job = folder.path().join("job.json");
    fs::write(&job, serde_json::to_vec(&(games, sources)).unwrap()).unwrap();
    let script = folder.path().join("play.py");
    fs::write(&script, include_str!("mutants.py")).unwrap();
    Command::new(&interpreter.path).arg(&script).arg(&job).stderr(Stdio::inherit()).output().unwrap().stdout
}
