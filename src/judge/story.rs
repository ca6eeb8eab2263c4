//! Whether something simple explains all of a submission's differences in a case.

use super::compare::Level;
use super::difference::{key, masked_line, shown};

/// Longer transcripts are not looked through: nothing simple explains a flood.
const MOST_LINES: usize = 5_000;

/// What explains the whole rest, from the first difference on: the expected lines and the submission's, as they are
/// printed, each from its line of the first difference on.
pub fn story(level: Level, expected: &[String], actual: &[String]) -> Option<String> {
    if expected.len().max(actual.len()) > MOST_LINES {
        return None;
    }
    let (theirs, own) = (lines(level, expected), lines(level, actual));
    let rest = if level == Level::Content { "all other words and numbers are right" } else { "all else is right" };
    if own.len() == 2 * theirs.len()
        && theirs.len() > 1
        && own.iter().enumerate().all(|(at, line)| line.compared == theirs[at / 2].compared)
    {
        return Some("From here on every line is printed twice.".to_owned());
    }
    if let Some(times) = without(&own, &theirs) {
        return Some(match times {
            1 => format!("Without this line {rest}."),
            _ => format!("Such a line is printed {times} times too often; without them {rest}."),
        });
    }
    if let Some(times) = without(&theirs, &own) {
        return Some(match times {
            1 => format!("With this line {rest}."),
            _ => format!("Such a line is missing {times} times; with them {rest}."),
        });
    }
    line_for_line(level, &theirs, &own, rest).or_else(|| reordered(&theirs, &own, rest))
}

/// Whether the submission's lines are the expected ones but for some like the first of those.
pub fn is_only_missing(expected: &[String], actual: &[String]) -> bool {
    let contents = |text| lines(Level::Content, text);
    expected.len().max(actual.len()) <= MOST_LINES && without(&contents(expected), &contents(actual)).is_some()
}

/// A line, and what of it is compared.
struct Line<'t> {
    text: &'t str,
    compared: String,
}

/// All lines, or where only content counts those that have any.
fn lines(level: Level, text: &[String]) -> Vec<Line<'_>> {
    let line = |text| Line { text, compared: compared(level, text) };
    let all = text.iter().map(|text| line(text.as_str()));
    all.filter(|line| level == Level::Exact || !line.compared.is_empty()).collect()
}

/// What of a line is compared.
fn compared(level: Level, text: &str) -> String {
    if level == Level::Content { key(text) } else { text.to_owned() }
}

/// How many lines like the first have to be taken out of `lines` to get `wanted`, if that is all there is to do.
fn without(lines: &[Line<'_>], wanted: &[Line<'_>]) -> Option<usize> {
    let surplus = masked_line(lines.first()?.text);
    let mut wanted = wanted.iter().map(|line| &line.compared).peekable();
    let mut times = 0;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 && wanted.peek() == Some(&&line.compared) {
            wanted.next();
        } else if masked_line(line.text) == surplus {
            times += 1;
        } else {
            return None;
        }
    }
    (wanted.next().is_none() && times > 0).then_some(times)
}

