//! A class graded on several machines: each takes a share, which depends on the keys alone.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

/// One of several shares of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    number: u32,
    of: u32,
}

/// Text that names no share.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a share is its number and how many there are, such as 3/16: the first is 1/16, the last 16/16")]
pub struct NoShare;

impl Share {
    /// All of it.
    pub const WHOLE: Share = Share { number: 1, of: 1 };

    /// Which one, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number
    }

    /// How many there are.
    #[must_use]
    pub fn of(self) -> u32 {
        self.of
    }

    /// Whether the submission of this key belongs to it. Every key belongs to exactly one of them.
    #[must_use]
    pub fn has(self, key: &str) -> bool {
        let hash = Sha256::digest(key);
        let number = hash.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl FromStr for Share {
    type Err = NoShare;

    fn from_str(text: &str) -> Result<Share, NoShare> {
        let (number, of) = text.split_once('/').ok_or(NoShare)?;
        let whole = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
        let (Some(number), Some(of)) = (whole(number), whole(of)) else { return Err(NoShare) };
        if (1..=of).contains(&number) { Ok(Share { number, of }) } else { Err(NoShare) }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_read_as_it_is_written() {
        let share: Share = "3/16".parse().unwrap();
        assert_eq!((share.number(), share.of(), share.to_string()), (3, 16, "3/16".to_owned()));
        for wrong in ["", "3", "0/3", "4/3", "1/0", "-1/3", "+1/3", "1/3/5", " 1/3", "a/b", "1/99999999999"] {
            assert_eq!(wrong.parse::<Share>(), Err(NoShare), "{wrong}");
        }
    }

    #[test]
    fn every_key_is_in_one_share_and_the_shares_are_about_as_large() {
        let shares: Vec<Share> = (1..=7).map(|number| format!("{number}/7").parse().unwrap()).collect();
        let mut counts = [0; 7];
        for student in 0..7_000 {
            let key = format!("student-{student}");
            let having: Vec<usize> = (0..7).filter(|&share| shares[share].has(&key)).collect();
            assert_eq!(having.len(), 1, "{key}");
            counts[having[0]] += 1;
            assert!(Share::WHOLE.has(&key));
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }
}
