//! Whether a program asks one question more than its game has, so that every later answer goes to the wrong one.

use std::cell::LazyCell;

use reference::rulings::Rulings;
use reference::{Game, play_script};

use super::text::{Item, items};

/// Fewer items that agree may do so by chance.
const ENOUGH: usize = 12;

/// The story of a question too many: played without one of its answers, the reference says all that the program says,
/// save for what the question itself may print. `near` is how many answers had been given before the first difference,
/// `unasked` the first answer that was read where no question stood.
pub fn one_too_many(
    game: Game,
    rulings: &Rulings,
    inputs: &[String],
    printed: &[u8],
    near: usize,
    unasked: Option<usize>,
) -> Option<String> {
    // The dice of Doubles would have to be read anew.
    if game == Game::Doubles {
        return None;
    }
    let own = LazyCell::new(|| content(printed));
    let mut tried = Vec::new();
    let candidates = unasked.into_iter().chain([near, near.saturating_sub(1), near + 1, 0]);
    candidates.filter(|at| *at < inputs.len()).find_map(|taken| {
        if tried.contains(&taken) {
            return None;
        }
        tried.push(taken);
        let mut fewer = inputs.to_vec();
        let answer = fewer.remove(taken);
        let piped = play_script(game, rulings, &fewer, &mut |_| 1).ok()?.transcript.piped();
        let text = piped.to_string();
        // No question is as long as a game.
        if printed.len() > 2 * text.len() + 1_000 {
            return None;
        }
        let theirs = content(text.as_bytes());
        let is_it = piped.is_literally(text.as_bytes()) && theirs.len() >= ENOUGH && has_one_insertion(&own, &theirs);
        is_it.then(|| {
            let question = match unasked == Some(taken) {
                true => "The program waits for an answer once without asking for it",
                false => "The program asks one question more than it should",
            };
            format!(
                "{question}: answer {}, «{answer}», goes there, and every later answer to the question after its own.",
                taken + 1
            )
        })
    })
}

/// A letter or a number in lower case, and its line.
type Word = (Vec<u8>, u32);

/// The letters and numbers of a text.
fn content(text: &[u8]) -> Vec<Word> {
    let one = |item: &Item| (text[item.start as usize..item.end as usize].to_ascii_lowercase(), item.row);
    items(text).iter().filter(|item| item.kind.is_content()).map(one).collect()
}

/// Whether `own` is `theirs`, or would be without a few items of one line.
fn has_one_insertion(own: &[Word], theirs: &[Word]) -> bool {
    let Some(extra) = own.len().checked_sub(theirs.len()) else { return false };
    let same = |(one, other): &(&Word, &Word)| one.0 == other.0;
    let before = own.iter().zip(theirs).take_while(same).count();
    let after = own.iter().rev().zip(theirs.iter().rev()).take_while(same).count();
    if before + after < theirs.len() {
        return false;
    }
    // Where the insertion may stand at several places, the last is as good as any.
    let inserted = &own[before..before + extra];
    inserted.first().zip(inserted.last()).is_none_or(|(first, last)| first.1 == last.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(inputs: &[&str], printed: impl Fn(String) -> String, without: usize, near: usize) -> Option<String> {
        let inputs: Vec<String> = inputs.iter().map(|&input| input.to_owned()).collect();
        let rulings = Game::Darts.default_rulings();
        let mut fewer = inputs.clone();
        fewer.remove(without);
        let played = play_script(Game::Darts, &rulings, &fewer, &mut |_| 1).unwrap();
        one_too_many(
            Game::Darts,
            &rulings,
            &inputs,
            printed(played.transcript.piped().to_string()).as_bytes(),
            near,
            None,
        )
    }

    #[test]
    fn a_question_at_the_start() {
        let inputs = ["60", "57", "20", "1"];
        let asked = told(&inputs, |text| format!("Your name: {text}"), 0, 0).unwrap();
        assert!(asked.contains("answer 1, «60», goes there"), "{asked}");
        assert!(told(&inputs, |text| text, 0, 1).is_some(), "a question without a prompt");
    }

    #[test]
    fn not_what_is_wrong_besides() {
        let inputs = ["60", "57", "20", "1"];
        assert_eq!(told(&inputs, |text| format!("Your name: {}", text.replace("Treble", "Double")), 0, 0), None);
        assert_eq!(told(&inputs, |text| format!("Hello\nYour name: {text}"), 0, 0), None);
    }
}
