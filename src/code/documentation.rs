//! Comments that document a whole program: its header, and what it is.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::Finding;
use super::program::{File, Program, line, nodes, parts};
use crate::assignment::Topic;

/// Words that tell what a comment documents, each the start of a word in lower case.
const PURPOSE: &[&str] =
    &["purpose", "game", "play", "simulat", "goal", "aim", "descri", "implement", "lets", "allow", "summary"];
const PURPOSE_PHRASES: &[&str] = &["program that", "program which", "program to", "program for", "script that"];
const INPUT: &[&str] = &[
    "input", "enter", "type", "typing", "answer", "keyboard", "key", "read", "ask", "expect", "receive", "choice",
    "choose", "respon", "y/n", "prompt", "press", "decide", "takes", "reply", "replies",
];
const OUTPUT: &[&str] = &[
    "output", "print", "display", "show", "result", "tell", "announce", "report", "write", "writes", "screen",
    "produce", "says", "gives", "states",
];
/// Labels of lines that tell something else.
const OTHER: &[&str] = &["author", "name", "date", "file", "class", "course", "section", "due", "version", "student"];

/// Comments document this of the program of this name.
pub(super) fn documents(program: &Program, topic: Topic, name: &str) -> Finding {
    let entries = documentation(program.main());
    // A line that is labelled as something else says nothing of this.
    let is_about = |entry: &&Entry| match topic {
        Topic::Name => true,
        Topic::Purpose => !has(&entry.label, INPUT) && !has(&entry.label, OUTPUT) && !has(&entry.label, OTHER),
        Topic::Input => !has(&entry.label, OUTPUT),
        Topic::Output => !has(&entry.label, INPUT),
    };
    // A label without anything after it documents nothing.
    let told = |entry: &&Entry| entry.label.is_empty() || !is_empty(&entry.value);
    let lines = entries.iter().filter(told).filter(is_about).map(|entry| format!("{} {}", entry.label, entry.value));
    let text = lines.collect::<Vec<_>>().join("\n").to_lowercase();
    let found = match topic {
        Topic::Name => has(&text, &["name", "title", "filename"]) || text.contains(&name.to_lowercase()),
        Topic::Purpose => has(&text, PURPOSE) || PURPOSE_PHRASES.iter().any(|phrase| text.contains(phrase)),
        Topic::Input => has(&text, INPUT),
        Topic::Output => has(&text, OUTPUT),
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
    let why = if entries.is_empty() {
        format!("there are no comments about the program as a whole, which should say {what}")
    } else {
        format!("the comments about the program do not say {what}")
    };
    Finding::missing(program, None, why)
}

/// Whether a text has a word that begins with one of these.
fn has(text: &str, starts: &[&str]) -> bool {
    // What parts words is no part of them, but for the stroke in `y/n`.
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '/');
    words.any(|word| starts.iter().any(|start| word.starts_with(start)))
}

/// The comments that are about the whole program: those before its first statement, strings that stand alone outside of
/// all functions, and blocks of two lines of comments or more that stand there.
fn documentation(file: &File) -> Vec<Entry> {
    let root = file.root();
    let statements = parts(root);
    let first = statements.first().map_or(usize::MAX, Node::start_byte);
    let comments: Vec<Node<'_>> = nodes(root).filter(|node| node.kind() == "comment").collect();
    let is_alone = |comment: &Node<'_>| comment.start_position().column == 0;
    let rows: BTreeSet<usize> =
        comments.iter().filter(|node| is_alone(node)).map(|node| node.start_position().row).collect();
    let in_block = |row: usize| rows.contains(&(row + 1)) || row > 0 && rows.contains(&(row - 1));
    let counts = |comment: &Node<'_>| {
        comment.start_byte() < first || is_alone(comment) && in_block(comment.start_position().row)
    };
    let mut lines: Vec<(usize, &str)> = vec![];
    for comment in comments.iter().filter(|comment| counts(comment) && !is_for_machines(file, **comment)) {
        lines.push((line(*comment), file.text_of(*comment).trim_start_matches('#')));
    }
    // A function that is the whole program may be documented in its stead.
    let main = statements.iter().filter(|node| file.field(**node, "name") == Some("main"));
    let strings = statements.iter().copied().filter_map(lone_string).chain(main.copied().filter_map(docstring));
    lines.extend(strings.flat_map(|string| lines_of(file, string)));
    lines.sort_by_key(|(line, _)| *line);
    entries(lines)
}

/// The lines of a string.
fn lines_of<'p>(file: &'p File, string: Node<'p>) -> impl Iterator<Item = (usize, &'p str)> {
    let text = file.text_of(string).trim_start_matches(['r', 'R']).trim_matches(['"', '\'']);
    text.lines().enumerate().map(move |(index, text)| (line(string) + index, text))
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

/// A line of comments: a label, if it has one, and what is written after it, which may go on in the lines below.
struct Entry {
    line: usize,
    label: String,
    value: String,
}

/// Comment lines `label: value` stand before the first statement, and no value is missing.
pub(super) fn header(program: &Program, wanted: &[String]) -> Finding {
    let entries = header_entries(program.main());
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
fn header_entries(file: &File) -> Vec<Entry> {
    let root = file.root();
    let statements = parts(root);
    let docstring = statements.first().copied().and_then(lone_string);
    let first = statements.get(usize::from(docstring.is_some()));
    let end = first.map_or(usize::MAX, Node::start_byte);
    let mut lines: Vec<(usize, &str)> = vec![];
    for comment in nodes(root).filter(|node| node.kind() == "comment" && node.start_byte() < end) {
        if !is_for_machines(file, comment) {
            lines.push((line(comment), file.text_of(comment).trim_start_matches('#')));
        }
    }
    lines.extend(docstring.into_iter().flat_map(|string| lines_of(file, string)));
    lines.sort_by_key(|(line, _)| *line);
    let mut entries = entries(lines);
    entries.retain(|entry| !entry.label.is_empty());
    entries
}

/// Lines of comments as labels and values. A value may go on, or stand, in the lines below its label.
fn entries(lines: Vec<(usize, &str)>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    let mut last = 0;
    for (line, text) in lines {
        // Boxes are drawn around headers.
        let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '|' | '#' | '=' | '-'));
        if text.is_empty() {
            continue;
        }
        match (text.split_once(':'), entries.last_mut()) {
            (Some((label, value)), _) if is_label(label) && !value.starts_with("//") => {
                entries.push(Entry { line, label: label.trim().to_owned(), value: value.trim().to_owned() });
            }
            (_, Some(entry)) if line == last + 1 || !entry.label.is_empty() && entry.value.is_empty() => {
                entry.value = format!("{} {text}", entry.value).trim().to_owned();
            }
            _ => entries.push(Entry { line, label: String::new(), value: text.to_owned() }),
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
