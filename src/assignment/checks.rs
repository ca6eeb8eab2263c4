//! What an assignment asks of the code itself.

use std::fmt;

use reference::rules::Rule;

use super::nearest::nearest;
use super::value::{Fault, Found, FromYaml, from_yaml};
use super::{CaseId, Points};
use crate::assignment::error::did_you_mean;

/// One thing that is asked of the code, found out without running it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its name; no case has the same.
    pub id: CaseId,
    /// What it is worth; nothing where what is found is only noted.
    pub points: Points,
    /// Whether what is found is no fault, only worth a note.
    pub is_note: bool,
    /// The rule behind it, where the game has one.
    pub rule: Option<&'static Rule>,
    /// What is asked.
    pub ask: Ask,
}

impl Check {
    /// What is asked, in one plain sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        self.rule.map_or_else(|| self.ask.to_string(), |rule| rule.sentence.to_owned())
    }
}

/// What can be asked of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// There is a function of this name and these parameters, and the program calls it.
    Function(Signature),
    /// A list of this name starts with these numbers.
    List(StartingList),
    /// Each of these has a comment.
    Comments(Vec<Commented>),
    /// Comments document this of the program, whose name is the assignment's title.
    Documents(Topic, String),
    /// Comment lines `label: value` before the first statement, none without its value; these labels among them.
    Header(Vec<String>),
    /// The name of the file.
    FileName(String),
    /// The program contains this call, such as `random.randrange(1, 7)`.
    Call(CallPattern),
    /// Each of these modules is imported.
    Imports(Vec<String>),
    /// No modules but these are imported.
    OnlyImports(Vec<String>),
    /// None of these is called: a name, or with a full stop before it a method's.
    NoCalls(Forbidden<String>),
    /// None of these stands in the code.
    NoConstructs(Forbidden<Construct>),
}

/// What must not be, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden<T> {
    /// What must not be.
    pub what: Vec<T>,
    /// The function that it concerns, with all that it calls; the whole program if none is named.
    pub within: Option<String>,
}

/// A function's name and parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name.
    pub name: String,
    /// The names of the parameters, none for one of any name; none at all where they are left open.
    pub parameters: Option<Vec<Option<String>>>,
}

/// What is asked of the function of this name.
pub fn signature<'c>(checks: &'c [Check], function: &str) -> Option<&'c Signature> {
    checks.iter().find_map(|check| match &check.ask {
        Ask::Function(signature) if signature.name == function => Some(signature),
        _ => None,
    })
}

/// A list and the numbers with which it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartingList {
    /// The list's name.
    pub name: String,
    /// Its numbers.
    pub numbers: Vec<i64>,
}

/// A call of a module's function with these arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPattern {
    /// The module.
    pub module: String,
    /// The function.
    pub function: String,
    /// The arguments, as they are written.
    pub arguments: Vec<String>,
}

/// What a construct that needs a comment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commented {
    /// A function or a method.
    Subprograms,
    /// An `if` with all that belongs to it, or a `match`.
    Selections,
    /// A `for` or a `while`.
    Iterations,
}

/// What comments document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Topic {
    /// The program's name.
    Name,
    /// What it is for.
    Purpose,
    /// The input that it expects.
    Input,
    /// The output that it produces.
    Output,
}

/// A part of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Construct {
    /// A class.
    Class,
    /// A dictionary.
    Dict,
    /// A set.
    Set,
    /// A `try`.
    Try,
    /// A `lambda`.
    Lambda,
    /// A comprehension of any kind.
    Comprehension,
    /// Anything that makes a list: a literal, a comprehension, a slice, `list(…)`, `+` and `copy`.
    NewList,
}

