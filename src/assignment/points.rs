//! Points and shares of them, in whole hundredths so that sums are exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::value::{Fault, Found, FromYaml, decimal, from_yaml};

/// Points, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Points(u64);

impl Points {
    /// No points.
    pub const ZERO: Points = Points(0);
    /// One point.
    pub const ONE: Points = Points(100);
    /// The most that one case may be worth.
    pub const MOST: Points = Points(100_000_000);

    /// So many hundredths of a point.
    pub const fn from_hundredths(hundredths: u64) -> Points {
        Points(hundredths)
    }

    /// How many hundredths of a point.
    pub const fn hundredths(self) -> u64 {
        self.0
    }

    /// A share of the points, rounded half up to a hundredth. To be taken once a case, not of a sum.
    #[must_use]
    pub fn share(self, share: Share) -> Points {
        let whole = u128::from(Share::WHOLE.0);
        let exact = u128::from(self.0) * u128::from(share.0);
        Points(u64::try_from((exact + whole / 2) / whole).unwrap_or(u64::MAX))
    }

    /// Reads a sum of points back from a number: unlike those of one case it has no upper limit.
    ///
    /// # Errors
    /// If there is no number.
    pub fn deserialize_sum<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Points, D::Error> {
        let number = f64::deserialize(deserializer)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "there are no negative points")]
        Ok(Points((number * 100.0).round() as u64))
    }

    /// The points as a number, for JSON: the nearest there is.
    #[expect(clippy::cast_precision_loss, reason = "sums of points stay far below 2^53 hundredths")]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 100.0
    }

    /// How much of `maximum` this is, in percent; all of it if the maximum is nothing.
    pub fn percent_of(self, maximum: Points) -> f64 {
        if maximum == Points::ZERO { 100.0 } else { self.to_f64() * 100.0 / maximum.to_f64() }
    }
}

impl Add for Points {
    type Output = Points;

    fn add(self, other: Points) -> Points {
        Points(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Points) {
        *self = *self + other;
    }
}

impl Sum for Points {
    fn sum<I: Iterator<Item = Points>>(points: I) -> Points {
        points.fold(Points::ZERO, Add::add)
    }
}

/// As in the JSON report: one decimal, or two where they are needed.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, hundredths) = (self.0 / 100, self.0 % 100);
        f.pad(&if hundredths % 10 == 0 {
            format!("{whole}.{}", hundredths / 10)
        } else {
            format!("{whole}.{hundredths:02}")
        })
    }
}

impl Serialize for Points {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}

impl FromYaml for Points {
    const WANTED: &'static str = "a number of points such as `2` or `0.25`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Number(number) = found else {
            return Err(found.instead_of::<Self>());
        };
        let help = "points are 0 or more, with at most two decimals: `points: 2` or `points: 0.25`";
        if number.starts_with('-') {
            return Err(Fault::new(format!("points can't be negative, and {number} is"), help));
        }
        let Some(hundredths) = decimal(number, 2) else {
            return Err(Fault::new(format!("{number} has more than two decimals, or is no number of points"), help));
        };
        match Points(hundredths) {
            points if points <= Points::MOST => Ok(points),
            _ => Err(Fault::new(
                format!("{number} points are too many"),
                format!("a case is worth {} points at most", Points::MOST),
            )),
        }
    }
}

from_yaml!(Points);

/// A share of something, from none to all of it, in ten-thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Share(u32);

impl Share {
    /// None of it.
    pub const NONE: Share = Share(0);
    /// Half of it.
    pub const HALF: Share = Share(5_000);
    /// All of it.
    pub const WHOLE: Share = Share(10_000);

    /// The share as a number from 0 to 1.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Share::WHOLE.0)
    }
}

impl FromYaml for Share {
    const WANTED: &'static str = "a share from 0 to 1 such as `0.5`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Number(number) = found else {
            return Err(found.instead_of::<Self>());
        };
        let share = decimal(number, 4).and_then(|share| u32::try_from(share).ok()).map(Share);
        match share {
            Some(share) if share <= Share::WHOLE => Ok(share),
            Some(Share(percent)) if (2 * Share::WHOLE.0..=100 * Share::WHOLE.0).contains(&percent) => Err(Fault::new(
                format!("{number} is no share from 0 to 1"),
                format!("for {number} percent write `{}`", f64::from(percent) / 1_000_000.0),
            )),
            _ => Err(Fault::new(
                format!("{number} is no share from 0 to 1"),
                "a share lies between 0 (nothing) and 1 (all), with at most four decimals: `0.5`",
            )),
        }
    }
}

from_yaml!(Share);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_shown_as_in_the_json_report() {
        let shown = |hundredths| Points::from_hundredths(hundredths).to_string();
        assert_eq!(
            [0, 5, 10, 25, 100, 750, 1000, 1001].map(shown),
            ["0.0", "0.05", "0.1", "0.25", "1.0", "7.5", "10.0", "10.01"]
        );
        for hundredths in [0, 5, 10, 25, 100, 750, 1000, 1001, 99_999_999] {
            let points = Points::from_hundredths(hundredths);
            let json = serde_json::to_string(&points).unwrap();
            assert_eq!((json.as_str(), serde_json::from_str::<Points>(&json).unwrap()), (&*points.to_string(), points));
        }
    }

    #[test]
    fn a_sum_is_read_back_whatever_its_size() {
        for hundredths in [0, 5, 7_777, 99_999_999, 300_000_001] {
            let json = Points(hundredths).to_string();
            let mut json = serde_json::Deserializer::from_str(&json);
            assert_eq!(Points::deserialize_sum(&mut json).unwrap(), Points(hundredths));
        }
    }

    #[test]
    fn a_share_is_rounded_half_up() {
        let half = |hundredths| Points::from_hundredths(hundredths).share(Share::HALF).hundredths();
        assert_eq!([0, 1, 2, 3, 25, 100].map(half), [0, 1, 1, 2, 13, 50]);
        assert_eq!(Points::MOST.share(Share::WHOLE), Points::MOST);
        assert_eq!(Points::from_hundredths(100).share(Share(3_333)).hundredths(), 33);
        assert_eq!(Points::ONE.share(Share::NONE), Points::ZERO);
    }

    #[test]
    fn points_add_up_exactly() {
        let sum: Points = std::iter::repeat_n(Points::from_hundredths(10), 3).sum();
        assert_eq!(sum.to_string(), "0.3");
        let mut total = sum;
        total += Points::ONE;
        assert_eq!(total, Points::from_hundredths(130));
    }

    #[test]
    fn percent_of_nothing_is_all() {
        assert!((Points::ZERO.percent_of(Points::ZERO) - 100.0).abs() < f64::EPSILON);
        assert!((Points::from_hundredths(750).percent_of(Points::from_hundredths(1000)) - 75.0).abs() < 1e-9);
    }
}
