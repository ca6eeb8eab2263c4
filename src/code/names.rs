//! The name of the file.

use super::Finding;
use super::program::Program;

/// The file has this name, whatever its letter case and whatever a learning platform has put before or after it.
pub(super) fn file_name(program: &Program, wanted: &str) -> Finding {
    let name = program.main().name.as_str();
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    let (own, stem) = (stem(name), stem(wanted));
    // What is put there is no letter right beside it: `smith_48213_Doubles-2.py`.
    let is_there = own.match_indices(&stem).any(|(at, found)| {
        let before = own[..at].chars().next_back();
        let after = own[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphabetic) && !after.is_some_and(char::is_alphabetic)
    });
    if is_there {
        Finding::Kept
    } else {
        Finding::broken(None, format!("the file is named `{name}`, and not `{wanted}`"))
    }
}
