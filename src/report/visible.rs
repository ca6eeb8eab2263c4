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

/// A line in which the log of a build server finds no command: GitHub obeys `::` at its start and `##[` anywhere, Azure
/// `##vso[`.
pub fn without_commands(line: &str) -> String {
    let blank = line.len() - line.trim_start().len();
    let mut inert = line[..blank].to_owned();
    let mut rest = &line[blank..];
    while let Some(c) = rest.chars().next() {
        inert.push(c);
        let starts = |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if starts("##[") || starts("##vso[") || rest.len() == line.len() - blank && starts("::") {
            inert.push(' ');
        }
        rest = &rest[c.len_utf8()..];
    }
    inert
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
    let is_no_character = c as u32 & 0xfffe == 0xfffe || matches!(c, '\u{fdd0}'..='\u{fdef}');
    !c.is_control()
        && !is_no_character
        && !c.is_whitespace()
        && !changes_its_neighbours
        && c.width().is_some_and(|width| width > 0)
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
    fn what_is_no_character_is_named() {
        assert_eq!(visible("\u{fffe}\u{ffff}\u{1fffe}", Spaces::Plain), "⟨U+FFFE⟩⟨U+FFFF⟩⟨U+1FFFE⟩");
    }

    #[test]
    fn a_log_finds_no_command() {
        for (line, inert) in [
            ("  ::error::no", "  : :error::no"),
            ("a ::error::no", "a ::error::no"),
            ("a ###[error]no", "a ## #[error]no"),
            ("##VSO[task.complete]", "# #VSO[task.complete]"),
            ("## Round [1]", "## Round [1]"),
        ] {
            assert_eq!(without_commands(line), inert);
        }
    }

    #[test]
    fn look_alikes_are_named() {
        assert_eq!(named("\u{430}b", Spaces::Plain), "а⟨U+0430⟩b");
    }
}
