//! The two transcripts of a case beside each other: which lines stand in one row, and what differs in them.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::visible::{Spaces, named, visible};
use crate::grade::{CaseReport, DifferenceReport, SideLine};
use crate::judge::Cause;

/// Lines of agreement that are shown before a difference.
pub const CONTEXT: usize = 3;
/// Lines that are shown after it, as far as they agree.
const AFTER: usize = 2;
/// Lines in another order that are shown at most.
const MOVED: usize = 6;

/// The part of a line in which it differs from the other, in bytes of what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    start: usize,
    end: usize,
    /// Whether only white space differs, so that it has to be seen.
    only_spaces: bool,
}

/// A line of each of the two transcripts, or of one alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The line of the expected transcript, from 0.
    pub expected: Option<usize>,
    /// The line of the submission's transcript, from 0.
    pub actual: Option<usize>,
    /// Whether the two are alike, as far as they are graded.
    pub agrees: bool,
    /// Whether the side that has nothing here has ended.
    pub is_end: bool,
    /// Whether two lines stand beside each other that are right, but not there.
    is_moved: bool,
}

impl Row {
    fn new(expected: Option<usize>, actual: Option<usize>) -> Row {
        Row { expected, actual, agrees: false, is_end: false, is_moved: false }
    }

    fn agreeing(expected: usize, actual: usize) -> Row {
        Row { agrees: true, ..Row::new(Some(expected), Some(actual)) }
    }

    /// The parts in which the two lines differ.
    pub fn marks(&self, case: &CaseReport) -> (Vec<Mark>, Vec<Mark>) {
        match self.sides(case) {
            (Some(expected), Some(actual)) if !self.agrees && !self.is_moved => marks(expected, actual),
            _ => (vec![], vec![]),
        }
    }

    /// The numbers of the two lines in their transcripts, from 1.
    pub fn numbers(&self, case: &CaseReport) -> (Option<usize>, Option<usize>) {
        (self.expected.map(|line| line + 1), self.actual.map(|line| case.left_out.0 + line + 1))
    }

    /// The two lines.
    pub fn sides<'c>(&self, case: &'c CaseReport) -> (Option<&'c SideLine>, Option<&'c SideLine>) {
        (self.expected.and_then(|line| case.expected.get(line)), self.actual.and_then(|line| case.actual.get(line)))
    }
}

/// A few lines of agreement, the difference, and what agrees again after it.
pub fn around(case: &CaseReport, difference: &DifferenceReport) -> Vec<Row> {
    let (expected, actual) = place(case, difference);
    let mut rows = before(case, expected, actual, CONTEXT).rows;
    let (found, next, own_next) = at(case, difference);
    let is_one_sided = found.iter().any(|row| row.expected.is_none() != row.actual.is_none());
    rows.extend(found);
    if is_one_sided && !agree(case, next, own_next) {
        // What stands in the place of the line that one side lacks.
        let (theirs, own) = (case.expected.get(next).map(|_| next), case.actual.get(own_next).map(|_| own_next));
        if next == expected && theirs.is_some() {
            rows.push(Row::new(theirs, None));
        } else if own_next == actual && own.is_some() {
            rows.push(Row::new(None, own));
        }
    }
    let after = (0..AFTER).map(|ahead| (next + ahead, own_next + ahead));
    let agreeing = after.take_while(|&(next, own_next)| agree(case, next, own_next));
    rows.extend(agreeing.map(|(next, own_next)| Row::agreeing(next, own_next)));
    rows
}

/// Both transcripts from their first lines on.
pub struct Whole {
    /// The rows.
    pub rows: Vec<Row>,
    /// Where among them the first difference is; their end where there is none.
    pub first: usize,
}

/// How many lines are looked at to find those that stand in one row when the transcripts have parted. What comes after
/// them is left out.
const AHEAD: usize = 600;

/// All of both transcripts, as far as anybody would read on after the first difference.
pub fn whole(case: &CaseReport) -> Whole {
    let ends = (case.expected.len(), case.actual.len());
    let mut rows = vec![];
    let Some(difference) = &case.difference else {
        rows = aligned(case, (0, 0), ends);
        open_lines_agree(case, &mut rows);
        return Whole { first: rows.len(), rows };
    };
    let (expected, actual) = place(case, difference);
    let before = before(case, expected, actual, usize::MAX);
    rows.extend(aligned(case, (0, 0), (before.expected, before.actual)));
    rows.extend(before.rows);
    open_lines_agree(case, &mut rows);
    let first = rows.len();
    let (found, next, own_next) = at(case, difference);
    let mut rest = aligned(case, (next, own_next), ends);
    open_lines_agree(case, &mut rest);
    rows.extend(found);
    rows.extend(rest);
    Whole { rows, first }
}

