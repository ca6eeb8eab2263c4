//! What the cases of Rack-O try, read off their transcripts.

use super::{assert_all_tried, games, shared_tests, typed};
use num_bigint::BigInt;
use reference::Game;
use reference::python_random::PythonRandom;
use reference::transcript::{Line, Transcript};
use std::collections::BTreeSet;

shared_tests!(Game::Racko);

/// One turn as the transcript tells it.
#[derive(Debug, Clone, Default)]
struct Turn {
    player: u8,
    before: Vec<i64>,
    top: i64,
    /// The answer to the question whether to draw.
    choice: String,
    drawn: Option<i64>,
    /// The answer to the question whether to place the drawn card.
    place: Option<String>,
    /// The cards that were named and are not in the rack.
    wrong: Vec<i64>,
    after: Vec<i64>,
    /// Whether the discard pile was shuffled after it.
    reshuffled: bool,
    won: bool,
}

impl Turn {
    fn is_taken(&self) -> bool {
        self.drawn.is_none()
    }

    /// The slot whose card was replaced.
    fn slot(&self) -> Option<usize> {
        self.before.iter().zip(&self.after).position(|(before, after)| before != after)
    }

    fn is_thrown_away(&self) -> bool {
        self.slot().is_none()
    }

    /// What came of the turn's card.
    fn move_kind(&self) -> &'static str {
        match (self.is_taken(), self.is_thrown_away()) {
            (true, _) => "taken",
            (false, false) => "drawn and placed",
            (false, true) => "drawn and thrown away",
        }
    }

    fn new_card(&self) -> i64 {
        self.drawn.unwrap_or(self.top)
    }
}

const MOVES: [&str; 3] = ["taken", "drawn and placed", "drawn and thrown away"];

fn numbers(text: &str) -> Vec<i64> {
    let digits = text.split(|c: char| !c.is_ascii_digit() && c != '-');
    digits.filter_map(|digits| digits.parse().ok()).collect()
}

/// The numbers in a line that starts so.
fn numbers_after(line: &Line, start: &str) -> Option<Vec<i64>> {
    line.text().strip_prefix(start).map(numbers)
}

fn turns(transcript: &Transcript) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for line in &transcript.lines {
        let text = line.text();
        if let Some(player) = text.strip_suffix("'s turn.") {
            turns.push(Turn { player: if player == "Player 1" { 1 } else { 2 }, ..Turn::default() });
        }
        let Some(turn) = turns.last_mut() else { continue };
        if let Some(rack) = numbers_after(line, "Your current rack  ") {
            turn.before = rack;
        } else if let Some(top) = numbers_after(line, "Top of discard pile  ") {
            turn.top = top[0];
        } else if let Some(card) = numbers_after(line, "drew the ") {
            turn.drawn = Some(card[0]);
        } else if let Some(rack) = numbers_after(line, "The rack after the turn  ") {
            turn.after = rack;
        } else if let Some(card) = text.strip_suffix(" is not in your rack.") {
            turn.wrong.extend(numbers(card));
        } else if let Some(answer) = typed(line) {
            if text.starts_with("Enter d ") {
                turn.choice = answer.to_owned();
            } else if text.starts_with("Enter p ") {
                turn.place = Some(answer.to_owned());
            }
        }
        turn.reshuffled |= text == "Deck is empty. Shuffling discard pile.";
        turn.won |= text.ends_with(" wins!");
    }
    turns
}

/// The turns of each case.
fn all_games() -> Vec<Vec<Turn>> {
    games(Game::Racko).iter().map(|(_, transcript)| turns(transcript)).collect()
}

fn all_turns() -> Vec<Turn> {
    all_games().into_iter().flatten().collect()
}

/// The slots whose card is higher than the next one.
fn falls(rack: &[i64]) -> Vec<usize> {
    (0..rack.len() - 1).filter(|&slot| rack[slot] > rack[slot + 1]).collect()
}

fn slot_name(slot: usize, size: usize) -> &'static str {
    match slot {
        0 => "first",
        _ if slot + 1 == size => "last",
        _ => "between",
    }
}

/// Both players with each of these.
fn for_both<T: Copy>(of: impl IntoIterator<Item = T>) -> impl Iterator<Item = (u8, T)> {
    of.into_iter().flat_map(|one| [(1, one), (2, one)])
}

#[test]
fn titles_name_what_is_open() {
    super::check_titles_name_what_is_open(Game::Racko, &[]);
}

