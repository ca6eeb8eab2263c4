//! What is said and typed in one run, line by line as a terminal shows it.
//!
//! A program whose input is a pipe writes neither the typed answer nor a line end after a prompt. So a transcript has
//! two forms: the *terminal* form, which people read and which is stored, and the *piped* form, which is compared.
//!
//! ```
//! use reference::transcript::Transcript;
//!
//! let transcript = Transcript::parse("Dart 1\nEnter score: «60»\nTreble 20\n").unwrap();
//! assert_eq!(transcript.piped().to_string(), "Dart 1\nEnter score: Treble 20\n");
//! ```

use crate::rules::Rule;
use std::borrow::Cow;
use std::fmt::{self, Display, Write as _};
use std::sync::Arc;

/// A transcript: the lines in the order in which a terminal shows them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The lines; only the last one may be unanswered or unfinished.
    pub lines: Vec<Line>,
}

/// One line of a terminal and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What stands in the line.
    pub body: Body,
    /// Why it stands there; a transcript that was read from text does not know.
    pub note: Option<Box<Note>>,
}

/// What stands in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// `...`: any lines, up to the first place where what follows, up to and including the next prompt, is found.
    AnyLines,
    /// One line: what the program says, and how the line ends.
    Line(Vec<Segment>, End),
}

/// A span of what the program says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Exactly this text.
    Text(String),
    /// `{number}`: one number.
    Number,
    /// `{word}`: one or more characters without white space.
    Word,
    /// `{any}`: anything inside the line. Text between two `{any}` is a keyword: it counts in any letter case.
    Any,
}

/// How a line ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The program ended the line.
    Newline,
    /// The line is a prompt, and this was typed (`«60»`).
    Typed(String),
    /// The line is a prompt that nobody answers (a lone `«`): the script ends here.
    Unanswered,
    /// The output ends here without a line end.
    Output,
}

/// Why a line stands in a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The rule that the line follows.
    pub rule: &'static Rule,
    /// The rules that make its numbers what they are, the first number's and that of all others: broken when all is right
    /// but a number.
    pub value_rules: [&'static Rule; 2],
    /// The facts that made it so, with their numbers: `43 - 40 - 5 = -2, below zero`. May be empty.
    pub facts: Cow<'static, str>,
    /// Where in the game the line stands: `player 1, turn 3, dart 2`. May be empty.
    pub situation: Arc<str>,
    /// Why nothing else is said right before this line.
    pub silence: Vec<Silence>,
    /// How many answers were typed before this line.
    pub answers: usize,
}

/// Why nothing is said at some place: whoever says something there breaks the rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Silence {
    /// The rule.
    pub rule: &'static Rule,
    /// The facts that made it so, with their numbers.
    pub facts: Cow<'static, str>,
    /// A word of the only lines of which it speaks; without one it speaks of all lines.
    pub about: Option<&'static str>,
}

/// The piped form: what a pipe carries, with what is not graded still open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piped {
    /// The pieces in their order.
    pub pieces: Vec<Piece>,
    /// Whether the transcript ends at a prompt that nobody answers.
    pub unanswered: bool,
}

/// A piece of the piped form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The index of the terminal line from which it comes.
    pub line: usize,
    /// What it is.
    pub kind: PieceKind,
}

/// What a piece of the piped form is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceKind {
    /// A span of a line.
    Span(Segment),
    /// A line end.
    LineEnd,
    /// The end of a prompt, which a pipe does not carry.
    PromptEnd,
    /// Any lines.
    AnyLines,
}

/// Why a text is no transcript.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong and what would be right.
    pub message: &'static str,
}

impl Line {
    /// A line without a note; adjoining texts become one, empty ones vanish, so that equal lines are equal values.
    pub fn new(mut said: Vec<Segment>, end: End) -> Line {
        said.retain(|segment| !matches!(segment, Segment::Text(text) if text.is_empty()));
        said.dedup_by(|segment, before| match (segment, before) {
            (Segment::Text(text), Segment::Text(before)) => {
                before.push_str(text);
                true
            }
            _ => false,
        });
        Line { body: Body::Line(said, end), note: None }
    }

    /// What is said in the line, where all of it is graded; nothing for a line that is open or empty.
    pub fn text(&self) -> &str {
        match &self.body {
            Body::Line(said, _) => match said.as_slice() {
                [Segment::Text(text)] => text,
                _ => "",
            },
            Body::AnyLines => "",
        }
    }

    /// Whether the line asks for an answer.
    pub fn is_prompt(&self) -> bool {
        matches!(self.body, Body::Line(_, End::Typed(_) | End::Unanswered))
    }
}

