//! Comments that explain a function, a selection or an iteration.

use tree_sitter::Node;

use super::Finding;
use super::documentation::{docstring, is_for_machines, lone_string};
use super::program::{File, Program, nodes, parts};
use crate::assignment::Commented;
use crate::shared::first_of;

/// What stands in each line of a file, as far as comments go.
struct Lines<'p> {
    file: &'p File,
    lines: Vec<Line>,
}

#[derive(Debug, Clone, Default)]
struct Line {
    /// Whether there is any code.
    code: bool,
    /// Whether there is a comment, and whether that says anything.
    comment: Option<bool>,
    /// Whether a string that is a statement of its own, and no docstring, ends here.
    string: bool,
    /// The first line of the simple statement that this line is part of, and the column at which that begins.
    simple: Option<(usize, usize)>,
}

/// Each function, selection or iteration has its comment.
pub(super) fn explain(program: &Program, kinds: &[Commented]) -> Finding {
    let mut bare = vec![];
    let mut is_empty = true;
    for file in program.files() {
        let lines = Lines::read(file);
        for node in nodes(file.root()) {
            let Some((kind, what)) = commented(file, node) else { continue };
            is_empty = false;
            if kinds.contains(&kind) && !lines.explain(node) {
                bare.push((file, node, what));
            }
        }
    }
    if is_empty && !program.is_whole() {
        return Finding::unreadable();
    }
    if is_empty {
        return Finding::Without("the program has nothing in it that a comment could explain".to_owned());
    }
    let Some((file, node, what)) = bare.first() else { return Finding::Kept };
    let (place, words) = program.place(file, *node);
    let more: Vec<String> = bare[1..].iter().map(|(file, node, _)| program.place(file, *node).1).collect();
    let more = match more.as_slice() {
        [] => String::new(),
        [one] => format!("; nor has that in {one}"),
        [one, other] => format!("; nor have those in {one} and {other}"),
        several => format!("; nor have those in {}", first_of(several, 5)),
    };
    Finding::missing(program, place, format!("{what} in {words} has no comment that says what it is for{more}"))
}

/// What it is, if it is something that wants a comment.
fn commented<'p>(file: &'p File, node: Node<'p>) -> Option<(Commented, String)> {
    match node.kind() {
        "function_definition" => {
            Some((Commented::Subprograms, format!("`def {}`", file.field(node, "name").unwrap_or_default())))
        }
        "if_statement" if is_guard(file, node) => None,
        "if_statement" => Some((Commented::Selections, "the `if`".to_owned())),
        "match_statement" => Some((Commented::Selections, "the `match`".to_owned())),
        "for_statement" => Some((Commented::Iterations, "the `for`".to_owned())),
        "while_statement" => Some((Commented::Iterations, "the `while`".to_owned())),
        _ => None,
    }
}

/// `if __name__ == "__main__":` is a habit of the language, and selects nothing in a program that is run.
fn is_guard(file: &File, node: Node<'_>) -> bool {
    file.field(node, "condition").is_some_and(|condition| condition.contains("__name__"))
}

