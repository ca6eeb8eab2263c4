//! The reference of `check`: the three console games, pure, with the rule behind every line that they print.
//!
//! ```
//! use reference::{Game, play_script, seeded_dice};
//!
//! let rulings = Game::Darts.default_rulings();
//! let inputs = ["60", "60"].map(String::from);
//! let played = play_script(Game::Darts, &rulings, &inputs, &mut seeded_dice(&0.into())).unwrap();
//! assert!(played.transcript.is_unanswered());
//! assert!(played.transcript.to_string().ends_with("Treble 20\nDart 3\nEnter score: «\n"));
//! ```

pub mod console;
pub mod darts;
pub mod doubles;
pub mod functions;
pub mod python_random;
pub mod racko;
pub mod rules;
pub mod rulings;
pub mod script;
pub mod transcript;

use console::{Console, Stop, Typist};
use doubles::Place;
use num_bigint::BigInt;
use python_random::PythonRandom;
use rules::Rule;
use rulings::{Question, Rulings, Umpire};
use transcript::Transcript;

/// A game that has a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Game {
    /// Darts 501.
    Darts,
    /// The dice game Doubles.
    Doubles,
    /// Rack-O.
    Racko,
}

impl Game {
    /// All games, in the order of their names.
    pub const ALL: [Game; 3] = [Game::Darts, Game::Doubles, Game::Racko];

    /// The name that stands in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Game::Darts => "darts",
            Game::Doubles => "doubles",
            Game::Racko => "racko",
        }
    }

    /// The game of this name.
    pub fn from_name(name: &str) -> Option<Game> {
        Game::ALL.into_iter().find(|game| game.name() == name)
    }

    /// What the assignment's text leaves open.
    pub fn questions(self) -> &'static [Question] {
        match self {
            Game::Darts => darts::QUESTIONS,
            Game::Doubles => doubles::QUESTIONS,
            Game::Racko => racko::QUESTIONS,
        }
    }

    /// All rules, in the order in which a game meets them.
    pub fn rules(self) -> &'static [&'static Rule] {
        match self {
            Game::Darts => rules::darts::ALL,
            Game::Doubles => rules::doubles::ALL,
            Game::Racko => rules::racko::ALL,
        }
    }

    /// What is asked of the program's code.
    pub fn code_rules(self) -> &'static [&'static Rule] {
        match self {
            Game::Darts => rules::darts::CODE,
            Game::Doubles => rules::doubles::CODE,
            Game::Racko => rules::racko::CODE,
        }
    }

    /// The default answer to each open question.
    pub fn default_rulings(self) -> Rulings {
        Rulings::defaults(self.questions())
    }

    /// Whether a case of this game needs a seed, because the program does not ask for one.
    pub fn needs_seed(self) -> bool {
        self == Game::Doubles
    }
}

/// A game that was played on a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// What was said and typed.
    pub transcript: Transcript,
    /// How many inputs of the script the game did not ask for.
    pub unread: usize,
    /// The open questions that mattered.
    pub asked: Vec<&'static str>,
}

/// Plays a game with a person, or whatever types in a person's place, and `throw` for the dice of Doubles.
/// The transcript is whole up to where the game ended or stopped. The open questions that mattered come with it.
pub fn play(
    game: Game,
    rulings: &Rulings,
    typist: &mut Typist<'_>,
    throw: &mut dyn FnMut(Place) -> i64,
) -> (Transcript, Vec<&'static str>, Result<(), Stop>) {
    let mut console = Console::new(typist);
    let umpire = Umpire::new(rulings);
    let result = match game {
        Game::Darts => darts::play(&mut console, &umpire),
        Game::Doubles => doubles::play(&mut console, &umpire, throw),
        Game::Racko => racko::play(&mut console, &umpire),
    };
    (console.into_transcript(), umpire.asked(), result)
}

/// Plays a game on a script. A script that ends early ends the transcript at the prompt that nobody answers.
///
/// # Errors
/// [`Stop::Unfit`] for an input that the game can't take.
pub fn play_script(
    game: Game,
    rulings: &Rulings,
    inputs: &[String],
    throw: &mut dyn FnMut(Place) -> i64,
) -> Result<Played, Stop> {
    let mut rest = inputs.iter();
    let (transcript, asked, result) = play(game, rulings, &mut |_| rest.next().cloned(), throw);
    match result {
        Err(stop @ Stop::Unfit { .. }) => Err(stop),
        Ok(()) | Err(Stop::OutOfAnswers) => Ok(Played { transcript, unread: rest.len(), asked }),
    }
}

/// The dice of a program that throws each die with `randrange(1,7)` when it needs it.
pub fn seeded_dice(seed: &BigInt) -> impl FnMut(Place) -> i64 + use<> {
    let seed = seed.clone();
    // Most games throw none.
    let mut random = None;
    move |_| random.get_or_insert_with(|| PythonRandom::new(&seed)).randrange(1, 7)
}
