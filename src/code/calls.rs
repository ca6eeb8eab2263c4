//! Calls that have to be there, and calls that may not.

use tree_sitter::Node;

use super::Finding;
use super::functions;
use super::imports;
use super::lists::{Value, value};
use super::program::{File, Program, nodes, parts};
use crate::assignment::{CallPattern, Forbidden};

/// What draws a random number in one way or another, also as a method of a generator.
const DRAWS: &[&str] = &[
    "randrange",
    "randint",
    "random",
    "choice",
    "choices",
    "sample",
    "shuffle",
    "randbelow",
    "uniform",
    "getrandbits",
];

/// The program contains a call of a module's function with these arguments.
pub(super) fn has(program: &Program, wanted: &CallPattern) -> Finding {
    let mut other: Option<(&File, Node<'_>, bool)> = None;
    for file in program.files() {
        let imports = imports::all(file);
        for node in nodes(file.root()).filter(|node| node.kind() == "call") {
            let Some(function) = called(file, &imports, node, &wanted.module) else { continue };
            if function == wanted.function && has_arguments(program, file, node, &wanted.arguments) {
                return Finding::Kept;
            }
            // What draws is worth naming before what only prepares for it.
            let is_draw = DRAWS.contains(&function);
            if other.is_none_or(|(_, _, was_draw)| is_draw && !was_draw) {
                other = Some((file, node, is_draw));
            }
        }
        let method = |node: &Node<'_>| file.field(node.child_by_field_name("function")?, "attribute");
        let drawn = nodes(file.root()).filter(|node| node.kind() == "call");
        let drawn = drawn.into_iter().find(|node| method(node).is_some_and(|name| DRAWS.contains(&name)));
        if let Some(node) = drawn.filter(|_| other.is_none_or(|(_, _, was_draw)| !was_draw)) {
            other = Some((file, node, true));
        }
    }
    // It may be called by another name.
    let is_given = |(file, node): (&File, Node<'_>)| {
        let is_name = matches!(node.kind(), "identifier" | "attribute");
        let name = if node.kind() == "attribute" { file.field(node, "attribute") } else { Some(file.text_of(node)) };
        let outer = node.parent().map_or("", |outer| outer.kind());
        is_name
            && name == Some(wanted.function.as_str())
            && matches!(outer, "assignment" | "argument_list" | "named_expression")
    };
    if program.nodes().any(is_given) {
        return Finding::Undecided(format!("`{}` may be called by another name", wanted.function));
    }
    match other {
        Some((file, node, _)) => {
            let (place, words) = program.place(file, node);
            Finding::missing(
                program,
                place,
                format!("{words} calls `{}`, and not `{wanted}`", short(file.text_of(node))),
            )
        }
        None => Finding::missing(program, None, format!("nothing calls `{wanted}`")),
    }
}

/// The name of the module's function that is called here.
fn called<'p>(file: &'p File, imports: &[imports::Import<'p>], call: Node<'p>, module: &str) -> Option<&'p str> {
    let function = call.child_by_field_name("function")?;
    match function.kind() {
        "attribute" => {
            let object = file.field(function, "object")?;
            let is_module = |import: &imports::Import<'_>| {
                import.module == module && import.what.is_none() && import.here == object
            };
            imports.iter().any(is_module).then(|| file.field(function, "attribute"))?
        }
        "identifier" => {
            let name = file.text_of(function);
            let taken = imports
                .iter()
                .find(|import| import.module == module && (import.here == name || import.what == Some("*")))?;
            Some(taken.what.filter(|what| *what != "*").unwrap_or(name))
        }
        _ => None,
    }
}

/// Whether a call has these arguments. What can't be worked out may be right.
fn has_arguments(program: &Program, file: &File, call: Node<'_>, wanted: &[String]) -> bool {
    let Some(arguments) = call.child_by_field_name("arguments") else { return false };
    let own = parts(arguments);
    own.len() == wanted.len()
        && own.iter().zip(wanted).all(|(own, wanted)| match (value(program, file, *own), wanted.parse::<i64>()) {
            (Value::Number(own), Ok(wanted)) => own == wanted,
            (Value::Unknown, _) => true,
            _ => file.text_of(*own) == wanted,
        })
}

/// None of these is called.
pub(super) fn none(program: &Program, forbidden: &Forbidden<String>) -> Finding {
    let all = functions::all(program);
    in_scope(program, forbidden.within.as_deref(), |file, node, _| {
        if node.kind() != "call" {
            return None;
        }
        let function = node.child_by_field_name("function")?;
        let name = match function.kind() {
            // A function of the program's own by this name is looked at itself.
            "identifier" => {
                Some(file.text_of(function)).filter(|name| functions::named(&all, name).is_empty())?.to_owned()
            }
            "attribute" if file.field(function, "object") == Some("builtins") => {
                file.field(function, "attribute")?.to_owned()
            }
            "attribute" => format!(".{}", file.field(function, "attribute")?),
            _ => return None,
        };
        forbidden.what.contains(&name).then(|| format!("calls `{}`", short(file.text_of(node))))
    })
}

/// Looks at every node of a function and of all that it calls, or of the whole program, for something that is found
/// there. The first of the function's parameters is known to what looks.
pub(super) fn in_scope(
    program: &Program,
    within: Option<&str>,
    found: impl Fn(&File, Node<'_>, Option<&str>) -> Option<String>,
) -> Finding {
    let broken = |file: &File, node: Node<'_>, what: String| {
        let (place, words) = program.place(file, node);
        Finding::broken(place, format!("{words} {what}"))
    };
    let Some(name) = within else {
        let first = program.nodes().find_map(|(file, node)| Some(broken(file, node, found(file, node, None)?)));
        return first.unwrap_or(Finding::Kept);
    };
    let scope = functions::reach(program, name);
    if scope.is_empty() && functions::may_be_defined(program, name) {
        return Finding::Undecided(format!("what `{name}` is can't be told without running the program"));
    }
    if scope.is_empty() {
        return Finding::Without(format!("there is no function named `{name}` to look at"));
    }
    for (index, function) in scope.iter().enumerate() {
        let first = functions::first_parameter(*function).filter(|_| index == 0);
        for node in nodes(function.node) {
            if let Some(what) = found(function.file, node, first.as_deref()) {
                return broken(function.file, node, what);
            }
        }
    }
    Finding::Kept
}

/// The start of what stands in a file, in one line.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