/// What stands in place of something that is not graded is no difference.
fn open_lines_agree(case: &CaseReport, rows: &mut [Row]) {
    let theirs = |row: &Row| row.expected.map(|line| &case.expected[line]);
    for row in rows.iter_mut() {
        let (Some(theirs), Some(own)) = row.sides(case) else { continue };
        row.agrees |= theirs.is_open && fits(&theirs.said, &own.said) && theirs.typed == own.typed;
    }
    let stands_for_any = |row: &Row| theirs(row).is_some_and(|line| line.text == "...");
    let any: Vec<usize> = (0..rows.len()).filter(|&at| stands_for_any(&rows[at])).collect();
    for at in any {
        let before = rows[..at].iter().rev().take_while(|row| row.expected.is_none()).count();
        let after = rows[at + 1..].iter().take_while(|row| row.expected.is_none()).count();
        rows[at - before..=at + after].iter_mut().for_each(|row| row.agrees = true);
    }
}

/// Whether a line has the parts of one that stand around its open places, in their order.
fn fits(open: &str, own: &str) -> bool {
    let mut parts = open.split('…');
    let Some(mut rest) = parts.next().and_then(|start| own.strip_prefix(start)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((end, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(end)
}

/// The lines at which a difference is; past the last one for a side that has ended.
fn place(case: &CaseReport, difference: &DifferenceReport) -> (usize, usize) {
    let (theirs, own) = (case.expected.len(), case.actual.len());
    (difference.expected_line.unwrap_or(theirs).min(theirs), difference.actual_line.unwrap_or(own).min(own))
}

fn agree(case: &CaseReport, expected: usize, actual: usize) -> bool {
    matches!((case.expected.get(expected), case.actual.get(actual)), (Some(theirs), Some(own)) if theirs == own)
}

/// The difference itself, and the lines that come after it.
fn at(case: &CaseReport, difference: &DifferenceReport) -> (Vec<Row>, usize, usize) {
    let (expected, actual) = place(case, difference);
    let theirs = Some(expected).filter(|line| *line < case.expected.len());
    let own = Some(actual).filter(|line| *line < case.actual.len());
    let is_missing = matches!(difference.cause, Cause::MissingLine | Cause::MissingEmptyLine);
    if is_missing && theirs.is_some() {
        return (vec![Row::new(theirs, None)], expected + 1, actual);
    }
    if difference.cause.is_too_much() && own.is_some() {
        return (vec![Row { is_end: theirs.is_none(), ..Row::new(None, own) }], expected, actual + 1);
    }
    let is_moved = difference.cause == Cause::Order;
    let mut rows = vec![Row { is_end: theirs.is_none() || own.is_none(), is_moved, ..Row::new(theirs, own) }];
    let (mut next, mut own_next) = (expected + 1, actual + 1);
    if is_moved {
        let both = |next, own| next < case.expected.len() && own < case.actual.len() && !agree(case, next, own);
        while next < expected + MOVED && both(next, own_next) {
            rows.push(Row { is_moved: true, ..Row::new(Some(next), Some(own_next)) });
            (next, own_next) = (next + 1, own_next + 1);
        }
    }
    if difference.cause == Cause::LineBreak && !agree(case, next, own_next) && agree(case, next, own_next + 1) {
        // The rest of a line that ended too early.
        rows.push(Row::new(None, Some(own_next)));
        own_next += 1;
    }
    (rows, next, own_next)
}

/// Rows before a difference, and the lines at which they begin.
struct Before {
    rows: Vec<Row>,
    expected: usize,
    actual: usize,
}

/// The lines before a difference, as far as their words agree. What is laid out in another way there is shown as it is.
fn before(case: &CaseReport, mut expected: usize, mut actual: usize, most: usize) -> Before {
    let mut rows = vec![];
    let is_empty = |line: &SideLine| line.said.trim().is_empty() && line.typed.is_none();
    while rows.len() < most
        && let (Some(line), Some(own)) = (expected.checked_sub(1), actual.checked_sub(1))
    {
        let (theirs, yours) = (&case.expected[line], &case.actual[own]);
        let agrees = theirs == yours || theirs.is_open;
        let (with_theirs, with_yours) = match (agrees, is_empty(theirs), is_empty(yours)) {
            (false, true, false) => (true, false),
            (false, false, true) => (false, true),
            _ => (true, true),
        };
        let row = Row { agrees, ..Row::new(with_theirs.then_some(line), with_yours.then_some(own)) };
        expected -= usize::from(with_theirs);
        actual -= usize::from(with_yours);
        rows.push(row);
        // How many lines stand for such a line is not told here.
        if theirs.text == "..." {
            break;
        }
    }
    rows.reverse();
    Before { rows, expected, actual }
}

/// The lines between two places, those that are alike in one row.
fn aligned(case: &CaseReport, from: (usize, usize), to: (usize, usize)) -> Vec<Row> {
    let (theirs, own) = (from.0.min(to.0)..to.0, from.1.min(to.1)..to.1);
    let pairs = theirs.clone().zip(own.clone());
    let mut rows: Vec<Row> = pairs
        .take_while(|&(expected, actual)| agree(case, expected, actual))
        .map(|(expected, actual)| Row::agreeing(expected, actual))
        .collect();
    let theirs = theirs.start + rows.len()..theirs.end;
    let own = own.start + rows.len()..own.end;
    let (keys, own_keys) = (keys(&case.expected, theirs.clone()), keys(&case.actual, own.clone()));
    align(case, &keys, &own_keys, &[Likeness::Whole, Likeness::Shape], &mut rows);
    // What a line beside which nothing stands would stand beside may come after the lines that were looked at.
    let may_follow =
        |row: &Row| row.actual.is_none() && own.len() > AHEAD || row.expected.is_none() && theirs.len() > AHEAD;
    while rows.pop_if(|row| may_follow(row)).is_some() {}
    rows
}

/// What lines are told apart by.
struct Key<'l> {
    line: usize,
    side: &'l SideLine,
    /// Which answer is typed in it: the same answer is no other one, however alike the lines are.
    answer: Option<usize>,
}

/// How closely lines have to be alike to stand in one row.
#[derive(Debug, Clone, Copy)]
enum Likeness {
    /// The same text.
    Whole,
    /// The same letters, with numbers in the same places: with other numbers it is still the same line of the game.
    Shape,
}

impl Key<'_> {
    fn by(&self, likeness: Likeness) -> (String, Option<usize>) {
        let said = match likeness {
            Likeness::Whole => self.side.said.clone(),
            Likeness::Shape => shape(&self.side.said),
        };
        (said, self.answer)
    }
}

fn shape(said: &str) -> String {
    let mut shape = String::new();
    for c in said.chars().filter(|c| c.is_alphanumeric()).take(LONGEST_SHAPE) {
        match c {
            '0'..='9' if shape.ends_with('0') => {}
            '0'..='9' => shape.push('0'),
            _ => shape.push(c.to_ascii_lowercase()),
        }
    }
    shape
}

/// Lines that are alike so far are alike.
const LONGEST_SHAPE: usize = 400;

fn keys(lines: &[SideLine], range: Range<usize>) -> Vec<Key<'_>> {
    let mut answers = lines[..range.start].iter().filter(|line| line.typed.is_some()).count();
    let key = |(line, side): (usize, &'_ SideLine)| {
        let answer = side.typed.is_some().then_some(answers);
        answers += usize::from(answer.is_some());
        (line, answer)
    };
    let told: Vec<_> = lines.iter().enumerate().skip(range.start).take(range.len().min(AHEAD)).map(key).collect();
    told.into_iter().map(|(line, answer)| Key { line, side: &lines[line], answer }).collect()
}