impl Transcript {
    /// Whether a terminal shows the same, whatever rules and facts stand behind it.
    #[must_use]
    pub fn shows_the_same(&self, other: &Transcript) -> bool {
        self.lines.iter().map(|line| &line.body).eq(other.lines.iter().map(|line| &line.body))
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// With the place of the first character that can't stand where it does.
    pub fn parse(text: &str) -> Result<Transcript, ParseError> {
        let mut lines = Vec::new();
        for (index, raw) in text.split_inclusive('\n').enumerate() {
            let (raw, ended) = raw.strip_suffix('\n').map_or((raw, false), |raw| (raw, true));
            if let Some(Line { body: Body::Line(_, End::Unanswered), .. }) = lines.last() {
                return Err(ParseError {
                    line: index + 1,
                    column: 1,
                    message: "a prompt that nobody answers (a lone «) can only be the last line",
                });
            }
            let line = if raw == "..." {
                Line { body: Body::AnyLines, note: None }
            } else {
                LineParser { chars: raw.chars().collect(), at: 0, line: index + 1 }.line(ended)?
            };
            lines.push(line);
        }
        Ok(Transcript { lines })
    }

    /// What a pipe carries of it.
    pub fn piped(&self) -> Piped {
        let mut piped = Piped { pieces: Vec::new(), unanswered: false };
        for (line, Line { body, .. }) in self.lines.iter().enumerate() {
            let mut push = |kind| piped.pieces.push(Piece { line, kind });
            match body {
                Body::AnyLines => push(PieceKind::AnyLines),
                Body::Line(said, end) => {
                    said.iter().for_each(|segment| push(PieceKind::Span(segment.clone())));
                    match end {
                        End::Newline => push(PieceKind::LineEnd),
                        End::Typed(_) => push(PieceKind::PromptEnd),
                        End::Unanswered => {
                            push(PieceKind::PromptEnd);
                            piped.unanswered = true;
                        }
                        End::Output => {}
                    }
                }
            }
        }
        piped
    }

    /// Whether it ends at a prompt that nobody answers.
    pub fn is_unanswered(&self) -> bool {
        matches!(self.lines.last(), Some(Line { body: Body::Line(_, End::Unanswered), .. }))
    }
}

struct LineParser {
    chars: Vec<char>,
    at: usize,
    line: usize,
}

impl LineParser {
    fn error<T>(&self, at: usize, message: &'static str) -> Result<T, ParseError> {
        Err(ParseError { line: self.line, column: at + 1, message })
    }

    fn line(mut self, ended: bool) -> Result<Line, ParseError> {
        let mut said = vec![];
        let mut text = String::new();
        let mut end = if ended { End::Newline } else { End::Output };
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                '\\' => text.push(self.escaped()?),
                '{' => {
                    said.push(Segment::Text(std::mem::take(&mut text)));
                    said.push(self.placeholder()?);
                }
                '«' => {
                    end = self.answer()?;
                    break;
                }
                '»' => return self.error(self.at, "» without a « before it; write \\» for the character itself"),
                c => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        said.push(Segment::Text(text));
        Ok(Line::new(said, end))
    }

    fn escaped(&mut self) -> Result<char, ParseError> {
        let start = self.at;
        self.at += 2;
        match self.chars.get(start + 1) {
            Some(&c @ ('«' | '»' | '{' | '\\')) => Ok(c),
            Some('.') if start == 0 && self.chars[1..].starts_with(&['.', '.', '.']) => Ok('.'),
            _ => self.error(start, "a backslash stands only before «, », {, a leading ... or another backslash"),
        }
    }

    fn placeholder(&mut self) -> Result<Segment, ParseError> {
        let rest: String = self.chars[self.at..].iter().collect();
        for (name, segment) in [("{number}", Segment::Number), ("{word}", Segment::Word), ("{any}", Segment::Any)] {
            if rest.starts_with(name) {
                self.at += name.len();
                return Ok(segment);
            }
        }
        self.error(self.at, "{ starts {number}, {word} or {any}; write \\{ for the character itself")
    }

    fn answer(&mut self) -> Result<End, ParseError> {
        let start = self.at;
        self.at += 1;
        if self.at == self.chars.len() {
            return Ok(End::Unanswered);
        }
        let mut typed = String::new();
        while let Some(&c) = self.chars.get(self.at) {
            match c {
                '\\' => typed.push(self.escaped()?),
                '»' if self.at + 1 == self.chars.len() => return Ok(End::Typed(typed)),
                '»' => return self.error(self.at + 1, "nothing can follow what is typed: the line ends there"),
                '«' => return self.error(self.at, "« inside of what is typed; write \\« for the character itself"),
                c => {
                    typed.push(c);
                    self.at += 1;
                }
            }
        }
        self.error(start, "« without its »")
    }
}

fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        if matches!(c, '«' | '»' | '{' | '\\') {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    Ok(())
}

/// One line as a `.transcript` has it, without the line end.
impl Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Body::Line(said, end) = &self.body else { return f.write_str("...") };
        if matches!(said.first(), Some(Segment::Text(text)) if text.starts_with("...")) {
            f.write_char('\\')?;
        }
        for segment in said {
            match segment {
                Segment::Text(text) => write_escaped(f, text)?,
                Segment::Number => f.write_str("{number}")?,
                Segment::Word => f.write_str("{word}")?,
                Segment::Any => f.write_str("{any}")?,
            }
        }
        match end {
            End::Newline | End::Output => Ok(()),
            End::Unanswered => f.write_char('«'),
            End::Typed(typed) => {
                f.write_char('«')?;
                write_escaped(f, typed)?;
                f.write_char('»')
            }
        }
    }
}

