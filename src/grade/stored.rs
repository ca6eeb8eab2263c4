//! The stored transcripts of an assignment, held against the reference.

use reference::{play_script, seeded_dice};

use super::{GradeError, unfit};
use crate::assignment::{Assignment, Case, Position, Script};

/// Proves that each stored transcript is what the reference says under the assignment's default rulings.
///
/// # Errors
/// The first line of the first transcript that is not, or an input that the game can't take.
pub fn verify(assignment: &Assignment) -> Result<(), GradeError> {
    assignment
        .cases
        .iter()
        .try_for_each(|case| case.script().map_or(Ok(()), |script| verify_case(assignment, case, script)))
}

fn verify_case(assignment: &Assignment, case: &Case, script: &Script) -> Result<(), GradeError> {
    let combinations = assignment.combinations();
    let seed = script.seed.as_ref().map(|seed| seed.number().clone()).unwrap_or_default();
    let played = play_script(assignment.game, &combinations[0], &script.inputs, &mut seeded_dice(&seed))
        .map_err(|stop| unfit(assignment, case, stop))?;
    let expected = played.transcript.to_string();
    let stored = &script.transcript;
    stored.parse()?;
    if stored.text == expected {
        return Ok(());
    }
    let (mut theirs, mut own) = (expected.split_inclusive('\n'), stored.text.split_inclusive('\n'));
    let mut line = 1;
    loop {
        match (theirs.next(), own.next()) {
            (Some(theirs), Some(own)) if theirs == own => line += 1,
            (theirs, own) => {
                let same = theirs
                    .unwrap_or_default()
                    .chars()
                    .zip(own.unwrap_or_default().chars())
                    .take_while(|(a, b)| a == b)
                    .count();
                let message = match (theirs, own) {
                    (None, _) => "the reference says nothing more here".to_owned(),
                    (Some(theirs), None) => format!("the reference goes on with `{}`", theirs.trim_end_matches('\n')),
                    (Some(theirs), Some(_)) => format!("the reference says `{}` here", theirs.trim_end_matches('\n')),
                };
                let help = format!("`check transcript {}` shows what it says for these inputs", assignment.game.name());
                return Err(stored.error_at(Position { line, column: same + 1 }, message, help).into());
            }
        }
    }
}
