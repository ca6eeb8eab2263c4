//! A submission's transcript as a terminal would have shown it: the printed bytes with the typed lines in their places.

use std::ops::Range;

use reference::transcript::{Body, End, Line, Segment, Transcript};

/// So many lines before and after a difference are kept to be shown.
const NEAR: usize = 2_000;

/// One line of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenLine {
    // A flood has a million lines.
    start: u32,
    end: u32,
    typed: Option<u32>,
    /// Whether the program printed a line end.
    pub ended: bool,
}

impl ScreenLine {
    fn new(bytes: Range<usize>, typed: Option<usize>, ended: bool) -> ScreenLine {
        ScreenLine { start: bytes.start as u32, end: bytes.end as u32, typed: typed.map(|typed| typed as u32), ended }
    }

    /// The printed bytes in it, without the line end.
    pub fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// What was typed in it; the index of the input.
    pub fn typed(&self) -> Option<usize> {
        self.typed.map(|typed| typed as usize)
    }
}

/// What a terminal would have shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Screen {
    /// The lines in their order, or those near a difference.
    pub lines: Vec<ScreenLine>,
    /// How many lines there are before the first of these.
    pub before: usize,
    /// How many lines there are after the last of them.
    pub after: usize,
    /// Whether an answer was read before its prompt was printed, as far as can be told.
    pub read_ahead: bool,
}

impl Screen {
    /// Puts `read` typed lines into a printed text.
    ///
    /// `places` says for each of them how much had been printed when it was read, if the program's own process told it.
    /// Otherwise, and for a program that read all its input at once, each is put behind the next prompt that the
    /// expected transcript has.
    pub fn new(printed: &[u8], read: usize, places: Option<&[usize]>, expected: &Transcript) -> Screen {
        let by_prompt = places_by_prompt(printed, read, expected);
        let told = places.filter(|places| places.len() >= read && places.is_sorted());
        // A program that asks first for some answers, and without a prompt for others, does not read ahead.
        let asks_first = |told: &usize| by_prompt.contains(&Some(*told));
        let read_ahead = told.is_some_and(|told| {
            !told.iter().any(asks_first)
                && by_prompt.iter().all(Option::is_some)
                && told.iter().zip(&by_prompt).any(|(&told, by)| by.is_some_and(|by| told < by))
        });
        let places: Vec<usize> = match told {
            Some(told) if !read_ahead => told[..read].iter().map(|&place| place.min(printed.len())).collect(),
            // What has no prompt of its own was typed right after the one before, or at the end.
            _ => by_prompt.iter().map(|place| place.unwrap_or(printed.len())).collect(),
        };
        Screen { lines: lines(printed, &places), before: 0, after: 0, read_ahead }
    }

    /// The first input that was read at the start of a line, where no question can have been asked.
    pub fn unasked(&self) -> Option<usize> {
        self.lines.iter().filter(|line| line.bytes().is_empty()).find_map(ScreenLine::typed)
    }

    /// The line in which the byte at this place stands.
    pub fn line_at(&self, at: usize) -> usize {
        let after = self.lines.partition_point(|line| line.bytes().start <= at);
        after.saturating_sub(1)
    }

    /// Lets go of what is far from this line. A flood has a million lines, and nobody reads them.
    pub fn keep_near(&mut self, line: usize) {
        let from = line.saturating_sub(NEAR).min(self.lines.len());
        let until = (line + NEAR).min(self.lines.len());
        (self.before, self.after) = (from, self.lines.len() - until);
        if self.before + self.after > 0 {
            self.lines = self.lines[from..until].to_vec();
        }
    }

    /// A line in the text form of a transcript.
    pub fn text(line: &ScreenLine, printed: &[u8], inputs: &[String]) -> String {
        let said = String::from_utf8_lossy(&printed[line.bytes()]).into_owned();
        let end = match line.typed() {
            Some(input) => End::Typed(inputs.get(input).cloned().unwrap_or_default()),
            None => End::Newline,
        };
        Line::new(vec![Segment::Text(said)], end).to_string()
    }
}

fn lines(printed: &[u8], places: &[usize]) -> Vec<ScreenLine> {
    let mut ends = memchr::memchr_iter(b'\n', printed).peekable();
    let mut lines = Vec::with_capacity(ends.clone().count() + places.len() + 1);
    let mut start = 0;
    let mut typed = places.iter().copied().enumerate().peekable();
    loop {
        let end = ends.peek().copied();
        match typed.peek().copied() {
            Some((input, place)) if end.is_none_or(|end| place <= end) => {
                lines.push(ScreenLine::new(start..place, Some(input), false));
                start = place;
                typed.next();
            }
            _ => {
                let Some(end) = end else { break };
                lines.push(ScreenLine::new(start..end, None, true));
                start = end + 1;
                ends.next();
            }
        }
    }
    if start < printed.len() {
        lines.push(ScreenLine::new(start..printed.len(), None, false));
    }
    lines
}