/// The text form, which [`Transcript::parse`] reads back.
impl Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            write!(f, "{line}")?;
            if !matches!(line.body, Body::Line(_, End::Output)) {
                f.write_char('\n')?;
            }
        }
        Ok(())
    }
}

/// The piped form as text; what is not graded is written as in the text form.
impl Piped {
    /// Where the prompts end, in bytes of a text that is literally this one.
    #[must_use]
    pub fn prompt_ends(&self) -> Vec<usize> {
        let mut at = 0;
        let mut ends = Vec::new();
        for piece in &self.pieces {
            match &piece.kind {
                PieceKind::Span(Segment::Text(text)) => at += text.len(),
                PieceKind::LineEnd => at += 1,
                PieceKind::PromptEnd => ends.push(at),
                PieceKind::Span(_) | PieceKind::AnyLines => {}
            }
        }
        ends
    }

    /// Whether a text is this, byte for byte, save for a final line end. Never if any of it is not graded, nor if CRs
    /// stand before line ends: those are for a closer look.
    #[must_use]
    pub fn is_literally(&self, text: &[u8]) -> bool {
        let mut rest = text;
        for (index, piece) in self.pieces.iter().enumerate() {
            let literal = match &piece.kind {
                PieceKind::Span(Segment::Text(text)) => text.as_bytes(),
                PieceKind::LineEnd if rest.is_empty() && index + 1 == self.pieces.len() => b"",
                PieceKind::LineEnd => b"\n",
                PieceKind::PromptEnd => b"",
                PieceKind::Span(_) | PieceKind::AnyLines => return false,
            };
            match rest.strip_prefix(literal) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        rest.is_empty()
    }
}

impl Display for Piped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for piece in &self.pieces {
            match &piece.kind {
                PieceKind::Span(Segment::Text(text)) => f.write_str(text)?,
                PieceKind::Span(Segment::Number) => f.write_str("{number}")?,
                PieceKind::Span(Segment::Word) => f.write_str("{word}")?,
                PieceKind::Span(Segment::Any) => f.write_str("{any}")?,
                PieceKind::LineEnd => f.write_char('\n')?,
                PieceKind::PromptEnd => {}
                PieceKind::AnyLines => f.write_str("...\n")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn segment() -> impl Strategy<Value = Segment> {
        prop_oneof![
            "[a-z .{}«»\\\\]{0,8}".prop_map(Segment::Text),
            Just(Segment::Number),
            Just(Segment::Word),
            Just(Segment::Any),
        ]
    }

    fn line(end: impl Strategy<Value = End>) -> impl Strategy<Value = Line> {
        (prop::collection::vec(segment(), 0..4), end).prop_map(|(said, end)| Line::new(said, end))
    }

    fn transcript() -> impl Strategy<Value = Transcript> {
        let inner = prop_oneof![
            4 => line(prop_oneof![Just(End::Newline), "[a-z0-9 «»{\\\\.]{0,6}".prop_map(End::Typed)]),
            1 => Just(Line { body: Body::AnyLines, note: None }),
        ];
        let last = line(prop_oneof![Just(End::Newline), Just(End::Unanswered), Just(End::Output)]);
        (prop::collection::vec(inner, 0..6), last).prop_map(|(mut lines, last)| {
            // Nothing at all without a line end is no line.
            if last != Line::new(vec![], End::Output) {
                lines.push(last);
            }
            Transcript { lines }
        })
    }

    proptest! {
        #[test]
        fn writing_and_reading_back_are_inverse(transcript in transcript()) {
            let text = transcript.to_string();
            prop_assert_eq!(Transcript::parse(&text), Ok(transcript), "{}", text);
        }

        #[test]
        fn reading_never_panics(text in "[a-z.«»{}\\\\\n]{0,40}") {
            if let Ok(transcript) = Transcript::parse(&text) {
                prop_assert_eq!(Transcript::parse(&transcript.to_string()), Ok(transcript));
            }
        }
    }

    #[test]
    fn errors_name_their_place() {
        let error = |text: &str| Transcript::parse(text).unwrap_err();
        assert_eq!((error("a\nb{c}\n").line, error("a\nb{c}\n").column), (2, 2));
        assert_eq!(error("«a» b\n").column, 4);
        assert_eq!(error("«a\n").message, "« without its »");
        assert_eq!(error("a: «\nb\n").line, 2);
        assert_eq!(error("a\\b\n").column, 2);
        assert_eq!(error("a»\n").column, 2);
    }

    #[test]
    fn the_piped_form_has_neither_answers_nor_their_line_ends() {
        let transcript = Transcript::parse("Enter score: «60»\nTreble 20\nEnter score: «\n").unwrap();
        assert_eq!(transcript.piped().to_string(), "Enter score: Treble 20\nEnter score: ");
        assert!(transcript.piped().unanswered);
    }

    #[test]
    fn a_leading_ellipsis_is_plain_after_a_backslash() {
        let transcript = Transcript::parse("\\...\n").unwrap();
        assert_eq!(transcript.piped().to_string(), "...\n");
        assert_eq!(transcript.to_string(), "\\...\n");
    }
}
