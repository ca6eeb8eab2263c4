//! What both pages for a browser have in common: one file that asks for nothing from anywhere, and in which no text of
//! a submission can do anything.

use std::io::{self, Write};

use base64::prelude::{BASE64_STANDARD, Engine};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use super::visible::{Spaces, visible};

/// The style that all pages share.
const STYLE: &str = include_str!("assets/page.css");

/// A page, before anything is in it.
pub struct Page {
    /// Its style, besides that of all pages.
    pub style: &'static str,
    /// Its script, which runs when all of the page is there.
    pub script: &'static str,
}

impl Page {
    /// Writes all that stands before the content.
    pub fn start(&self, title: &str, writer: &mut dyn Write) -> io::Result<()> {
        // Nothing is loaded, and nothing but these very texts is taken for a style or a script.
        let policy = format!(
            "default-src 'none'; style-src {} {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
            source(STYLE),
            source(self.style),
            source(self.script)
        );
        let head = html! {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                // Without one a browser asks for a picture.
                link rel="icon" href="data:,";
                title { (shown(title)) }
                style { (PreEscaped(STYLE)) }
                style { (PreEscaped(self.style)) }
            }
        };
        write!(writer, "{}<html lang=\"en\">{}<body>", DOCTYPE.0, head.0)
    }

    /// Writes all that stands after the content.
    pub fn end(&self, writer: &mut dyn Write) -> io::Result<()> {
        let script = html! { script { (PreEscaped(self.script)) } };
        writeln!(writer, "{}</body></html>", script.0)
    }
}

/// A style or a script in the terms of a content security policy.
fn source(text: &str) -> String {
    format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// A text from outside: nothing in it acts, neither on the page nor on the eye.
pub fn shown(text: &str) -> String {
    visible(text, Spaces::Plain)
}

/// The same with the parts between backquotes set as code, as the rules have them.
pub fn prose(text: &str) -> Markup {
    let text = shown(text);
    let parts: Vec<&str> = text.split('`').collect();
    // A backquote without its fellow is a plain one.
    if parts.len().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (index, part) in parts.iter().enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
