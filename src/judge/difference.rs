//! The first place where a submission's transcript leaves the expected one: what differs, which rule that breaks and why.

use reference::rules::Rule;
use reference::transcript::{Note, Silence, Transcript};
use similar::{Algorithm, TextDiff};

use super::cause::Cause;
use super::compare::{Comparison, Expected, Level, Printed, What};
use super::screen::Screen;
use super::story::{is_only_missing, story, words_that_differ};
use super::text::{Item, Kind, items};

/// The first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The line of the expected transcript, from 0; none where nothing more is expected.
    pub expected_line: Option<usize>,
    /// The line of the submission's transcript, from 0; none where it has ended.
    pub actual_line: Option<usize>,
    /// What kind of difference it is.
    pub cause: Cause,
    /// The rule that it breaks.
    pub rule: Option<&'static Rule>,
    /// Why the expected line is as it is, and what is otherwise here.
    pub why: String,
    /// How many answers had been typed before.
    pub answers: usize,
    /// Where in the game it is.
    pub situation: String,
    /// What explains the whole rest, if something simple does.
    pub story: Option<String>,
}

/// The two transcripts of one case.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'s> {
    /// The expected transcript.
    pub transcript: &'s Transcript,
    /// The same, as it was compared.
    pub expected: &'s Expected,
    /// What was printed.
    pub printed: &'s Printed<'s>,
    /// The same as a terminal shows it.
    pub screen: &'s Screen,
    /// Whether the program was still running, or broke, where its output ends.
    pub broke_off: bool,
}

/// How many lines are looked at to tell a missing line from an extra one.
const LOOK_AHEAD: usize = 12;

