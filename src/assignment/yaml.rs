//! The one place where YAML is parsed.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::error::{AssignmentError, FileError, Position, did_you_mean};
use super::nearest::nearest;
use super::value::Fault;

/// Reads a YAML file. `name` stands in the errors.
///
/// The first look takes the file as it is, without knowing what it should hold: its syntax, keys that stand twice,
/// keys without a value. The second reads the type.
///
/// # Errors
/// With file, line, column and caret.
pub(super) fn load<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, AssignmentError> {
    if is_blank(text) {
        let help = "write the keys that it needs; a `title: …` is always one of them";
        return Err(FileError::new(name, "the file is empty", help).into());
    }
    if let Some(index) = forbidden(text) {
        let fault = Fault::new(
            "a control character, or a line break that no editor shows as one, can't stand here",
            "delete it; in double quotes it can be written as an escape such as \"\\x1b\"",
        );
        return Err(fault_at(name, text, Position::of_byte(text, index), fault));
    }
    let parsed = Shape.deserialize(serde_yaml::Deserializer::from_str(text)).and_then(|()| serde_yaml::from_str(text));
    parsed.map_err(|error| explain(name, text, &error))
}

/// A fault at a place.
pub(super) fn fault_at(name: &str, text: &str, position: Position, fault: Fault) -> AssignmentError {
    FileError::new(name, fault.message, fault.help).at(text, position).into()
}

/// Whether a file says nothing.
fn is_blank(text: &str) -> bool {
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || line == "---" || line == "...")
}

/// The first character that may not stand in a file: YAML's control characters, and the line breaks that YAML counts
/// and editors do not, so that both agree on every place.
fn forbidden(text: &str) -> Option<usize> {
    let found = text.char_indices().find(|&(index, character)| match character {
        '\t' | '\n' => false,
        '\r' => !text[index + 1..].starts_with('\n'),
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => true,
        _ => character.is_control(),
    });
    found.map(|(index, _)| index)
}

/// The parser's error as ours.
fn explain(name: &str, text: &str, error: &serde_yaml::Error) -> AssignmentError {
    let position = error.location().map(|location| Position::of_byte(text, location.index()));
    let said = error.to_string();
    if let Some(fault) = Fault::from_error(&said) {
        return match position {
            Some(position) => fault_at(name, text, position, fault),
            None => FileError::new(name, fault.message, fault.help).into(),
        };
    }
    // What the parser says ends with its own count of lines and columns.
    let message = said.split(" at line ").next().unwrap_or(&said);
    if let Some(fault) = unknown_key(message) {
        return fault_at(name, text, position.unwrap_or(START), fault);
    }
    if message.contains("more than one document") {
        let fault = Fault::new("a second document begins here", "a file holds one document: leave the line `---` out");
        return fault_at(name, text, second_document(text).unwrap_or(START), fault);
    }
    let Some(position) = position else {
        return FileError::new(
            name,
            format!("this is no YAML that can be read: {message}"),
            "write it plainly, without anchors",
        )
        .into();
    };
    if let Some(position) = tab_near(text, position) {
        return fault_at(name, text, position, Fault::new("a tab can't indent YAML", "put spaces in its place"));
    }
    if let Some((_, types)) = message.split_once("invalid type: ")
        && let Some((found, wanted)) = types.rsplit_once(", expected ")
    {
        let found = match found {
            "sequence" => "a list",
            "map" => "a mapping",
            long if long.chars().count() > 60 => "a long text",
            found => found,
        };
        return fault_at(
            name,
            text,
            position,
            Fault::new(format!("this is of a wrong type: {found}"), format!("write {wanted}")),
        );
    }
    // What is missing at the end of the file was begun further up, at a place that only the message has.
    let at_end = Position::of_byte(text, text.trim_end().len()) <= position;
    if at_end && let Some((begun, place)) = said.split_once(", while ").and_then(|(_, context)| place_in(context)) {
        let fault = Fault::new(
            format!("this is no YAML: {message}, while {begun} that begins here"),
            "close the quotes or brackets",
        );
        return fault_at(name, text, place, fault);
    }
    let help = "text that holds `: `, ` #`, quotes or brackets has to stand in quotes";
    fault_at(name, text, position, Fault::new(format!("this is no YAML: {message}"), help))
}

/// The place that stands at the end of a part of the parser's message, and what is before it.
fn place_in(message: &str) -> Option<(&str, Position)> {
    let (before, place) = message.rsplit_once(" at line ")?;
    let (line, column) = place.split_once(" column ")?;
    Some((before, Position { line: line.parse().ok()?, column: column.parse().ok()? }))
}

/// The first place of a file.
const START: Position = Position { line: 1, column: 1 };

