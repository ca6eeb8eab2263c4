//! Seeds of any size.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;
use serde::de::{Deserialize, Deserializer};

use super::value::{Fault, TextVisitor};

/// The whole number with which Python's `random` is seeded; of any size and sign.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(BigInt);

/// Text that is no whole number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no seed: a seed is a whole number such as 2880 or -4")]
pub struct NoSeed(String);

impl Seed {
    /// The longest seed, in digits.
    pub const MOST_DIGITS: usize = 1000;

    /// The number.
    pub fn number(&self) -> &BigInt {
        &self.0
    }

    /// The seed that is so many higher.
    #[must_use]
    pub fn plus(&self, steps: u32) -> Seed {
        Seed(&self.0 + steps)
    }
}

impl From<BigInt> for Seed {
    fn from(number: BigInt) -> Self {
        Seed(number)
    }
}

impl FromStr for Seed {
    type Err = NoSeed;

    fn from_str(text: &str) -> Result<Self, NoSeed> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || digits.len() > Seed::MOST_DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NoSeed(text.to_owned()));
        }
        text.parse().map(Seed).map_err(|_| NoSeed(text.to_owned()))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// From the characters that stand in the file: beyond 128 bits the parser would hand over a rounded float.
impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor("a whole number such as `2880` or `-4`", |text: &str| {
            text.parse().map_err(|_| {
                Fault::new(
                    format!("{text:?} is no seed"),
                    format!(
                        "a seed is a whole number in decimal digits, at most {}: `2880` or `-4`",
                        Seed::MOST_DIGITS
                    ),
                )
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_any_size_and_sign() {
        let huge = format!("-1{}", "0".repeat(40));
        for text in ["0", "4", "-4", "340282366920938463463374607431768211456", &huge] {
            assert_eq!(text.parse::<Seed>().unwrap().to_string(), text);
        }
        assert_eq!("-0".parse::<Seed>().unwrap().to_string(), "0");
        assert_eq!("-1".parse::<Seed>().unwrap().plus(3).to_string(), "2");
        for text in ["", "-", "+4", "4.0", "1e3", "0x10", "1_000", " 4", "four", &"1".repeat(1001)] {
            assert!(text.parse::<Seed>().is_err(), "{text:?}");
        }
    }
}