/// What a value can be of a few, each with its name in a file.
macro_rules! named {
    ($type:ident, $what:literal, $wanted:literal: $($variant:ident = $name:literal),*) => {
        impl $type {
            /// All of them with their names in a file.
            const ALL: &[($type, &'static str)] = &[$(($type::$variant, $name)),*];

        }

        impl FromYaml for $type {
            const WANTED: &'static str = $wanted;

            fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
                let Found::Text(text) = found else { return Err(found.instead_of::<Self>()) };
                let known = $type::ALL.iter().find(|(_, name)| name == text).map(|(known, _)| *known);
                known.ok_or_else(|| {
                    let names = $type::ALL.iter().map(|(_, name)| *name);
                    Fault::new(
                        format!(concat!("{:?} is no ", $what, "{}"), text, did_you_mean(nearest(text, names.clone()))),
                        format!("known are {}", names.collect::<Vec<_>>().join(", ")),
                    )
                })
            }
        }

        from_yaml!($type);
    };
}

named!(Commented, "kind of statement that needs a comment", "a kind of statement such as `selections`":
    Subprograms = "subprograms", Selections = "selections", Iterations = "iterations");
named!(Topic, "thing that comments document", "`name`, `purpose`, `input` or `output`":
    Name = "name", Purpose = "purpose", Input = "input", Output = "output");
named!(Construct, "part of the language that can be forbidden", "a part of the language such as `class`":
    Class = "class", Dict = "dict", Set = "set", Try = "try", Lambda = "lambda",
    Comprehension = "comprehension", NewList = "new_list");

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parameters = match &self.parameters {
            None => "…".to_owned(),
            Some(names) => {
                let names: Vec<&str> = names.iter().map(|name| name.as_deref().unwrap_or("_")).collect();
                names.join(", ")
            }
        };
        write!(f, "{}({parameters})", self.name)
    }
}

impl fmt::Display for CallPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}({})", self.module, self.function, self.arguments.join(", "))
    }
}

impl Commented {
    /// What it is called in a sentence.
    fn name(self) -> &'static str {
        name_of(Commented::ALL, self)
    }
}

impl Topic {
    /// What it is called in a sentence.
    fn name(self) -> &'static str {
        name_of(Topic::ALL, self)
    }
}

impl Construct {
    /// What it is called in a file.
    fn name(self) -> &'static str {
        name_of(Construct::ALL, self)
    }
}

fn name_of<T: PartialEq>(all: &[(T, &'static str)], one: T) -> &'static str {
    all.iter().find(|(known, _)| *known == one).map_or("", |(_, name)| name)
}

/// What is asked, in one plain sentence.
impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listed = |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let place = |within: &Option<String>| match within {
            Some(function) => format!("In `{function}` there"),
            None => "In the program there".to_owned(),
        };
        match self {
            Ask::Function(signature) => {
                write!(f, "The program has a function `{signature}` with this name and these parameters, and calls it.")
            }
            Ask::List(list) => write!(f, "A list called `{}` starts as {:?}.", list.name, list.numbers),
            Ask::Comments(kinds) => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                write!(f, "A comment explains each of the {}.", kinds.join(" and "))
            }
            Ask::Documents(Topic::Input, _) => f.write_str("Comments document the input that the program expects."),
            Ask::Documents(Topic::Output, _) => f.write_str("Comments document the output that the program produces."),
            Ask::Documents(topic, _) => write!(f, "Comments document the program's {}.", topic.name()),
            Ask::Header(labels) if labels.is_empty() => f.write_str(
                "The comment at the top of the file is there, and something is filled in after each of its labels.",
            ),
            Ask::Header(labels) => {
                write!(f, "The comment at the top of the file has a value for each of {}.", listed(labels))
            }
            Ask::FileName(name) => write!(f, "The program is in a file named `{name}`."),
            Ask::Call(call) => write!(f, "The program calls `{call}`."),
            Ask::Imports(names) => write!(f, "The program imports {}.", listed(names)),
            Ask::OnlyImports(names) if names.is_empty() => f.write_str("The program imports no modules."),
            Ask::OnlyImports(names) => write!(f, "The program imports no module but {}.", listed(names)),
            Ask::NoCalls(Forbidden { what, within }) => {
                write!(f, "{} is no call of {}.", place(within), listed(what))
            }
            Ask::NoConstructs(Forbidden { what, within }) => {
                let what: Vec<String> = what.iter().map(|construct| construct.name().to_owned()).collect();
                write!(f, "{} is none of these: {}.", place(within), what.join(", "))
            }
        }
    }
}

/// A Python name.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

impl FromYaml for Signature {
    const WANTED: &'static str = "a function such as `is_sorted(rack)`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(text) = found else { return Err(found.instead_of::<Self>()) };
        let fault = || {
            Fault::new(
                format!("{text:?} is no function with its parameters"),
                "write `name(first, second)`; `_` is a parameter of any name, and `name(...)` leaves them open",
            )
        };
        let (name, rest) = text.split_once('(').ok_or_else(fault)?;
        let inside = rest.trim_end().strip_suffix(')').ok_or_else(fault)?.trim();
        let parameters = match inside {
            "..." => None,
            "" => Some(vec![]),
            _ => Some(inside.split(',').map(|name| Some(name.trim().to_owned()).filter(|name| name != "_")).collect()),
        };
        let names = parameters.iter().flatten().flatten();
        if !is_name(name.trim()) || !names.into_iter().all(|name| is_name(name)) {
            return Err(fault());
        }
        Ok(Signature { name: name.trim().to_owned(), parameters })
    }
}