/// One fault that all lines share which differ, each from the one in its place.
fn line_for_line(level: Level, theirs: &[Line<'_>], own: &[Line<'_>], rest: &str) -> Option<String> {
    if theirs.len() != own.len() {
        return None;
    }
    let pairs = || theirs.iter().zip(own).map(|(theirs, own)| (theirs.text, own.text));
    let is_right = |(theirs, own): (&str, &str)| compared(level, theirs) == compared(level, own);
    let differing: Vec<(&str, &str)> = pairs().filter(|pair| !is_right(*pair)).collect();
    let &(first, own_first) = differing.first()?;
    if differing.len() == 1 {
        return Some(format!("Only this line differs; {rest}."));
    }
    let all_differing =
        |made: &dyn Fn(&str) -> String| differing.iter().all(|&(theirs, own)| is_right((&made(theirs), own)));
    if let Some((wanted, got)) = character(first, own_first)
        && pairs().all(|(theirs, own)| is_right((&theirs.replace(wanted, &got), own)))
    {
        return Some(match got.as_str() {
            "" => format!("From here on every “{wanted}” is missing; {rest}."),
            _ => format!("From here on “{got}” stands for every “{wanted}”; {rest}."),
        });
    }
    let (wanted, got) = words_that_differ(first, own_first);
    if !wanted.trim().is_empty() && !got.trim().is_empty() && all_differing(&|theirs| theirs.replace(wanted, got)) {
        return Some(format!("“{}” stands for “{wanted}” in {} lines; {rest}.", shown(got), differing.len()));
    }
    if level == Level::Content {
        return None;
    }
    let say_something =
        |pairs: &mut dyn Iterator<Item = (&str, &str)>| pairs.filter(|(theirs, _)| !theirs.is_empty()).count();
    let (these, are) = if say_something(&mut differing.iter().copied()) == say_something(&mut pairs()) {
        ("every line".to_owned(), "is")
    } else {
        (format!("{} lines", differing.len()), "are")
    };
    let told = |fault: &str| Some(format!("From here on {fault}; {rest}."));
    let (before, after) = (own_first.strip_suffix(first), own_first.strip_prefix(first));
    if let Some(before) = before.filter(|before| all_differing(&|theirs| format!("{before}{theirs}"))) {
        return told(&format!("{} at the start of {these}", white_space(before)?));
    }
    if let Some(after) = after.filter(|after| all_differing(&|theirs| format!("{theirs}{after}"))) {
        return told(&format!("{} at the end of {these}", white_space(after)?));
    }
    if all_differing(&|theirs| theirs.to_uppercase()) {
        return told(&format!("{these} {are} in capital letters"));
    }
    if all_differing(&|theirs| theirs.to_lowercase()) {
        return told(&format!("{these} {are} without capital letters"));
    }
    let without_spaces = |text: &str| text.replace([' ', '\t'], "");
    differing
        .iter()
        .all(|(theirs, own)| without_spaces(theirs) == without_spaces(own))
        .then(|| format!("Only spaces differ, in {} lines; {rest}.", differing.len()))
}

/// The character in which two lines part, and what stands for it: another one, or nothing.
fn character(expected: &str, actual: &str) -> Option<(char, String)> {
    let (mut theirs, mut own) = (expected.chars().peekable(), actual.chars().peekable());
    while theirs.peek().is_some() && theirs.peek() == own.peek() {
        theirs.next();
        own.next();
    }
    let wanted = theirs.next().filter(|c| c.is_alphabetic() || c.is_ascii_punctuation())?;
    let is_lost = theirs.peek() == own.peek();
    let got = own.next().filter(|c| !is_lost && !c.is_whitespace() && !c.is_control());
    (is_lost || got.is_some()).then(|| (wanted, got.map(String::from).unwrap_or_default()))
}

/// Spaces or tabs in words.
fn white_space(text: &str) -> Option<String> {
    let number = text.chars().count();
    let is_all = |wanted: char| text.chars().all(|c| c == wanted);
    match number {
        0 => None,
        1 if is_all(' ') => Some("a space too many stands".to_owned()),
        1 if is_all('\t') => Some("a tab too many stands".to_owned()),
        _ if is_all(' ') => Some(format!("{number} spaces too many stand")),
        _ if is_all('\t') => Some(format!("{number} tabs too many stand")),
        _ => None,
    }
}

/// The words in which two lines differ, from the first to the last of them.
pub(super) fn words_that_differ<'a>(expected: &'a str, actual: &'a str) -> (&'a str, &'a str) {
    let same = expected.char_indices().zip(actual.chars()).take_while(|((_, a), b)| a == b).last();
    let same = same.map_or(0, |((at, c), _)| at + c.len_utf8());
    let start = expected[..same].rfind(' ').map_or(0, |at| at + 1);
    let (expected, actual) = (&expected[start..], &actual[start..]);
    let ends_alike = expected.chars().rev().zip(actual.chars().rev()).take_while(|(a, b)| a == b);
    let ending: usize = ends_alike.map(|(c, _)| c.len_utf8()).sum();
    let tail = expected[expected.len() - ending..].find(' ').map_or(0, |at| ending - at);
    (&expected[..expected.len() - tail], &actual[..actual.len() - tail])
}

