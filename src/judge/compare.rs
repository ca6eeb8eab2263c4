//! Holds what was printed against an expected transcript.

use reference::transcript::{Body, PieceKind, Segment, Transcript};

use super::text::{Item, Kind, items, read_items};

/// How closely two texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Letters in lower case and numbers, in their order.
    Content,
    /// Every byte.
    Exact,
}

/// How a text compares with the expected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// It is the same.
    Equal,
    /// It ends early: the first item that is missing, as an index into the expected items.
    Short(usize),
    /// It goes on: the first item too many.
    Long(usize),
    /// It differs here, inside of both.
    Differs {
        /// The expected item.
        expected: usize,
        /// The item that stands in its place.
        actual: usize,
    },
}

/// A comparison and how far the two agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// How they compare.
    pub comparison: Comparison,
    /// How many printed items agree before the first difference.
    pub agreement: usize,
}

/// An expected transcript, ready to be compared.
#[derive(Debug, Clone)]
pub struct Expected {
    /// All that is wanted letter by letter, one after the other.
    text: String,
    exact: Pattern,
    content: Pattern,
    /// Whether it ends at a prompt that nobody answers.
    pub unanswered: bool,
}

#[derive(Debug, Clone)]
struct Pattern {
    wants: Vec<Want>,
    level: Level,
}

/// One thing that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// What it is.
    pub what: What,
    /// The terminal line of the transcript to which it belongs, from 0.
    pub line: usize,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// This item; a keyword counts in any letter case.
    Item {
        /// Its kind.
        kind: Kind,
        /// Where its text starts in [`Expected`]'s own, in bytes.
        start: u32,
        /// Where it ends.
        end: u32,
        /// Whether its letter case does not count.
        keyword: bool,
    },
    /// One number.
    Number,
    /// One or more items without white space.
    Word,
    /// Any items of one line.
    Any,
    /// Any lines.
    AnyLines,
    /// The end of a prompt, where a pipe carries nothing.
    PromptEnd,
}

/// A printed text, ready to be compared.
#[derive(Debug, Clone)]
pub struct Printed<'t> {
    /// The bytes as they were printed.
    pub bytes: &'t [u8],
    exact: Vec<Item>,
    content: Vec<Item>,
}

impl<'t> Printed<'t> {
    /// Reads a text.
    pub fn new(bytes: &'t [u8]) -> Self {
        let exact = items(bytes);
        let is_content = |item: &&Item| item.kind.is_content();
        let mut content = Vec::with_capacity(exact.iter().filter(is_content).count());
        content.extend(exact.iter().filter(is_content));
        Printed { bytes, exact, content }
    }

    /// Its items at a level.
    pub fn items(&self, level: Level) -> &[Item] {
        match level {
            Level::Content => &self.content,
            Level::Exact => &self.exact,
        }
    }
}

impl Expected {
    /// Makes a transcript ready.
    pub fn new(transcript: &Transcript) -> Self {
        let (text, exact) = wants(transcript);
        let is_content = |want: &&Want| !matches!(want.what, What::Item { kind, .. } if !kind.is_content());
        let content = exact.iter().filter(is_content).copied().collect();
        Expected {
            text,
            exact: Pattern { wants: exact, level: Level::Exact },
            content: Pattern { wants: content, level: Level::Content },
            unanswered: transcript.is_unanswered(),
        }
    }

    /// What is wanted at a level.
    pub fn wants(&self, level: Level) -> &[Want] {
        &self.pattern(level).wants
    }

    /// The text of an item; none for what is wanted in any text.
    pub fn text(&self, what: What) -> Option<&[u8]> {
        let What::Item { start, end, .. } = what else { return None };
        Some(&self.text.as_bytes()[start as usize..end as usize])
    }

    fn pattern(&self, level: Level) -> &Pattern {
        match level {
            Level::Content => &self.content,
            Level::Exact => &self.exact,
        }
    }

    /// Compares a printed text with it. A transcript that ends at an unanswered prompt says nothing of what follows:
    /// whatever goes on is equal.
    pub fn compare(&self, printed: &Printed<'_>, level: Level) -> Compared {
        let pattern = self.pattern(level);
        let (bytes, items) = (printed.bytes, printed.items(level));
        let mut search = Search { expected: self, pattern, bytes, items, furthest: (0, 0) };
        match search.run(0, pattern.wants.len(), 0) {
            Some(end) => {
                let is_equal = end == search.items.len() || self.unanswered;
                let comparison = if is_equal { Comparison::Equal } else { Comparison::Long(end) };
                Compared { comparison, agreement: end }
            }
            None => {
                let (expected, actual) = search.furthest;
                let is_short = actual == search.items.len();
                let comparison =
                    if is_short { Comparison::Short(expected) } else { Comparison::Differs { expected, actual } };
                Compared { comparison, agreement: actual }
            }
        }
    }

