//! What a list starts with, worked out without running anything.

use tree_sitter::Node;

use super::Finding;
use super::calls::short;
use super::program::{File, Program, parts};
use crate::assignment::{StartingList, nearest};

/// What an expression is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Number(i64),
    List(Vec<i64>),
    /// Neither.
    Other,
    /// It can't be told without running the program.
    Unknown,
}

/// Longer lists are not worked out.
const MOST_NUMBERS: usize = 64;
/// So far names are followed.
const MOST_STEPS: usize = 8;

/// A list of this name starts with these numbers.
pub(super) fn starts(program: &Program, wanted: &StartingList) -> Finding {
    let mut others = vec![];
    let mut unknown = false;
    let mut names = vec![];
    for (file, node) in program.nodes() {
        for (target, right) in assigned(node) {
            let name = target_name(file, target);
            if name != Some(wanted.name.as_str()) {
                names.extend(name.filter(|_| target.kind() == "identifier"));
                continue;
            }
            if others.len() == MOST_NUMBERS {
                return Finding::Undecided(format!("`{}` is given many values", wanted.name));
            }
            match right.map_or(Value::Unknown, |right| value(program, file, right)) {
                Value::List(numbers) if numbers == wanted.numbers => return Finding::Kept,
                // What else has a part of this name is no list of it.
                _ if target.kind() == "attribute" => {}
                Value::Unknown => unknown = true,
                Value::List(numbers) if numbers.is_empty() => unknown = true,
                value => others.push((file, node, value)),
            }
        }
    }
    if unknown || !others.is_empty() && is_filled_later(program, wanted) {
        return Finding::Undecided(format!("what `{}` starts as can't be told without running it", wanted.name));
    }
    let shown = format!("{:?}", wanted.numbers);
    match others.first() {
        Some((file, node, value)) => {
            let (place, words) = program.place(file, *node);
            let what = if matches!(value, Value::List(_)) { "" } else { ", which is no list of numbers" };
            let why = format!(
                "{words} has `{}`{what}, and `{} = {shown}` is asked for",
                short(file.text_of(*node)),
                wanted.name
            );
            Finding::missing(program, place, why)
        }
        None => {
            let is_given = |(file, node): (&File, Node<'_>)| {
                node.kind() == "parameters" && names_in(file, node).contains(&wanted.name.as_str())
            };
            if program.nodes().any(is_given) {
                return Finding::Undecided(format!(
                    "`{}` is what a function is given, and starts elsewhere",
                    wanted.name
                ));
            }
            let close = nearest(&wanted.name, names);
            let close = close.map(|name| format!("; the nearest name is `{name}`")).unwrap_or_default();
            Finding::missing(program, None, format!("there is no list named `{}`{close}", wanted.name))
        }
    }
}

/// Whether a part of the list is given one of these numbers.
fn is_filled_later(program: &Program, wanted: &StartingList) -> bool {
    program.nodes().any(|(file, node)| {
        assigned(node).into_iter().any(|(target, right)| {
            let is_part = target.kind() == "subscript" && file.field(target, "value") == Some(wanted.name.as_str());
            let number = right.filter(|_| is_part).map(|right| value(program, file, right));
            matches!(number, Some(Value::Number(number)) if wanted.numbers.contains(&number))
        })
    })
}

/// What is assigned here: each target with its value, where the two can be told.
fn assigned(node: Node<'_>) -> Vec<(Node<'_>, Option<Node<'_>>)> {
    let left = match node.kind() {
        "assignment" => node.child_by_field_name("left"),
        "named_expression" => node.child_by_field_name("name"),
        _ => None,
    };
    let Some(left) = left else { return vec![] };
    let right = node.child_by_field_name(if node.kind() == "assignment" { "right" } else { "value" });
    // A name with its type alone is given nothing.
    let Some(right) = right else { return vec![] };
    if !matches!(left.kind(), "pattern_list" | "tuple_pattern" | "list_pattern") {
        // `a = b = 5` gives both the last value.
        let mut last = right;
        while let Some(inner) = last.child_by_field_name("right").filter(|_| last.kind() == "assignment") {
            last = inner;
        }
        return vec![(left, Some(last))];
    }
    let (targets, values) = (parts(left), parts(right));
    let in_step = targets.len() == values.len() && matches!(right.kind(), "expression_list" | "tuple" | "list");
    targets.into_iter().enumerate().map(|(index, target)| (target, in_step.then(|| values[index]))).collect()
}

/// The name of what is assigned; of an attribute the last part.
fn target_name<'p>(file: &'p File, target: Node<'p>) -> Option<&'p str> {
    match target.kind() {
        "identifier" => Some(file.text_of(target)),
        "attribute" => file.field(target, "attribute"),
        _ => None,
    }
}

