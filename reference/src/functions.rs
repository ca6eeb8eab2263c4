//! The functions that an assignment names, each called by itself: what it says, what it returns and what becomes of the
//! lists that it was given.

use std::fmt;

use crate::console::{Console, Stop};
use crate::transcript::Transcript;
use crate::{Game, darts, racko};

/// What a function is given or returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A whole number.
    Number(i64),
    /// True or False.
    Truth(bool),
    /// A text.
    Text(String),
    /// A list of whole numbers.
    List(Vec<i64>),
}

/// As Python writes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => write!(f, "{number}"),
            Value::Truth(true) => f.write_str("True"),
            Value::Truth(false) => f.write_str("False"),
            // Rust and Python escape alike what can stand in one line of a file.
            Value::Text(text) => write!(f, "{text:?}"),
            Value::List(numbers) => write!(f, "{numbers:?}"),
        }
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// What it returns, where that counts.
    pub returns: Option<Value>,
    /// The lists that it was given, as they are then: which argument, from 0, and its numbers.
    pub lists: Vec<(usize, Vec<i64>)>,
    /// What was said and typed.
    pub transcript: Transcript,
    /// How many lines at its beginning, and how many at its end, may be left to whoever calls the function.
    pub optional: (usize, usize),
    /// How many of the inputs it did not ask for.
    pub unread: usize,
}

impl Called {
    /// What may be printed, as a pipe carries it; the least of it first.
    pub fn prints(&self) -> Vec<String> {
        let lines = &self.transcript.lines;
        let (before, after) = self.optional;
        let ends = move |first| (0..=after).rev().map(move |left| first..lines.len() - left);
        let parts = (0..=before).rev().flat_map(ends);
        let texts = parts.map(|part| Transcript { lines: lines[part].to_vec() }.piped().to_string());
        // A function that is not told which player it is for may know.
        texts.flat_map(|text| [text.replace("Player 1's turn.", "Player 2's turn."), text]).collect()
    }
}

/// What a function of a game says and does, apart from what is typed.
pub(crate) struct Done {
    pub returns: Option<Value>,
    pub lists: Vec<(usize, Vec<i64>)>,
    pub optional: (usize, usize),
}

/// Calls a function; nothing if the game has none that takes such arguments.
///
/// # Errors
/// For inputs that it can't take, or too few.
pub fn call(game: Game, function: &str, arguments: &[Value], inputs: &[String]) -> Option<Result<Called, Stop>> {
    let mut rest = inputs.iter();
    let mut typist = |_: &Transcript| rest.next().cloned();
    let mut console = Console::new(&mut typist);
    let done = match game {
        Game::Darts => darts::call(&mut console, function, arguments),
        Game::Racko => racko::call(&mut console, function, arguments),
        Game::Doubles => None,
    }?;
    let transcript = console.into_transcript();
    Some(done.map(|Done { returns, lists, optional }| Called {
        returns,
        lists,
        transcript,
        optional,
        unread: rest.len(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may be printed, each once.
    fn prints(called: &Called) -> Vec<String> {
        let mut prints = called.prints();
        prints.dedup();
        prints
    }

    fn called(game: Game, function: &str, arguments: &[Value], inputs: &[&str]) -> Called {
        let inputs: Vec<String> = inputs.iter().map(|input| (*input).to_owned()).collect();
        call(game, function, arguments, &inputs).unwrap().unwrap()
    }

    #[test]
    fn darts_are_announced_when_they_are_valid() {
        let dart = |dart| called(Game::Darts, "is_dart_valid", &[Value::Number(dart)], &[]);
        assert_eq!(dart(60).returns, Some(Value::Truth(true)));
        assert_eq!(prints(&dart(60)), ["Treble 20\n"]);
        assert_eq!(prints(&dart(20)), [""]);
        assert_eq!(
            (dart(23).returns, prints(&dart(23))),
            (Some(Value::Truth(false)), vec![String::new(), "Invalid dart.\n".to_owned()])
        );
        assert_eq!(dart(-1).returns, Some(Value::Truth(false)));
    }

    #[test]
    fn cards_go_where_they_belong() {
        let list = |numbers: &[i64]| Value::List(numbers.to_vec());
        let placed =
            called(Game::Racko, "place_card", &[list(&[10, 20, 30]), Value::Number(25), list(&[7, 8])], &["11", "20"]);
        assert_eq!(placed.lists, [(0, vec![10, 25, 30]), (2, vec![20, 7, 8])]);
        let prints = prints(&placed);
        assert_eq!(prints.len(), 3);
        assert!(prints[2].ends_with("The rack after the turn  [10, 25, 30]\n\n"), "{prints:?}");
        assert!(prints[0].ends_with("Enter the card number to replace with the 25: "), "{prints:?}");

        let turn = called(Game::Racko, "take_turn", &[list(&[1, 2]), list(&[9]), list(&[5, 4])], &["d", "n"]);
        assert_eq!(turn.lists, [(0, vec![2]), (1, vec![1, 9]), (2, vec![5, 4])]);
        assert!(turn.prints()[0].starts_with("Enter d to draw"));
        assert!(
            turn.prints().iter().rev().nth(1).unwrap().starts_with("Player 2's turn.\nYour current rack  [5, 4]\n")
        );
    }

    #[test]
    fn a_function_that_no_game_has_is_none() {
        assert!(call(Game::Darts, "is_dart_valid", &[], &[]).is_none());
        assert!(call(Game::Doubles, "roll", &[], &[]).is_none());
        assert!(call(Game::Racko, "is_sorted", &[Value::List(vec![999])], &[]).is_none());
    }
}
