//! The report as JSON, schema `check/report/v1`.

use std::io::{self, Write};

use crate::grade::{Record, Report};

/// Writes the report, with a line end after it.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&Record::from(report))?;
    writeln!(writer, "{}", without_actors(&text))
}

/// Control characters beyond ASCII and those that turn text round stand in strings only, and are told there by number;
/// as is the second of two `#`, which may start a command in the log of a build server.
pub(crate) fn without_actors(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => text += &format!("\\u{:04x}", c as u32),
            '#' if text.ends_with('#') => text += "\\u0023",
            c => text.push(c),
        }
    }
    text
}
