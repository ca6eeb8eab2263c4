//! Text of a submission made harmless and visible.

/// How spaces and tabs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spaces {
    /// Spaces are shown as they are, a tab as some spaces.
    Plain,
    /// Both are left as they are, for a page that shows them on request.
    Kept,
    /// They are shown as signs.
    Visible,
}

/// The text with nothing in it that acts on a terminal, and look-alikes named.
pub fn visible(text: &str, spaces: Spaces) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            ' ' if spaces == Spaces::Visible => shown.push('·'),
            '\t' if spaces == Spaces::Visible => shown.push('→'),
            '\t' if spaces == Spaces::Kept => shown.push('\t'),
            '\t' => shown.push_str("    "),
            ' '..='~' => shown.push(c),
            '\u{0}'..='\u{1f}' => shown.push(char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}')),
            '\u{7f}' => shown.push('␡'),
            '\u{fffd}' => shown.push(c),
            _ if is_plain(c) => shown.push(c),
            _ => shown.push_str(&format!("⟨U+{:04X}⟩", c as u32)),
        }
    }
    shown
}

/// The same with every character beyond ASCII named by its number, for the place where two lines differ.
pub fn named(text: &str, spaces: Spaces) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        let plain = visible(&c.to_string(), spaces);
        shown.push_str(&plain);
        if !c.is_ascii() && is_plain(c) && c != '\u{fffd}' {
            shown.push_str(&format!("⟨U+{:04X}⟩", c as u32));
        }
    }
    shown
}

/// Whether a character beyond ASCII can be shown as it is: letters, marks and pictures that take up a place, and change
/// nothing around them.
fn is_plain(c: char) -> bool {
    use unicode_width::UnicodeWidthChar;
    let changes_its_neighbours = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}');
    !c.is_control() && !c.is_whitespace() && !changes_its_neighbours && c.width().is_some_and(|width| width > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_acts_on_the_terminal() {
        assert_eq!(visible("a\u{1b}[31mb\u{7}\u{7f}\u{85}", Spaces::Plain), "a␛[31mb␇␡⟨U+0085⟩");
        assert_eq!(visible("\u{202e}\u{200b}\u{a0}", Spaces::Plain), "⟨U+202E⟩⟨U+200B⟩⟨U+00A0⟩");
        assert_eq!(visible("a b\té", Spaces::Visible), "a·b→é");
        assert_eq!(visible("a b\té\r", Spaces::Kept), "a b\té␍");
    }

    #[test]
    fn look_alikes_are_named() {
        assert_eq!(named("\u{430}b", Spaces::Plain), "а⟨U+0430⟩b");
    }
}