from_yaml!(Signature);

impl FromYaml for StartingList {
    const WANTED: &'static str = "a list such as `score = [501, 501]`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(text) = found else { return Err(found.instead_of::<Self>()) };
        let parsed = || {
            let (name, list) = text.split_once('=')?;
            let inside = list.trim().strip_prefix('[')?.strip_suffix(']')?;
            let numbers: Result<Vec<i64>, _> = inside.split(',').map(|number| number.trim().parse()).collect();
            is_name(name.trim()).then_some(StartingList { name: name.trim().to_owned(), numbers: numbers.ok()? })
        };
        parsed().ok_or_else(|| {
            Fault::new(
                format!("{text:?} is no list with its start"),
                "write `score = [501, 501]`: a name and whole numbers",
            )
        })
    }
}

from_yaml!(StartingList);

impl FromYaml for CallPattern {
    const WANTED: &'static str = "a call such as `random.randrange(1, 7)`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(text) = found else { return Err(found.instead_of::<Self>()) };
        let parsed = || {
            let (called, rest) = text.split_once('(')?;
            let (module, function) = called.trim().split_once('.')?;
            let inside = rest.trim_end().strip_suffix(')')?.trim();
            let arguments = inside.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty());
            (is_name(module) && is_name(function)).then(|| CallPattern {
                module: module.to_owned(),
                function: function.to_owned(),
                arguments: arguments.collect(),
            })
        };
        parsed().ok_or_else(|| {
            Fault::new(format!("{text:?} is no call of a module's function"), "write `random.randrange(1, 7)`")
        })
    }
}

from_yaml!(CallPattern);

/// A name in a file, with a full stop before it where that is a method's.
#[derive(Debug)]
pub(super) struct Name(pub(super) String);

impl FromYaml for Name {
    const WANTED: &'static str = "a name such as `sorted`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text(text) if is_name(text.strip_prefix('.').unwrap_or(text)) => Ok(Name((*text).to_owned())),
            Found::Text(text) => Err(Fault::new(
                format!("{text:?} is no name in Python"),
                "write a name such as `sorted`; for a method begin it with a full stop: `.sort`",
            )),
            _ => Err(found.instead_of::<Self>()),
        }
    }
}

from_yaml!(Name);

/// A text of one line: a file's name, a label.
#[derive(Debug)]
pub(super) struct Words(pub(super) String);

impl FromYaml for Words {
    const WANTED: &'static str = "a text such as `Doubles.py`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        match found {
            Found::Text(text) if !text.trim().is_empty() && !text.chars().any(char::is_control) => {
                Ok(Words(text.trim().to_owned()))
            }
            Found::Text(_) => Err(Fault::new("this is no text of one line", "write one line of plain text")),
            _ => Err(found.instead_of::<Self>()),
        }
    }
}

from_yaml!(Words);

/// What becomes of what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Finding {
    /// It costs the points.
    Fault,
    /// It is told, and costs nothing.
    Note,
}

named!(Finding, "thing that can become of a finding", "`fault` or `note`": Fault = "fault", Note = "note");

/// The id of a rule.
#[derive(Debug)]
pub(super) struct RuleId(pub(super) &'static Rule);

impl FromYaml for RuleId {
    const WANTED: &'static str = "a rule's id such as `racko.code.header`";

    fn from_yaml(found: &Found<'_>) -> Result<Self, Fault> {
        let Found::Text(text) = found else { return Err(found.instead_of::<Self>()) };
        Rule::find(text).map(RuleId).ok_or_else(|| {
            let ids = reference::Game::ALL.into_iter().flat_map(|game| game.code_rules()).map(|rule| rule.id);
            Fault::new(
                format!("there is no rule {text:?}{}", did_you_mean(nearest(text, ids))),
                "`check rules ASSIGNMENT` lists those of a game; a check of your own needs none",
            )
        })
    }
}

from_yaml!(RuleId);
