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
    "input", "enter", "type", "typing", "answer", "keyboard", "read", "ask", "expect", "receive", "choice", "choose",
    "respon", "y/n", "prompt", "press", "decide", "takes", "reply", "replies", "provide", "give", "eingabe", "entrada",
];
const OUTPUT: &[&str] = &[
    "output", "print", "display", "show", "result", "tell", "announce", "report", "write", "writes", "screen",
    "produce", "says", "gives", "states", "return", "see", "out", "ausgabe", "salida",
];
/// Comments document this of the program of this name.
pub(super) fn documents(program: &Program, topic: Topic, name: &str) -> Finding {
    let entries = documentation(program.main());
    // A line that is labelled as something else says nothing of this.
    let only = |entry: &Entry, words, others| has(&entry.label, words) && !has(&entry.label, others);
    let is_about = |entry: &&Entry| match topic {
        Topic::Name => true,
        Topic::Purpose => !has(&entry.label, INPUT) && !has(&entry.label, OUTPUT) || has(&entry.label, PURPOSE),
        Topic::Input => !only(entry, OUTPUT, INPUT),
        Topic::Output => !only(entry, INPUT, OUTPUT),
    };
    // A label without anything after it documents nothing.
    let told = |entry: &&Entry| entry.label.is_empty() || !is_empty(&entry.value);
    let lines = entries.iter().filter(told).filter(is_about).map(|entry| format!("{} {}", entry.label, entry.value));
    let text = lines.collect::<Vec<_>>().join("\n").to_lowercase();
    let name = name.to_lowercase();
    let own: Vec<&str> = name.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 3).collect();
    let found = match topic {
        Topic::Name => has(&text, &["name", "title", "filename"]) || has(&text, &own),
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

/// The comments that are about the whole program: those before its first statement that is no import and after its last
/// one, the strings that stand alone outside of all functions or begin one, and blocks of two lines of comments or more
/// that stand there.
fn documentation(file: &File) -> Vec<Entry> {
    let root = file.root();
    let statements = parts(root);
    let code = || statements.iter().filter(|node| !node.kind().starts_with("import") && lone_string(**node).is_none());
    let first = code().next().map_or(usize::MAX, Node::start_byte);
    let last = code().next_back().map_or(0, Node::end_byte);
    let comments: Vec<Node<'_>> = nodes(root).filter(|node| node.kind() == "comment").collect();
    let is_alone = |comment: &Node<'_>| comment.start_position().column == 0;
    let rows: BTreeSet<usize> =
        comments.iter().filter(|node| is_alone(node)).map(|node| node.start_position().row).collect();
    let in_block = |row: usize| rows.contains(&(row + 1)) || row > 0 && rows.contains(&(row - 1));
    let counts = |comment: &Node<'_>| {
        let place = comment.start_byte();
        place < first || is_alone(comment) && (place > last || in_block(comment.start_position().row))
    };
    // A function that is the whole program may be documented in its stead.
    let strings = statements.iter().copied().filter_map(|node| lone_string(node).or_else(|| docstring(node)));
    entries(&written(file, comments.iter().copied().filter(counts), strings), COLONS)
}

/// The lines of comments and strings, in their order, each with its number.
fn written<'p>(
    file: &'p File,
    comments: impl Iterator<Item = Node<'p>>,
    strings: impl Iterator<Item = Node<'p>>,
) -> Vec<(usize, &'p str)> {
    let comments = comments.filter(|comment| !is_for_machines(file, *comment));
    let comments = comments.map(|comment| (line(comment), file.text_of(comment).trim_start_matches('#')));
    let mut lines: Vec<_> = comments.chain(strings.flat_map(|string| lines_of(file, string))).collect();
    lines.sort_by_key(|(line, _)| *line);
    lines
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
    let tools = ["noqa", "type:", "pylint:", "fmt:", "flake8:", "mypy:", "ruff:", "pragma:"];
    let said = text.trim_start_matches('#').trim_start();
    row == 0 && text.starts_with("#!")
        || row < 2 && (text.contains("coding:") || text.contains("coding="))
        || tools.iter().any(|tool| said.starts_with(tool))
}

