//! What the files may say, key by key. Only `assemble` sees these.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reference::Game;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::calls::{Printed, RawCalls, RawReturns};
use super::case::{DiceRuns, Visibility};
use super::checks::{CallPattern, Commented, Construct, Finding, Name, RuleId, Signature, StartingList, Topic, Words};
use super::error::did_you_mean;
use super::limits::Limits;
use super::nearest::nearest;
use super::value::{Fault, Found, FromYaml, List, ListVisitor, from_yaml, given};
use super::{CaseId, Points, Seed, Share};

/// `assignment.yaml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the keys of an assignment: `title: …`, `game: …`, `cases: […]`")]
pub(super) struct RawAssignment {
    #[serde(default, deserialize_with = "given")]
    pub(super) title: Option<Title>,
    #[serde(default, deserialize_with = "given")]
    pub(super) game: Option<GameName>,
    #[serde(default, deserialize_with = "given")]
    pub(super) limits: Option<RawLimits>,
    #[serde(default, deserialize_with = "given")]
    pub(super) presentation_credit: Option<Share>,
    #[serde(default, deserialize_with = "given")]
    pub(super) rulings: Option<RawRulings>,
    #[serde(default, deserialize_with = "given")]
    pub(super) cases: Option<List<CaseId>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) checks: Option<Vec<RawCheck>>,
}

/// One of `checks` in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the keys of a check: `id: …` and what it asks for, such as `function: …`")]
pub(super) struct RawCheck {
    #[serde(default, deserialize_with = "given")]
    pub(super) id: Option<CaseId>,
    #[serde(default, deserialize_with = "given")]
    pub(super) points: Option<Points>,
    #[serde(default, deserialize_with = "given")]
    pub(super) finding: Option<Finding>,
    #[serde(default, deserialize_with = "given")]
    pub(super) rule: Option<RuleId>,
    #[serde(default, deserialize_with = "given")]
    pub(super) function: Option<Signature>,
    #[serde(default, deserialize_with = "given")]
    pub(super) list: Option<StartingList>,
    #[serde(default, deserialize_with = "given")]
    pub(super) comments: Option<List<Commented>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) documents: Option<Topic>,
    #[serde(default, deserialize_with = "given")]
    pub(super) header: Option<List<Words>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) file_name: Option<Words>,
    #[serde(default, deserialize_with = "given")]
    pub(super) call: Option<CallPattern>,
    #[serde(default, deserialize_with = "given")]
    pub(super) imports: Option<List<Name>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) only_imports: Option<List<Name>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) forbidden_calls: Option<List<Name>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) forbidden_constructs: Option<List<Construct>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) within: Option<Name>,
}

/// `limits` in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the keys of limits: `time` in seconds, `output` in bytes, `memory` in MiB")]
pub(super) struct RawLimits {
    #[serde(default, deserialize_with = "given")]
    pub(super) time: Option<Seconds>,
    #[serde(default, deserialize_with = "given")]
    pub(super) output: Option<OutputBytes>,
    #[serde(default, deserialize_with = "given")]
    pub(super) memory: Option<MemoryMib>,
}

/// A case file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the keys of a case: `title: …`, `inputs: […]`")]
pub(super) struct RawCase {
    #[serde(default, deserialize_with = "given")]
    pub(super) title: Option<Title>,
    #[serde(default, deserialize_with = "given")]
    pub(super) points: Option<Points>,
    #[serde(default, deserialize_with = "given")]
    pub(super) visibility: Option<Visibility>,
    #[serde(default, deserialize_with = "given")]
    pub(super) seed: Option<Seed>,
    #[serde(default, deserialize_with = "given")]
    pub(super) inputs: Option<List<Input>>,
    #[serde(default, deserialize_with = "given")]
    pub(super) dice: Option<RawDice>,
    #[serde(default, deserialize_with = "given")]
    pub(super) call: Option<RawCalls>,
    #[serde(default, deserialize_with = "given")]
    pub(super) finding: Option<Finding>,
    #[serde(default, deserialize_with = "given")]
    pub(super) rule: Option<RuleId>,
    #[serde(default, deserialize_with = "given")]
    pub(super) returns: Option<RawReturns>,
    #[serde(default, deserialize_with = "given")]
    pub(super) prints: Option<Printed>,
    #[serde(default, deserialize_with = "given")]
    pub(super) lists: Option<BTreeMap<String, Vec<i64>>>,
}

/// `dice` in it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the keys of dice: `runs`, `first_seed` and `inputs`")]
pub(super) struct RawDice {
    #[serde(default, deserialize_with = "given")]
    pub(super) runs: Option<RunCount>,
    #[serde(default, deserialize_with = "given")]
    pub(super) first_seed: Option<Seed>,
    #[serde(default, deserialize_with = "given")]
    pub(super) inputs: Option<List<Input>>,
}

/// A title.
#[derive(Debug)]
pub(super) struct Title(pub(super) String);

impl FromYaml for Title {
    const WANTED: &'static str = "a title";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text(text) if text.trim().is_empty() => Err(Fault::new(
                "the title is empty",
                "say in a few words what this is about: `title: a bust on the second dart`",
            )),
            Found::Text(text) if text.trim().chars().any(char::is_control) => {
                Err(Fault::new("a title is one line, without control characters", "write it as one line of plain text"))
            }
            Found::Text(text) => Ok(Title(text.trim().to_owned())),
            Found::Number(_) | Found::Bool(_) => {
                Err(Fault::new(format!("this is {found}, and not a title"), "put the title in quotes"))
            }
            _ => Err(found.instead_of::<Self>()),
        }
    }
}

from_yaml!(Title);

/// The name of a game.
#[derive(Debug)]
pub(super) struct GameName(pub(super) Game);

