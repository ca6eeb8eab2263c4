//! Values as a YAML file gives them, and their way into our types.
//!
//! A value is refused inside a `Visitor`, because only there does the parser add the value's own line and column to an
//! error; an error raised later would have its mapping's.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// What is wrong with a value, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) message: String,
    pub(super) help: String,
}

/// Serde's errors are made of one text; these stand around and between the two parts of a fault. No YAML file can hold
/// this character, and values are quoted in an escaped form.
const MARK: char = '\u{1}';

impl Fault {
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Fault {
        Fault { message: message.into(), help: help.into() }
    }

    /// As serde carries it.
    pub(super) fn into_error<E: Error>(self) -> E {
        E::custom(format_args!("{MARK}{}{MARK}{}{MARK}", self.message, self.help))
    }

    /// From the text of an error that carried it, whatever the parser put around it.
    pub(super) fn from_error(text: &str) -> Option<Fault> {
        let mut parts = text.split(MARK).skip(1);
        let (message, help, _rest) = (parts.next()?, parts.next()?, parts.next()?);
        Some(Fault::new(message, help))
    }
}

/// What stands at the place of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Found<'a> {
    Text(&'a str),
    /// A number in its shortest decimal form.
    Number(&'a str),
    Bool(bool),
    List,
    Mapping,
    Nothing,
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Text(text) if text.chars().count() > 40 => f.write_str("a text"),
            Found::Text(text) => write!(f, "the text {text:?}"),
            Found::Number(number) => write!(f, "the number {number}"),
            Found::Bool(value) => write!(f, "the truth value {value}"),
            Found::List => f.write_str("a list"),
            Found::Mapping => f.write_str("a mapping"),
            Found::Nothing => f.write_str("nothing"),
        }
    }
}

impl Found<'_> {
    /// It is of a wrong type.
    pub(super) fn instead_of<T: FromYaml>(&self) -> Fault {
        let help = match self {
            Found::Text(text) if text.parse::<f64>().is_ok() => "take the quotes away".to_owned(),
            Found::Nothing => "write a value, or leave the key out".to_owned(),
            _ => format!("write {}", T::WANTED),
        };
        Fault::new(format!("this is {self}, and not {}", T::WANTED), help)
    }
}

/// A type that is read from a single value.
pub(super) trait FromYaml: Sized {
    /// What is wanted, with its article and an example.
    const WANTED: &'static str;

    /// The value, or what is wrong with it.
    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault>;
}

/// The visitor of such a type.
pub(super) struct ValueVisitor<T>(PhantomData<T>);

impl<T> ValueVisitor<T> {
    pub(super) fn new() -> Self {
        ValueVisitor(PhantomData)
    }
}

fn read<T: FromYaml, E: Error>(found: &Found<'_>) -> Result<T, E> {
    T::from_yaml(found).map_err(Fault::into_error)
}

impl<'de, T: FromYaml> Visitor<'de> for ValueVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WANTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        read(&Found::Text(text))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
        read(&Found::Bool(value))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        read(&Found::Number(&number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        read(&Found::Number(&number.to_string()))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<T, E> {
        read(&Found::Number(&number.to_string()))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<T, E> {
        read(&Found::Number(&number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        read(&Found::Number(&number.to_string()))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        read(&Found::Nothing)
    }

    fn visit_none<E: Error>(self) -> Result<T, E> {
        read(&Found::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _list: A) -> Result<T, A::Error> {
        read(&Found::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, _mapping: A) -> Result<T, A::Error> {
        read(&Found::Mapping)
    }
}

/// Gives a type that is `FromYaml` its `Deserialize`.
macro_rules! from_yaml {
    ($type:ty) => {
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($crate::assignment::value::ValueVisitor::<Self>::new())
            }
        }
    };
}
pub(super) use from_yaml;

/// The visitor of a type that is read from the very characters in the file: what is wanted, and how it is read.
pub(super) struct TextVisitor<F>(pub(super) &'static str, pub(super) F);

impl<'de, T, F: FnOnce(&str) -> Result<T, Fault>> Visitor<'de> for TextVisitor<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).map_err(Fault::into_error)
    }
}

/// A key that is there has a value, so that the default stands only for a key that is not.
pub(super) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// A list, and nothing that could be taken for one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct List<T>(pub(super) Vec<T>);

impl<'de, T: Deserialize<'de> + FromYaml> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor { one: None }).map(List)
    }
}

/// How a single value is read.
type ReadOne<T> = fn(&Found<'_>) -> Result<T, Fault>;

/// A list, or a single value where `one` says how it is read.
pub(super) struct ListVisitor<T> {
    pub(super) one: Option<ReadOne<T>>,
}

impl<T: FromYaml> ListVisitor<T> {
    fn single<E: Error>(&self, found: &Found<'_>) -> Result<Vec<T>, E> {
        let one = match self.one {
            Some(read) => read(found),
            None => Err(Fault::new(
                format!("this is {found}, and not a list"),
                format!("write a list in brackets, each entry {}", T::WANTED),
            )),
        };
        one.map(|one| vec![one]).map_err(Fault::into_error)
    }
}

impl<'de, T: Deserialize<'de> + FromYaml> Visitor<'de> for ListVisitor<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            entries.push(entry);
        }
        Ok(entries)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<T>, E> {
        self.single(&Found::Text(text))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Vec<T>, E> {
        self.single(&Found::Bool(value))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Vec<T>, E> {
        self.single(&Found::Number(&number.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Vec<T>, E> {
        self.single(&Found::Number(&number.to_string()))
    }

    fn visit_u128<E: Error>(self, number: u128) -> Result<Vec<T>, E> {
        self.single(&Found::Number(&number.to_string()))
    }

    fn visit_i128<E: Error>(self, number: i128) -> Result<Vec<T>, E> {
        self.single(&Found::Number(&number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Vec<T>, E> {
        self.single(&Found::Number(&number.to_string()))
    }

    fn visit_map<A: MapAccess<'de>>(self, _mapping: A) -> Result<Vec<T>, A::Error> {
        self.single(&Found::Mapping)
    }
}

/// A decimal number of so many places at most, 0 or more, in units of its last place: `7.5` with two places is 750.
pub(super) fn decimal(number: &str, places: usize) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if fraction.len() > places || !whole.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    format!("{whole}{fraction:0<places$}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_are_exact() {
        assert_eq!(decimal("2.55", 2), Some(255));
        assert_eq!(decimal("7", 2), Some(700));
        assert_eq!(decimal("0.5", 4), Some(5000));
        for bad in ["0.125", "-1", "NaN", "inf", "1e400", "", "99999999999999999999"] {
            assert_eq!(decimal(bad, 2), None, "{bad}");
        }
    }
}
