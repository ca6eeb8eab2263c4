//! Functions: what they are called, what they take, and whether somebody calls them.

use tree_sitter::Node;

use super::Finding;
use super::program::{File, Program, is_within, nodes, parts};
use crate::assignment::{Signature, nearest};

/// A function, or a `lambda` that was given a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function<'p> {
    pub file: &'p File,
    /// The definition, or the assignment of a `lambda`.
    pub node: Node<'p>,
    pub name: &'p str,
    parameters: Option<Node<'p>>,
    /// Whether it is a method.
    in_class: bool,
    /// Whether it stands inside of another function.
    is_nested: bool,
}

/// Where a function of a program is: what a program can keep of it, since a node can't be kept beside its tree.
#[derive(Debug)]
pub(super) struct Place {
    file: usize,
    /// In bytes.
    start: usize,
    end: usize,
    in_class: bool,
    is_nested: bool,
}

impl Place {
    fn function<'p>(&self, program: &'p Program) -> Option<Function<'p>> {
        let file = program.files().get(self.file)?;
        let node = file.root().descendant_for_byte_range(self.start, self.end)?;
        let is_definition = node.kind() == "function_definition";
        let taking = if is_definition { node } else { node.child_by_field_name("right")? };
        Some(Function {
            file,
            node,
            name: file.field(node, if is_definition { "name" } else { "left" })?,
            parameters: taking.child_by_field_name("parameters"),
            in_class: self.in_class,
            is_nested: self.is_nested,
        })
    }
}

/// All functions and methods of a program.
pub(super) fn all(program: &Program) -> Vec<Function<'_>> {
    program.functions().iter().filter_map(|place| place.function(program)).collect()
}

/// Looks for them.
pub(super) fn find(files: &[File]) -> Vec<Place> {
    let mut found = vec![];
    for (number, file) in files.iter().enumerate() {
        // The functions and classes around a node: where each ends, and whether it is a class.
        let mut around: Vec<(usize, bool)> = vec![];
        for node in nodes(file.root()) {
            while around.last().is_some_and(|(end, _)| *end <= node.start_byte()) {
                around.pop();
            }
            let is = |field, kind| node.child_by_field_name(field).is_some_and(|child| child.kind() == kind);
            let is_function = match node.kind() {
                "function_definition" => true,
                "assignment" => is("left", "identifier") && is("right", "lambda"),
                _ => false,
            };
            if is_function {
                found.push(Place {
                    file: number,
                    start: node.start_byte(),
                    end: node.end_byte(),
                    in_class: around.last().is_some_and(|(_, is_class)| *is_class),
                    is_nested: around.iter().any(|(_, is_class)| !is_class),
                });
            }
            if matches!(node.kind(), "function_definition" | "class_definition") {
                around.push((node.end_byte(), node.kind() == "class_definition"));
            }
        }
    }
    found
}

/// The functions of this name that are no methods; those inside of others only where there are none outside.
pub(super) fn named<'p>(all: &[Function<'p>], name: &str) -> Vec<Function<'p>> {
    let named = all.iter().filter(|function| function.name == name && !function.in_class);
    let (nested, outer): (Vec<Function<'p>>, Vec<Function<'p>>) =
        named.copied().partition(|function| function.is_nested);
    if outer.is_empty() { nested } else { outer }
}

/// There is a function of this name and these parameters, and something calls it.
pub(super) fn has(program: &Program, wanted: &Signature) -> Finding {
    let all = all(program);
    // The last of several is what Python calls.
    let Some(function) = named(&all, &wanted.name).last().copied() else {
        return missing(program, &all, wanted);
    };
    let place = program.place(function.file, function.node).0;
    let Some(own) = parameters(function) else { return Finding::unreadable() };
    let names: Vec<&str> = own.iter().map(|parameter| parameter.name).collect();
    if !wanted.parameters.as_ref().is_none_or(|wanted| agree(&names, wanted)) {
        return Finding::broken(place, other_parameters(program, function, wanted));
    }
    if is_used(program, &all, &wanted.name) {
        return Finding::Kept;
    }
    if calls_by_text(program) {
        return Finding::Undecided(format!(
            "whether `{}` is called can't be told in a program that calls by text",
            wanted.name
        ));
    }
    let words = program.place(function.file, function.node).1;
    Finding::missing(program, place, format!("`{}` is defined in {words}, and nothing calls it", wanted.name))
}

