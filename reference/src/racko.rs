//! Rack-O for two people at one keyboard, as the assignment's text and the provided file have it.
//!
//! Index 0 is the top of the deck and of the discard pile.

use crate::console::{Console, Stop};
use crate::functions::{Done, Value};
use crate::python_random::PythonRandom;
use crate::rules::racko as rules;
use crate::rulings::{Answer, AnswerText, Question, Umpire};
use num_bigint::BigInt;

const ANNOUNCED: Answer = Answer { question: "reshuffle-on-the-winning-turn", answer: "announced" };

/// What the text leaves open.
pub const QUESTIONS: &[Question] = &[Question {
    id: ANNOUNCED.question,
    text: "The turn that wins also draws the last card of the deck: is the shuffling announced?",
    answers: &[
        AnswerText { id: ANNOUNCED.answer, text: "yes, before the line that names the winner" },
        AnswerText { id: "not-announced", text: "no, the game is over" },
    ],
}];

/// The cards of the deck: 1 to this number.
pub const CARDS: u8 = 60;

struct Table {
    random: PythonRandom,
    deck: Vec<u8>,
    discard: Vec<u8>,
    /// Whether the top card of the discard pile came there by a reshuffle, not by a player.
    fresh_pile: bool,
    /// Whether the deck was the discard pile before.
    reshuffled: bool,
}

/// Plays one game.
///
/// # Errors
/// When the script ends first, or an answer is no whole number where one is needed.
pub fn play(console: &mut Console<'_>, rulings: &Umpire<'_>) -> Result<(), Stop> {
    console.now("before the game");
    console.say("----- Welcome to Rack - O! -----", rules::WELCOME, "the program opens");
    let wanted =
        console.ask("Enter y to display instructions: ", rules::ASK_INSTRUCTIONS, "the instructions are offered")?;
    if wanted == "y" {
        console.gap(rules::INSTRUCTIONS, "y was typed, so the instructions follow after an empty line");
        console.say_any_lines(rules::INSTRUCTIONS);
    } else {
        console.silent(rules::INSTRUCTIONS, format!("{wanted:?} is not \"y\", so no instructions are shown"));
    }
    console.gap(rules::SEED, "an empty line stands before the question for the seed");
    let seed = console.ask_number("Enter number for initial seed: ", rules::SEED, "the seed is asked for")?;
    let size = ask_size(console)?;
    console.silent(rules::SIZE, format!("{size} is between 5 and 10"));
    console.gap(rules::SIZE, "the size is valid, and an empty line stands before the first turn");

    let mut table = deal(&seed);
    let mut racks = [take_from_top(&mut table.deck, size), take_from_top(&mut table.deck, size)];
    table.discard = take_from_top(&mut table.deck, 1);
    for turn in 1.. {
        let player = (turn + 1) % 2;
        console.now(format!("player {}, turn {turn}", player + 1));
        take_turn(console, &mut table, &mut racks[player], turn, player + 1)?;
        let won = is_sorted(&racks[player]);
        if table.deck.is_empty() && (!won || rulings.has(ANNOUNCED)) {
            console.say(
                "Deck is empty. Shuffling discard pile.",
                rules::RESHUFFLE,
                "the last card of the deck has been drawn",
            );
            reshuffle(&mut table);
        } else {
            let order = if won { "is" } else { "is not" };
            console.silent(rules::WIN, format!("{} {order} in ascending order", show(&racks[player])));
            let facts = if won {
                "the game is over".to_owned()
            } else {
                format!("the deck still has {}", cards(table.deck.len()))
            };
            console.silent_about("Deck", rules::RESHUFFLE, facts);
        }
        if won {
            console.say(
                format!("Player {} wins!", player + 1),
                (rules::WINNER, rules::WIN),
                format!("{} is in ascending order", show(&racks[player])),
            );
            return Ok(());
        }
    }
    Ok(())
}

fn ask_size(console: &mut Console<'_>) -> Result<usize, Stop> {
    loop {
        let prompt = "Enter the size of the rack to use. Must be between 5 and 10: ";
        let size = console.ask_number(prompt, rules::SIZE, "the size of a rack is asked for")?;
        match usize::try_from(&size) {
            Ok(size @ 5..=10) => return Ok(size),
            _ => console.say(
                format!("{size} is not a valid rack size."),
                rules::SIZE_WRONG,
                format!("{size} is not between 5 and 10"),
            ),
        }
    }
}

