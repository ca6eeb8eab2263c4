//! Plausible random games: scripts made from a fixed seed, the same on every machine.

use crate::doubles::Place;
use crate::python_random::PythonRandom;
use crate::rulings::Rulings;
use crate::transcript::{Body, End, Line, Transcript};
use crate::{Game, play};
use num_bigint::BigInt;
use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;

/// The inputs of one run, and the seed where the program does not ask for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What is typed, line by line.
    pub inputs: Vec<String>,
    /// The seed of Python's `random`, for Doubles.
    pub seed: Option<u64>,
}

/// Answers after which a game that does not end is left at its next prompt.
const MOST_ANSWERS: usize = 1_500;

/// A random script of this game: legal and finishing moves, boundaries and wrong entries. The same number gives the same
/// script under the same rulings; most scripts play their game to its end.
pub fn random_script(game: Game, rulings: &Rulings, number: u64) -> Script {
    random_game(game, rulings, number).0
}

/// A random script of this game, and the transcript of the game in which it was typed.
pub fn random_game(game: Game, rulings: &Rulings, number: u64) -> (Script, Transcript) {
    let mut chance = Chance(Pcg32::new(number, game as u64));
    let seed = game.needs_seed().then(|| u64::from(chance.below(100_000)));
    let mut random = PythonRandom::new(&BigInt::from(seed.unwrap_or(0)));
    let mut throw = |_: Place| random.randrange(1, 7);
    let mut inputs = Vec::new();
    let mut plan = RackoPlan::new(&mut chance);
    let mut typist = |transcript: &Transcript| {
        let answer = match game {
            Game::Darts => darts_answer(transcript, &mut chance),
            Game::Doubles => doubles_answer(transcript, &mut chance),
            Game::Racko => plan.answer(transcript, &mut chance),
        };
        if inputs.len() == MOST_ANSWERS {
            return None;
        }
        inputs.push(answer.clone());
        Some(answer)
    };
    let (transcript, _, result) = play(game, rulings, &mut typist, &mut throw);
    debug_assert!(!matches!(result, Err(crate::console::Stop::Unfit { .. })), "{result:?}");
    (Script { inputs, seed }, transcript)
}

struct Chance(Pcg32);

impl Chance {
    fn below(&mut self, n: u32) -> u32 {
        // The bias of a remainder does not matter for plausible games.
        self.0.next_u32() % n
    }

    fn percent(&mut self, n: u32) -> bool {
        self.below(100) < n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

fn prompt(transcript: &Transcript) -> &str {
    transcript.lines.last().map_or("", Line::text)
}

/// The last line that starts so, without its start.
fn last_after<'t>(transcript: &'t Transcript, start: &str) -> Option<&'t str> {
    transcript.lines.iter().rev().find_map(|line| line.text().strip_prefix(start))
}

fn darts_answer(transcript: &Transcript, chance: &mut Chance) -> String {
    const WRONG: &[i64] =
        &[-60, -3, -2, -1, 23, 29, 31, 35, 37, 41, 43, 44, 46, 47, 49, 52, 53, 55, 56, 58, 59, 61, 62, 63, 100, 501];
    let left = darts_left(transcript);
    let dart = match chance.below(100) {
        0..6 => chance.pick(WRONG),
        6..16 => {
            chance.pick(&[0, 1, 2, 20, 21, 22, 24, 25, 26, 27, 30, 36, 38, 39, 40, 42, 45, 48, 50, 51, 54, 57, 60])
        }
        16..60 if left <= 60 => left,
        60..75 if left <= 62 => left + chance.pick(&[-2, -1, 1]),
        16..75 => chance.pick(&[60, 57, 54, 51, 50, 45, 40, 20, 19]),
        _ => i64::from(chance.below(21)),
    };
    dart.to_string()
}

/// What the player at the board still has to score.
fn darts_left(transcript: &Transcript) -> i64 {
    let turn = transcript.lines.iter().rposition(|line| line.text().contains("Your score is: ")).unwrap_or(0);
    let lines = &transcript.lines[turn..];
    let announced = lines.first().map_or("", Line::text);
    let score: i64 = announced.rsplit(' ').next().and_then(|score| score.parse().ok()).unwrap_or(501);
    let thrown = lines.iter().zip(&lines[1..]).filter_map(|(line, next)| match &line.body {
        Body::Line(_, End::Typed(typed)) if next.text() != "Invalid dart." => typed.parse::<i64>().ok(),
        _ => None,
    });
    score - thrown.sum::<i64>()
}

fn doubles_answer(transcript: &Transcript, chance: &mut Chance) -> String {
    let answer = if prompt(transcript).contains("(y or n)") { chance.pick(&["y", "y", "n"]) } else { "" };
    answer.to_owned()
}

/// How two people play one game of Rack-O: without aim for some answers, then each for the own rack.
struct RackoPlan {
    aimless: u32,
    answers: u32,
}

impl RackoPlan {
    fn new(chance: &mut Chance) -> Self {
        // A deck lasts for at most 50 draws, which are two answers each.
        RackoPlan { aimless: chance.pick(&[0, 0, 30, 120, 260, 400]), answers: 0 }
    }

    fn answer(&mut self, transcript: &Transcript, chance: &mut Chance) -> String {
        self.answers += 1;
        let aims = self.answers > self.aimless;
        let prompt = prompt(transcript);
        let last_numbers = |start| last_after(transcript, start).map(numbers).unwrap_or_default();
        let rack = || last_numbers("Your current rack  ");
        let useful = |start| last_numbers(start).first().is_some_and(|&card| useful_slot(&rack(), card).is_some());
        if prompt.starts_with("Enter y") {
            chance.pick(&["y", "n", "", "no"]).to_owned()
        } else if prompt.starts_with("Enter number") {
            let seed = i64::from(chance.below(1_000_000));
            if chance.percent(5) { format!("-{seed}") } else { seed.to_string() }
        } else if prompt.starts_with("Enter the size") {
            if chance.percent(20) {
                chance.pick(&["4", "11", "0", "-5", "60"]).to_owned()
            } else {
                (5 + chance.below(6)).to_string()
            }
        } else if prompt.starts_with("Enter d") {
            let takes = if aims { useful("Top of discard pile  ") } else { chance.percent(25) };
            if takes { chance.pick(&["p", "", "t", "x"]).to_owned() } else { "d".to_owned() }
        } else if prompt.starts_with("Enter p") {
            let places = if aims { useful("drew the ") } else { chance.percent(20) };
            if places { "p".to_owned() } else { chance.pick(&["n", "", "d"]).to_owned() }
        } else {
            let rack = rack();
            let card = numbers(prompt).first().copied().unwrap_or(0);
            let aimed = if aims { useful_slot(&rack, card) } else { None };
            let slot = aimed.unwrap_or_else(|| chance.below(rack.len() as u32) as usize);
            if chance.percent(6) { chance.pick(&["0", "-1", "61"]).to_owned() } else { rack[slot].to_string() }
        }
    }
}

/// The slot in which the card helps: the one of its range, unless a card of that range stands there already.
fn useful_slot(rack: &[i64], card: i64) -> Option<usize> {
    let size = rack.len() as i64;
    let slot_of = |card: i64| ((card - 1) * size / i64::from(crate::racko::CARDS)) as usize;
    let slot = slot_of(card);
    rack.get(slot).filter(|&&there| slot_of(there) != slot).map(|_| slot)
}

fn numbers(text: &str) -> Vec<i64> {
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