/// What an expression is worth.
pub(super) fn value(program: &Program, file: &File, node: Node<'_>) -> Value {
    worth(program, file, node, MOST_STEPS)
}

fn worth(program: &Program, file: &File, node: Node<'_>, steps: usize) -> Value {
    let Some(steps) = steps.checked_sub(1) else { return Value::Unknown };
    let of = |node: Node<'_>| worth(program, file, node, steps);
    let field = |name: &str| node.child_by_field_name(name).map_or(Value::Unknown, of);
    match node.kind() {
        "integer" => file.text_of(node).replace('_', "").parse().map_or(Value::Unknown, Value::Number),
        "parenthesized_expression" => parts(node).first().map_or(Value::Unknown, |inner| of(*inner)),
        "unary_operator" => match (file.field(node, "operator"), field("argument")) {
            (Some("-"), Value::Number(number)) => Value::Number(-number),
            _ => Value::Unknown,
        },
        "list" => {
            let mut numbers = vec![];
            for part in parts(node) {
                if numbers.len() == MOST_NUMBERS {
                    return Value::Unknown;
                }
                match of(part) {
                    Value::Number(number) => numbers.push(number),
                    Value::Unknown => return Value::Unknown,
                    _ => return Value::Other,
                }
            }
            Value::List(numbers)
        }
        "list_comprehension" => match (field("body"), rounds(program, file, node, steps)) {
            (Value::Number(number), Some(rounds)) => Value::List(vec![number; rounds]),
            _ => Value::Unknown,
        },
        "binary_operator" => match (field("left"), file.field(node, "operator"), field("right")) {
            (Value::List(list), Some("*"), Value::Number(times))
            | (Value::Number(times), Some("*"), Value::List(list)) => {
                let times = usize::try_from(times).unwrap_or(0);
                if times <= MOST_NUMBERS { Value::List(list.repeat(times)) } else { Value::Unknown }
            }
            (Value::List(one), Some("+"), Value::List(other)) => Value::List([one, other].concat()),
            (Value::Number(one), Some(operator), Value::Number(other)) => {
                let result = match operator {
                    "+" => one.checked_add(other),
                    "-" => one.checked_sub(other),
                    "*" => one.checked_mul(other),
                    _ => None,
                };
                result.map_or(Value::Unknown, Value::Number)
            }
            _ => Value::Unknown,
        },
        "identifier" => named(program, file.text_of(node), steps),
        "dictionary" | "set" | "tuple" | "string" | "float" | "true" | "false" | "none" => Value::Other,
        _ => Value::Unknown,
    }
}

/// How often `for _ in range(n)` goes round.
fn rounds(program: &Program, file: &File, comprehension: Node<'_>, steps: usize) -> Option<usize> {
    let clauses: Vec<Node<'_>> = parts(comprehension).into_iter().skip(1).collect();
    let [clause] = clauses.as_slice() else { return None };
    let call = clause.child_by_field_name("right").filter(|call| file.field(*call, "function") == Some("range"))?;
    let arguments = parts(call.child_by_field_name("arguments")?);
    let [count] = arguments.as_slice() else { return None };
    match worth(program, file, *count, steps) {
        Value::Number(count) => usize::try_from(count).ok().filter(|count| *count <= MOST_NUMBERS),
        _ => None,
    }
}

/// What a name is worth that is given one value in the whole program.
fn named(program: &Program, name: &str, steps: usize) -> Value {
    let mut values = vec![];
    for (file, node) in program.nodes() {
        let is_changed = node.kind() == "augmented_assignment" && file.field(node, "left") == Some(name);
        let is_target = matches!(node.kind(), "for_statement" | "parameters" | "global_statement")
            && names_in(file, node).contains(&name);
        if is_changed || is_target {
            return Value::Unknown;
        }
        for (target, right) in assigned(node) {
            if target.kind() == "identifier" && file.text_of(target) == name {
                values.push((file, right));
            }
        }
    }
    match values.as_slice() {
        [(file, Some(right))] => worth(program, file, *right, steps),
        _ => Value::Unknown,
    }
}

/// The names that a loop, parameters or a `global` bring in.
fn names_in<'p>(file: &'p File, node: Node<'p>) -> Vec<&'p str> {
    let names = if node.kind() == "for_statement" { node.child_by_field_name("left") } else { Some(node) };
    let names = names.into_iter().flat_map(super::program::nodes).filter(|node| node.kind() == "identifier");
    names.map(|name| file.text_of(name)).collect()
}