impl Sides<'_> {
    /// Describes the first difference; none for texts that are equal.
    pub fn difference(&self, level: Level, comparison: Comparison) -> Option<Difference> {
        let found = match comparison {
            Comparison::Equal => return None,
            Comparison::Short(want) => self.ended_early(level, want),
            Comparison::Long(item) => self.went_on(level, item),
            Comparison::Differs { expected, actual } if level == Level::Content => self.in_content(expected, actual),
            Comparison::Differs { expected, actual } => self.in_presentation(expected, actual),
        };
        let (expected, actual) = (found.expected, found.actual);
        let mut difference = self.describe(found);
        if let (Some(expected), Some(actual), false) = (expected, actual, self.broke_off) {
            let (theirs, own) = self.rest(expected, actual);
            difference.story = story(level, &theirs, &own);
            (difference.expected_line, difference.actual_line) = self.beside(difference.cause, expected, actual);
        }
        Some(difference)
    }

    /// The lines beside which an extra or a missing line stands: where only one side has come past empty lines, the
    /// other's are still ahead.
    fn beside(&self, cause: Cause, expected: usize, actual: usize) -> (Option<usize>, Option<usize>) {
        let gap = (0..expected).rev().take_while(|&line| self.expected_text(line).is_empty()).count();
        let own_gap = (0..actual).rev().take_while(|&line| self.actual_text(line).is_empty()).count();
        match cause {
            Cause::ExtraLine | Cause::RepeatedPrompt => (Some(expected - gap.saturating_sub(own_gap)), Some(actual)),
            Cause::MissingLine => (Some(expected), Some(actual - own_gap.saturating_sub(gap))),
            _ => (Some(expected), Some(actual)),
        }
    }

    /// The prompt that was printed, but whose answer was not waited for, where all that was printed is right.
    pub fn unawaited(&self, read: usize) -> Option<Difference> {
        let prompts = self.transcript.lines.iter().enumerate().filter(|(_, line)| line.is_prompt());
        let (expected, _) = prompts.into_iter().nth(read)?;
        let clause = "the program prints this, but does not wait for the answer".to_owned();
        let actual = self.screen.lines.len().checked_sub(1);
        Some(self.describe(Found { expected: Some(expected), actual, cause: Cause::EndedEarly, clause }))
    }

    /// Whether the expected line was printed where it is not looked for.
    pub fn is_on_standard_error(&self, difference: &Difference, complaints: &[u8]) -> bool {
        let wanted = difference.expected_line.map(|line| key(&self.expected_text(line))).unwrap_or_default();
        let complaints = String::from_utf8_lossy(complaints);
        !wanted.is_empty() && complaints.lines().any(|line| key(line) == wanted)
    }

    fn describe(&self, found: Found) -> Difference {
        let Found { expected, actual, cause, clause } = found;
        let note = self.note(expected.unwrap_or(self.transcript.lines.len().saturating_sub(1)));
        let (rule, facts) = match (cause, note) {
            (_, None) => (None, ""),
            (Cause::Number, Some(note)) => {
                let number = expected.zip(actual).map_or(0, |(expected, actual)| {
                    differing_number(&key(&self.expected_text(expected)), &key(&self.actual_text(actual)))
                });
                (Some(note.value_rules[number.min(1)]), &*note.facts)
            }
            (Cause::ExtraLine, Some(note)) if self.is_printed_twice(actual) => {
                (Some(self.place(cause, expected).unwrap_or(note).rule), "")
            }
            (Cause::ExtraLine | Cause::RepeatedPrompt, Some(note)) => {
                let silence = self.silence(expected.unwrap_or(self.transcript.lines.len()), actual);
                // Why the next line is right tells nothing of a line that should not be before it.
                silence.map_or((Some(note.rule), ""), |silence| (Some(silence.rule), &*silence.facts))
            }
            (Cause::ExtraEmptyLine, Some(note)) => {
                // Where one empty line is right and two are not, the rule is that of the one.
                let before = expected.and_then(|line| {
                    self.note(line.checked_sub(1)?).filter(|_| self.expected_text(line - 1).is_empty())
                });
                (Some(before.unwrap_or(note).rule), "")
            }
            (_, Some(note)) => (Some(note.rule), &*note.facts),
        };
        let speaks_for_itself = matches!(
            cause,
            Cause::TrailingSpace
                | Cause::Spacing
                | Cause::LetterCase
                | Cause::Punctuation
                | Cause::LineBreak
                | Cause::WentOn
                | Cause::Order
                | Cause::ControlCharacters
                | Cause::Encoding
        );
        let why = if speaks_for_itself || facts.is_empty() { clause } else { format!("{clause}: {facts}") };
        let answers = match (expected, note) {
            (None, _) => self.screen.lines.iter().filter(|line| line.typed().is_some()).count(),
            (_, note) => note.map_or(0, |note| note.answers),
        };
        Difference {
            expected_line: expected,
            actual_line: actual,
            cause,
            rule,
            why,
            answers,
            situation: self.place(cause, expected).or(note).map(|note| note.situation.to_string()).unwrap_or_default(),
            story: None,
        }
    }

    /// The line whose place in the game is that of a difference: something too much belongs to what was said before it.
    fn place(&self, cause: Cause, expected: Option<usize>) -> Option<&Note> {
        let expected = expected.unwrap_or(self.transcript.lines.len());
        if !cause.is_too_much() {
            return self.note(expected);
        }
        self.note((0..expected).rev().find(|line| !self.expected_text(*line).is_empty())?)
    }

    /// Whether the same line stands right before.
    fn is_printed_twice(&self, actual: Option<usize>) -> bool {
        let before = actual.and_then(|line| Some((line, line.checked_sub(1)?)));
        before.is_some_and(|(line, before)| self.actual_text(line) == self.actual_text(before))
    }

    /// Why nothing should be said before an expected line and the empty lines before it.
    fn silence(&self, expected: usize, actual: Option<usize>) -> Option<&Silence> {
        let said = actual.map(|line| self.actual_text(line)).unwrap_or_default();
        let gaps = (0..expected).rev().take_while(|line| self.expected_text(*line).is_empty());
        let reasons = || {
            std::iter::once(expected)
                .chain(gaps.clone())
                .filter_map(|line| self.note(line))
                .flat_map(|note| &note.silence)
        };
        let of_this = reasons().find(|silence| silence.about.is_some_and(|word| said.contains(word)));
        of_this.or_else(|| reasons().find(|silence| silence.about.is_none()))
    }

    fn note(&self, line: usize) -> Option<&Note> {
        self.transcript.lines.get(line).and_then(|line| line.note.as_deref())
    }

    fn ended_early(&self, level: Level, want: usize) -> Found {
        let wants = self.expected.wants(level);
        let expected = wants[want].line;
        let is_inside = want > 0 && wants[want - 1].line == expected && wants[want - 1].what != What::PromptEnd;
        let last = self.printed.items(level).last();
        if is_inside && !self.broke_off && level == Level::Content {
            let actual = last.map(|item| self.line_of(item));
            let clause = self.clause(Cause::Wording, expected, actual);
            return Found { expected: Some(expected), actual, cause: Cause::Wording, clause };
        }
        if level == Level::Exact {
            let actual = last.map(|item| self.line_of(item));
            let is_gap = self.transcript.lines[expected].text().is_empty();
            let (cause, clause) = if is_gap {
                (Cause::MissingEmptyLine, "an empty line is missing here".to_owned())
            } else {
                (Cause::Punctuation, "the end of this line is missing".to_owned())
            };
            return Found { expected: Some(expected), actual, cause, clause };
        }
        let clause = match (self.broke_off, self.printed.bytes.is_empty()) {
            (true, false) => "the program stopped before this line",
            (false, false) => "the program ended before this line",
            (true, true) => "the program stopped before it had printed anything",
            (false, true) => "the program printed nothing",
        };
        let clause = clause.to_owned();
        Found { expected: Some(expected), actual: None, cause: Cause::EndedEarly, clause }
    }

    fn went_on(&self, level: Level, item: usize) -> Found {
        let found = &self.printed.items(level)[item];
        let actual = self.line_of(found);
        let last = self.transcript.lines.len().saturating_sub(1);
        if level == Level::Exact {
            let text = self.actual_text(actual);
            return if text.trim().is_empty() && found.kind == Kind::LineEnd {
                let clause = "an empty line too many stands at the end".to_owned();
                Found { expected: None, actual: Some(actual), cause: Cause::ExtraEmptyLine, clause }
            } else {
                let clause = "the program prints this after the end of the game".to_owned();
                Found { expected: None, actual: Some(actual), cause: Cause::WentOn, clause }
            };
        }
        if let Some((cause, clause)) = self.foreign(found) {
            return Found { expected: None, actual: Some(actual), cause, clause };
        }
        let is_same_line = item > 0 && self.line_of(&self.printed.items(level)[item - 1]) == actual;
        if is_same_line {
            let clause = self.clause(Cause::Wording, last, Some(actual));
            return Found { expected: Some(last), actual: Some(actual), cause: Cause::Wording, clause };
        }
        let clause = "the program prints this after the end of the game".to_owned();
        Found { expected: None, actual: Some(actual), cause: Cause::WentOn, clause }
    }

    /// The expected line and the submission's line that belong to a difference. A line that goes on where the other
    /// has ended is the one that differs, not the next one.
    fn lines(&self, level: Level, want: usize, item: usize) -> (usize, usize) {
        let wants = self.expected.wants(level);
        let found = self.printed.items(level);
        let (expected, actual) = (wants[want].line, self.line_of(&found[item]));
        let before = want > 0 && item > 0;
        let inside_expected = before && wants[want - 1].line == expected;
        let inside_actual = before && self.line_of(&found[item - 1]) == actual;
        match (inside_expected, inside_actual) {
            (false, true) => (wants[want - 1].line, actual),
            (true, false) => (expected, self.line_of(&found[item - 1])),
            _ => (expected, actual),
        }
    }

    fn in_content(&self, want: usize, item: usize) -> Found {
        let (expected, actual) = self.lines(Level::Content, want, item);
        if let Some((cause, clause)) = self.foreign(&self.printed.items(Level::Content)[item]) {
            return Found { expected: Some(expected), actual: Some(actual), cause, clause };
        }
        let theirs = Ahead::new((expected..self.transcript.lines.len()).map(|line| self.expected_text(line)));
        let own = Ahead::new((actual..self.screen.lines.len()).map(|line| self.actual_text(line)));
        let form = masked_line(&self.actual_text(actual));
        let is_known = (0..self.transcript.lines.len()).any(|line| masked_line(&self.expected_text(line)) == form);
        let is_silent = self.silence(expected, Some(actual)).is_some();
        let (cause, skipped) = tell_apart(&theirs, &own, is_known, is_silent);
        let unlike = cause == Cause::Wording
            && ratio(&key(&self.expected_text(expected)), &key(&self.actual_text(actual))) < 0.6;
        let cause = match (self.transcript.lines[expected].is_prompt(), self.screen.lines[actual].typed().is_some()) {
            // A question is no misspelt statement, nor the other way round.
            (false, true) if unlike => Cause::ExtraLine,
            (true, false) if unlike && actual + 1 < self.screen.lines.len() => Cause::MissingLine,
            _ => cause,
        };
        let cause = match cause {
            Cause::ExtraLine if self.asks_again(actual, skipped) => {
                // What is asked for again may be right, and what should stand before it missing.
                if self.is_only_missing(expected, actual) { Cause::MissingLine } else { Cause::RepeatedPrompt }
            }
            cause => cause,
        };
        let mut clause = self.clause(cause, expected, Some(actual));
        if cause == Cause::MissingLine && skipped > 1 {
            clause = format!("this line and {} more are missing", skipped - 1);
        }
        Found { expected: Some(expected), actual: Some(actual), cause, clause }
    }

    /// Whether all is right from here on but for lines like the expected one that are missing.
    fn is_only_missing(&self, expected: usize, actual: usize) -> bool {
        let (theirs, own) = self.rest(expected, actual);
        is_only_missing(&theirs, &own)
    }

    /// The expected lines and the submission's from these on.
    fn rest(&self, expected: usize, actual: usize) -> (Vec<String>, Vec<String>) {
        let theirs = (expected..self.transcript.lines.len()).map(|line| self.expected_text(line)).collect();
        // A flood is no story.
        let own = (actual..self.screen.lines.len()).take(RIGHT_AMOUNT).map(|line| self.actual_text(line)).collect();
        (theirs, own)
    }

    /// Whether the extra lines ask again what was asked right before.
    fn asks_again(&self, actual: usize, extra: usize) -> bool {
        let text = |line: usize| key(&self.actual_text(line));
        let before: Vec<String> = (0..actual).rev().take(4).map(text).collect();
        let block = actual..(actual + extra).min(self.screen.lines.len());
        block.clone().any(|line| self.screen.lines[line].typed().is_some())
            && block.clone().all(|line| before.contains(&text(line)))
    }

    fn in_presentation(&self, want: usize, item: usize) -> Found {
        let (expected, actual) = self.lines(Level::Exact, want, item);
        let wants = self.expected.wants(Level::Exact);
        let found = self.printed.items(Level::Exact);
        let wanted = match wants[want].what {
            What::Item { kind, .. } => kind,
            _ => Kind::Other,
        };
        let got = found[item].kind;
        let is_expected_gap = self.expected_text(expected).is_empty();
        let is_actual_gap = self.actual_text(self.line_of(&found[item])).is_empty();
        let spaces_end_the_line = {
            let after = found[item..].iter().find(|item| item.kind != Kind::Space);
            got == Kind::Space
                && after.is_none_or(|after| {
                    self.line_of(after) != self.line_of(&found[item]) || after.kind == Kind::LineEnd
                })
        };
        let starts_the_line = want == 0 || wants[want - 1].line != wants[want].line;
        let cause = match (wanted, got) {
            (Kind::Letter, Kind::Letter) => Cause::LetterCase,
            (_, Kind::Space) if spaces_end_the_line => Cause::TrailingSpace,
            (Kind::LineEnd, _) if is_expected_gap && wants[want].line == expected => Cause::MissingEmptyLine,
            (_, Kind::LineEnd) if is_actual_gap && starts_the_line => Cause::ExtraEmptyLine,
            (Kind::Space, _) | (_, Kind::Space) if self.is_only_spaced(want, item) => Cause::Spacing,
            (Kind::Mark, _) | (_, Kind::Mark) => Cause::Punctuation,
            (Kind::LineEnd, _) | (_, Kind::LineEnd) => Cause::LineBreak,
            _ => Cause::Spacing,
        };
        let (expected, actual) = match cause {
            // An empty line belongs to no other line.
            Cause::ExtraEmptyLine => (wants[want].line, self.line_of(&found[item])),
            _ => (expected, actual),
        };
        let follows_a_prompt = want.checked_sub(1).is_some_and(|before| wants[before].what == What::PromptEnd);
        let clause = match (cause, found[item].kind) {
            (Cause::LineBreak, Kind::LineEnd) if follows_a_prompt => {
                "the line ends after the prompt, but the answer has to be typed on the same line".to_owned()
            }
            (Cause::LineBreak, Kind::LineEnd) => "the line ends too early".to_owned(),
            _ => self.clause(cause, expected, Some(actual)),
        };
        Found { expected: Some(expected), actual: Some(actual), cause, clause }
    }

    /// Whether both go on alike after the spaces that stand here in one of them.
    fn is_only_spaced(&self, want: usize, item: usize) -> bool {
        let next = self.expected.wants(Level::Exact)[want..].iter().find_map(|want| match want.what {
            What::Item { kind: Kind::Space, .. } | What::PromptEnd => None,
            what => Some(self.expected.text(what).unwrap_or_default()),
        });
        let own = self.printed.items(Level::Exact)[item..].iter().find(|item| item.kind != Kind::Space);
        next == own.map(|item| &self.printed.bytes[item.start as usize..item.end as usize])
    }

    /// A character that is neither of the expected alphabet nor punctuation.
    fn foreign(&self, item: &Item) -> Option<(Cause, String)> {
        if item.kind != Kind::Other {
            return None;
        }
        let bytes = &self.printed.bytes[item.start as usize..item.end as usize];
        let character = str::from_utf8(bytes).ok().and_then(|text| text.chars().next());
        Some(match character {
            Some('\u{1b}') => (Cause::ControlCharacters, "a control sequence for the terminal (ESC) stands here, such as one for colour or for clearing the screen".to_owned()),
            Some('\r') => (Cause::ControlCharacters, "a carriage return (\\r) stands here".to_owned()),
            Some(c) if c.is_control() => (Cause::ControlCharacters, format!("the control character U+{:04X} stands here", c as u32)),
            Some(c) => (Cause::Encoding, looks_like(c)),
            None => (Cause::Encoding, format!("the byte 0x{:02X} stands here, which is no text in UTF-8", bytes[0])),
        })
    }

    fn clause(&self, cause: Cause, expected: usize, actual: Option<usize>) -> String {
        let theirs = self.expected_text(expected);
        let own = actual.map(|line| self.actual_text(line)).unwrap_or_default();
        match cause {
            Cause::MissingLine => "this line is missing".to_owned(),
            Cause::ExtraLine if self.is_printed_twice(actual) => "this line is printed twice".to_owned(),
            Cause::ExtraLine => "this line should not be here".to_owned(),
            Cause::RepeatedPrompt => "this is asked once more than it should be".to_owned(),
            Cause::Order => "the lines are right, but stand in another order".to_owned(),
            Cause::Number | Cause::FloatForInt => number_clause(&theirs, &own),
            Cause::MissingEmptyLine => "an empty line is missing here".to_owned(),
            Cause::ExtraEmptyLine => "an empty line too many stands here".to_owned(),
            Cause::TrailingSpace => {
                let (ours, yours) = (trailing(&theirs), trailing(&own));
                match ours {
                    0 => format!("{} at the end of the line", spaces(yours)),
                    _ => format!("{} at the end of the line, and {ours} should", spaces(yours)),
                }
            }
            Cause::LineBreak => "a line end is missing here".to_owned(),
            Cause::Spacing => {
                let end = if self.transcript.lines[expected].is_prompt() { "prompt" } else { "line" };
                spacing_clause(&theirs, &own, end)
            }
            _ => word_clause(&theirs, &own),
        }
    }

    fn line_of(&self, item: &Item) -> usize {
        self.screen.line_at(item.start as usize)
    }

    fn expected_text(&self, line: usize) -> String {
        let line = &self.transcript.lines[line];
        if line.text().is_empty() { line.to_string() } else { line.text().to_owned() }
    }

    fn actual_text(&self, line: usize) -> String {
        let Some(line) = self.screen.lines.get(line) else { return String::new() };
        let bytes = &self.printed.bytes[line.bytes()];
        String::from_utf8_lossy(&bytes[..bytes.len().min(RIGHT_LENGTH)]).trim_end_matches('\r').to_owned()
    }
}