/// For each typed line the end of the first prompt after the one before that the expected transcript has anywhere.
fn places_by_prompt(printed: &[u8], read: usize, expected: &Transcript) -> Vec<Option<usize>> {
    let mut prompts: Vec<&str> = Vec::new();
    for line in expected.lines.iter().filter(|line| line.is_prompt()) {
        if let Body::Line(said, _) = &line.body
            && let Some(Segment::Text(text)) = said.first()
            && !prompts.contains(&text.trim_end())
        {
            // A prompt that names a card is known by what stands before the number.
            prompts.push(text.trim_end());
        }
    }
    // Where each prompt is found next; one that is not found again is not looked for again.
    let mut next: Vec<Option<usize>> = prompts.iter().map(|prompt| find(printed, 0, prompt)).collect();
    let mut at = 0;
    let mut places = Vec::new();
    for _ in 0..read {
        for (next, prompt) in next.iter_mut().zip(&prompts) {
            if next.is_some_and(|start| start < at) {
                *next = find(printed, at, prompt);
            }
        }
        let first = next
            .iter()
            .zip(&prompts)
            .filter_map(|(start, prompt)| start.map(|start| (start, start + prompt.len())))
            .min();
        let place = first.map(|(_, end)| end + usize::from(printed.get(end) == Some(&b' ')));
        at = place.unwrap_or(at);
        places.push(place);
    }
    places
}

fn find(bytes: &[u8], from: usize, wanted: &str) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    bytes[from..].windows(wanted.len()).position(|window| window == wanted.as_bytes()).map(|start| from + start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(printed: &str, read: usize, places: Option<&[usize]>) -> (String, bool) {
        let expected =
            Transcript::parse("Dart 1\nEnter score: «60»\nTreble 20\nEnter score: «20»\n80 scored.\n").unwrap();
        let screen = Screen::new(printed.as_bytes(), read, places, &expected);
        let inputs = ["60".to_owned(), "20".to_owned()];
        let lines = screen.lines.iter().map(|line| Screen::text(line, printed.as_bytes(), &inputs) + "\n");
        (lines.collect(), screen.read_ahead)
    }

    const PRINTED: &str = "Dart 1\nEnter score: Treble 20\nEnter score: 80 scored.\n";
    const SHOWN: &str = "Dart 1\nEnter score: «60»\nTreble 20\nEnter score: «20»\n80 scored.\n";

    #[test]
    fn typed_lines_stand_where_they_were_read() {
        assert_eq!(show(PRINTED, 2, Some(&[20, 43])), (SHOWN.to_owned(), false));
        assert_eq!(show("a\nb\n", 1, Some(&[1])), ("a«60»\n\nb\n".to_owned(), false));
    }

    #[test]
    fn without_places_they_stand_behind_their_prompts() {
        assert_eq!(show(PRINTED, 2, None), (SHOWN.to_owned(), false));
        assert_eq!(show("Dart 1\nmore", 1, None), ("Dart 1\nmore«60»\n".to_owned(), false));
    }

    #[test]
    fn a_program_that_reads_all_at_once_is_told_so() {
        assert_eq!(show(PRINTED, 2, Some(&[0, 0])), (SHOWN.to_owned(), true));
        assert_eq!(show(PRINTED, 2, Some(&[7, 30])), (SHOWN.to_owned(), true));
    }

    #[test]
    fn of_a_flood_only_what_is_near_is_kept() {
        let flood = "line\n".repeat(100_000);
        let mut screen = Screen::new(flood.as_bytes(), 0, None, &Transcript::default());
        screen.keep_near(50_000);
        assert_eq!((screen.before, screen.lines.len(), screen.after), (48_000, 4_000, 48_000));
        assert_eq!(screen.lines[0].bytes().start, 48_000 * 5);
        let mut screen = Screen::new(b"a\nb\n", 0, None, &Transcript::default());
        screen.keep_near(7);
        assert_eq!((screen.before, screen.lines.len(), screen.after), (0, 2, 0));
    }

    #[test]
    fn a_question_without_a_prompt_is_no_reading_ahead() {
        let (shown, read_ahead) = show(PRINTED, 2, Some(&[0, 20]));
        assert!(shown.starts_with("«60»\nDart 1\nEnter score: «20»\nTreble 20\n") && !read_ahead, "{shown}");
    }
}