fn missing(program: &Program, all: &[Function<'_>], wanted: &Signature) -> Finding {
    let name = &wanted.name;
    if may_be_defined(program, name) {
        return Finding::Undecided(format!("what `{name}` is can't be told without running the program"));
    }
    if let Some(method) = all.iter().find(|function| function.name == name) {
        let (place, words) = program.place(method.file, method.node);
        let why = format!("`{name}` is a method of a class in {words}, and a function is asked for");
        return Finding::missing(program, place, why);
    }
    let close = nearest(name, all.iter().map(|function| function.name));
    let close = close.and_then(|close| all.iter().find(|function| function.name == close));
    let Some(close) = close else {
        return Finding::missing(program, None, format!("there is no function named `{name}`"));
    };
    let (place, words) = program.place(close.file, close.node);
    let why = format!("there is no function named `{name}`; the nearest is `{}` in {words}", close.name);
    Finding::missing(program, place, why)
}

/// A function can't be called as its specification says, since it takes another number of things, or the same ones in
/// another order: its line, and why.
pub(super) fn misfit(program: &Program, wanted: &Signature) -> Option<(Option<usize>, String)> {
    let all = all(program);
    let function = *named(&all, &wanted.name).last()?;
    let (own, names) = (parameters(function)?, wanted.parameters.as_ref()?);
    let least = own.iter().filter(|parameter| !parameter.is_optional).count();
    let most = if own.iter().any(|parameter| parameter.name.starts_with('*')) { usize::MAX } else { own.len() };
    let is_moved = |(place, name): (usize, &Option<String>)| {
        name.as_deref().is_some_and(|name| own.iter().position(|own| own.name == name).is_some_and(|own| own != place))
    };
    let is_misfit = !(least..=most).contains(&names.len()) || names.iter().enumerate().any(is_moved);
    is_misfit.then(|| (program.place(function.file, function.node).0, other_parameters(program, function, wanted)))
}

fn other_parameters(program: &Program, function: Function<'_>, wanted: &Signature) -> String {
    let names: Vec<&str> = parameters(function).into_iter().flatten().map(|parameter| parameter.name).collect();
    let own = format!("{}({})", wanted.name, names.join(", "));
    let names = wanted.parameters.as_deref().unwrap_or_default();
    let count = match names.len() {
        0 => "no parameters are".to_owned(),
        1 => "one parameter is".to_owned(),
        count => format!("{count} parameters are"),
    };
    let wanted = if names.iter().all(Option::is_none) { count } else { format!("`{wanted}` is") };
    format!("{} has `{own}`, and {wanted} asked for", program.place(function.file, function.node).1)
}

/// One thing that a function takes.
struct Parameter<'p> {
    /// Its name, with `*` or `**` before it for any number of them.
    name: &'p str,
    is_optional: bool,
}