/// No game has so many lines.
const RIGHT_AMOUNT: usize = 20_000;

/// No game has a line of so many bytes, even if it prints all in one.
const RIGHT_LENGTH: usize = 1 << 16;

struct Found {
    expected: Option<usize>,
    actual: Option<usize>,
    cause: Cause,
    clause: String,
}

/// The next lines that say something, by their content.
struct Ahead {
    keys: Vec<String>,
    ends: bool,
}

impl Ahead {
    fn new(lines: impl Iterator<Item = String>) -> Self {
        let mut keys = lines.map(|text| key(&text)).filter(|key| !key.is_empty());
        let ahead: Vec<String> = keys.by_ref().take(2 * LOOK_AHEAD).collect();
        Ahead { keys: ahead, ends: keys.next().is_none() }
    }

    /// How well the lines agree from here on: those alike but for their numbers, and once more those that are equal.
    /// Agreement to the very end counts as if it went on.
    fn agreement(&self, from: usize, other: &Ahead, other_from: usize) -> Agreement {
        let (own, theirs) =
            (self.keys.get(from..).unwrap_or_default(), other.keys.get(other_from..).unwrap_or_default());
        let count = |same: fn(&String, &String) -> bool| {
            let agreeing = own.iter().zip(theirs).take_while(|(a, b)| same(a, b)).count();
            let to_the_end = agreeing == own.len() && agreeing == theirs.len() && self.ends && other.ends;
            if to_the_end { LOOK_AHEAD } else { agreeing.min(LOOK_AHEAD) }
        };
        Agreement { alike: count(|a, b| masked(a) == masked(b)), equal: count(|a, b| a == b) }
    }
}

