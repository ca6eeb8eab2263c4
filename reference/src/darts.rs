//! Darts 501, as the assignment's text has it.

use crate::console::{Console, Stop};
use crate::functions::{Done, Value};
use crate::rules::darts as rules;
use crate::rulings::{Answer, AnswerText, Question, Umpire};
use num_bigint::BigInt;

const AT_ONCE: Answer = Answer { question: "bust-at-one", answer: "at-once" };
const DOUBLE: Answer = Answer { question: "double-out", answer: "double" };
const BLANK: Answer = Answer { question: "winner-gap", answer: "blank" };

/// What the text leaves open.
pub const QUESTIONS: &[Question] = &[
    Question {
        id: AT_ONCE.question,
        text: "A dart leaves exactly 1: does the turn end there?",
        answers: &[
            AnswerText { id: AT_ONCE.answer, text: "it is a bust at once" },
            AnswerText { id: "after-the-turn", text: "the remaining darts are thrown, then it is a bust" },
        ],
    },
    Question {
        id: DOUBLE.question,
        text: "Which last dart may win?",
        answers: &[
            AnswerText { id: DOUBLE.answer, text: "a double: an even dart up to 40, or 50" },
            AnswerText { id: "even", text: "any even dart, so 42, 48, 54 and 60 too" },
        ],
    },
    Question {
        id: BLANK.question,
        text: "Does an empty line stand before the line that names the winner?",
        answers: &[AnswerText { id: BLANK.answer, text: "yes" }, AnswerText { id: "none", text: "no" }],
    },
];

/// Plays one leg.
///
/// # Errors
/// When the script ends first, or an answer is no whole number.
pub fn play(console: &mut Console<'_>, rulings: &Umpire<'_>) -> Result<(), Stop> {
    let mut score = [501, 501];
    let mut player = 0;
    let mut was_bust = [false, false];
    for turn in 1.. {
        let name = player + 1;
        console.now(format!("player {name}, turn {turn}"));
        if turn > 1 {
            console.gap(rules::GAP, "the next turn starts");
        }
        let left = score[player];
        let (value_rule, facts) = match turn {
            1 => (rules::START, "the game starts with player 1 at 501".to_owned()),
            2 => (rules::START, "it is player 2's turn now, who starts at 501 too".to_owned()),
            _ if was_bust[player] => {
                (rules::KEEPS_SCORE, format!("player {name}'s last turn was a bust, so the score is still {left}"))
            }
            _ => (rules::UPDATE, format!("after the last turn player {name} has {left} left")),
        };
        let player_rule = if turn == 1 { rules::ANNOUNCE } else { rules::ALTERNATE };
        let line = format!("Player {name} it's your turn. Your score is: {left}");
        console.say(line, (rules::ANNOUNCE, [player_rule, value_rule]), facts);

        let thrown = throw_darts(console, rulings, score[player], name, turn)?;
        console.now(format!("player {name}, turn {turn}"));
        was_bust[player] = thrown.bust;
        if thrown.bust {
            console.say("0 scored.", rules::SCORED, "a bust scores 0");
        } else {
            console.say(
                format!("{} scored.", thrown.total),
                rules::SCORED,
                format!("{} = {}", sum(&thrown.darts), thrown.total),
            );
            score[player] -= thrown.total;
        }
        if score[player] == 0 {
            let facts = format!("player {name} has reached zero with a double");
            if rulings.has(BLANK) {
                console.gap(rules::WINNER, facts.clone());
            }
            console.say(format!("Player {name} wins the leg."), rules::WINNER, facts);
            break;
        }
        player = 1 - player;
    }
    Ok(())
}

/// Calls a function of the text by itself.
pub(crate) fn call(console: &mut Console<'_>, function: &str, arguments: &[Value]) -> Option<Result<Done, Stop>> {
    let ("is_dart_valid", [Value::Number(dart)]) = (function, arguments) else { return None };
    let is_valid = is_dart_valid(console, &BigInt::from(*dart)).is_some();
    if !is_valid {
        // The text leaves open which of the two subprograms says it.
        console.say("Invalid dart.", rules::INVALID, format!("no dart scores {dart}"));
    }
    Some(Ok(Done { returns: Some(Value::Truth(is_valid)), lists: vec![], optional: (0, usize::from(!is_valid)) }))
}