impl<'p> Lines<'p> {
    fn read(file: &'p File) -> Lines<'p> {
        let mut lines = vec![Line::default(); file.text.matches('\n').count() + 1];
        let mut docstrings = vec![];
        for node in nodes(file.root()) {
            let (start, end) = (node.start_position(), node.end_position());
            if node.kind() == "comment" {
                let says = !is_for_machines(file, node) && has_letters(file, node);
                lines[start.row].comment = Some(says);
                continue;
            }
            if node.child_count() == 0 && start != end {
                for line in &mut lines[start.row..=end.row] {
                    line.code = true;
                }
            }
            if is_simple(node) {
                for line in &mut lines[start.row..=end.row] {
                    // Of several in one line the first says how deep they stand.
                    line.simple.get_or_insert((start.row, start.column));
                }
                let says = lone_string(node).is_some_and(|string| has_letters(file, string));
                match documented(node) {
                    Some(function) if says => docstrings.push((function, end.row)),
                    _ => lines[end.row].string = says,
                }
            }
        }
        let mut lines = Lines { file, lines };
        for (function, row) in docstrings {
            // Where the function has a comment besides, the string in it is one for what follows.
            lines.lines[row].string = lines.has_comment(function);
        }
        lines
    }

    /// Whether something is explained by a comment at it, or a function by a string in it.
    fn explain(&self, node: Node<'_>) -> bool {
        let string = docstring(node).filter(|_| node.kind() == "function_definition");
        string.is_some_and(|string| has_letters(self.file, string)) || self.has_comment(node) || self.inside(node)
    }

    /// A comment above it or beside it.
    fn has_comment(&self, node: Node<'_>) -> bool {
        let decorated = node.parent().filter(|parent| parent.kind() == "decorated_definition");
        // A comment may stand before the decorators or after them.
        let starts = [decorated, Some(node)].into_iter().flatten().map(|node| node.start_position());
        let body = body_of(node);
        // An `else:` or a `try:` that begins with it may have the comment.
        let block = node.parent().filter(|block| block.kind() == "block" && parts(*block).first() == Some(&node));
        let outer = block.and_then(|block| block.parent());
        let outer = outer.filter(|outer| matches!(outer.kind(), "else_clause" | "try_statement" | "with_statement"));
        let outer = outer.map(|outer| outer.start_position());
        outer.is_some_and(|start| self.lines[start.row].comment == Some(true) || self.above(start.row, start.column))
            || self.beside(node, body)
            || starts.into_iter().any(|start| self.above(start.row, start.column))
    }

    /// A comment in the lines of what is said before the colon, or behind it.
    fn beside(&self, node: Node<'_>, body: Option<Node<'_>>) -> bool {
        let first = node.start_position().row;
        self.lines[first..=self.last_of_head(node).max(first)].iter().any(|line| line.comment == Some(true))
            || body.is_some_and(|body| {
                // All of it in one line.
                body.start_position().row == first && self.lines[body.end_position().row].comment == Some(true)
            })
    }

    /// The row of the colon.
    fn last_of_head(&self, node: Node<'_>) -> usize {
        let colon = node.children(&mut node.walk()).find(|part| part.kind() == ":");
        colon.map_or(node.start_position().row, |colon| colon.start_position().row)
    }

    /// A comment before it: above it, empty lines between or not, or right above the statements that lead to it.
    fn above(&self, first: usize, column: usize) -> bool {
        let mut row = first;
        while let Some(simple) = row.checked_sub(1).and_then(|above| self.lines[above].simple)
            && simple.1 == column
            && !self.lines[row - 1].string
        {
            row = simple.0;
        }
        let alone = row == first;
        // The last lines of a block of comments may be drawn, and empty lines may part them.
        while let Some(above) = row.checked_sub(1) {
            if alone && self.is_empty(above) {
                row = above;
                continue;
            }
            let line = &self.lines[above];
            if line.string {
                return true;
            }
            match line.comment {
                Some(says) if !line.code => {
                    if says {
                        return true;
                    }
                    row = above;
                }
                _ => return false,
            }
        }
        false
    }

    /// A comment that is the first thing inside of it.
    fn inside(&self, node: Node<'_>) -> bool {
        let first = self.last_of_head(node) + 1;
        let last = body_of(node).map_or(0, |body| body.end_position().row);
        let Some(rest) = self.lines.get(first..=last) else { return false };
        let mut rest = rest.iter().skip_while(|line| !line.code && line.comment.is_none());
        // Or the comment beside the first thing in it.
        rest.find_map(
            |line| if line.code { Some(line.comment == Some(true)) } else { line.comment.filter(|says| *says) },
        )
        .unwrap_or(false)
    }

    fn is_empty(&self, row: usize) -> bool {
        let line = &self.lines[row];
        !line.code && line.comment.is_none()
    }
}

/// Whether it is a statement that has no others inside.
fn is_simple(node: Node<'_>) -> bool {
    let compound = ["if", "for", "while", "try", "with", "match"];
    node.kind().strip_suffix("_statement").is_some_and(|kind| !compound.contains(&kind))
}

/// The function or the class that a string documents, being the first statement in it.
fn documented(statement: Node<'_>) -> Option<Node<'_>> {
    let block =
        statement.parent().filter(|block| block.kind() == "block" && parts(*block).first() == Some(&statement))?;
    block.parent().filter(|outer| matches!(outer.kind(), "function_definition" | "class_definition"))
}

/// What is done in a function, a selection or an iteration.
fn body_of(node: Node<'_>) -> Option<Node<'_>> {
    ["body", "consequence"].iter().find_map(|field| node.child_by_field_name(field))
}

fn has_letters(file: &File, node: Node<'_>) -> bool {
    file.text_of(node).chars().any(char::is_alphabetic)
}