#[derive(Clone, Copy)]
struct Agreement {
    alike: usize,
    equal: usize,
}

/// Whether lines are missing, too many, in another order, or one stands for another; and how many are skipped.
///
/// Each explanation is as good as what agrees after it, and the worse the more lines it skips. `is_known` says whether
/// the submission's line has the form of any expected line, `is_silent` whether nothing else should be said here.
fn tell_apart(theirs: &Ahead, own: &Ahead, is_known: bool, is_silent: bool) -> (Cause, usize) {
    let (Some(first), Some(own_first)) = (theirs.keys.first(), own.keys.first()) else { return (Cause::Wording, 1) };
    let is_number = masked(first) == masked(own_first);
    let is_alike = is_number || !is_known && ratio(first, own_first) >= 0.6;
    let replaced = theirs.agreement(1, own, 1);
    // That the very next lines are of one form again speaks for one line in the place of another.
    let next_alike = if replaced.alike > 0 { LOOK_AHEAD } else { 0 };
    // A wrong number makes others wrong, so that lines need not be equal.
    let equal = if is_number { replaced.alike } else { replaced.equal };
    let score = replaced.alike + equal + next_alike + if is_alike { LOOK_AHEAD / 2 } else { 0 };
    let mut best = (score, Cause::Wording, 1);
    let mut consider = |score: usize, cause, skipped| {
        if score > best.0 {
            best = (score, cause, skipped);
        }
    };
    for length in 2..=4.min(theirs.keys.len()).min(own.keys.len()) {
        let (mut sorted, mut own_sorted) = (theirs.keys[..length].to_vec(), own.keys[..length].to_vec());
        sorted.sort_unstable();
        own_sorted.sort_unstable();
        let Agreement { alike, equal } = theirs.agreement(length, own, length);
        if sorted == own_sorted && equal > 0 {
            consider(alike + equal + next_alike + 2, Cause::Order, length);
        }
    }
    for skipped in 1..=8 {
        // Lines that are only alike are a sign for one skipped line, and a weak one.
        let score = |Agreement { alike, equal }: Agreement| match (equal, skipped) {
            (0, 1) => alike.min(2),
            (0, _) => 0,
            _ => (alike + equal + 1).saturating_sub(skipped),
        };
        if skipped <= theirs.keys.len() {
            consider(score(theirs.agreement(skipped, own, 0)), Cause::MissingLine, skipped);
        }
        if skipped <= own.keys.len() {
            consider(score(theirs.agreement(0, own, skipped)), Cause::ExtraLine, skipped);
        }
    }
    match best {
        (_, Cause::Wording, _) if is_number && is_float(first, own_first) => (Cause::FloatForInt, 1),
        (_, Cause::Wording, _) if is_number || letters(first) == letters(own_first) => (Cause::Number, 1),
        // Another line of the game stands here, not a misspelt one.
        (_, Cause::Wording, _) if is_silent && !is_alike && replaced.alike == 0 => (Cause::ExtraLine, 1),
        (_, Cause::Wording, _) if is_known && replaced.alike == 0 => (Cause::MissingLine, 1),
        (_, cause, skipped) => (cause, skipped),
    }
}