struct Thrown {
    darts: Vec<i64>,
    total: i64,
    bust: bool,
}

/// The darts of one turn, up to a bust, to zero or to the third.
fn throw_darts(
    console: &mut Console<'_>,
    rulings: &Umpire<'_>,
    score: i64,
    name: usize,
    turn: usize,
) -> Result<Thrown, Stop> {
    let mut darts = Vec::new();
    let mut total = 0;
    for number in 1..=3 {
        console.now(format!("player {name}, turn {turn}, dart {number}"));
        let dart = throw_dart(console, number, score - total)?;
        darts.push(dart);
        total += dart;
        let left = score - total;
        let account =
            format!("{score} - {} = {left}", darts.iter().map(i64::to_string).collect::<Vec<_>>().join(" - "));

        let bust = if left < 0 {
            Some((rules::BUST, format!("{account}, below zero")))
        } else if left == 0 && !may_win(dart, rulings) {
            Some((rules::NO_DOUBLE, format!("{account}, but the last dart, {dart}, is no double")))
        } else if left == 1 && (rulings.has(AT_ONCE) || number == 3) {
            Some((rules::BUST, format!("{account}, and 1 can't be won with a double")))
        } else {
            None
        };
        if let Some((rule, facts)) = bust {
            console.silent(rule, facts.clone());
            console.say("Bust!", rule, facts);
            return Ok(Thrown { darts, total, bust: true });
        }
        if left == 0 {
            console.silent(
                rules::WIN,
                format!("{account} with a double, {dart}: the game is won, and no more darts are thrown"),
            );
            break;
        }
        if number == 3 {
            console.silent(rules::UPDATE, format!("{account}, and more than one is left, so the turn counts"));
            console.silent_about("Dart", rules::THREE, "three darts were thrown, so the turn is over");
        }
    }
    Ok(Thrown { darts, total, bust: false })
}

/// One valid dart.
fn throw_dart(console: &mut Console<'_>, number: usize, left: i64) -> Result<i64, Stop> {
    console.say(format!("Dart {number}"), rules::DART, format!("dart {number} is thrown with {left} left"));
    loop {
        let entered = console.ask_number("Enter score: ", rules::PROMPT, format!("dart {number} is asked for"))?;
        match is_dart_valid(console, &entered) {
            Some(dart) => return Ok(dart),
            None => {
                console.say("Invalid dart.", rules::INVALID, format!("no dart scores {entered}"));
                console.say(
                    format!("Dart {number}"),
                    rules::INVALID,
                    format!("{entered} was no valid dart, so dart {number} is thrown again"),
                );
            }
        }
    }
}

/// The value of a valid dart, announced as its type asks for; nothing for one that is not valid.
fn is_dart_valid(console: &mut Console<'_>, entered: &BigInt) -> Option<i64> {
    let dart = i64::try_from(entered).ok()?;
    match dart {
        0..=20 => {
            let facts = format!("{dart} is a plain score from 0 to 20");
            for announcement in ["Double", "Treble", "Shot"] {
                console.silent_about(announcement, rules::PLAIN, facts.clone());
            }
            console.silent(rules::PLAIN, facts);
        }
        25 | 50 => console.say("Shot!", rules::SHOT, "25 and 50 are shots"),
        22..=40 if dart % 2 == 0 => {
            console.say(format!("Double {}", dart / 2), rules::DOUBLE, format!("{dart} is twice {}", dart / 2))
        }
        21..=60 if dart % 3 == 0 => {
            console.say(format!("Treble {}", dart / 3), rules::TREBLE, format!("{dart} is three times {}", dart / 3))
        }
        _ => return None,
    }
    Some(dart)
}

/// Whether a leg can be won with this as its last dart. 0 is even, but throws nothing: it never comes last on zero,
/// since a game that stands at zero is over.
fn may_win(dart: i64, rulings: &Umpire<'_>) -> bool {
    dart % 2 == 0 && (dart <= 40 || dart == 50 || !rulings.has(DOUBLE))
}

fn sum(darts: &[i64]) -> String {
    darts.iter().map(i64::to_string).collect::<Vec<_>>().join(" + ")
}
