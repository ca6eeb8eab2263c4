//! Hashes that tell whether something is still what it was.

use sha2::{Digest, Sha256};

use crate::assignment::{Assignment, Task};
use crate::run::Submission;
use crate::shared::digits;

/// The SHA-256 of several parts, in hexadecimal digits. Where one part ends and the next begins counts.
pub(super) fn of<T: AsRef<[u8]>>(parts: impl IntoIterator<Item = T>) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        let part = part.as_ref();
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    digits(hasher.finalize())
}

/// A submission: its files and their names.
pub(super) fn of_submission(submission: &Submission) -> String {
    let program = (submission.file_name().as_encoded_bytes(), submission.source());
    let siblings = submission.siblings().map(|(path, bytes)| (path.as_os_str().as_encoded_bytes(), bytes));
    of([program].into_iter().chain(siblings).flat_map(|(name, bytes)| [name, bytes]))
}

/// All of an assignment that a submission's marks depend on, and the version of `check` that judges by it.
pub(super) fn of_assignment(assignment: &Assignment) -> String {
    let Assignment { name, title, game, limits, presentation_credit, rulings, cases, checks, calls, source: _ } =
        assignment;
    let mut parts = vec![
        env!("CARGO_PKG_VERSION").to_owned(),
        name.clone(),
        title.clone(),
        game.name().to_owned(),
        format!("{limits:?} {presentation_credit:?}"),
    ];
    parts.extend(rulings.iter().map(|accepted| format!("{}={}", accepted.question.id, accepted.answers.join(","))));
    for case in cases {
        parts.extend([case.id.as_str().to_owned(), case.title.clone(), case.points.to_string()]);
        parts.push(format!("{:?}", case.visibility));
        parts.push(match &case.task {
            Task::Script(script) => format!("{:?} {:?}", script.seed, script.transcript.text),
            Task::Dice(dice) => format!("{dice:?}"),
        });
        parts.extend(case.inputs().iter().cloned());
    }
    parts.extend(checks.iter().map(|check| format!("{check:?}")));
    parts.extend(calls.iter().map(|case| format!("{case:?}")));
    of(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_sha_256_and_parts_are_kept_apart() {
        let none: [&str; 0] = [];
        assert_eq!(of(none), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_ne!(of(["ab", "c"]), of(["a", "bc"]));
        assert_ne!(of(["a"]), of(["a", ""]));
    }

    #[test]
    fn an_assignment_that_marks_otherwise_is_another() {
        let racko = Assignment::built_in("racko").unwrap();
        let mut other = racko.clone();
        assert_eq!(of_assignment(&racko), of_assignment(&other));
        other.cases[0].title.push('!');
        assert_ne!(of_assignment(&racko), of_assignment(&other));
    }
}