/// The content of a line: what is left of it when only content counts.
pub(super) fn key(text: &str) -> String {
    let mut key = String::new();
    for item in items(text.as_bytes()).iter().filter(|item| item.kind.is_content()) {
        let text = text[item.start as usize..item.end as usize].to_ascii_lowercase();
        if item.kind == Kind::Number {
            key.push('|');
        }
        key.push_str(&text);
        if item.kind == Kind::Number {
            key.push('|');
        }
    }
    key
}

fn numbers(key: &str) -> Vec<&str> {
    let found = items(key.as_bytes()).into_iter().filter(|item| item.kind == Kind::Number);
    found.map(|item| &key[item.start as usize..item.end as usize]).collect()
}

fn masked(key: &str) -> Vec<&str> {
    key.split('|').enumerate().filter(|(index, _)| index % 2 == 0).map(|(_, words)| words).collect()
}

/// The form of a line: its content with a mark for each number.
pub(super) fn masked_line(line: &str) -> String {
    masked(&key(line)).join("#")
}

fn letters(key: &str) -> String {
    masked(key).concat()
}

/// Which number is the first that differs.
fn differing_number(expected: &str, actual: &str) -> usize {
    numbers(expected).into_iter().zip(numbers(actual)).take_while(|(expected, actual)| expected == actual).count()
}

