//! Who handed something in.

use std::collections::BTreeMap;
use std::path::Path;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::Share;
use super::digest;
use crate::run::Upload;
use crate::shared::is_python_name;

/// The submissions that are to be graded, in the order of their keys.
#[derive(Debug, Clone)]
pub struct Roster {
    /// These, or this share of them.
    pub students: Vec<Student>,
    /// How many there are in all shares together.
    pub whole: usize,
    /// Tells the keys of all shares together from others.
    pub fingerprint: String,
}

/// One submission before it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Student {
    /// Whose it is.
    pub key: String,
    /// What was handed in, or why there is nothing that could be graded.
    pub upload: Result<Upload, String>,
}

impl Roster {
    /// The roster of all uploads. A key is what the pattern's first group matches in a name (all that it matches, if it
    /// has no group), and without a pattern the name, that of a file without its `.py`.
    #[must_use]
    pub fn new(uploads: Vec<Upload>, pattern: Option<&Regex>) -> Roster {
        let mut by_key: BTreeMap<String, Vec<Result<Upload, String>>> = BTreeMap::new();
        for upload in uploads {
            match (pattern, pattern.and_then(|pattern| matched(pattern, &upload.name))) {
                (Some(_), None) => {
                    let reason = format!("{} has no key: --key does not match this name", upload.name);
                    by_key.entry(composed(&upload.name)).or_default().push(Err(reason));
                }
                (_, Some(key)) => by_key.entry(composed(&key)).or_default().push(Ok(upload)),
                (None, None) => by_key.entry(composed(&stem(&upload))).or_default().push(Ok(upload)),
            }
        }
        let fingerprint = digest::of(by_key.keys());
        let students = by_key.into_iter().map(|(key, mut found)| match found.pop() {
            Some(upload) if found.is_empty() => Student { key, upload },
            last => {
                let names = found.iter().chain(&last).filter_map(|upload| upload.as_ref().ok());
                let names: Vec<&str> = names.map(|upload| upload.name.as_str()).collect();
                let reason =
                    format!("several submissions have this key, and none of them is chosen: {}", names.join(", "));
                Student { key, upload: Err(reason) }
            }
        });
        let students: Vec<Student> = students.collect();
        Roster { whole: students.len(), students, fingerprint }
    }

    /// One share of it.
    #[must_use]
    pub fn share(mut self, share: Share) -> Roster {
        self.students.retain(|student| share.has(&student.key));
        self
    }
}

fn matched(pattern: &Regex, name: &str) -> Option<String> {
    let groups = pattern.captures(name)?;
    let key = groups.iter().flatten().nth(1).or(groups.get(0))?.as_str();
    (!key.is_empty()).then(|| key.to_owned())
}

/// Some systems write ü as one character in a name, others as two.
fn composed(key: &str) -> String {
    key.nfc().collect()
}

fn stem(upload: &Upload) -> String {
    let path = Path::new(&upload.name);
    let is_python = !upload.is_folder && is_python_name(path);
    let stem = path.file_stem().filter(|_| is_python).map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_else(|| upload.name.clone())
}

/// A folder's name for a key: the key itself where that is a good name on every system, and otherwise what can be kept
/// of it and the beginning of its hash. No two keys have the same, in whatever case a system reads it.
#[must_use]
pub fn folder(key: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let starts_well = key.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    // Windows has devices of these names; and a name with a hash at its end is another key's.
    let is_device = ["con", "prn", "aux", "nul"].contains(&key)
        || key.len() == 4 && (key.starts_with("com") || key.starts_with("lpt"));
    let looks_hashed =
        key.rsplit_once('-').is_some_and(|(_, end)| end.len() == HASH && end.bytes().all(|b| b.is_ascii_hexdigit()));
    if starts_well && key.len() <= 64 && key.chars().all(is_plain) && !is_device && !looks_hashed {
        return key.to_owned();
    }
    let kept: String = key.chars().map(|c| if is_plain(c) { c } else { c.to_ascii_lowercase() }).collect();
    let kept: String = kept.chars().map(|c| if is_plain(c) { c } else { '_' }).take(40).collect();
    let kept = match kept.trim_start_matches(['-', '_']) {
        "" => "x",
        kept => kept,
    };
    format!("{kept}-{}", &digest::of([key])[..HASH])
}

/// How many digits of a hash keep the folders of a class apart.
const HASH: usize = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn folders_are_safe_and_each_key_has_its_own() {
        let keys = [
            "alice",
            "Alice",
            "ALICE",
            "alice.py",
            "a/b",
            "..",
            ".",
            "",
            "con",
            "CON",
            "com1",
            "nul",
            "-rf",
            "_",
            "a b",
            "a_b",
            "a\nb",
            "a\u{202e}b",
            "ä",
            "Ä",
            "journal.jsonl",
            "index.html",
            "x".repeat(300).as_str(),
            &folder("Alice"),
            &folder("ä"),
            folder("ä").trim_start_matches("x-"),
            "a:b",
            "a.",
            "a ",
            "Jane Doe_1234567_assignsubmission_file_",
        ]
        .map(str::to_owned);
        let mut seen = BTreeSet::new();
        for key in &keys {
            let folder = folder(key);
            let safe = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
            assert!(folder.chars().all(safe) && !folder.is_empty() && folder.len() <= 64, "{key:?} {folder:?}");
            assert!(folder.starts_with(|c: char| c.is_ascii_alphanumeric()), "{key:?} {folder:?}");
            assert!(seen.insert(folder.clone()), "{key:?} {folder:?}");
        }
        assert_eq!(folder("alice"), "alice");
        assert_eq!(folder("jane-doe_7"), "jane-doe_7");
    }
}