#[test]
fn no_rack_is_sorted_as_dealt() {
    for (case, transcript) in games(Game::Racko) {
        for turn in turns(&transcript).iter().take(2) {
            assert!(!turn.before.is_sorted(), "{}: real programs differ about {turn:?}", case.file);
        }
        // Player 2's rack is not shown where player 1 wins in the first turn, but a program may look at it.
        let seed: BigInt = case.inputs()[1].parse().expect("a seed");
        let mut deck: Vec<u8> = (1..=60).collect();
        PythonRandom::new(&seed).shuffle(&mut deck);
        let size = turns(&transcript)[0].before.len();
        assert!(!deck[size..2 * size].is_sorted(), "{}: player 2's rack is sorted as dealt", case.file);
    }
}

#[test]
fn there_is_a_game_of_each_size_and_wrong_sizes_are_tried() {
    let sizes = all_games().iter().map(|turns| turns[0].before.len()).collect();
    assert_all_tried("a rack of", 5..=10, &sizes);
    let long = all_games().iter().filter(|turns| turns.len() >= 8).map(|turns| turns[0].before.len()).collect();
    assert_all_tried("a game of eight turns or more with a rack of", 5..=10, &long);
    let mut asked = BTreeSet::new();
    let mut most = 0;
    for (_, transcript) in games(Game::Racko) {
        let lines = transcript.lines.iter();
        let sizes: Vec<i64> = lines
            .filter(|line| line.text().starts_with("Enter the size"))
            .map(|line| typed(line).and_then(|size| size.parse().ok()).expect("a size"))
            .collect();
        most = most.max(sizes.len());
        asked.extend(sizes);
    }
    assert_all_tried("the size", [-10, -5, 0, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 60], &asked);
    assert!(most > 2, "two wrong sizes in a row");
}

#[test]
fn seeds_of_every_kind_are_tried() {
    let games = games(Game::Racko);
    let seeds: Vec<BigInt> = games.iter().map(|(case, _)| case.inputs()[1].parse().expect("a seed")).collect();
    let zero = BigInt::from(0);
    assert!(seeds.contains(&zero));
    assert!(seeds.iter().any(|seed| *seed < zero && seeds.contains(&-seed)), "a seed and its negative");
    assert!(seeds.iter().any(|seed| seed.bits() > 64), "a seed beyond 64 bits");
}

#[test]
fn instructions_are_shown_and_not_shown() {
    let answers = games(Game::Racko).iter().map(|(case, _)| case.inputs()[0].clone()).collect();
    assert_all_tried("the answer to the instructions", ["y", "n", "", "Y"].map(String::from), &answers);
}

#[test]
fn every_kind_of_answer_is_given() {
    let choices = all_turns().iter().map(|turn| turn.choice.clone()).collect();
    assert_all_tried("the choice", ["d", "D", "", "t", "p"].map(String::from), &choices);
    let places = all_turns().iter().filter_map(|turn| turn.place.clone()).collect();
    assert_all_tried("for a drawn card", ["p", "P", "", "n", "d"].map(String::from), &places);
    let moves = all_turns().iter().map(|turn| (turn.player, turn.move_kind())).collect();
    assert_all_tried("the move", for_both(MOVES), &moves);
    // A first turn of each kind: the first card of the pile, the first of the deck.
    let first = all_games().iter().map(|turns| turns[0].move_kind()).collect();
    assert_all_tried("as the first turn", MOVES, &first);
}

#[test]
fn each_move_follows_each_other_move() {
    // What the next player sees on the pile depends on the move before.
    let mut pairs = BTreeSet::new();
    for game in all_games() {
        pairs.extend(game.windows(2).map(|two| (two[0].move_kind(), two[1].move_kind())));
    }
    assert_all_tried("the move after the move", MOVES.into_iter().flat_map(|one| MOVES.map(|two| (one, two))), &pairs);
}

#[test]
fn racks_are_sorted_by_each_card_for_both_players() {
    let won: BTreeSet<_> = all_turns()
        .iter()
        .filter(|turn| turn.won)
        .map(|turn| {
            let slot = slot_name(turn.slot().expect("a winning move"), turn.after.len());
            (turn.player, (slot, turn.move_kind()))
        })
        .collect();
    let wanted = ["first", "last"].into_iter().flat_map(|slot| [(slot, "taken"), (slot, "drawn and placed")]);
    assert_all_tried("a win by player, slot and card", for_both(wanted), &won);
    assert!(won.iter().any(|(_, (slot, _))| *slot == "between"), "{won:?}");
}