fn is_float(expected: &str, actual: &str) -> bool {
    let number = differing_number(expected, actual);
    let (theirs, own) = (numbers(expected), numbers(actual));
    theirs.get(number).zip(own.get(number)).is_some_and(|(expected, actual)| same_value(expected, actual))
}

/// Whether the second is the first with a decimal point.
fn same_value(whole: &str, number: &str) -> bool {
    number.contains('.') && !whole.contains('.') && whole.parse::<f64>().ok() == number.parse::<f64>().ok()
}

fn ratio(a: &str, b: &str) -> f32 {
    TextDiff::configure().algorithm(Algorithm::Myers).diff_chars(a, b).ratio()
}

fn number_clause(expected: &str, actual: &str) -> String {
    let (theirs, own) = (numbers(expected), numbers(actual));
    match theirs.iter().zip(&own).find(|(expected, actual)| expected != actual) {
        Some((expected, actual)) if same_value(expected, actual) => {
            format!("{actual} has a decimal point, where the whole number {expected} should stand")
        }
        Some((expected, actual)) => format!("{actual} stands where {expected} should stand"),
        None => format!("{} numbers stand where {} should stand", own.len(), theirs.len()),
    }
}

/// A line in which what is not graded is told in words.
fn plain_words(expected: &str) -> String {
    expected.replace("{any}", "…").replace("{number}", "…").replace("{word}", "…")
}