    /// Whether a text is the same but for the whole of the prompt that nobody answers.
    pub fn lacks_only_the_open_prompt(&self, level: Level, comparison: Comparison) -> bool {
        let Comparison::Short(missing) = comparison else { return false };
        let wants = self.wants(level);
        let line = wants[missing].line;
        self.unanswered
            && wants.last().is_some_and(|last| last.line == line)
            && missing.checked_sub(1).is_none_or(|before| wants[before].line != line)
    }

    /// Whether the bytes printed so far already hold the whole of a transcript that ends at an unanswered prompt.
    pub fn is_reached(&self, printed: &[u8]) -> bool {
        self.unanswered && self.compare(&Printed::new(printed), Level::Exact).comparison == Comparison::Equal
    }
}

/// All that a transcript wants, byte for byte, and its text. This is read across line borders, as a pipe carries it.
fn wants(transcript: &Transcript) -> (String, Vec<Want>) {
    let mut wants = Vec::new();
    let mut text = String::new();
    // The line of each byte that has not been read yet.
    let mut lines: Vec<usize> = Vec::new();
    let mut keyword = false;
    let read = |text: &str, lines: &mut Vec<usize>, keyword: bool, wants: &mut Vec<Want>| {
        let before = text.len() - lines.len();
        let offset = before as u32;
        wants.extend(read_items(&text.as_bytes()[before..]).into_iter().map(|Item { kind, start, end, .. }| {
            let what = What::Item { kind, start: offset + start, end: offset + end, keyword };
            Want { what, line: lines[start as usize] }
        }));
        lines.clear();
    };
    let piped = transcript.piped();
    for (index, piece) in piped.pieces.iter().enumerate() {
        let line = piece.line;
        let literal = match &piece.kind {
            PieceKind::Span(Segment::Text(text)) => text.as_str(),
            PieceKind::LineEnd => "\n",
            _ => "",
        };
        text.push_str(literal);
        lines.extend(std::iter::repeat_n(line, literal.len()));
        let what = match &piece.kind {
            PieceKind::Span(Segment::Text(_)) | PieceKind::LineEnd => continue,
            PieceKind::Span(Segment::Number) => What::Number,
            PieceKind::Span(Segment::Word) => What::Word,
            PieceKind::Span(Segment::Any) => What::Any,
            PieceKind::AnyLines => What::AnyLines,
            PieceKind::PromptEnd => {
                // No number runs from a prompt into what follows it, so the text may be read up to here.
                What::PromptEnd
            }
        };
        read(&text, &mut lines, keyword && what == What::Any, &mut wants);
        keyword = what == What::Any && closes_a_keyword(transcript, line, &piped.pieces[index + 1..]);
        wants.push(Want { what, line });
    }
    let ends_open = !transcript.is_unanswered() && !text.ends_with('\n') && !transcript.lines.is_empty();
    if ends_open {
        text.push('\n');
        lines.push(transcript.lines.len() - 1);
    }
    read(&text, &mut lines, false, &mut wants);
    (text, wants)
}

/// Whether, after an `{any}`, text and then another `{any}` of the same line follow.
fn closes_a_keyword(transcript: &Transcript, line: usize, rest: &[reference::transcript::Piece]) -> bool {
    let Body::Line(..) = transcript.lines[line].body else { return false };
    matches!(rest, [text, any, ..] if text.line == line && any.line == line
        && matches!(text.kind, PieceKind::Span(Segment::Text(_))) && any.kind == PieceKind::Span(Segment::Any))
}

struct Search<'s> {
    expected: &'s Expected,
    pattern: &'s Pattern,
    bytes: &'s [u8],
    items: &'s [Item],
    furthest: (usize, usize),
}