/// Puts lines with the same key into one row: by the first of the `levels`, and what is left by the others in turn.
fn align(case: &CaseReport, theirs: &[Key<'_>], own: &[Key<'_>], levels: &[Likeness], rows: &mut Vec<Row>) {
    let row = |expected: Option<&Key<'_>>, actual: Option<&Key<'_>>| {
        let (expected, actual) = (expected.map(|key| key.line), actual.map(|key| key.line));
        let agrees = expected.zip(actual).is_some_and(|(expected, actual)| agree(case, expected, actual));
        Row { agrees, ..Row::new(expected, actual) }
    };
    let Some((level, others)) = levels.split_first() else {
        rows.extend((0..theirs.len().max(own.len())).map(|at| row(theirs.get(at), own.get(at))));
        return;
    };
    let (old, new): (Vec<_>, Vec<_>) =
        (theirs.iter().map(|key| key.by(*level)).collect(), own.iter().map(|key| key.by(*level)).collect());
    for part in capture_diff_slices(Algorithm::Myers, &old, &new) {
        let (theirs, own) = (&theirs[part.old_range()], &own[part.new_range()]);
        let others = if part.tag() == DiffTag::Replace { others } else { &[] };
        align(case, theirs, own, others, rows);
    }
}

/// What differs in two lines, word by word; of lines that differ in many places all between the first and the last.
fn marks(expected: &SideLine, actual: &SideLine) -> (Vec<Mark>, Vec<Mark>) {
    const MOST: usize = 3;
    let (a, b) = (words_of(start(&expected.said, FAR)), words_of(start(&actual.said, FAR)));
    let differing: Vec<(Range<usize>, Range<usize>)> = capture_diff_slices(Algorithm::Myers, &a, &b)
        .into_iter()
        .filter(|part| part.tag() != DiffTag::Equal)
        .map(|part| (part.old_range(), part.new_range()))
        .collect();
    let differing = match differing.as_slice() {
        [(first, own_first), .., (last, own_last)] if differing.len() > MOST => {
            vec![(first.start..last.end, own_first.start..own_last.end)]
        }
        _ => differing,
    };
    let mark = |words: &[&str], range: &Range<usize>, only_spaces| {
        let bytes = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
        Mark { start: bytes(&words[..range.start]), end: bytes(&words[..range.end]), only_spaces }
    };
    let pair = |(theirs, own): &(Range<usize>, Range<usize>)| {
        let is_space = |words: &[&str]| words.iter().all(|word| word.trim().is_empty());
        let only_spaces = is_space(&a[theirs.clone()]) && is_space(&b[own.clone()]);
        (mark(&a, theirs, only_spaces), mark(&b, own, only_spaces))
    };
    differing.iter().map(pair).unzip()
}