/// What a function takes; nothing for what can't be read.
fn parameters(function: Function<'_>) -> Option<Vec<Parameter<'_>>> {
    let Some(list) = function.parameters else { return Some(vec![]) };
    let mut all = vec![];
    for part in parts(list) {
        let (name, is_optional) = match part.kind() {
            "default_parameter" | "typed_default_parameter" => (part.child_by_field_name("name")?, true),
            "typed_parameter" => (part.named_child(0)?, false),
            // They only part the others.
            "positional_separator" | "keyword_separator" => continue,
            _ => (part, false),
        };
        let name = function.file.text_of(name);
        all.push(Parameter { name, is_optional: is_optional || name.starts_with('*') });
    }
    Some(all)
}

fn agree(own: &[&str], wanted: &[Option<String>]) -> bool {
    own.len() == wanted.len()
        && own
            .iter()
            .zip(wanted)
            .all(|(own, wanted)| !own.starts_with('*') && wanted.as_ref().is_none_or(|wanted| wanted == own))
}

/// Whether a name stands anywhere but at its own definition, inside of it, or where it does nothing.
fn is_used(program: &Program, all: &[Function<'_>], name: &str) -> bool {
    let own = named(all, name);
    program.nodes().any(|(file, node)| {
        let is_own = || own.iter().any(|own| std::ptr::eq(own.file, file) && is_within(node, own.node));
        node.kind() == "identifier" && file.text_of(node) == name && !is_own() && is_use(node)
    }) || own.iter().any(|own| {
        // Whoever decorates it may call it.
        own.node.parent().is_some_and(|parent| parent.kind() == "decorated_definition")
    })
}

/// Whether a name at this place is used, not only named.
fn is_use(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    let is = |field: &str| parent.child_by_field_name(field) == Some(node);
    match parent.kind() {
        // The name alone calls nothing, nor does a condition made of it.
        "expression_statement"
        | "comparison_operator"
        | "not_operator"
        | "boolean_operator"
        | "if_statement"
        | "elif_clause"
        | "while_statement" => false,
        "assignment" | "augmented_assignment" => !is("left"),
        "keyword_argument" | "default_parameter" | "typed_default_parameter" => !is("name"),
        "function_definition" | "class_definition" => !is("name"),
        "parameters" | "lambda_parameters" | "typed_parameter" | "global_statement" | "nonlocal_statement"
        | "delete_statement" => false,
        // Under another name it may well be called.
        "dotted_name" => parent.parent().is_some_and(|outer| outer.kind() == "aliased_import"),
        "aliased_import" => false,
        _ => true,
    }
}

/// Whether a program may call functions by a text that names them.
fn calls_by_text(program: &Program) -> bool {
    program.nodes().any(|(file, node)| {
        node.kind() == "identifier" && ["globals", "locals", "vars", "exec", "getattr"].contains(&file.text_of(node))
    })
}

/// The function of this name with all functions of the program that it calls, and that those call; nothing if there is
/// none of this name.
pub(super) fn reach<'p>(program: &'p Program, name: &str) -> Vec<Function<'p>> {
    let all = all(program);
    let mut reached: Vec<Function<'_>> = named(&all, name).last().copied().into_iter().collect();
    let mut next = 0;
    while let Some(&function) = reached.get(next) {
        for node in nodes(function.node) {
            let called = match node.kind() {
                "call" => node.child_by_field_name("function").filter(|called| called.kind() == "identifier"),
                _ => None,
            };
            let Some(called) = called else { continue };
            if let Some(other) = named(&all, function.file.text_of(called)).last().copied()
                && !reached.iter().any(|known| known.node == other.node && std::ptr::eq(known.file, other.file))
            {
                reached.push(other);
            }
        }
        next += 1;
    }
    reached
}

/// The name of the first thing that a function takes.
pub(super) fn first_parameter(function: Function<'_>) -> Option<String> {
    parameters(function)?.first().map(|parameter| parameter.name.to_owned())
}

/// Whether a name may be given to a function without a definition: `is_sorted = in_order`, `from helper import check as
/// is_sorted`, or by a module that nobody knows beforehand.
pub(super) fn may_be_defined(program: &Program, name: &str) -> bool {
    program.nodes().any(|(file, node)| match node.kind() {
        "assignment" => {
            let left = node.child_by_field_name("left");
            left.is_some_and(|left| nodes(left).any(|part| part.kind() == "identifier" && file.text_of(part) == name))
        }
        "named_expression" => file.field(node, "name") == Some(name),
        "aliased_import" => file.field(node, "alias") == Some(name),
        "identifier" => ["importlib", "__import__"].contains(&file.text_of(node)),
        "attribute" => file.text_of(node) == "sys.path",
        "dotted_name" => {
            let from = node.parent().filter(|parent| parent.kind() == "import_from_statement");
            file.text_of(node) == name && from.is_some_and(|from| from.child_by_field_name("module_name") != Some(node))
        }
        _ => false,
    })
}

/// Whether there is certainly no function of this name.
pub(super) fn is_missing(program: &Program, name: &str) -> bool {
    program.is_whole() && named(&all(program), name).is_empty() && !may_be_defined(program, name)
}

/// The line of the function that goes by this name.
pub(super) fn line(program: &Program, name: &str) -> Option<usize> {
    let all = all(program);
    named(&all, name).last().and_then(|function| program.place(function.file, function.node).0)
}
