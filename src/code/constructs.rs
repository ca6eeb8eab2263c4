//! Parts of the language that may not be used.

use tree_sitter::Node;

use super::Finding;
use super::calls::{in_scope, short};
use super::program::{File, Program};
use crate::assignment::{Construct, Forbidden};

/// None of these stands in the code.
pub(super) fn none(program: &Program, forbidden: &Forbidden<Construct>) -> Finding {
    // Of what is no Python a part may look like anything.
    if !program.is_whole() {
        return Finding::unreadable();
    }
    in_scope(program, forbidden.within.as_deref(), |file, node, rack| {
        // What a type hint says is never made.
        let is_hint = || std::iter::successors(node.parent(), Node::parent).take(4).any(|outer| outer.kind() == "type");
        let found = forbidden.what.iter().any(|construct| is(*construct, file, node, rack)) && !is_hint();
        found.then(|| match node.kind() {
            "class_definition" => "has a class".to_owned(),
            "try_statement" => "has a `try`".to_owned(),
            _ if forbidden.what.contains(&Construct::NewList) => {
                format!("makes a new list: `{}`", short(file.text_of(node)))
            }
            _ => format!("has `{}`", short(file.text_of(node))),
        })
    })
}

fn is(construct: Construct, file: &File, node: Node<'_>, list: Option<&str>) -> bool {
    let calls = |names: &[&str]| {
        let function = node.child_by_field_name("function").filter(|_| node.kind() == "call");
        function.is_some_and(|function| names.contains(&file.text_of(function)))
    };
    match (construct, node.kind()) {
        (Construct::Class, kind) => kind == "class_definition",
        (Construct::Dict, kind) => matches!(kind, "dictionary" | "dictionary_comprehension") || calls(&["dict"]),
        (Construct::Set, kind) => matches!(kind, "set" | "set_comprehension") || calls(&["set", "frozenset"]),
        (Construct::Try, kind) => kind == "try_statement",
        // The keyword inside has the same name.
        (Construct::Lambda, kind) => kind == "lambda" && node.is_named(),
        (Construct::Comprehension, kind) => {
            matches!(
                kind,
                "list_comprehension" | "generator_expression" | "dictionary_comprehension" | "set_comprehension"
            )
        }
        (Construct::NewList, "list" | "list_comprehension") => true,
        (Construct::NewList, "subscript") => is_read(node) && has_slice(node),
        (Construct::NewList, "call") => {
            let method = node.child_by_field_name("function").and_then(|function| file.field(function, "attribute"));
            calls(&["list", "copy", "deepcopy"]) || matches!(method, Some("copy" | "deepcopy"))
        }
        (Construct::NewList, "binary_operator") => {
            let operand = |field| file.field(node, field).filter(|text| Some(*text) == list);
            let has_list = operand("left").or(operand("right")).is_some();
            has_list && matches!(file.field(node, "operator"), Some("+" | "*"))
        }
        (Construct::NewList, _) => false,
    }
}

fn has_slice(subscript: Node<'_>) -> bool {
    subscript.children_by_field_name("subscript", &mut subscript.walk()).any(|part| part.kind() == "slice")
}

/// Whether a part of a list is read, not assigned or deleted.
fn is_read(node: Node<'_>) -> bool {
    node.parent().is_none_or(|parent| match parent.kind() {
        "delete_statement" => false,
        "assignment" | "augmented_assignment" => parent.child_by_field_name("left") != Some(node),
        _ => true,
    })
}