/// What differs further on in a line is not looked for.
const FAR: usize = 10_000;

/// So many bytes of a text, or a few more where a character stands there.
fn start(text: &str, most: usize) -> &str {
    let end = (most..text.len()).find(|&at| text.is_char_boundary(at));
    &text[..end.unwrap_or(text.len())]
}

/// Words, runs of spaces, sequences for the terminal, and every other character by itself.
fn words_of(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        ' ' => 1,
        c if c.is_alphanumeric() => 2,
        _ => 3,
    };
    let mut words = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match kind(first) {
            _ if rest.starts_with("\u{1b}[") => rest.find(|c: char| c.is_alphabetic()).map(|last| last + 1),
            3 => Some(first.len_utf8()),
            of_a_kind => rest.find(|c| kind(c) != of_a_kind),
        };
        let (word, after) = rest.split_at(end.filter(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len()));
        words.push(word);
        rest = after;
    }
    words
}

/// A part of a line, made visible.
pub struct Piece {
    /// The text.
    pub text: String,
    /// What it is.
    pub kind: PieceKind,
}

/// What a part of a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// What is printed.
    Said,
    /// The same where it differs from the other side.
    Differs,
    /// What is typed, in its signs.
    Typed,
    /// Words in place of an empty line.
    Nothing,
}

/// The parts of a line that `differs` from the other side or does not.
pub fn pieces(side: &SideLine, marks: &[Mark], differs: bool, spaces: Spaces) -> Vec<Piece> {
    let mut pieces = vec![];
    let mut push = |kind, text| pieces.push(Piece { text, kind });
    if side.said.is_empty() && side.typed.is_none() && differs {
        push(PieceKind::Nothing, "(an empty line)".to_owned());
        return pieces;
    }
    let said = limited(&side.said, marks);
    let mut from = 0;
    for mark in marks.iter().filter(|mark| mark.end <= said.len()) {
        push(PieceKind::Said, visible(&said[from..mark.start], spaces));
        let text = &said[mark.start..mark.end];
        let spaces = if mark.only_spaces { Spaces::Visible } else { spaces };
        // The … of an open line is none that could look like something else.
        let text = if side.is_open { visible(text, spaces) } else { named(text, spaces) };
        // Where nothing stands there is nothing to mark, but for the end of the line.
        if !text.is_empty() || mark.start == said.len() {
            push(PieceKind::Differs, text);
        }
        from = mark.end;
    }
    push(PieceKind::Said, visible(&said[from..], spaces));
    match &side.typed {
        Some(Some(typed)) => push(PieceKind::Typed, format!("«{}»", visible(typed, spaces))),
        Some(None) => push(PieceKind::Typed, "«".to_owned()),
        None => {}
    }
    pieces
}

/// A line of a flood is cut; what differs in it stays.
pub fn limited(said: &str, marks: &[Mark]) -> String {
    const MOST: usize = 400;
    let until = marks.last().map_or(0, |mark| mark.end.min(mark.start + MOST)) + MOST;
    if said.len() <= until {
        return said.to_owned();
    }
    format!("{}…", start(said, until))
}
