//! The built-in cases: what holds for those of every assignment, and in a module of its own what each must try.
//!
//! All of it is computed by playing the cases; nothing here knows a case by its id.

mod darts;
mod doubles;
mod racko;

use console_check::assignment::{Assignment, Case, Source, Task};
use reference::rulings::Rulings;
use reference::transcript::{Body, End, Line, Note, Transcript};
use reference::{Game, Played, play_script, seeded_dice};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes all transcripts anew.
const BLESS: &str = "CHECK_BLESS=1 cargo test --test main transcripts_are_what_the_reference_says";

/// What ends the title of a case that touches an open question.
const EITHER: &str = "(either answer passes)";

/// The tests that the cases of every assignment have to pass.
macro_rules! shared_tests {
    ($game:expr) => {
        #[test]
        fn transcripts_are_what_the_reference_says() {
            super::check_transcripts($game);
        }

        #[test]
        fn every_case_ends_its_game_and_leaves_no_input_over() {
            super::check_endings($game);
        }

        #[test]
        fn every_rule_has_a_case() {
            super::check_rules($game);
        }

        #[test]
        fn every_open_question_makes_a_difference_somewhere() {
            super::check_questions($game);
        }

        #[test]
        fn the_cases_are_20_to_40_and_no_two_are_alike() {
            super::check_variety($game);
        }
    };
}
use shared_tests;

/// The built-in assignment as it is on the disk, so that blessed transcripts need no second build.
fn assignment(game: Game) -> Assignment {
    let source = Source::folder(&folder(game)).expect("the assignment's folder");
    Assignment::read_for_writing(source).unwrap_or_else(|error| panic!("{error}"))
}

fn folder(game: Game) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(game.name())
}

/// A case's game under these rulings; none for a case of the dice.
fn play(game: Game, case: &Case, rulings: &Rulings) -> Option<Played> {
    let script = case.script()?;
    let seed = script.seed.as_ref().map(|seed| seed.number().clone()).unwrap_or_default();
    let played = play_script(game, rulings, &script.inputs, &mut seeded_dice(&seed));
    Some(played.unwrap_or_else(|stop| panic!("{}: {stop}", case.file)))
}

/// Every case's game under the default rulings.
fn games(game: Game) -> Vec<(Case, Transcript)> {
    let assignment = assignment(game);
    let rulings = game.default_rulings();
    let transcript = |case: &Case| Some(play(game, case, &rulings)?.transcript);
    assignment.cases.iter().filter_map(|case| Some((case.clone(), transcript(case)?))).collect()
}

fn check_transcripts(game: Game) {
    let bless = env::var_os("CHECK_BLESS").is_some_and(|value| value == "1");
    let mut stale = Vec::new();
    for (case, transcript) in games(game) {
        let text = transcript.to_string();
        let file = folder(game).join("cases").join(format!("{}.transcript", case.id));
        if bless {
            fs::write(&file, &text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        } else if fs::read(&file).ok().as_deref() != Some(text.as_bytes()) {
            stale.push(file.display().to_string());
        } else {
            assert_eq!(Transcript::parse(&text).map(|read| read.to_string()), Ok(text), "{}", file.display());
        }
    }
    assert!(
        stale.is_empty(),
        "the reference says something else than these:\n{}\nIf the reference is right: {BLESS}",
        stale.join("\n")
    );
}

fn check_endings(game: Game) {
    let assignment = assignment(game);
    for case in &assignment.cases {
        let mut ended = false;
        for rulings in assignment.combinations() {
            let Some(played) = play(game, case, &rulings) else { continue };
            assert_eq!(played.unread, 0, "{}: inputs are left over under {rulings:?}", case.file);
            ended |= !played.transcript.is_unanswered();
        }
        assert!(
            ended || case.script().is_none(),
            "{}: the game ends under no answers to the open questions",
            case.file
        );
    }
}

fn check_rules(game: Game) {
    let assignment = assignment(game);
    let mut tried: BTreeSet<&str> = BTreeSet::new();
    for (_, transcript) in games(game) {
        for Note { rule, value_rules, silence, .. } in transcript.lines.iter().filter_map(|line| line.note.as_deref()) {
            tried.insert(rule.id);
            tried.extend(value_rules.iter().map(|rule| rule.id));
            tried.extend(silence.iter().map(|silence| silence.rule.id));
        }
    }
    if assignment.cases.iter().any(|case| matches!(case.task, Task::Dice(_))) {
        tried.insert(reference::rules::doubles::FAIR_DICE.id);
    }
    let untried: Vec<_> = game.rules().iter().map(|rule| rule.id).filter(|rule| !tried.contains(rule)).collect();
    assert!(untried.is_empty(), "no case of {} has a line of these rules: {}", game.name(), untried.join(", "));
}

/// The transcripts of a case under each answer to a question, all others being answered by default.
fn answers_of(game: Game, case: &Case, question: &'static reference::rulings::Question) -> BTreeSet<String> {
    let answers = question.answers.iter();
    let played = answers.filter_map(|answer| play(game, case, &game.default_rulings().with(question.id, answer.id)));
    played.map(|played| played.transcript.to_string()).collect()
}

fn check_questions(game: Game) {
    let assignment = assignment(game);
    for question in game.questions() {
        // Some answers only differ where another question is answered in another way, so all answers need not differ.
        assert!(
            assignment.cases.iter().any(|case| answers_of(game, case, question).len() > 1),
            "no case of {} depends on {}",
            game.name(),
            question.id
        );
    }
}

/// A case touches an open question only where that is its purpose: its title says so then, and only then. For the
/// questions that not every game meets.
fn check_titles_name_what_is_open(game: Game, met_by_every_game: &[&str]) {
    for case in assignment(game).cases {
        let mut questions = game.questions().iter().filter(|question| !met_by_every_game.contains(&question.id));
        let touches = questions.find(|question| answers_of(game, &case, question).len() > 1);
        assert_eq!(
            touches.is_some(),
            case.title.ends_with(EITHER),
            "{}: a title ends with `{EITHER}` where the case touches an open question ({:?})",
            case.file,
            touches.map(|question| question.id)
        );
    }
}

fn check_variety(game: Game) {
    let assignment = assignment(game);
    assert!((20..=40).contains(&assignment.cases.len()), "{} cases", assignment.cases.len());
    let titles: BTreeSet<_> = assignment.cases.iter().map(|case| &case.title).collect();
    assert_eq!(titles.len(), assignment.cases.len(), "two cases have the same title");
    let scripts: BTreeSet<_> = assignment
        .cases
        .iter()
        .map(|case| (case.inputs(), case.script().and_then(|script| script.seed.clone())))
        .collect();
    assert_eq!(scripts.len(), assignment.cases.len(), "two cases have the same inputs");
    assert!(assignment.cases.iter().all(|case| !case.is_hidden()), "built-in cases are visible");
}

/// What was typed in this line, if it is a prompt that was answered.
fn typed(line: &Line) -> Option<&str> {
    match &line.body {
        Body::Line(_, End::Typed(typed)) => Some(typed),
        _ => None,
    }
}

/// The combinations that are missing from those that the cases try.
fn assert_all_tried<T: Ord + std::fmt::Debug>(what: &str, wanted: impl IntoIterator<Item = T>, tried: &BTreeSet<T>) {
    let missing: Vec<T> = wanted.into_iter().filter(|wanted| !tried.contains(wanted)).collect();
    assert!(missing.is_empty(), "no case tries {what}: {missing:?}");
}
