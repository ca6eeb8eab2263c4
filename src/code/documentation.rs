//! Comments that document a whole program: its header, and what it is.

use tree_sitter::Node;

use super::Finding;
use super::program::{File, Program, line, nodes, parts};
use crate::assignment::Topic;

/// Words that tell what a comment documents, each the start of a word in lower case.
const PURPOSE: &[&str] = &[
    "purpose",
    "game",
    "play",
    "program",
    "simulat",
    "goal",
    "aim",
    "description",
    "implement",
    "dice",
    "lets",
    "allow",
    "script",
    "task",
    "assignment",
];
const INPUT: &[&str] = &[
    "input", "enter", "type", "typing", "answer", "keyboard", "key", "reads", "read", "asks", "asked", "expect",
    "receive", "choice", "choose", "respon", "y/n", "prompt", "press", "decide", "takes", "reply", "replies",
];
const OUTPUT: &[&str] = &[
    "output", "print", "display", "show", "result", "tell", "announce", "report", "writes", "write", "screen",
    "produce", "says", "gives", "states",
];

/// Comments document this of the program.
pub(super) fn documents(program: &Program, topic: Topic) -> Finding {
    let file = program.main();
    let text = documentation(file).to_lowercase();
    // What parts words is no part of them, but for the stroke in `y/n`.
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '/').collect();
    let has = |starts: &[&str]| words.iter().any(|word| starts.iter().any(|start| word.starts_with(start)));
    let name = program.main().name.to_lowercase();
    let name = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    // Of the words in the file's name, those that a learning platform adds are no part of the program's.
    let own: Vec<&str> = name.split(|c: char| !c.is_alphabetic()).filter(|part| part.len() > 2).collect();
    let found = match topic {
        Topic::Name => has(&["name", "title", "filename"]) || has(&own) || text.contains(".py"),
        Topic::Purpose => has(PURPOSE),
        Topic::Input => has(INPUT),
        Topic::Output => has(OUTPUT),
    };
    if found {
        return Finding::Kept;
    }
    let what = match topic {
        Topic::Name => "the program's name",
        Topic::Purpose => "what the program is for",
        Topic::Input => "the input that the program expects",
        Topic::Output => "the output that the program produces",
    };
    let why = if text.trim().is_empty() {
        format!("no comment at the top of the file says anything, and {what} belongs there")
    } else {
        format!("the comments about the program do not say {what}")
    };
    Finding::missing(program, None, why)
}

/// The comments that are about the whole program: those before its first statement, strings that stand alone outside of
/// all functions, and blocks of two lines of comments or more that stand there.
fn documentation(file: &File) -> String {
    let root = file.root();
    let first = parts(root).first().map_or(usize::MAX, Node::start_byte);
    let comments: Vec<Node<'_>> = nodes(root).filter(|node| node.kind() == "comment").collect();
    let is_alone = |comment: &Node<'_>| comment.start_position().column == 0;
    let rows: Vec<usize> =
        comments.iter().filter(|node| is_alone(node)).map(|node| node.start_position().row).collect();
    let in_block = |row: usize| rows.contains(&(row + 1)) || row > 0 && rows.contains(&(row - 1));
    let mut text = String::new();
    for comment in &comments {
        let row = comment.start_position().row;
        let counts = comment.start_byte() < first || is_alone(comment) && in_block(row);
        if counts && !is_for_machines(file, *comment) {
            text += file.text_of(*comment).trim_start_matches('#');
            text.push('\n');
        }
    }
    for statement in parts(root) {
        if let Some(string) = lone_string(statement) {
            text += file.text_of(string);
            text.push('\n');
        }
    }
    // A function that is the whole program may be documented in its stead.
    let main = parts(root).into_iter().filter(|node| file.field(*node, "name") == Some("main"));
    for string in main.filter_map(docstring) {
        text += file.text_of(string);
    }
    text
}