fn word_clause(expected: &str, actual: &str) -> String {
    let expected = plain_words(expected);
    let (missing, extra) = words_that_differ(&expected, actual);
    match (missing.trim(), shown(extra.trim()).as_str()) {
        ("", "") => "the line is not as it should be".to_owned(),
        ("", extra) => format!("“{extra}” should not be here"),
        (missing, "") => format!("“{missing}” is missing"),
        (missing, extra) => format!("“{extra}” stands where “{missing}” should stand"),
    }
}

fn looks_like(c: char) -> String {
    let what = match c {
        '\u{a0}' | '\u{202f}' | '\u{2007}' => "a no-break space",
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => "an invisible character",
        '\u{2018}' | '\u{2019}' => "a curly apostrophe",
        '\u{201c}' | '\u{201d}' => "a curly quotation mark",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "a long dash",
        '\u{370}'..='\u{3ff}' => "a Greek letter",
        '\u{400}'..='\u{4ff}' => "a Cyrillic letter",
        _ => {
            return format!(
                "the character {} (U+{:04X}) stands here, which is none of the expected ones",
                visible(c),
                c as u32
            );
        }
    };
    format!(
        "{what}, {} (U+{:04X}), stands here: it looks like another character; type it again on the keyboard",
        visible(c),
        c as u32
    )
}