/// The same lines in another order.
fn reordered(theirs: &[Line<'_>], own: &[Line<'_>], rest: &str) -> Option<String> {
    if theirs.len() != own.len() {
        return None;
    }
    let moved = theirs.iter().zip(own).filter(|(theirs, own)| theirs.compared != own.compared).count();
    let sorted = |lines: &[Line<'_>]| {
        let mut all: Vec<String> = lines.iter().map(|line| line.compared.clone()).collect();
        all.sort_unstable();
        all
    };
    (moved > 0 && sorted(theirs) == sorted(own))
        .then(|| format!("All lines are there, {moved} of them in another place; {rest}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(level: Level, expected: &str, actual: &str) -> String {
        let lines = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
        story(level, &lines(expected), &lines(actual)).unwrap_or_default()
    }

    #[test]
    fn simple_stories_are_told() {
        let content = |expected, actual| told(Level::Content, expected, actual);
        assert_eq!(
            content("b|c|b|d", "x 1|b|c|x 2|b|d"),
            "Such a line is printed 2 times too often; without them all other words and numbers are right."
        );
        assert_eq!(content("b|c", "x|b|c"), "Without this line all other words and numbers are right.");
        assert_eq!(
            content("5 scored.|a|6 scored.|b", "a|b"),
            "Such a line is missing 2 times; with them all other words and numbers are right."
        );
        assert_eq!(content("a|b|c", "a|a|b|b|c|c"), "From here on every line is printed twice.");
        assert_eq!(
            content("Treble 1|b|Treble 2", "Triple 1|b|Triple 2"),
            "“Triple” stands for “Treble” in 2 lines; all other words and numbers are right."
        );
        assert_eq!(
            content("a|b|c", "b|a|c"),
            "All lines are there, 2 of them in another place; all other words and numbers are right."
        );
        assert_eq!(content("a|b", "x|b"), "Only this line differs; all other words and numbers are right.");
        assert_eq!(told(Level::Exact, "|a||b", "a|b"), "Such a line is missing 2 times; with them all else is right.");
    }

    #[test]
    fn one_fault_in_every_line() {
        let content = |expected, actual| told(Level::Content, expected, actual);
        assert_eq!(
            content("Player 1|Dart 1||Score here", "Play3r 1|Dart 1|Scor3 h3r3"),
            "From here on “3” stands for every “e”; all other words and numbers are right."
        );
        assert_eq!(
            content("Player 1|Dart 1|Score here", "Playr 1|Dart 1|Scor hr"),
            "From here on every “e” is missing; all other words and numbers are right."
        );
        let exact = |expected, actual| told(Level::Exact, expected, actual);
        assert_eq!(exact("a.|b.|c.", "a|b|c"), "From here on every “.” is missing; all else is right.");
        assert_eq!(
            exact("a.||b.", "  a.||  b."),
            "From here on 2 spaces too many stand at the start of every line; all else is right."
        );
        assert_eq!(
            exact("a|b|c", "a |b |c"),
            "From here on a space too many stands at the end of 2 lines; all else is right."
        );
        assert_eq!(
            exact("Shot|Bust|0", "SHOT|BUST|0"),
            "From here on 2 lines are in capital letters; all else is right."
        );
        assert_eq!(exact("Aa|Bb", "aa|bb"), "From here on every line is without capital letters; all else is right.");
        assert_eq!(exact("a  b|c  d|e", "a b|c d|e"), "Only spaces differ, in 2 lines; all else is right.");
    }

    #[test]
    fn no_story_is_told_where_there_is_more() {
        assert_eq!(told(Level::Content, "a|b|c|d", "x|b|y|d"), "");
        assert_eq!(told(Level::Content, "a|b", "x|a|b|more"), "");
    }
}