/// The string that is all of a statement.
pub(super) fn lone_string(statement: Node<'_>) -> Option<Node<'_>> {
    let inner = parts(statement);
    match inner.as_slice() {
        [string] if statement.kind() == "expression_statement" => {
            Some(*string).filter(|string| matches!(string.kind(), "string" | "concatenated_string"))
        }
        _ => None,
    }
}

/// The string at the beginning of a function or a class.
pub(super) fn docstring(definition: Node<'_>) -> Option<Node<'_>> {
    lone_string(*parts(definition.child_by_field_name("body")?).first()?)
}

/// Whether a comment speaks to a system or an editor: `#!/usr/bin/env python3`, `# -*- coding: utf-8 -*-`.
pub(super) fn is_for_machines(file: &File, comment: Node<'_>) -> bool {
    let (row, text) = (comment.start_position().row, file.text_of(comment));
    row == 0 && text.starts_with("#!") || row < 2 && (text.contains("coding:") || text.contains("coding="))
}

/// A line of the header: a label and what is written after it.
struct Entry {
    line: usize,
    label: String,
    value: String,
}

/// Comment lines `label: value` stand before the first statement, and no value is missing.
pub(super) fn header(program: &Program, wanted: &[String]) -> Finding {
    let file = program.main();
    let entries = entries(file);
    if entries.is_empty() {
        let why = "no comment lines such as `# Name: …` stand before the first statement";
        return Finding::missing(program, 1, why);
    }
    if let Some(Entry { line, label, value }) = entries.iter().find(|entry| is_empty(&entry.value)) {
        let what = if value.is_empty() { "nothing".to_owned() } else { format!("still `{value}`") };
        return Finding::broken(*line, format!("line {line} has {what} after `{label}:`"));
    }
    let has = |label: &String| entries.iter().any(|entry| entry.label.to_lowercase() == label.to_lowercase());
    match wanted.iter().find(|label| !has(label)) {
        None => Finding::Kept,
        Some(label) => Finding::missing(program, 1, format!("the comment at the top has no line `{label}: …`")),
    }
}

/// Whether a value is not filled in.
fn is_empty(value: &str) -> bool {
    value.is_empty() || value.find('<').is_some_and(|at| value[at..].contains('>'))
}

/// The labelled lines of the comment, or of the string, that stands before the first statement.
fn entries(file: &File) -> Vec<Entry> {
    let root = file.root();
    let statements = parts(root);
    let docstring = statements.first().copied().and_then(lone_string);
    let first = match docstring {
        Some(_) => statements.get(1),
        None => statements.first(),
    };
    let end = first.map_or(usize::MAX, Node::start_byte);
    let mut lines: Vec<(usize, &str)> = vec![];
    for comment in nodes(root).filter(|node| node.kind() == "comment" && node.start_byte() < end) {
        if !is_for_machines(file, comment) {
            lines.push((line(comment), file.text_of(comment).trim_start_matches('#')));
        }
    }
    if let Some(string) = docstring {
        let text = file.text_of(string).trim_matches(|c| matches!(c, '"' | '\'' | 'r' | 'R'));
        lines.extend(text.lines().enumerate().map(|(index, text)| (line(string) + index, text)));
        lines.sort_by_key(|(line, _)| *line);
    }
    let mut entries: Vec<Entry> = vec![];
    let mut last = 0;
    for (line, text) in lines {
        // Boxes are drawn around headers.
        let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '|' | '#' | '=' | '-'));
        match text.split_once(':') {
            Some((label, value)) if is_label(label) && !value.starts_with("//") => {
                entries.push(Entry { line, label: label.trim().to_owned(), value: value.trim().to_owned() });
            }
            // A value may go on, or stand, in the next line.
            _ => {
                if let Some(entry) = entries.last_mut()
                    && line == last + 1
                    && !text.is_empty()
                {
                    entry.value = format!("{} {text}", entry.value).trim().to_owned();
                }
            }
        }
        last = line;
    }
    entries
}

/// Whether what stands before a colon is a label, not the beginning of a sentence.
fn is_label(text: &str) -> bool {
    let words = text.split_whitespace().count();
    (1..=8).contains(&words) && text.chars().any(char::is_alphabetic)
}