/// What serde says of an unknown key, with the key that was probably meant.
fn unknown_key(message: &str) -> Option<Fault> {
    let (_, rest) = message.split_once("unknown field `")?;
    let (key, known) = rest.rsplit_once("`, expected ")?;
    let known: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
    let meant = did_you_mean(nearest(key, known.iter().copied()));
    Some(Fault::new(format!("there is no key {key:?} here{meant}"), format!("the keys are {}", known.join(", "))))
}

/// Where the second document of a file begins.
fn second_document(text: &str) -> Option<Position> {
    let mut content = false;
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("---") && content {
            return Some(Position { line: index + 1, column: 1 });
        }
        content |= !is_blank(line);
    }
    None
}

/// The tab that a syntax error is about: in the indentation of its line, or right where it is.
fn tab_near(text: &str, position: Position) -> Option<Position> {
    let line = text.split('\n').nth(position.line - 1)?;
    let indentation = line.chars().take_while(|character| character.is_whitespace());
    let in_indentation = indentation.clone().position(|character| character == '\t');
    let here = (line.chars().nth(position.column - 1) == Some('\t')).then_some(position.column - 1);
    in_indentation.or(here).map(|column| Position { line: position.line, column: column + 1 })
}

/// The first look. Everything in a file has a value, no key stands twice, nothing has a tag.
struct Shape;

impl<'de> DeserializeSeed<'de> for Shape {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Shape {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plain value")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(Fault::new("a tag has no meaning here", "leave the word with the `!` out").into_error())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u128<E: Error>(self, _: u128) -> Result<(), E> {
        Ok(())
    }

    fn visit_i128<E: Error>(self, _: i128) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        let help = "write a value, or leave the key out; an empty line that is typed is \"\"";
        Err(Fault::new("there is no value here", help).into_error())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(Shape)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while mapping.next_key_seed(NewKey(&mut seen))?.is_some() {
            mapping.next_value_seed(Shape)?;
        }
        Ok(())
    }
}

/// A key that must not have been seen.
struct NewKey<'s>(&'s mut HashSet<String>);

impl<'de> DeserializeSeed<'de> for NewKey<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NewKey<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        if key.chars().any(char::is_control) {
            return Err(Fault::new(format!("there is no key {key:?}"), "a key is a plain word").into_error());
        }
        if self.0.insert(key.to_owned()) {
            return Ok(());
        }
        Err(Fault::new(format!("the key {key:?} stands twice"), "keep one of the two").into_error())
    }
}

