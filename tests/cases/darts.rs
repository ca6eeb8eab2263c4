//! What the cases of darts try, read off their transcripts.

use super::{assert_all_tried, games, shared_tests, typed};
use reference::Game;
use reference::transcript::{Line, Transcript};
use std::collections::BTreeSet;

shared_tests!(Game::Darts);

/// A valid dart.
#[derive(Debug, Clone, Copy)]
struct Throw {
    player: u8,
    /// The dart of the turn, 1 to 3.
    number: u8,
    dart: i64,
    /// What is left after it; below zero where it scores too much.
    left: i64,
    /// Whether the turn ended as a bust with it.
    bust: bool,
    /// Whether it won the leg.
    won: bool,
}

/// The number at the end of a line that starts so.
fn number_after(line: &Line, start: &str) -> Option<i64> {
    line.text().strip_prefix(start)?.parse().ok()
}

fn throws(transcript: &Transcript) -> Vec<Throw> {
    let (mut player, mut number, mut left) = (0, 0, 0);
    let mut throws: Vec<Throw> = Vec::new();
    for (index, line) in transcript.lines.iter().enumerate() {
        if let Some((name, score)) = line.text().split_once(" it's your turn. Your score is: ") {
            player = if name == "Player 1" { 1 } else { 2 };
            left = score.parse().expect("a score");
        } else if let Some(dart) = number_after(line, "Dart ") {
            number = u8::try_from(dart).expect("1 to 3");
        } else if let Some(typed) = typed(line) {
            if transcript.lines[index + 1].text() != "Invalid dart." {
                let dart = typed.parse().expect("a dart");
                left -= dart;
                throws.push(Throw { player, number, dart, left, bust: false, won: false });
            }
        } else if let Some(last) = throws.last_mut() {
            last.bust |= line.text() == "Bust!" && last.left == left;
            last.won |= line.text().ends_with(" wins the leg.");
        }
    }
    throws
}

fn all_throws() -> Vec<Throw> {
    games(Game::Darts).iter().flat_map(|(_, transcript)| throws(transcript)).collect()
}

fn is_double(dart: i64) -> bool {
    dart % 2 == 0 && dart <= 40 || dart == 50
}

/// What a dart leaves, as the rules tell it apart.
fn kind(left: i64) -> &'static str {
    match left {
        2 => "2 left",
        1 => "1 left",
        0 => "0 left",
        -1 => "1 below zero",
        ..0 => "below zero",
        _ => "more",
    }
}

const KINDS: [&str; 5] = ["2 left", "1 left", "0 left", "1 below zero", "below zero"];

#[test]
fn titles_name_what_is_open() {
    // Every game that ends has a line that names its winner, with or without a gap before it.
    super::check_titles_name_what_is_open(Game::Darts, &["winner-gap"]);
}

#[test]
fn every_score_from_minus_3_to_63_is_tried() {
    let games = games(Game::Darts);
    let lines = games.iter().flat_map(|(_, transcript)| &transcript.lines);
    let tried = lines.filter_map(typed).map(|typed| typed.parse::<i64>().expect("a number")).collect();
    assert_all_tried("the score", -3..=63, &tried);
    assert_all_tried("the score", [-60, -50, -40, -25, -20, 66, 75, 80, 100, 180, 501], &tried);
}

#[test]
fn each_dart_of_a_turn_meets_each_boundary_with_an_even_and_an_odd_dart() {
    let tried = all_throws().iter().map(|throw| (kind(throw.left), throw.number, throw.dart % 2)).collect();
    for number in 1..=3 {
        for parity in 0..=1 {
            assert_all_tried(
                "what is left, by which dart, even or odd",
                KINDS.map(|kind| (kind, number, parity)),
                &tried,
            );
        }
    }
}

#[test]
fn both_players_meet_each_boundary() {
    let tried = all_throws().iter().map(|throw| (kind(throw.left), throw.player)).collect();
    assert_all_tried("what is left, for which player", KINDS.iter().flat_map(|kind| [(*kind, 1), (*kind, 2)]), &tried);
}

#[test]
fn a_25_and_a_50_meet_each_boundary() {
    let tried = all_throws()
        .iter()
        .map(|throw| (if throw.left < 0 { "below" } else { kind(throw.left) }, throw.dart))
        .collect();
    let wanted = ["2 left", "1 left", "0 left", "below"].into_iter().flat_map(|kind| [(kind, 25), (kind, 50)]);
    assert_all_tried("what is left, by which shot", wanted, &tried);
}

