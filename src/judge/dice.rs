//! The dice of Doubles: read from what a submission shows, and judged as a whole.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use num_bigint::BigInt;
use reference::console::Stop;
use reference::doubles::Place;
use reference::rules::doubles as rules;
use reference::rulings::Rulings;
use reference::transcript::{PieceKind, Segment, Transcript};
use reference::{Game, Played, play_script, seeded_dice};
use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices_deadline};

use super::text::{Kind, items};

/// A game has some twenty lines: what a flood prints after these is not looked at.
const MOST_ROWS: usize = 400;

/// The dice that one run shows, place by place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown(pub BTreeMap<Place, i64>);

/// The piped lines of a printed text, ready to be searched for dice.
pub struct Rows<'t> {
    rows: Vec<&'t [u8]>,
    masked: Vec<String>,
}

impl<'t> Rows<'t> {
    /// Splits a text.
    pub fn new(printed: &'t [u8]) -> Self {
        let rows: Vec<&[u8]> = printed.split(|&byte| byte == b'\n').take(MOST_ROWS).collect();
        let masked = rows.iter().map(|row| masked(row)).collect();
        Rows { rows, masked }
    }
}

/// Plays the reference with these dice; one that is not among them comes from the seed's stream.
///
/// # Errors
/// As [`play_script`].
pub fn play_with(shown: &Shown, rulings: &Rulings, inputs: &[String], seed: &BigInt) -> Result<Played, Stop> {
    let mut stream = seeded_dice(seed);
    let mut throw = |place: Place| {
        // The stream moves on for every die, so that one that can't be read is the one of its turn.
        let from_seed = stream(place);
        shown.0.get(&place).copied().unwrap_or(from_seed)
    };
    play_script(Game::Doubles, rulings, inputs, &mut throw)
}

/// Reads the dice that a submission shows: each roll is looked for where the reference, played with the dice found so
/// far, has it.
///
/// # Errors
/// As [`play_script`].
pub fn read(rulings: &Rulings, inputs: &[String], seed: &BigInt, printed: &Rows<'_>) -> Result<Shown, Stop> {
    let mut shown = Shown::default();
    let mut looked_for: Vec<Place> = Vec::new();
    loop {
        let played = play_with(&shown, rulings, inputs, seed)?;
        let Some((row, places)) = next_roll(&played.transcript, &looked_for) else { return Ok(shown) };
        let expected = expected_rows(&played.transcript);
        if let Some(found) = aligned(&expected, row, &printed.masked) {
            for (place, die) in places.iter().zip(whole_numbers(printed.rows[found])) {
                shown.0.extend(die.map(|die| (*place, die)));
            }
        }
        looked_for.extend(places);
    }
}

/// The first line with dice that were not looked for: its piped line, and the places of its dice.
fn next_roll(transcript: &Transcript, looked_for: &[Place]) -> Option<(usize, &'static [Place])> {
    const ROLLS: [(&str, &[Place]); 4] = [
        (rules::ROLL.id, &[Place::PlayerFirst, Place::PlayerSecond]),
        (rules::THIRD.id, &[Place::PlayerThird]),
        (rules::COMPUTER_ROLL.id, &[Place::ComputerFirst, Place::ComputerSecond]),
        (rules::COMPUTER_THIRD.id, &[Place::ComputerThird]),
    ];
    let mut row = 0;
    for line in &transcript.lines {
        let rule = line.note.as_ref().map_or("", |note| note.rule.id);
        if let Some((_, places)) = ROLLS.iter().find(|(id, _)| *id == rule)
            && !looked_for.contains(&places[0])
        {
            return Some((row, places));
        }
        row += usize::from(!line.is_prompt());
    }
    None
}

fn expected_rows(transcript: &Transcript) -> Vec<String> {
    let mut text = String::new();
    for piece in transcript.piped().pieces {
        match piece.kind {
            PieceKind::Span(Segment::Text(said)) => text.push_str(&said),
            PieceKind::LineEnd => text.push('\n'),
            _ => {}
        }
    }
    text.split('\n').map(|row| masked(row.as_bytes())).collect()
}

/// The printed line that belongs to an expected one, whatever the numbers in them.
fn aligned(expected: &[String], row: usize, printed: &[String]) -> Option<usize> {
    let deadline = Instant::now() + Duration::from_millis(200);
    for op in capture_diff_slices_deadline(Algorithm::Myers, expected, printed, Some(deadline)) {
        let old = op.old_range();
        if !old.contains(&row) {
            continue;
        }
        return match op {
            DiffOp::Equal { old_index, new_index, .. } => Some(new_index + row - old_index),
            DiffOp::Replace { .. } => {
                let likeness =
                    |found: &usize| (TextDiff::from_chars(&expected[row], &printed[*found]).ratio() * 1000.0) as u32;
                // A line that is right elsewhere is no roll.
                let is_other = |found: &usize| expected.contains(&printed[*found]);
                op.new_range()
                    .filter(|found| !is_other(found))
                    .max_by_key(|found| (likeness(found), usize::MAX - found))
                    .filter(|found| likeness(found) >= 500)
            }
            _ => None,
        };
    }
    None
}

/// A line's letters, with a mark for each number.
fn masked(row: &[u8]) -> String {
    let mut masked = String::new();
    for item in items(row) {
        match item.kind {
            Kind::Number => masked.push('#'),
            kind if kind.is_content() => {
                masked.push_str(
                    &String::from_utf8_lossy(&row[item.start as usize..item.end as usize]).to_ascii_lowercase(),
                );
            }
            _ => {}
        }
    }
    masked
}