/// A step on the way to a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'a> {
    /// To the value of a key.
    Key(&'a str),
    /// To the key itself; the last step.
    Name(&'a str),
    /// To an entry of a list, from 0.
    Index(usize),
}

/// Where a value stands in a file that can be read. For faults that come to light only when files are held against
/// each other: the parser tells a place only with an error, so a second look is made that fails there.
///
/// If the way ends early, the last place that it reached.
pub(super) fn position(text: &str, way: &[Step<'_>]) -> Position {
    index_of(text, way).map_or(START, |index| Position::of_byte(text, index))
}

/// The same as a count of bytes.
fn index_of(text: &str, way: &[Step<'_>]) -> Option<usize> {
    let Err(error) = Look(way).deserialize(serde_yaml::Deserializer::from_str(text));
    error.location().map(|location| location.index())
}

/// The second look.
struct Look<'w>(&'w [Step<'w>]);

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = Infallible;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Infallible, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = Infallible;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the end of the way")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Infallible, A::Error> {
        if let [Step::Index(index), rest @ ..] = self.0 {
            for _ in 0..*index {
                list.next_element::<IgnoredAny>()?;
            }
            list.next_element_seed(Look(rest))?;
        }
        Err(Error::custom("reached"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Infallible, A::Error> {
        if let [step @ (Step::Key(wanted) | Step::Name(wanted)), rest @ ..] = self.0 {
            let stop = matches!(step, Step::Name(_));
            while let Some(found) = mapping.next_key_seed(LookKey { wanted, stop })? {
                if found {
                    mapping.next_value_seed(Look(rest))?;
                } else {
                    mapping.next_value::<IgnoredAny>()?;
                }
            }
        }
        Err(Error::custom("reached"))
    }
}

/// Whether a key is the wanted one; fails there if that is the end of the way.
struct LookKey<'w> {
    wanted: &'w str,
    stop: bool,
}

impl<'de> DeserializeSeed<'de> for LookKey<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for LookKey<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<bool, E> {
        if key == self.wanted && self.stop {
            return Err(E::custom("reached"));
        }
        Ok(key == self.wanted)
    }
}

/// The first entry of a list of `count` texts that does not stand in quotes, and its place. To the parser `y` and `"y"` are equal;
/// to other readers of YAML `y` is a truth value, so a list of inputs is quoted throughout.
pub(super) fn unquoted_entry(text: &str, way: &[Step<'_>], count: usize) -> Option<(usize, Position)> {
    if count == 0 {
        return None;
    }
    let mut first = way.to_vec();
    first.push(Step::Index(0));
    let bytes = text.as_bytes();
    let mut at = index_of(text, &first)?;
    for entry in 0..count {
        if entry > 0 {
            at = after_separator(bytes, at);
        }
        match bytes.get(at) {
            Some(b'"' | b'\'') => at = after_quoted(bytes, at),
            _ => return Some((entry, Position::of_byte(text, at))),
        }
    }
    None
}

/// Between two entries of a list stand white space, commas, the dashes of a list in lines, and comments.
fn after_separator(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            b'#' => at += text[at..].iter().position(|&byte| byte == b'\n').unwrap_or(text.len() - at),
            b'-' if text.get(at + 1).is_some_and(u8::is_ascii_whitespace) => at += 1,
            b',' => at += 1,
            _ if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

/// Past the text in quotes that begins here.
fn after_quoted(text: &[u8], start: usize) -> usize {
    let quote = text[start];
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        at += 1;
        if byte == b'\\' && quote == b'"' {
            at += 1;
        } else if byte == quote {
            // In single quotes two of them stand for one.
            if quote == b'"' || text.get(at) != Some(&quote) {
                break;
            }
            at += 1;
        }
    }
    at
}

/// Whether the value at the end of the way stands in quotes.
pub(super) fn is_quoted(text: &str, way: &[Step<'_>]) -> bool {
    index_of(text, way)
        .and_then(|index| text.as_bytes().get(index))
        .is_some_and(|first| matches!(first, b'"' | b'\'' | b'|' | b'>'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "é: 1\nlist:\n  - a\n  - {b: [c, \"d\"]}\nlast: x\n";

    fn at(way: &[Step<'_>]) -> (usize, usize) {
        let Position { line, column } = position(TEXT, way);
        (line, column)
    }

    #[test]
    fn a_way_leads_to_a_place() {
        use Step::{Index, Key, Name};
        assert_eq!(at(&[]), (1, 1));
        assert_eq!(at(&[Key("é")]), (1, 4));
        assert_eq!(at(&[Name("list")]), (2, 1));
        assert_eq!(at(&[Key("list")]), (3, 3));
        assert_eq!(at(&[Key("list"), Index(0)]), (3, 5));
        assert_eq!(at(&[Key("list"), Index(1), Name("b")]), (4, 6));
        assert_eq!(at(&[Key("list"), Index(1), Key("b"), Index(1)]), (4, 13));
        assert_eq!(at(&[Key("last"), Index(3)]), (5, 7), "the way ends early");
    }

    #[test]
    fn the_first_entry_without_quotes_is_found() {
        let unquoted = |text: &str, count| {
            unquoted_entry(text, &[Step::Key("é")], count).map(|(entry, at)| (entry, at.line, at.column))
        };
        assert_eq!(unquoted("é: []", 0), None);
        assert_eq!(unquoted("é: [\"a\", 'b''c', \"d\\\"e\", \"\"]", 4), None);
        assert_eq!(unquoted("é: [\"a, b\", c]", 2), Some((1, 1, 13)));
        assert_eq!(unquoted("é:\n# x\n- \"a\" # \"b\"\n- '-'\n\n-   c\n", 3), Some((2, 6, 5)));
        assert_eq!(unquoted("é: [\"a\", !!str 6]", 2), Some((1, 1, 10)));
        assert_eq!(unquoted("é:\n- \"two\n  lines\"\n- |-\n  c\n", 2), Some((1, 4, 3)));
    }

    proptest! {
        /// Whatever stands in a file, the answer is an error at a place that is in it.
        #[test]
        fn no_text_makes_a_panic(text in "([a-c\\[\\]{}\"':,#&*!|>%@~0-9 \t\r\né\u{85}\u{2028}-]|\n- |: |\n  |&a |\\*a |--- ){0,40}") {
            if let Err(AssignmentError::File(error)) = load::<crate::assignment::raw::RawCase>("a.yaml", &text)
                && let Some(Position { line, column }) = error.position()
            {
                let line = text.split('\n').nth(line - 1);
                prop_assert!(line.is_some_and(|line| column <= line.chars().count() + 1), "{error}");
            }
            let _ = position(&text, &[Step::Key("a"), Step::Index(0)]);
            let _ = unquoted_entry(&text, &[Step::Key("a")], 3);
        }
    }
}