fn deal(seed: &BigInt) -> Table {
    let mut random = PythonRandom::new(seed);
    let mut deck: Vec<u8> = (1..=CARDS).collect();
    random.shuffle(&mut deck);
    Table { random, deck, discard: vec![], fresh_pile: true, reshuffled: false }
}

fn take_from_top(deck: &mut Vec<u8>, number: usize) -> Vec<u8> {
    deck.drain(..number).collect()
}

fn take_turn(
    console: &mut Console<'_>,
    table: &mut Table,
    rack: &mut [u8],
    turn: usize,
    player: usize,
) -> Result<(), Stop> {
    show_situation(console, table, rack, turn, player);
    play_turn(console, table, rack, player)
}

/// A turn from its first question on.
fn play_turn(console: &mut Console<'_>, table: &mut Table, rack: &mut [u8], player: usize) -> Result<(), Stop> {
    let prompt = "Enter d to draw anything else to take top of discard pile: ";
    let choice = console.ask(prompt, rules::CHOICE, format!("player {player} draws or takes"))?;
    console.gap(rules::CHOICE, "an empty line follows the answer");
    let kept = if choice == "d" {
        let card = table.deck.remove(0);
        let value_rule = if table.reshuffled { rules::NEW_DECK } else { rules::DRAW };
        console.say(
            format!("drew the {card}"),
            (rules::DRAW, value_rule),
            format!("{card} was the top card of the deck"),
        );
        let prompt = "Enter p to place card, anything else to discard it: ";
        let place =
            console.ask(prompt, rules::DRAW_CHOICE, format!("the {card} was drawn and can be placed or discarded"))?
                == "p";
        if !place {
            table.discard.insert(0, card);
            console.silent(rules::THROW_AWAY, format!("the {card} was not placed, so no card is asked for"));
        }
        place.then_some(card)
    } else {
        let card = table.discard.remove(0);
        console.silent(
            rules::TAKE,
            format!("{choice:?} is not \"d\", so the {card} is taken from the discard pile and has to be placed"),
        );
        Some(card)
    };
    table.fresh_pile = false;
    match kept {
        Some(card) => {
            let old = place_card(console, &mut table.discard, rack, card)?;
            say_placed(console, rack, card, old);
        }
        None => {
            console.say(after_turn(rack), rules::THROW_AWAY, "the drawn card was not placed, so the rack is as it was")
        }
    }
    console.gap(rules::TURN_GAP, "the turn is over");
    Ok(())
}

fn say_placed(console: &mut Console<'_>, rack: &[u8], card: u8, old: u8) {
    console.say(after_turn(rack), rules::PLACE, format!("the {card} stands where the {old} stood"));
}

/// Calls a function of the text by itself.
pub(crate) fn call(console: &mut Console<'_>, function: &str, arguments: &[Value]) -> Option<Result<Done, Stop>> {
    let done = |returns, lists: Vec<(usize, &[u8])>, optional| Done {
        returns,
        lists: lists.into_iter().map(|(argument, cards)| (argument, numbers(cards))).collect(),
        optional,
    };
    Some(match (function, arguments) {
        ("is_sorted", [Value::List(rack)]) => {
            let rack = cards_of(rack)?;
            Ok(done(Some(Value::Truth(is_sorted(&rack))), vec![(0, &rack)], (0, 0)))
        }
        ("get_rack", [Value::List(deck), Value::Number(size)]) => {
            let mut deck = cards_of(deck)?;
            let size = usize::try_from(*size).ok().filter(|size| *size <= deck.len())?;
            let rack = take_from_top(&mut deck, size);
            Ok(done(Some(Value::List(numbers(&rack))), vec![(0, &deck)], (0, 0)))
        }
        ("place_card", [Value::List(rack), Value::Number(card), Value::List(discard)]) => {
            let (mut rack, mut discard) = (cards_of(rack)?, cards_of(discard)?);
            let card = u8::try_from(*card).ok()?;
            place_card(console, &mut discard, &mut rack, card).map(|old| {
                // The end of a turn may be said by this function or by its caller.
                say_placed(console, &rack, card, old);
                console.gap(rules::TURN_GAP, "the turn is over");
                done(None, vec![(0, &rack), (2, &discard)], (0, 2))
            })
        }
        ("take_turn", [Value::List(deck), Value::List(discard), Value::List(rack)]) => {
            let random = PythonRandom::new(&BigInt::ZERO);
            let (deck, discard, mut rack) = (cards_of(deck)?, cards_of(discard)?, cards_of(rack)?);
            if deck.is_empty() || discard.is_empty() {
                return None;
            }
            let mut table = Table { random, deck, discard, fresh_pile: true, reshuffled: false };
            show_situation(console, &table, &rack, 1, 1);
            play_turn(console, &mut table, &mut rack, 1)
                .map(|()| done(None, vec![(0, &table.deck), (1, &table.discard), (2, &rack)], (3, 2)))
        }
        _ => return None,
    })
}