#[test]
fn legs_are_won_by_both_players_with_each_dart() {
    let won: BTreeSet<_> =
        all_throws().iter().filter(|throw| throw.won).map(|throw| (throw.player, throw.number)).collect();
    assert_all_tried(
        "a win, by player and dart",
        (1..=2).flat_map(|player| (1..=3).map(move |number| (player, number))),
        &won,
    );
}

#[test]
fn zero_is_reached_with_every_type_of_dart() {
    let kind = |dart: i64| match dart {
        2 => "2, the lowest double",
        25 => "25",
        50 => "50",
        40 => "40, the highest double",
        42.. if dart % 2 == 0 => "an even treble over 40",
        21.. if dart % 2 == 1 => "an odd treble",
        22.. if dart % 3 == 0 => "a double that three divides",
        22.. => "another double",
        _ if dart % 2 == 0 => "an even plain score",
        _ => "an odd plain score",
    };
    let zero: BTreeSet<_> = all_throws().iter().filter(|throw| throw.left == 0).map(|throw| kind(throw.dart)).collect();
    assert_eq!(zero.len(), 10, "{zero:?}");
    for throw in all_throws().iter().filter(|throw| throw.left == 0) {
        assert_eq!((throw.won, throw.bust), (is_double(throw.dart), !is_double(throw.dart)), "{throw:?}");
    }
    let even_trebles =
        all_throws().iter().filter(|throw| throw.left == 0 && throw.bust).map(|throw| throw.dart).collect();
    assert_all_tried("zero with the even treble", [42, 48, 54, 60], &even_trebles);
}

#[test]
fn each_dart_of_a_turn_is_once_invalid_and_once_twice_in_a_row() {
    let mut runs = BTreeSet::new();
    for (_, transcript) in games(Game::Darts) {
        let (mut number, mut run) = (0, 0);
        for line in &transcript.lines {
            if line.text() == "Invalid dart." {
                run += 1;
                runs.insert((number, run));
            } else if typed(line).is_none() {
                let dart = number_after(line, "Dart ");
                run = if dart == Some(number) { run } else { 0 };
                number = dart.unwrap_or(number);
            }
        }
    }
    assert_all_tried("invalid darts, by dart and how many", (1..=3).flat_map(|dart| [(dart, 1), (dart, 2)]), &runs);
}

#[test]
fn a_bust_follows_a_bust_and_a_win_follows_a_bust() {
    let own_turns = |transcript: &Transcript, player| {
        let throws = throws(transcript).into_iter().filter(move |throw| throw.player == player);
        throws.filter(|throw| throw.bust || throw.won || throw.number == 3).collect::<Vec<_>>()
    };
    let mut tried = BTreeSet::new();
    for (_, transcript) in games(Game::Darts) {
        for player in 1..=2 {
            let turns = own_turns(&transcript, player);
            tried.extend(turns.windows(2).filter(|two| two[0].bust).map(|two| (player, two[1].bust, two[1].won)));
        }
    }
    let after_a_bust = [(true, false), (false, true), (false, false)];
    let wanted = (1..=2).flat_map(|player| after_a_bust.map(|(bust, won)| (player, bust, won)));
    assert_all_tried("what follows a bust (player, bust, win)", wanted, &tried);
}

/// The inputs of the games that the assignment's text prints.
#[test]
fn what_the_text_prints_is_played() {
    let texts: Vec<String> = games(Game::Darts).iter().map(|(_, transcript)| transcript.piped().to_string()).collect();
    let inputs: Vec<String> = games(Game::Darts).iter().map(|(case, _)| case.inputs().join(" ")).collect();
    let model_game = "60 60 20 20 57 19 60 15 20 60 20 1 60 57 57 20 20 20 60 32";
    assert!(inputs.iter().any(|inputs| inputs == model_game), "the model game");
    for printed in [
        "Your score is: 501\nDart 1\nEnter score: Treble 20\nDart 2\nEnter score: Invalid dart.\nDart 2\nEnter score: Treble 20\nDart 3\nEnter score: Treble 20\n180 scored.\n",
        "Player 1 it's your turn. Your score is: 43\nDart 1\nEnter score: Double 20\nDart 2\nEnter score: Bust!\n0 scored.\n",
        "Player 1 it's your turn. Your score is: 92\nDart 1\nEnter score: Treble 20\nDart 2\nEnter score: Double 16\n92 scored.\n\nPlayer 1 wins the leg.\n",
    ] {
        assert!(texts.iter().any(|text| text.contains(printed)), "{printed}");
    }
}
