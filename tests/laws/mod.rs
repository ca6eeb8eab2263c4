//! The laws of acceptance: what the reference says is accepted, and anything else is not, save where the design says so.

use std::time::Duration;

use console_check::judge::{Assessment, Cause, Judgement, Run, Script, Verdict, Wanted, assess};
use console_check::run::{Ending, Outcome};
use proptest::prelude::*;
use reference::console::Stop;
use reference::rulings::Rulings;
use reference::script::random_script;
use reference::transcript::{Body, End, Line};
use reference::{Game, play_script, seeded_dice};

/// A random game: what a program that is right would print, and the script.
struct RightRun {
    rulings: Rulings,
    inputs: Vec<String>,
    seed: Option<num_bigint::BigInt>,
    printed: String,
    /// The places of dice, in bytes of what is printed.
    dice: Vec<usize>,
}

fn right_run(game: Game, number: u64) -> RightRun {
    let combinations = Rulings::combinations(game.questions(), |_, _| true);
    let rulings = combinations[number as usize % combinations.len()].clone();
    let mut script = random_script(game, &rulings, number);
    // Whatever stands for the instructions is not graded; they are looked at in a test of their own.
    if game == Game::Racko && script.inputs[0] == "y" {
        script.inputs[0] = "n".to_owned();
    }
    let seed = script.seed.map(num_bigint::BigInt::from);
    let played =
        play_script(game, &rulings, &script.inputs, &mut seeded_dice(&seed.clone().unwrap_or_default())).unwrap();
    let mut printed = String::new();
    let mut dice = vec![];
    for line in &played.transcript.lines {
        let start = printed.len();
        let Body::Line(said, end) = &line.body else { panic!("instructions") };
        let text = Line::new(said.clone(), End::Newline).to_string();
        printed += &text.replace("{any}riple{any}", "A Triple!").replace("{any}", "total ").replace("{number}", "12");
        let rule = line.note.as_ref().unwrap().rule.id;
        if ["doubles.roll", "doubles.third", "doubles.computer.roll", "doubles.computer.third"].contains(&rule) {
            dice.extend((start..printed.len()).filter(|&at| printed.as_bytes()[at].is_ascii_digit()));
        }
        if *end == End::Newline {
            printed.push('\n');
        }
    }
    RightRun { rulings, inputs: script.inputs, seed, printed, dice }
}

fn outcome(right: &RightRun, printed: &str) -> Outcome {
    Outcome {
        stdout: printed.as_bytes().to_vec(),
        stderr_tail: vec![],
        ending: Ending::Exited { status: 0 },
        lines_read: Some(right.inputs.len()),
        places: None,
        status: Some(0),
        duration: Duration::ZERO,
    }
}

/// The verdict on a text under the rulings of the game that was played, and the cause of the first difference.
fn verdict(game: Game, right: &RightRun, printed: &str) -> (Verdict, Option<Cause>) {
    let outcome = outcome(right, printed);
    let script = Script { inputs: &right.inputs, seed: right.seed.as_ref() };
    let judged =
        judge_submission(game, std::slice::from_ref(&right.rulings), &[Run { script, outcome: &outcome }]).unwrap();
    (judged.cases[0].verdict, judged.cases[0].difference.as_ref().map(|difference| difference.cause))
}