impl FromYaml for GameName {
    const WANTED: &'static str = "a game's name such as `darts`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(name) = found else {
            return Err(found.instead_of::<Self>());
        };
        Game::from_name(name).map(GameName).ok_or_else(|| {
            let names = Game::ALL.map(Game::name);
            Fault::new(
                format!("there is no game {name:?}{}", did_you_mean(nearest(name, names))),
                format!("the games are {}", names.join(", ")),
            )
        })
    }
}

from_yaml!(GameName);

impl FromYaml for Visibility {
    const WANTED: &'static str = "`visible` or `hidden`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text("visible") => Ok(Visibility::Visible),
            Found::Text("hidden") => Ok(Visibility::Hidden),
            _ => {
                let meant = if let Found::Text(text) = found { nearest(text, ["visible", "hidden"]) } else { None };
                Err(Fault::new(
                    format!("a case is `visible` or `hidden`, and this is {found}{}", did_you_mean(meant)),
                    "of a hidden case only title and verdict are shown; a case is visible unless it says otherwise",
                ))
            }
        }
    }
}

from_yaml!(Visibility);

/// One line that is typed.
#[derive(Debug)]
pub(super) struct Input(pub(super) String);

impl FromYaml for Input {
    const WANTED: &'static str = "a quoted string such as \"60\"";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text(text) if text.contains(['\n', '\r']) => Err(Fault::new(
                "an input is one line, and this one has a line break in it",
                "write two inputs, each in its own quotes",
            )),
            Found::Text(text) => Ok(Input((*text).to_owned())),
            Found::Number(number) => Err(Fault::new(
                format!("an input must be a quoted string, and this is {found}"),
                format!("put it in quotes: \"{number}\""),
            )),
            Found::Bool(value) => Err(Fault::new(
                format!("an input must be a quoted string, and this is {found}"),
                format!("put it in quotes: \"{value}\""),
            )),
            Found::Nothing => {
                Err(Fault::new("an input must be a quoted string, and this is nothing", "for an empty line write \"\""))
            }
            _ => Err(Fault::new(
                format!("an input must be a quoted string, and this is {found}"),
                "write one list of quoted strings",
            )),
        }
    }
}

from_yaml!(Input);

/// A time limit.
#[derive(Debug)]
pub(super) struct Seconds(pub(super) Duration);

impl FromYaml for Seconds {
    const WANTED: &'static str = "a number of seconds such as `5` or `0.5`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Number(number) = found else {
            return Err(found.instead_of::<Self>());
        };
        let time = number.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match time {
            Some(time) if !time.is_zero() && time <= Duration::from_secs(Limits::MOST_SECONDS) => Ok(Seconds(time)),
            _ => Err(Fault::new(
                format!("{number} seconds can't be a time limit"),
                format!("a time limit is more than 0 and at most {} seconds: `time: 5`", Limits::MOST_SECONDS),
            )),
        }
    }
}

from_yaml!(Seconds);

/// A whole number within bounds, and the type that holds it.
macro_rules! whole_number {
    ($(#[$doc:meta])* $name:ident($type:ty), $wanted:literal, $range:expr, $what:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name(pub(super) $type);

        impl FromYaml for $name {
            const WANTED: &'static str = $wanted;

            fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
                let Found::Number(number) = found else { return Err(found.instead_of::<Self>()) };
                let range = $range;
                number.parse().ok().filter(|value| range.contains(value)).map($name).ok_or_else(|| {
                    Fault::new(
                        format!(concat!("{} can't be ", $what), number),
                        format!("it is a whole number from {} to {}", range.start(), range.end()),
                    )
                })
            }
        }

        from_yaml!($name);
    };
}

whole_number!(
    /// An output limit.
    OutputBytes(u64), "a number of bytes such as `1048576`", 1..=Limits::MOST_OUTPUT, "an output limit in bytes"
);
whole_number!(
    /// A memory limit.
    MemoryMib(u64), "a number of MiB such as `512`", Limits::LEAST_MEMORY_MIB..=Limits::MOST_MEMORY_MIB, "a memory limit in MiB"
);
whole_number!(
    /// How often the dice are tried.
    RunCount(u32), "a number of runs such as `150`", 1..=DiceRuns::MOST_RUNS, "a number of runs"
);

/// `rulings`: questions in the order in which they stand, each with what is accepted.
#[derive(Debug)]
pub(super) struct RawRulings(pub(super) Vec<(String, RawAnswers)>);

impl<'de> Deserialize<'de> for RawRulings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RulingsVisitor;

        impl<'de> Visitor<'de> for RulingsVisitor {
            type Value = RawRulings;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("questions with what is accepted: `double-out: even`, or `double-out: [double, even]`")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<RawRulings, A::Error> {
                let mut rulings = Vec::new();
                while let Some(entry) = mapping.next_entry()? {
                    rulings.push(entry);
                }
                Ok(RawRulings(rulings))
            }
        }

        deserializer.deserialize_any(RulingsVisitor)
    }
}

/// The accepted answers to one question.
#[derive(Debug)]
pub(super) struct RawAnswers {
    pub(super) answers: Vec<Answer>,
}

impl<'de> Deserialize<'de> for RawAnswers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let visitor = ListVisitor { one: Some(Answer::from_yaml) };
        deserializer.deserialize_any(visitor).map(|answers| RawAnswers { answers })
    }
}

/// The id of an answer.
#[derive(Debug)]
pub(super) struct Answer(pub(super) String);

impl FromYaml for Answer {
    const WANTED: &'static str = "an answer's id such as `at-once`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text(text) => Ok(Answer((*text).to_owned())),
            _ => Err(found.instead_of::<Self>()),
        }
    }
}

from_yaml!(Answer);