/// What stands between a label and its value.
const COLONS: &[&str] = &[":", "："];
/// What some write in its stead.
const DASHES: &[&str] = &[" - ", " – ", " — ", " = "];

/// A line of comments: a label, if it has one, and what is written after it.
struct Entry {
    line: usize,
    label: String,
    value: String,
}

/// Comment lines `label: value` stand before the first statement, and no value is missing.
pub(super) fn header(program: &Program, wanted: &[String]) -> Finding {
    let mut entries = header_entries(program.main(), COLONS);
    if entries.is_empty() {
        let dashed = header_entries(program.main(), DASHES);
        // One such line alone may be a title.
        if dashed.len() > 1 {
            entries = dashed;
        }
    }
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

/// Whether a value is not filled in: nothing that says anything, or a stand-in such as `<your name>`.
fn is_empty(value: &str) -> bool {
    let is_stand_in = |inside: &str| {
        let is_edge = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        is_edge(inside.chars().next()) && is_edge(inside.chars().next_back()) && !inside.contains(['@', '/'])
    };
    let inside = value.split_once('<').and_then(|(_, rest)| Some(rest.split_once('>')?.0));
    !value.contains(char::is_alphanumeric) || ["TODO", "TBD"].contains(&value) || inside.is_some_and(is_stand_in)
}

/// The labelled lines of the comment, or of the string, that stands before the first statement.
fn header_entries(file: &File, separators: &[&str]) -> Vec<Entry> {
    let root = file.root();
    let statements = parts(root);
    let docstring = statements.first().copied().and_then(lone_string);
    let first = statements.get(usize::from(docstring.is_some()));
    let end = first.map_or(usize::MAX, Node::start_byte);
    let comments = nodes(root).filter(|node| node.kind() == "comment" && node.start_byte() < end);
    let lines = written(file, comments, docstring.into_iter());
    // What is parted from the header by an empty line is about something else.
    let labelled = |block: &[(usize, &str)]| {
        let mut block = entries(block, separators);
        block.retain(|entry| !entry.label.is_empty());
        block
    };
    let mut blocks = lines.chunk_by(|one, other| other.0 <= one.0 + 1).map(labelled);
    blocks.find(|block| !block.is_empty()).unwrap_or_default()
}

/// Lines of comments as labels and values. A value may stand in the line below its label.
fn entries(lines: &[(usize, &str)], separators: &[&str]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = vec![];
    for &(line, text) in lines {
        // Boxes are drawn around headers.
        let text =
            text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '|' | '#' | '=' | '-' | '║' | '│'));
        if text.is_empty() {
            continue;
        }
        let is_waiting = |entry: &Entry| !entry.label.is_empty() && entry.value.is_empty();
        let is_sentence = |label: &str| label.split_whitespace().count() > 3;
        let split = separators.iter().filter_map(|separator| text.split_once(separator));
        match (split.min_by_key(|(label, _)| label.len()), entries.last_mut()) {
            (Some((label, value)), last)
                if is_label(label)
                    && !value.starts_with("//")
                    && !(is_sentence(label) && last.as_ref().is_some_and(|last| is_waiting(last))) =>
            {
                entries.push(Entry { line, label: label.trim().to_owned(), value: value.trim().to_owned() });
            }
            (_, Some(entry)) if is_waiting(entry) => entry.value = text.to_owned(),
            _ => entries.push(Entry { line, label: String::new(), value: text.to_owned() }),
        }
    }
    entries
}

/// Whether what stands before a colon is a label, not the beginning of a sentence.
fn is_label(text: &str) -> bool {
    let words = text.split_whitespace().count();
    (1..=8).contains(&words) && text.chars().any(char::is_alphabetic)
}