fn judge_submission(game: Game, combinations: &[Rulings], runs: &[Run<'_>]) -> Result<Judgement, Stop> {
    let assessments: Vec<Assessment> = runs
        .iter()
        .map(|run| Ok(assess(game, &Wanted::of(game, run, combinations)?, run)))
        .collect::<Result<_, _>>()?;
    console_check::judge::judge_submission(game, combinations, runs, &assessments)
}

fn game() -> impl Strategy<Value = Game> {
    prop::sample::select(Game::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_the_reference_says_is_accepted(game in game(), number in 0u64..5_000) {
        let right = right_run(game, number);
        prop_assert_eq!(verdict(game, &right, &right.printed), (Verdict::Passed, None));
        // Neither the final line end nor a CR before a line end counts.
        prop_assert_eq!(verdict(game, &right, right.printed.trim_end_matches('\n')).0, Verdict::Passed);
        prop_assert_eq!(verdict(game, &right, &right.printed.replace('\n', "\r\n")).0, Verdict::Passed);
    }

    #[test]
    fn with_any_character_changed_it_is_not(game in game(), number in 0u64..5_000, place in any::<prop::sample::Index>(), change in 0..3u8, with in prop::sample::select("aZ05 .-!\t\n\u{1b}\u{430}".chars().collect::<Vec<_>>())) {
        let right = right_run(game, number);
        let mut characters: Vec<char> = right.printed.chars().collect();
        let at = place.index(characters.len());
        match change {
            0 => characters[at] = with,
            1 => characters.insert(at, with),
            _ => { characters.remove(at); }
        }
        let changed: String = characters.into_iter().collect();
        let final_line_end = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
        let (verdict, cause) = verdict(game, &right, &changed);
        let is_die = right.dice.contains(&at) || at > 0 && right.dice.contains(&(at - 1));
        let is_free = right.printed.lines().any(|line| line == "A Triple!" || line.contains("total score is reduced"));
        if final_line_end(&changed) == final_line_end(&right.printed) {
            prop_assert_eq!(verdict, Verdict::Passed);
        } else if verdict == Verdict::Passed {
            prop_assert!(is_die || is_free, "{:?} passes", changed);
        } else {
            prop_assert!(cause.is_some(), "{:?} has no cause", verdict);
        }
    }

    #[test]
    fn cut_short_anywhere_it_is_not(game in game(), number in 0u64..5_000, place in any::<prop::sample::Index>()) {
        let right = right_run(game, number);
        let at = place.index(right.printed.len());
        let text = right.printed.trim_end_matches('\n');
        if at < text.len() && text.is_char_boundary(at) {
            prop_assert_ne!(verdict(game, &right, &text[..at]).0, Verdict::Passed);
        }
    }
}

#[test]
fn the_order_of_runs_changes_no_verdict() {
    let rights: Vec<RightRun> = (0..12).map(|number| right_run(Game::Darts, 8 * number)).collect();
    let outcomes: Vec<Outcome> = rights
        .iter()
        .enumerate()
        .map(|(index, right)| {
            outcome(
                right,
                &if index % 3 == 0 { right.printed.replace("Bust", "Busted") } else { right.printed.clone() },
            )
        })
        .collect();
    let combinations = Rulings::combinations(Game::Darts.questions(), |_, _| true);
    let judge = |order: &[usize]| {
        let runs: Vec<Run<'_>> = order
            .iter()
            .map(|&index| Run {
                script: Script { inputs: &rights[index].inputs, seed: None },
                outcome: &outcomes[index],
            })
            .collect();
        let judged = judge_submission(Game::Darts, &combinations, &runs).unwrap();
        let mut verdicts: Vec<_> = order
            .iter()
            .zip(&judged.cases)
            .map(|(&index, case)| (index, case.verdict, case.difference.clone()))
            .collect();
        verdicts.sort_by_key(|(index, ..)| *index);
        (judged.rulings, verdicts)
    };
    let order: Vec<usize> = (0..rights.len()).collect();
    let backwards: Vec<usize> = order.iter().rev().copied().collect();
    assert_eq!(judge(&order), judge(&backwards));
}

/// The difference of one run of darts, as a student would see it.
fn darts_difference(inputs: &str, printed: &str) -> (Verdict, Option<console_check::judge::Difference>) {
    let inputs: Vec<String> = inputs.split(' ').map(String::from).collect();
    let right =
        RightRun { rulings: Game::Darts.default_rulings(), inputs, seed: None, printed: String::new(), dice: vec![] };
    let outcome = outcome(&right, printed);
    let script = Script { inputs: &right.inputs, seed: None };
    let judged =
        judge_submission(Game::Darts, std::slice::from_ref(&right.rulings), &[Run { script, outcome: &outcome }])
            .unwrap();
    (judged.cases[0].verdict, judged.cases[0].difference.clone())
}

#[test]
fn a_flood_is_told_apart_at_once() {
    let line = "Player 1 it's your turn. Your score is: 501\n";
    let started = std::time::Instant::now();
    let (verdict, difference) = darts_difference("60 60 60", &line.repeat(100_000));
    assert_eq!(verdict, Verdict::Mismatch);
    assert_eq!(difference.unwrap().expected_line, Some(1));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn the_ending_counts_only_where_the_content_agrees() {
    let inputs: Vec<String> = ["60", "60", "20"].map(String::from).to_vec();
    let right =
        RightRun { rulings: Game::Darts.default_rulings(), inputs, seed: None, printed: String::new(), dice: vec![] };
    // The script stops in the middle of the game: what follows its last prompt is not graded.
    let text =
        play_script(Game::Darts, &right.rulings, &right.inputs, &mut |_| 1).unwrap().transcript.piped().to_string();
    let verdict = |printed: &str, ending: Ending| {
        let outcome = Outcome { ending, ..outcome(&right, printed) };
        let script = Script { inputs: &right.inputs, seed: None };
        judge_submission(Game::Darts, std::slice::from_ref(&right.rulings), &[Run { script, outcome: &outcome }])
            .unwrap()
            .cases[0]
            .verdict
    };
    assert_eq!(verdict(&text, Ending::WantedMoreInput), Verdict::Passed);
    assert_eq!(verdict(&format!("{text}and so on"), Ending::TooMuchOutput), Verdict::Passed);
    assert_eq!(verdict(&text[..60], Ending::TimedOut), Verdict::TimedOut);
    assert_eq!(verdict(&text.replace("501", "101"), Ending::TimedOut), Verdict::Mismatch);
    // A number that was cut by the end of the run is no wrong number.
    let cut = text.find("140 scored").unwrap() + 2;
    assert_eq!(verdict(&text[..cut], Ending::TimedOut), Verdict::TimedOut);
    assert_eq!(verdict(&text[..cut], Ending::Exited { status: 0 }), Verdict::Mismatch);
}
