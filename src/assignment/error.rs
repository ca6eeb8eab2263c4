//! What can be wrong with an assignment, told with its place and the way out.

use std::fmt;

use unicode_width::UnicodeWidthChar;

use super::nearest::nearest;
use super::source::BUILT_IN;

/// Why an assignment can't be used. Every message ends with what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AssignmentError {
    /// No assignment of this name.
    #[error(
        "there is no assignment {name:?}{}\n  = built in are {}; for your own give its folder, which holds an assignment.yaml",
        did_you_mean(nearest.as_deref()),
        BUILT_IN.join(", ")
    )]
    UnknownAssignment {
        /// What was asked for.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// Something that is there, but no assignment.
    #[error("{path}: {message}\n  = {help}")]
    NotAnAssignment {
        /// What was given.
        path: String,
        /// What it is.
        message: String,
        /// What would be right.
        help: String,
    },
    /// No case of this id.
    #[error(
        "{assignment} has no case {id:?}{}\n  = `check cases {assignment}` lists them",
        did_you_mean(nearest.as_deref())
    )]
    UnknownCase {
        /// What was asked for.
        id: String,
        /// The assignment's name.
        assignment: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// A file of the assignment is missing, or wrong.
    #[error(transparent)]
    File(Box<FileError>),
}

impl AssignmentError {
    /// There is no such assignment.
    pub(super) fn unknown(name: &str) -> AssignmentError {
        let nearest = nearest(name, BUILT_IN).map(str::to_owned);
        AssignmentError::UnknownAssignment { name: name.to_owned(), nearest }
    }
}

impl From<FileError> for AssignmentError {
    fn from(error: FileError) -> Self {
        AssignmentError::File(Box::new(error))
    }
}

/// The question after an unknown name.
pub(super) fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// A place in a file, as editors count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// The place of a byte, counted from 0; of the end of the text if it is not so long.
    pub(super) fn of_byte(text: &str, index: usize) -> Position {
        let before = &text.as_bytes()[..index.min(text.len())];
        let before = String::from_utf8_lossy(before);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Position { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

/// A fault in one file: where, what, the line itself with a caret, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileError {
    file: String,
    position: Option<Position>,
    line: Option<String>,
    message: String,
    help: String,
}

impl FileError {
    /// A fault of a whole file.
    pub(super) fn new(file: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> FileError {
        FileError { file: file.into(), position: None, line: None, message: message.into(), help: help.into() }
    }

    /// The same at a place in its text.
    #[must_use]
    pub(super) fn at(mut self, text: &str, position: Position) -> FileError {
        let line = text.split('\n').nth(position.line - 1).unwrap_or_default();
        self.line = Some(line.strip_suffix('\r').unwrap_or(line).to_owned());
        self.position = Some(position);
        self
    }

    /// The file's name as it can be found: under the folder that was given, or the built-in's.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Where the fault stands, unless it is the whole file's.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// The line with the fault.
    pub fn line(&self) -> Option<&str> {
        self.line.as_deref()
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What would be right.
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl std::error::Error for FileError {}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        let mut margin = String::new();
        if let (Some(position), Some(line)) = (self.position, &self.line) {
            let (shown, before_caret) = excerpt(line, position.column);
            let number = position.line.to_string();
            margin = " ".repeat(number.len());
            write!(f, ":{}:{}: {}", position.line, position.column, self.message)?;
            write!(f, "\n{margin} |\n{number} | {shown}\n{margin} | {}^", " ".repeat(before_caret))?;
        } else {
            write!(f, ": {}", self.message)?;
            margin.push(' ');
        }
        write!(f, "\n{margin} = {}", self.help)
    }
}

/// How many columns of a line are shown.
const EXCERPT: usize = 100;

/// The part of a line around a column, fit for a terminal, and how many cells stand before the caret. What can't be
/// seen is made visible; a long line is cut on either side.
fn excerpt(line: &str, column: usize) -> (String, usize) {
    let characters: Vec<char> = line.chars().map(visible).collect();
    let at = column - 1;
    let start = if characters.len() > EXCERPT { at.saturating_sub(EXCERPT / 2) } else { 0 };
    let end = characters.len().min(start + EXCERPT);
    let start = start.min(end);
    let mut shown = String::new();
    if start > 0 {
        shown.push('…');
    }
    shown.extend(&characters[start..at.clamp(start, end)]);
    let before_caret = shown.chars().map(|character| character.width().unwrap_or(0)).sum();
    shown.extend(&characters[at.clamp(start, end)..end]);
    if end < characters.len() {
        shown.push('…');
    }
    (shown, before_caret)
}

/// A character as it can be shown: a tab as an arrow, other control characters as their picture.
fn visible(character: char) -> char {
    match character {
        '\t' => '→',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '␡',
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => '\u{fffd}',
        character if character.is_control() => '\u{fffd}',
        character => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, line: usize, column: usize) -> String {
        FileError::new("a.yaml", "wrong", "do it right").at(text, Position { line, column }).to_string()
    }

    #[test]
    fn the_caret_stands_under_the_column() {
        assert_eq!(at("a: b\nc: d\r\n", 2, 4), "a.yaml:2:4: wrong\n  |\n2 | c: d\n  |    ^\n  = do it right");
    }

    #[test]
    fn wide_characters_and_tabs_keep_the_caret_in_place() {
        assert_eq!(at("\t漢: x", 1, 5), "a.yaml:1:5: wrong\n  |\n1 | →漢: x\n  |      ^\n  = do it right");
    }

    #[test]
    fn control_sequences_are_never_shown_raw() {
        assert!(at("a: \u{1b}[31m", 1, 4).contains("a: ␛[31m"));
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let text = format!("{}X{}", "a".repeat(300), "b".repeat(300));
        let shown = at(&text, 1, 301);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines[2].chars().count(), "1 | ".len() + EXCERPT + 2);
        let caret = lines[3].chars().position(|character| character == '^').unwrap();
        assert_eq!(lines[2].chars().nth(caret), Some('X'));
    }

    #[test]
    fn a_place_behind_the_end_is_no_panic() {
        assert_eq!(at("", 1, 1), "a.yaml:1:1: wrong\n  |\n1 | \n  | ^\n  = do it right");
        at("a", 7, 70);
        at(&"a".repeat(200), 1, 900);
    }

    #[test]
    fn positions_count_characters_and_line_feeds() {
        assert_eq!(Position::of_byte("é\r\nab", 5), Position { line: 2, column: 2 });
        assert_eq!(Position::of_byte("éa", 2), Position { line: 1, column: 2 });
        assert_eq!(Position::of_byte("a\n", 9), Position { line: 2, column: 1 });
    }
}