/// The numbers of a line; nothing for one that is no whole number, or none that a die could ever show.
fn whole_numbers(row: &[u8]) -> Vec<Option<i64>> {
    let numbers = items(row).into_iter().filter(|item| item.kind == Kind::Number);
    let text = numbers.map(|item| String::from_utf8_lossy(&row[item.start as usize..item.end as usize]).into_owned());
    text.map(|text| text.parse().ok().filter(|die: &i64| die.abs() <= 1_000)).collect()
}

/// So many dice have to be seen before anything is said of what they never do: that a fair die shows one number
/// twelve times in a row happens once in more than 300 million times.
const ENOUGH: usize = 12;
/// Of so many dice each face has to be seen.
const ENOUGH_FOR_ALL_FACES: usize = 60;

/// What is wrong with the dice of all runs as a whole; nothing if they are fair.
pub fn unfair(runs: &[Shown]) -> Option<String> {
    let at = |place: Place| runs.iter().filter_map(move |run| run.0.get(&place).copied());
    for place in Place::ALL {
        if let Some(face) = at(place).find(|face| !(1..=6).contains(face)) {
            return Some(format!("{} showed {face}, and a die has only 1 to 6", place.name()));
        }
    }
    for place in Place::ALL {
        let faces: Vec<i64> = at(place).collect();
        if faces.len() < ENOUGH {
            return Some(format!("{} could be read in only {} of {} games", place.name(), faces.len(), runs.len()));
        }
        if faces.iter().all(|face| *face == faces[0]) {
            return Some(format!("{} showed {} in every game", place.name(), faces[0]));
        }
    }
    for (index, &one) in Place::ALL.iter().enumerate() {
        for &other in &Place::ALL[index + 1..] {
            let both: Vec<_> = runs.iter().filter_map(|run| Some((run.0.get(&one)?, run.0.get(&other)?))).collect();
            if both.len() >= ENOUGH && both.iter().all(|(one, other)| one == other) {
                return Some(format!("{} showed what {} shows in every game", other.name(), one.name()));
            }
        }
    }
    let missing = |faces: &[i64]| {
        (faces.len() >= ENOUGH_FOR_ALL_FACES).then(|| (1..=6).find(|face| !faces.contains(face))).flatten()
    };
    for place in Place::ALL {
        let faces: Vec<i64> = at(place).collect();
        if let Some(face) = missing(&faces) {
            return Some(format!("{} never showed {face} in {} games", place.name(), faces.len()));
        }
    }
    let all: Vec<i64> = Place::ALL.into_iter().flat_map(at).collect();
    missing(&all).map(|face| format!("none of {} dice showed {face}", all.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "Welcome to Doubles!  You play first:\nYou rolled 6 and 3\nYour score is 9\nDo you want to throw the third die (y or n)?: Your third die is 5\nYour total score is 11\n\nThe computer plays next:\nThe computer rolled 2 and 2\nA Double!\nIts score is 8\nThe computer will throw a third die.\nIt is a 3\nThe computer's score is reduced.\nThe computer's total score is 5\n\nCongratulations --- you won!\nPress Enter to finish";

    fn play(printed: &str) -> (String, Vec<i64>) {
        let inputs = ["y".to_owned(), String::new()];
        let rows = Rows::new(printed.as_bytes());
        let rulings = Game::Doubles.default_rulings();
        let shown = read(&rulings, &inputs, &1.into(), &rows).unwrap();
        let played = play_with(&shown, &rulings, &inputs, &1.into()).unwrap();
        (played.transcript.piped().to_string(), shown.0.into_values().collect())
    }

    #[test]
    fn the_sample_is_played_with_its_own_dice() {
        assert_eq!(play(SAMPLE), (SAMPLE.to_owned(), vec![6, 3, 5, 2, 2, 3]));
    }

    #[test]
    fn other_words_around_the_dice_do_not_hide_them() {
        let printed = SAMPLE.replace("You rolled", "You have rolled a").replace("A Double!\n", "");
        assert_eq!(play(&printed).1, [6, 3, 5, 2, 2, 3]);
    }

    #[test]
    fn a_die_that_is_no_whole_number_comes_from_the_seed() {
        let (piped, dice) = play(&SAMPLE.replace("6 and 3", "6.0 and 3"));
        assert_eq!(dice[..2], [3, 5], "{dice:?}");
        assert!(piped.starts_with("Welcome to Doubles!  You play first:\nYou rolled 2 and 3\n"), "{piped}");
    }

    fn runs(dice: impl Fn(u64, Place) -> i64) -> Vec<Shown> {
        (0..200).map(|run| Shown(Place::ALL.into_iter().map(|place| (place, dice(run, place))).collect())).collect()
    }

    fn fair(run: u64, place: Place) -> i64 {
        let mut stream = seeded_dice(&run.into());
        (0..=place as usize).map(|_| stream(place)).last().unwrap()
    }

    #[test]
    fn unfair_dice_are_told() {
        let unfair = |dice: &dyn Fn(u64, Place) -> i64| unfair(&runs(dice)).unwrap_or_default();
        assert_eq!(unfair(&fair), "");
        assert!(unfair(&|run, place| fair(run, place) + 1).contains("showed 7"));
        assert!(unfair(&|_, place| fair(3, place)).contains("in every game"));
        assert!(unfair(&|run, place| fair(run, place).min(5)).contains("never showed 6"));
        let third_is_first =
            |run, place| fair(run, if place == Place::PlayerThird { Place::PlayerFirst } else { place });
        assert_eq!(unfair(&third_is_first), "your third die showed what your first die shows in every game");
        assert!(super::unfair(&[]).is_some());
    }
}
