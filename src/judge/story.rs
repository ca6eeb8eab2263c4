//! Whether something simple explains all of a submission's differences in a case.

use super::compare::Level;
use super::difference::{key, masked_line};

/// Longer transcripts are not looked through: nothing simple explains a flood.
const MOST_LINES: usize = 5_000;

/// What explains the whole rest, from the first difference on: the expected lines and the submission's, as they are
/// printed, each from its line of the first difference on.
pub fn story(level: Level, expected: &[String], actual: &[String]) -> Option<String> {
    if expected.len().max(actual.len()) > MOST_LINES {
        return None;
    }
    let lines = |lines: &[String]| -> Vec<String> {
        match level {
            Level::Exact => lines.to_vec(),
            Level::Content => contents(lines),
        }
    };
    let (theirs, own) = (lines(expected), lines(actual));
    let rest = if level == Level::Content { "all other words and numbers are right" } else { "all else is right" };
    if own.len() == 2 * theirs.len()
        && theirs.len() > 1
        && own.iter().enumerate().all(|(at, line)| *line == theirs[at / 2])
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
    replaced(expected, actual, rest).or_else(|| reordered(&theirs, &own, rest))
}

/// Whether the submission's lines are the expected ones but for some like the first of those.
pub fn is_only_missing(expected: &[String], actual: &[String]) -> bool {
    expected.len().max(actual.len()) <= MOST_LINES && without(&contents(expected), &contents(actual)).is_some()
}

/// The content of each line that has any.
fn contents(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| key(line)).filter(|key| !key.is_empty()).collect()
}

/// How many lines like the first have to be taken out of `lines` to get `wanted`, if that is all there is to do.
fn without(lines: &[String], wanted: &[String]) -> Option<usize> {
    let surplus = masked_line(lines.first()?);
    let mut wanted = wanted.iter().peekable();
    let mut times = 0;
    for (at, line) in lines.iter().enumerate() {
        if at > 0 && wanted.peek() == Some(&line) {
            wanted.next();
        } else if masked_line(line) == surplus {
            times += 1;
        } else {
            return None;
        }
    }
    (wanted.next().is_none() && times > 0).then_some(times)
}

/// One piece of text that always stands for another.
fn replaced(expected: &[String], actual: &[String], rest: &str) -> Option<String> {
    if expected.len() != actual.len() {
        return None;
    }
    let differing: Vec<(&String, &String)> =
        expected.iter().zip(actual).filter(|(expected, actual)| expected != actual).collect();
    let (first, own_first) = differing.first()?;
    if differing.len() == 1 {
        return Some(format!("Only this line differs; {rest}."));
    }
    let (wanted, got) = words_that_differ(first, own_first);
    if wanted.is_empty() || got.is_empty() {
        return None;
    }
    let all = differing.iter().all(|(expected, actual)| actual.replace(got, wanted) == **expected);
    all.then(|| format!("“{got}” stands for “{wanted}” in {} lines; {rest}.", differing.len()))
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
fn reordered(theirs: &[String], own: &[String], rest: &str) -> Option<String> {
    if theirs.len() != own.len() {
        return None;
    }
    let moved = theirs.iter().zip(own).filter(|(theirs, own)| theirs != own).count();
    let (mut sorted, mut own_sorted) = (theirs.to_vec(), own.to_vec());
    sorted.sort_unstable();
    own_sorted.sort_unstable();
    (moved > 0 && sorted == own_sorted)
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
    fn no_story_is_told_where_there_is_more() {
        assert_eq!(told(Level::Content, "a|b|c|d", "x|b|y|d"), "");
        assert_eq!(told(Level::Content, "a|b", "x|a|b|more"), "");
    }
}