/// Cards as numbers.
fn numbers(cards: &[u8]) -> Vec<i64> {
    cards.iter().copied().map(i64::from).collect()
}

/// Numbers as cards, if each can be one.
fn cards_of(numbers: &[i64]) -> Option<Vec<u8>> {
    numbers.iter().map(|number| u8::try_from(*number).ok().filter(|card| (1..=CARDS).contains(card))).collect()
}

fn show_situation(console: &mut Console<'_>, table: &Table, rack: &[u8], turn: usize, player: usize) {
    let facts = if turn == 1 { "player 1 starts" } else { "the other player's turn is over, and nobody has won" };
    console.say(format!("Player {player}'s turn."), rules::PLAYER, facts);
    show_cards(console, table, rack, turn, player);
}

fn show_cards(console: &mut Console<'_>, table: &Table, rack: &[u8], turn: usize, player: usize) {
    let (rack_rule, facts) = match turn {
        1 => (rules::DEAL, "these are the first cards of the shuffled deck".to_owned()),
        2 => (rules::DEAL, "these are the cards of the shuffled deck after player 1's".to_owned()),
        _ => (rules::PLACE, format!("player {player}'s rack is as it was after the last own turn")),
    };
    console.say(format!("Your current rack  {}", show(rack)), (rules::RACK, rack_rule), facts);
    let top = table.discard[0];
    let (pile_rule, facts) = match (turn, table.fresh_pile) {
        (1, _) => (rules::FIRST_DISCARD, format!("{top} was the next card of the deck after the deal")),
        (_, true) => (rules::NEW_DECK, format!("{top} was the first card of the shuffled pile")),
        (_, false) => (rules::PILE, format!("{top} was put on the pile in the last turn")),
    };
    console.say(format!("Top of discard pile  {top}"), (rules::DISCARD, pile_rule), facts);
}

/// Puts the card where the player wants it; the card that stood there goes on the pile and is returned.
fn place_card(console: &mut Console<'_>, discard: &mut Vec<u8>, rack: &mut [u8], card: u8) -> Result<u8, Stop> {
    loop {
        let prompt = format!("Enter the card number to replace with the {card}: ");
        let wanted =
            console.ask_number(prompt, rules::REPLACE, format!("the {card} needs a place in {}", show(rack)))?;
        let slot = u8::try_from(&wanted).ok().and_then(|wanted| rack.iter_mut().find(|slot| **slot == wanted));
        match slot {
            Some(slot) => {
                let old = std::mem::replace(slot, card);
                discard.insert(0, old);
                return Ok(old);
            }
            None => console.say(
                format!("{wanted} is not in your rack."),
                rules::REPLACE_WRONG,
                format!("{wanted} is not in {}", show(rack)),
            ),
        }
    }
}

/// The whole pile, its top card too, becomes the deck; its first card starts the new pile.
fn reshuffle(table: &mut Table) {
    table.deck = std::mem::take(&mut table.discard);
    table.random.shuffle(&mut table.deck);
    table.discard = take_from_top(&mut table.deck, 1);
    table.fresh_pile = true;
    table.reshuffled = true;
}

fn is_sorted(rack: &[u8]) -> bool {
    rack.is_sorted()
}

fn after_turn(rack: &[u8]) -> String {
    format!("The rack after the turn  {}", show(rack))
}

/// A rack as Python prints a list, which is as Rust does.
fn show(rack: &[u8]) -> String {
    format!("{rack:?}")
}

fn cards(number: usize) -> String {
    if number == 1 { "1 card".to_owned() } else { format!("{number} cards") }
}
