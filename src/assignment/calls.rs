//! Cases that call a function of the program by itself.

use std::fmt;

use reference::functions::Value;
use reference::rules::Rule;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};

use super::case::Visibility;
use super::checks::is_name;
use super::value::{Fault, Found, FromYaml, ListVisitor, from_yaml};
use super::{CaseId, Points};

/// A case of one call or several, each in a program that has done nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct CallCase {
    /// Its name, the stem of its file.
    pub id: CaseId,
    /// Its title, for a student; one line, not empty.
    pub title: String,
    /// What it is worth; nothing where what is found is only noted.
    pub points: Points,
    /// Whether what is found is no fault, only worth a note.
    pub is_note: bool,
    /// What a student may see of it.
    pub visibility: Visibility,
    /// The rule behind it, where the game has one.
    pub rule: Option<&'static Rule>,
    /// The calls; at least one.
    pub calls: Vec<Call>,
    /// What is typed in each call.
    pub inputs: Vec<String>,
    /// What is expected; the reference knows it where it is not said.
    pub expected: Option<ExpectedCall>,
}

/// One call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function's name.
    pub function: String,
    /// What it is given.
    pub arguments: Vec<Value>,
}

/// What is expected of a call. What is not said does not count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpectedCall {
    /// What it returns; of True and False only which of them it counts as.
    pub returns: Option<Value>,
    /// What it prints, of which letters and numbers count.
    pub prints: Option<String>,
    /// The lists that it was given, as they are then: which argument, from 0, and its numbers.
    pub lists: Vec<(usize, Vec<i64>)>,
}

impl CallCase {
    /// What is asked, in one plain sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.rule.map_or(&*self.title, |rule| rule.sentence).to_owned()
    }

    /// Whether only the verdict may be shown.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.visibility == Visibility::Hidden
    }
}

/// As it is written in Python.
impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments: Vec<String> = self.arguments.iter().map(Value::to_string).collect();
        write!(f, "{}({})", self.function, arguments.join(", "))
    }
}

/// One entry of `call`: a call, or one for each number of a range.
#[derive(Debug)]
pub(super) struct Calls(Vec<Call>);

/// The most calls of one entry.
const MOST_CALLS: i64 = 1000;

impl FromYaml for Calls {
    const WANTED: &'static str = "a call such as `is_dart_valid(60)`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(text) = found else { return Err(found.instead_of::<Self>()) };
        let fault = || {
            Fault::new(
                format!("{text:?} is no call of a function"),
                "write it as in Python, with whole numbers, lists of them and texts in double quotes: \
                 `get_rack([3, 1, 2], 2)`; `f(1..9)` is nine calls",
            )
        };
        let (function, rest) = text.split_once('(').ok_or_else(fault)?;
        let function = function.trim().to_owned();
        let inside = rest.trim_end().strip_suffix(')').filter(|_| is_name(&function)).ok_or_else(fault)?.trim();
        let one = |arguments| Call { function: function.clone(), arguments };
        let number = |text: &str| text.trim().parse::<i64>().ok();
        let range = inside.split_once("..").and_then(|(first, last)| Some((number(first)?, number(last)?)));
        if let Some((first, last)) = range {
            if first > last || last - first >= MOST_CALLS {
                return Err(fault());
            }
            return Ok(Calls((first..=last).map(|number| one(vec![Value::Number(number)])).collect()));
        }
        // Texts are as they are; between them Python's truth values are written as JSON's.
        let parts = inside.split('"').enumerate();
        let parts = parts.map(|(index, part)| match index % 2 {
            0 => part.replace("True", "true").replace("False", "false"),
            _ => part.to_owned(),
        });
        let arguments = parts.collect::<Vec<_>>().join("\"");
        let arguments: Vec<serde_json::Value> = serde_json::from_str(&format!("[{arguments}]")).map_err(|_| fault())?;
        let arguments: Option<Vec<Value>> = arguments.iter().map(value).collect();
        Ok(Calls(vec![one(arguments.ok_or_else(fault)?)]))
    }
}

from_yaml!(Calls);

/// A value as JSON writes it.
fn value(json: &serde_json::Value) -> Option<Value> {
    use serde_json::Value as Json;
    Some(match json {
        Json::Number(number) => Value::Number(number.as_i64()?),
        Json::Bool(truth) => Value::Truth(*truth),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(numbers) => Value::List(numbers.iter().map(Json::as_i64).collect::<Option<_>>()?),
        Json::Null | Json::Object(_) => return None,
    })
}

/// `call`: one entry or several.
#[derive(Debug)]
pub(super) struct RawCalls(pub(super) Vec<Call>);

impl<'de> Deserialize<'de> for RawCalls {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = ListVisitor { one: Some(Calls::from_yaml) };
        let entries = deserializer.deserialize_any(visitor)?;
        Ok(RawCalls(entries.into_iter().flat_map(|Calls(calls)| calls).collect()))
    }
}

/// `returns`: a number, a truth value, a text or a list of numbers.
#[derive(Debug)]
pub(super) struct RawReturns(pub(super) Value);

impl<'de> Deserialize<'de> for RawReturns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ReturnsVisitor;

        impl<'de> Visitor<'de> for ReturnsVisitor {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("what the function returns: `true`, `5`, `\"a text\"` or `[1, 2, 3]`")
            }

            fn visit_bool<E: Error>(self, truth: bool) -> Result<Value, E> {
                Ok(Value::Truth(truth))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Value, E> {
                Ok(Value::Number(number))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Value, E> {
                i64::try_from(number).map(Value::Number).map_err(E::custom)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut numbers = vec![];
                while let Some(number) = list.next_element()? {
                    numbers.push(number);
                }
                Ok(Value::List(numbers))
            }
        }

        deserializer.deserialize_any(ReturnsVisitor).map(RawReturns)
    }
}

/// `prints`: any text.
#[derive(Debug)]
pub(super) struct Printed(pub(super) String);

impl FromYaml for Printed {
    const WANTED: &'static str = "a text such as \"Treble 20\"";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text(text) => Ok(Printed((*text).to_owned())),
            _ => Err(found.instead_of::<Self>()),
        }
    }
}

from_yaml!(Printed);