#[test]
fn racks_with_one_pair_out_of_order_are_not_sorted() {
    let small: BTreeSet<_> = all_turns()
        .iter()
        .filter(|turn| turn.after.len() == 5 && falls(&turn.after).len() == 1)
        .map(|turn| (turn.player, falls(&turn.after)[0]))
        .collect();
    assert_all_tried("a rack of 5 out of order only after slot", for_both(0..4), &small);
    let large: BTreeSet<_> = all_turns()
        .iter()
        .filter(|turn| turn.after.len() == 10 && falls(&turn.after).len() == 1)
        .map(|turn| slot_name(falls(&turn.after)[0], 9))
        .collect();
    assert_all_tried("a rack of 10 out of order only after the slot", ["first", "last", "between"], &large);
}

#[test]
fn wrong_cards_of_every_kind_are_named() {
    let mut tried = BTreeSet::new();
    for game in all_games() {
        for (index, turn) in game.iter().enumerate() {
            let how = if turn.is_taken() { "taken" } else { "drawn" };
            let other = game.get(index.wrapping_sub(1)).map_or(&[][..], |turn| &turn.after);
            for &card in &turn.wrong {
                let kind = match card {
                    card if card == turn.new_card() => "the new card itself",
                    card if card < 0 && turn.before.contains(&-card) => "a negative card of the rack",
                    0 => "0",
                    _ if card < 0 => "negative",
                    _ if card > 60 => "over 60",
                    card if other.contains(&card) => "a card of the other rack",
                    card if card < turn.before.len() as i64 => "a slot's number",
                    _ => "another card",
                };
                tried.insert((how, kind));
            }
            if turn.wrong.len() > 1 {
                tried.insert((how, "several in a row"));
            }
        }
    }
    let kinds = [
        "the new card itself",
        "a negative card of the rack",
        "0",
        "over 60",
        "a card of the other rack",
        "a slot's number",
        "several in a row",
    ];
    assert_all_tried("the wrong card", kinds.into_iter().flat_map(|kind| [("taken", kind), ("drawn", kind)]), &tried);
}

#[test]
fn the_deck_is_emptied_once_and_twice_after_discards_were_taken() {
    let mut tried = BTreeSet::new();
    for game in all_games() {
        let times = game.iter().filter(|turn| turn.reshuffled).count();
        let last = game.iter().rposition(|turn| turn.reshuffled).unwrap_or(0);
        let taken = game[..last].iter().any(Turn::is_taken);
        let mut insert = |what| tried.insert(what);
        match (times, taken) {
            (0, _) => continue,
            (1, false) => insert("once, nothing taken before"),
            (1, true) => insert("once, after taking"),
            (_, false) => insert("twice, nothing taken before"),
            (_, true) => insert("twice, after taking"),
        };
        for (index, turn) in game.iter().enumerate().filter(|(_, turn)| turn.reshuffled) {
            insert(if turn.player == 1 { "by player 1" } else { "by player 2" });
            insert(if turn.is_thrown_away() { "the last card is thrown away" } else { "the last card is placed" });
            match game.get(index + 1).map(Turn::is_taken) {
                Some(true) => insert("the card turned over is taken"),
                Some(false) => insert("the new deck's first card is drawn"),
                None if turn.player == 1 => insert("by player 1, who wins with it"),
                None => insert("by player 2, who wins with it"),
            };
            // One card is no empty deck: a turn that takes, with a single card left.
            if index > 0 && game[index - 1].is_taken() {
                insert("one card is left for a turn");
            }
        }
        if !game[game.len() - 1].reshuffled && game.len() > last + 1 {
            insert("the game goes on and is won");
        }
    }
    let wanted = [
        "once, nothing taken before",
        "once, after taking",
        "twice, after taking",
        "by player 1",
        "by player 2",
        "the last card is thrown away",
        "the last card is placed",
        "the card turned over is taken",
        "the new deck's first card is drawn",
        "by player 1, who wins with it",
        "by player 2, who wins with it",
        "one card is left for a turn",
        "the game goes on and is won",
    ];
    assert_all_tried("an empty deck", wanted, &tried);
}

#[test]
fn games_are_short_and_long() {
    let lengths: Vec<usize> = all_games().iter().map(Vec::len).collect();
    assert!(lengths.contains(&1) && lengths.contains(&2), "{lengths:?}");
    assert!(lengths.iter().any(|&turns| turns > 80), "{lengths:?}");
}

/// The game that `check transcript` is asked for in its description.
#[test]
fn the_known_game_is_played() {
    let inputs = "y,4,5,p,1,60,0,-5,12,29,p,57,p,23,d,p,27,p,27,48";
    assert!(games(Game::Racko).iter().any(|(case, _)| case.inputs().join(",") == inputs));
}
