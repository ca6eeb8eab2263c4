//! The console at which a reference game is played: it says and asks, and each line is said with its rule and facts.

use crate::rules::Rule;
use crate::transcript::{Body, End, Line, Note, Segment, Silence, Transcript};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::sync::Arc;

/// Why a game stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The script has no more answers: the transcript ends at the prompt that nobody answers.
    #[error("the script ended at a prompt")]
    OutOfAnswers,
    /// An answer that the game can't take, which no script of a graded case has.
    #[error("input {number}, {text:?}: {expected} is wanted here, for `{prompt}`")]
    Unfit {
        /// Which answer, from 1.
        number: usize,
        /// The answer.
        text: String,
        /// What would fit.
        expected: &'static str,
        /// The prompt that was answered.
        prompt: String,
    },
}

/// Where answers come from: called with all that was said so far, the last line being the prompt; `None` is the end of the input.
pub type Typist<'t> = dyn FnMut(&Transcript) -> Option<String> + 't;

/// The rule behind a line, and where they differ those behind its numbers (`(form, value)`, `(form, [value, value])`).
#[derive(Debug, Clone)]
pub struct Grounds {
    rule: &'static Rule,
    value_rules: [&'static Rule; 2],
}

impl From<&'static Rule> for Grounds {
    fn from(rule: &'static Rule) -> Self {
        Grounds { rule, value_rules: [rule; 2] }
    }
}

impl From<(&'static Rule, &'static Rule)> for Grounds {
    fn from((rule, value_rule): (&'static Rule, &'static Rule)) -> Self {
        Grounds { rule, value_rules: [value_rule; 2] }
    }
}

impl From<(&'static Rule, [&'static Rule; 2])> for Grounds {
    fn from((rule, value_rules): (&'static Rule, [&'static Rule; 2])) -> Self {
        Grounds { rule, value_rules }
    }
}

/// The console of one game.
pub struct Console<'t> {
    typist: &'t mut Typist<'t>,
    transcript: Transcript,
    situation: Arc<str>,
    silence: Vec<Silence>,
    answers: usize,
}

impl<'t> Console<'t> {
    /// A console with this person at the keyboard.
    pub fn new(typist: &'t mut Typist<'t>) -> Self {
        Console { typist, transcript: Transcript::default(), situation: "".into(), silence: vec![], answers: 0 }
    }

    /// All that was said and typed.
    pub fn into_transcript(self) -> Transcript {
        self.transcript
    }

    /// Where in the game the following lines stand, such as `player 1, turn 2`.
    pub fn now(&mut self, situation: impl Into<Arc<str>>) {
        self.situation = situation.into();
    }

    /// Nothing is said here, and this is why: whoever says something breaks this rule.
    pub fn silent(&mut self, rule: &'static Rule, facts: impl Into<Cow<'static, str>>) {
        self.silence.retain(|silence| silence.about.is_some());
        self.silence.push(Silence { rule, facts: facts.into(), about: None });
    }

    /// The same for lines with this word in them, whatever is said of all others.
    pub fn silent_about(&mut self, word: &'static str, rule: &'static Rule, facts: impl Into<Cow<'static, str>>) {
        self.silence.push(Silence { rule, facts: facts.into(), about: Some(word) });
    }

    /// Says a line.
    pub fn say(&mut self, text: impl Into<String>, grounds: impl Into<Grounds>, facts: impl Into<Cow<'static, str>>) {
        self.say_open(vec![Segment::Text(text.into())], grounds, facts);
    }

    /// Says a line of which not all is graded.
    pub fn say_open(&mut self, said: Vec<Segment>, grounds: impl Into<Grounds>, facts: impl Into<Cow<'static, str>>) {
        self.push(Line::new(said, End::Newline), grounds.into(), facts.into());
    }

    /// Says an empty line.
    pub fn gap(&mut self, rule: &'static Rule, facts: impl Into<Cow<'static, str>>) {
        self.say("", rule, facts);
    }

    /// Says any lines, which are not graded.
    pub fn say_any_lines(&mut self, rule: &'static Rule) {
        self.push(Line { body: Body::AnyLines, note: None }, rule.into(), "".into());
    }

    /// Asks and waits for an answer.
    ///
    /// # Errors
    /// [`Stop::OutOfAnswers`] at the end of the input.
    pub fn ask(
        &mut self,
        prompt: impl Into<String>,
        grounds: impl Into<Grounds>,
        facts: impl Into<Cow<'static, str>>,
    ) -> Result<String, Stop> {
        self.push(Line::new(vec![Segment::Text(prompt.into())], End::Unanswered), grounds.into(), facts.into());
        let answer = (self.typist)(&self.transcript).ok_or(Stop::OutOfAnswers)?;
        self.answers += 1;
        if let Some(Line { body: Body::Line(_, end), .. }) = self.transcript.lines.last_mut() {
            *end = End::Typed(answer.clone());
        }
        Ok(answer)
    }

    /// Asks for a whole number, read as Python's `int` reads it.
    ///
    /// # Errors
    /// As [`Console::ask`], and [`Stop::Unfit`] for an answer that is no whole number.
    pub fn ask_number(
        &mut self,
        prompt: impl Into<String>,
        grounds: impl Into<Grounds>,
        facts: impl Into<Cow<'static, str>>,
    ) -> Result<BigInt, Stop> {
        let answer = self.ask(prompt, grounds, facts)?;
        python_int(&answer).ok_or_else(|| self.unfit(answer, "a whole number"))
    }

    /// The last answer is one that the game can't take.
    pub fn unfit(&self, text: String, expected: &'static str) -> Stop {
        let prompt = self.transcript.lines.last().map_or("", Line::text).trim_end().to_owned();
        Stop::Unfit { number: self.answers, text, expected, prompt }
    }

    fn push(&mut self, mut line: Line, grounds: Grounds, facts: Cow<'static, str>) {
        let (situation, silence) = (Arc::clone(&self.situation), std::mem::take(&mut self.silence));
        let Grounds { rule, value_rules } = grounds;
        line.note = Some(Box::new(Note { rule, value_rules, facts, situation, silence, answers: self.answers }));
        self.transcript.lines.push(line);
    }
}

/// What Python's `int(text)` gives, for ASCII digits.
fn python_int(text: &str) -> Option<BigInt> {
    let text = text.trim();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // An underscore may stand between two digits only.
    let well_formed =
        digits.split('_').all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    let plain: String = text.chars().filter(|&c| c != '_' && c != '+').collect();
    if well_formed { plain.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::python_int;

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        for (text, number) in [(" 7 ", 7), ("007", 7), ("+5", 5), ("-5", -5), ("1_000", 1000)] {
            assert_eq!(python_int(text), Some(number.into()), "{text}");
        }
        for text in ["", "-", "+-5", "1__0", "_1", "1_", "1.0", "five", "1 2"] {
            assert_eq!(python_int(text), None, "{text}");
        }
    }
}
