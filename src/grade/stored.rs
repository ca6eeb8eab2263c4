//! The stored transcripts of an assignment, held against the reference.

use reference::Game;
use reference::transcript::Transcript;

use super::GradeError;
use crate::assignment::{Position, Script};

/// Proves that the stored transcript of a script is what the reference says under the assignment's default rulings.
///
/// # Errors
/// The first line that is not.
pub(super) fn verify(game: Game, script: &Script, played: &Transcript) -> Result<(), GradeError> {
    let expected = played.to_string();
    let stored = &script.transcript;
    if stored.text == expected {
        return Ok(());
    }
    stored.parse()?;
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
                let help = format!("`check transcript {}` shows what it says for these inputs", game.name());
                return Err(stored.error_at(Position { line, column: same + 1 }, message, help).into());
            }
        }
    }
}
