//! The name of a case.

use std::fmt;

use super::value::{Fault, Found, FromYaml, from_yaml};

/// The name of a case: lower-case letters and digits, in words joined by single hyphens. It is the stem of the case's
/// files on every system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CaseId(String);

impl CaseId {
    /// The longest id.
    pub const MOST_CHARACTERS: usize = 64;

    /// The id that is written so, if it can be one.
    pub fn parse(text: &str) -> Option<CaseId> {
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        (text.len() <= CaseId::MOST_CHARACTERS && text.split('-').all(is_word)).then(|| CaseId(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromYaml for CaseId {
    const WANTED: &'static str = "a case's id such as `model-game`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(text) = found else {
            return Err(found.instead_of::<Self>());
        };
        CaseId::parse(text).ok_or_else(|| {
            Fault::new(
                format!("{text:?} can't be the id of a case"),
                format!(
                    "an id is made of lower-case letters and digits, in words joined by hyphens, at most {} characters: `model-game`",
                    CaseId::MOST_CHARACTERS
                ),
            )
        })
    }
}

from_yaml!(CaseId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_safe_as_the_stem_of_a_file() {
        for good in ["a", "7", "model-game", "bust-at-1", "501"] {
            assert_eq!(CaseId::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "-", "a-", "-a", "a--b", "A", "a b", "a_b", "a/b", "..", "a.b", "é", "a\n", &"a".repeat(65)] {
            assert_eq!(CaseId::parse(bad), None, "{bad:?}");
        }
    }
}
