//! Text as the judging sees it: letters, numbers, marks and spaces, each with its place.

/// What an item of a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An ASCII letter.
    Letter,
    /// A number with its sign and decimal point.
    Number,
    /// ASCII punctuation.
    Mark,
    /// A space or a tab.
    Space,
    /// A line end.
    LineEnd,
    /// Everything else: control characters, letters of other alphabets, bytes that are no text.
    Other,
}

impl Kind {
    /// Whether items of this kind are content: white space, line ends and punctuation are presentation.
    pub fn is_content(self) -> bool {
        matches!(self, Kind::Letter | Kind::Number | Kind::Other)
    }
}

/// One item of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Where it starts, in bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Which piped line it is in, from 0.
    pub row: u32,
}

/// The items of a text in their order. A CR before a line end is none, and a text that does not end in a line end is
/// read as if it did: neither counts.
pub fn items(bytes: &[u8]) -> Vec<Item> {
    let mut items = read_items(bytes);
    if let Some(last) = items.last()
        && last.kind != Kind::LineEnd
    {
        let (end, row) = (bytes.len() as u32, last.row);
        items.push(Item { kind: Kind::LineEnd, start: end, end, row });
    }
    items
}

/// The items of a piece of a text, whose end is not the text's.
pub fn read_items(bytes: &[u8]) -> Vec<Item> {
    // One more for a line end that is added. A flood would grow the list, and what it leaves behind, again and again.
    let mut items = Vec::with_capacity(bytes.len() + 1);
    let mut row = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'\r' && is_before_line_end(&bytes[at..]) {
            at += 1;
            continue;
        }
        let (kind, length) = match byte {
            b'\n' => (Kind::LineEnd, 1),
            b' ' | b'\t' => (Kind::Space, 1),
            b'a'..=b'z' | b'A'..=b'Z' => (Kind::Letter, 1),
            b'0'..=b'9' => (Kind::Number, number_length(&bytes[at..])),
            b'-' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                (Kind::Number, 1 + number_length(&bytes[at + 1..]))
            }
            byte if byte.is_ascii_punctuation() => (Kind::Mark, 1),
            _ => (Kind::Other, character_length(&bytes[at..])),
        };
        items.push(Item { kind, start: at as u32, end: (at + length) as u32, row });
        row += u32::from(kind == Kind::LineEnd);
        at += length;
    }
    items
}

/// Whether two texts have the same content: letters, whatever their case, and numbers, in their order.
pub fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    content(one).eq(content(other))
}

fn content(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let items = read_items(bytes).into_iter().filter(|item| item.kind.is_content());
    items.map(|item| bytes[item.start as usize..item.end as usize].to_ascii_lowercase())
}

/// Whether only CRs stand here before a line end or the end of the text.
fn is_before_line_end(bytes: &[u8]) -> bool {
    matches!(bytes.iter().find(|&&byte| byte != b'\r'), None | Some(b'\n'))
}

fn number_length(bytes: &[u8]) -> usize {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(bytes);
    match bytes.get(whole) {
        Some(b'.') if digits(&bytes[whole + 1..]) > 0 => whole + 1 + digits(&bytes[whole + 1..]),
        _ => whole,
    }
}

/// The length of the character at the start, or 1 for a byte that is no text.
fn character_length(bytes: &[u8]) -> usize {
    let most = &bytes[..bytes.len().min(4)];
    most.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()).map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn show(text: &str) -> String {
        items(text.as_bytes())
            .iter()
            .filter(|item| item.kind.is_content())
            .map(|item| format!("{}|", &text[item.start as usize..item.end as usize]))
            .collect()
    }

    #[test]
    fn numbers_are_one_item_with_sign_and_point() {
        assert_eq!(show("[1, 27]"), "1|27|");
        assert_eq!(show("-5 is 20.0"), "-5|i|s|20.0|");
        assert_eq!(show("140 scored."), "140|s|c|o|r|e|d|");
        assert_eq!(show("5. 3"), "5|3|");
        assert_eq!(show("1-27"), "1|-27|");
        assert_eq!(show("--- 5"), "5|");
        assert_eq!(show("scored.5"), "s|c|o|r|e|d|5|");
    }

    #[test]
    fn what_is_no_plain_text_is_content() {
        assert_eq!(show("a\u{1b}é\u{200b}\u{a0}"), "a|\u{1b}|é|\u{200b}|\u{a0}|");
        assert_eq!(items(b"\xff\xfe").len(), 3);
    }

    #[test]
    fn a_carriage_return_counts_only_inside_of_a_line() {
        assert_eq!(items(b"a\r\nb\r").len(), items(b"a\nb").len());
        assert_eq!(items(b"a\rb")[1].kind, Kind::Other);
    }

    proptest! {
        #[test]
        fn normalising_twice_is_normalising_once(bytes in prop::collection::vec(prop::sample::select(b"a1 .-\r\n\xc3\xa9".to_vec()), 0..40)) {
            let once: Vec<u8> = normal(&bytes);
            prop_assert_eq!(normal(&once), once);
        }
    }

    /// The bytes that count.
    fn normal(bytes: &[u8]) -> Vec<u8> {
        let text = |item: &Item| {
            if item.kind == Kind::LineEnd {
                b"\n".to_vec()
            } else {
                bytes[item.start as usize..item.end as usize].to_vec()
            }
        };
        items(bytes).iter().flat_map(text).collect()
    }
}