fn spacing_clause(expected: &str, actual: &str, end: &str) -> String {
    let same = expected.bytes().zip(actual.bytes()).take_while(|(a, b)| a == b).count();
    // The run of spaces in which the two part.
    let same = (0..=same).rev().find(|&at| expected.is_char_boundary(at) && actual.is_char_boundary(at)).unwrap_or(0);
    let run = |text: &str| {
        let before = text.as_bytes()[..same].iter().rev().take_while(|byte| is_space(**byte)).count();
        let after = text.as_bytes()[same..].iter().take_while(|byte| is_space(**byte)).count();
        (same - before, before + after)
    };
    let ((start, theirs), (_, own)) = (run(expected), run(actual));
    let following: String = expected[start + theirs..].chars().take_while(|c| !c.is_whitespace()).take(20).collect();
    let where_ =
        if following.is_empty() { format!("at the end of the {end}") } else { format!("before “{following}”") };
    if theirs == own {
        format!("a tab stands {where_} where a space should stand")
    } else {
        format!(
            "{} {where_}; there should be {}",
            spaces(own),
            if theirs == 0 { "none".to_owned() } else { theirs.to_string() }
        )
    }
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn trailing(text: &str) -> usize {
    text.len() - text.trim_end().len()
}

fn spaces(number: usize) -> String {
    match number {
        0 => "no space stands".to_owned(),
        1 => "one space stands".to_owned(),
        number => format!("{number} spaces stand"),
    }
}

fn visible(c: char) -> String {
    if c.is_whitespace() || c.is_control() { "that is invisible".to_owned() } else { format!("“{c}”") }
}

/// A piece of a submission's text for a sentence: short, and without anything that acts on a terminal.
pub(super) fn shown(text: &str) -> String {
    let plain: String = text.chars().take(60).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().count() > 60 { format!("{plain}…") } else { plain }
}