impl Search<'_> {
    /// Finds the wants up to `until` in the items from `item` on; where the items after them start.
    fn run(&mut self, mut want: usize, until: usize, mut item: usize) -> Option<usize> {
        while want < until {
            match self.pattern.wants[want].what {
                What::PromptEnd => {}
                What::AnyLines => {
                    let end = self.chunk_end(want + 1);
                    item = self.find_chunk(want + 1, end, item)?;
                    want = end;
                    continue;
                }
                What::Any => {
                    return self.stretch(want, until, item, 0, |before, next| {
                        before.row == next.row && next.kind != Kind::LineEnd
                    });
                }
                What::Word => {
                    let bytes = self.bytes;
                    return self.stretch(want, until, item, 1, |before, next| {
                        bytes[before.end as usize..next.start as usize].iter().all(|byte| !byte.is_ascii_whitespace())
                    });
                }
                wanted => {
                    if !self.items.get(item).is_some_and(|&found| self.is(wanted, found)) {
                        self.furthest = self.furthest.max((want, item));
                        return None;
                    }
                    item += 1;
                }
            }
            want += 1;
        }
        Some(item)
    }

    fn is(&self, wanted: What, found: Item) -> bool {
        match wanted {
            What::Number => found.kind == Kind::Number,
            What::Item { kind, keyword, .. } => {
                let bytes = &self.bytes[found.start as usize..found.end as usize];
                let text = self.expected.text(wanted).unwrap_or_default();
                kind == found.kind
                    && (kind == Kind::LineEnd
                        || bytes == text
                        || ((keyword || self.pattern.level == Level::Content) && bytes.eq_ignore_ascii_case(text)))
            }
            _ => false,
        }
    }

    /// Matches a span that is not graded: the shortest one after which the rest is found.
    fn stretch(
        &mut self,
        want: usize,
        until: usize,
        from: usize,
        least: usize,
        joins: impl Fn(Item, Item) -> bool,
    ) -> Option<usize> {
        let wants = &self.pattern.wants;
        let goes_on = least == 0 && want > 0 && wants[want - 1].line == wants[want].line;
        let mut end = from;
        let mut length = 0;
        loop {
            // At the very end nothing more is wanted, so the span takes all it can.
            let is_last = want + 1 == self.pattern.wants.len();
            if length >= least
                && !is_last
                && let Some(found) = self.run(want + 1, until, end)
            {
                return Some(found);
            }
            // What goes on in the line of what stands before begins in that line too.
            let goes_on = length > 0 || goes_on && end > 0;
            let next = self.items.get(end).copied().filter(|&next| {
                next.kind != Kind::LineEnd
                    && (least == 0 || next.kind != Kind::Space)
                    && (!goes_on || joins(self.items[end - 1], next))
            });
            if next.is_none() {
                if is_last && length >= least {
                    return Some(end);
                }
                self.furthest = self.furthest.max((want, end));
                return None;
            }
            end += 1;
            length += 1;
        }
    }

    /// Where the wants end that decide how far `...` reaches: after the next prompt.
    fn chunk_end(&self, from: usize) -> usize {
        let wants = &self.pattern.wants;
        wants[from..]
            .iter()
            .position(|want| want.what == What::PromptEnd)
            .map_or(wants.len(), |prompt| from + prompt + 1)
    }

    /// The end of the first place at a line's start where these wants are found. If there is none, the furthest
    /// agreement is at the place that looks most like it.
    fn find_chunk(&mut self, want: usize, until: usize, from: usize) -> Option<usize> {
        let mut nearest = (want, self.items.len());
        for item in from..self.items.len() {
            if item > from && !self.starts_a_line(item) {
                continue;
            }
            let mut search = Search { furthest: (want, item), ..*self };
            if let Some(end) = search.run(want, until, item) {
                return Some(end);
            }
            if search.furthest.0 > nearest.0 {
                nearest = search.furthest;
            }
        }
        // What is only laid out in another way is found by what it says.
        let is_layout = |want: &&Want| matches!(want.what, What::Item { kind, .. } if !kind.is_content());
        let layout = self.pattern.wants[want..until].iter().take_while(is_layout).count();
        let starts = (from..self.items.len()).filter(|&item| item == from || self.starts_a_line(item));
        let found = starts.filter(|_| layout > 0).find(|&item| {
            let mut search = Search { furthest: (want, item), ..*self };
            search.run(want + layout, until, item).is_some()
        });
        self.furthest = self.furthest.max(found.map_or(nearest, |item| (want, item)));
        None
    }

    fn starts_a_line(&self, item: usize) -> bool {
        self.items[item].row != self.items[item - 1].row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(transcript: &str, printed: &str, level: Level) -> Comparison {
        Expected::new(&Transcript::parse(transcript).unwrap())
            .compare(&Printed::new(printed.as_bytes()), level)
            .comparison
    }

    #[track_caller]
    fn accepts(transcript: &str, printed: &str) {
        assert_eq!(compare(transcript, printed, Level::Exact), Comparison::Equal, "{printed:?}");
        assert_eq!(compare(transcript, printed, Level::Content), Comparison::Equal, "{printed:?}");
    }

    #[track_caller]
    fn refuses(transcript: &str, printed: &str) {
        assert_ne!(compare(transcript, printed, Level::Content), Comparison::Equal, "{printed:?}");
    }

    #[test]
    fn what_is_not_graded_matches_as_defined() {
        accepts("a {number} b\n", "a -20.5 b\n");
        refuses("a {number} b\n", "a x b\n");
        accepts("a {word} b\n", "a x-y! b\n");
        assert_ne!(compare("a {word} b\n", "a  b\n", Level::Exact), Comparison::Equal);
        accepts("a {any} b\n", "a one two b\n");
        accepts("a {any}b\n", "a b\n");
        refuses("a {any} b\n", "a one\ntwo b\n");
        accepts("{any}riple{any}\nend\n", "The computer threw a TRIPLE!\nend\n");
        refuses("{any}riple{any}\nend\n", "end\n");
        refuses("{any}riple{any}\nend\n", "A triple!\nA line more.\nend\n");
        refuses("{any}riple{any}\n\nend\n", "A triple!\nmore end\n");
    }

    #[test]
    fn any_lines_reach_to_the_first_place_of_what_follows() {
        let transcript = "y: «y»\n\n...\n\nseed: «4»\nend\n";
        accepts(transcript, "y: \none\ntwo\n\nseed: end\n");
        accepts(transcript, "y: \n\nseed: end\n");
        accepts(transcript, "y: \none\n\n\nseed: end\n");
        refuses(transcript, "y: \none\nsaat: end\n");
        // What follows the first place is graded, even if a later place would fit.
        refuses(transcript, "y: \none\n\nseed: no\n\nseed: end\n");
    }

    #[test]
    fn what_follows_any_lines_is_found_by_what_it_says() {
        let expected = Expected::new(&Transcript::parse("y: «y»\n\n...\n\nseed: «4»\nend\n\nlast: 1\n").unwrap());
        let text = "y: \none\nseed: end\n\nlast: 1\n";
        let printed = Printed::new(text.as_bytes());
        assert_eq!(expected.compare(&printed, Level::Content).comparison, Comparison::Equal);
        let Comparison::Differs { expected: want, actual } = expected.compare(&printed, Level::Exact).comparison else {
            panic!("an empty line is missing");
        };
        assert_eq!(expected.wants(Level::Exact)[want].line, 3);
        assert!(text[printed.items(Level::Exact)[actual].start as usize..].starts_with("seed"));
    }

    #[test]
    fn content_is_letters_and_numbers() {
        let presentation = |expected, printed| {
            assert_eq!(compare(expected, printed, Level::Content), Comparison::Equal);
            assert_ne!(compare(expected, printed, Level::Exact), Comparison::Equal);
        };
        presentation("Bust!\n0 scored.\n", "bust 0 Scored\n");
        presentation("[1, 27]\n", "[1,27]\n");
        refuses("[1, 27]\n", "[12, 7]\n");
        refuses("5\n", "-5\n");
        refuses("20\n", "20.0\n");
        refuses("Dart\n", "D\u{430}rt\n");
        refuses("Dart\n", "\u{1b}[2JDart\n");
    }

    #[test]
    fn the_final_line_end_and_a_cr_do_not_count() {
        accepts("a\nb\n", "a\r\nb");
        assert_eq!(compare("a\n", "a\n\n", Level::Exact), Comparison::Long(2));
        assert_eq!(compare("a\n", "a \n", Level::Exact), Comparison::Differs { expected: 1, actual: 1 });
    }

    #[test]
    fn an_unanswered_prompt_leaves_open_what_follows() {
        accepts("n: «", "n: ");
        accepts("n: «", "n: and more\nand more");
        assert_eq!(compare("n: «", "n", Level::Content), Comparison::Equal);
        assert!(Expected::new(&Transcript::parse("n: «").unwrap()).is_reached(b"n: "));
        assert!(!Expected::new(&Transcript::parse("n: «").unwrap()).is_reached(b"n:"));
    }
}
