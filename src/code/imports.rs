//! Imported modules.

use tree_sitter::Node;

use super::Finding;
use super::program::{File, Program, nodes, parts};

/// An import of a module, or of something from it.
#[derive(Debug)]
pub(super) struct Import<'p> {
    pub node: Node<'p>,
    /// The module with its full name.
    pub module: &'p str,
    /// What it, or what is taken from it, is called here; of a module without another name its own.
    pub here: &'p str,
    /// What is taken from it; none where that is the module itself.
    pub what: Option<&'p str>,
}

/// All imports of a file.
pub(super) fn all(file: &File) -> Vec<Import<'_>> {
    let mut found = vec![];
    for node in nodes(file.root()) {
        let text = |part: Option<Node<'_>>| part.map(|part| &file.text[part.byte_range()]).unwrap_or_default();
        match node.kind() {
            "import_statement" => found.extend(parts(node).into_iter().map(|part| {
                let (name, here) = named(part);
                Import { node, module: text(name), here: text(here), what: None }
            })),
            "import_from_statement" => {
                let Some(module) = node.child_by_field_name("module_name") else { continue };
                let name = text(Some(module)).trim_start_matches('.');
                found.extend(parts(node).into_iter().filter(|part| *part != module).map(|part| {
                    let (what, here) = named(part);
                    // `from . import helper` takes a module.
                    if name.is_empty() {
                        return Import { node, module: text(what), here: text(here), what: None };
                    }
                    Import { node, module: name, here: text(here), what: Some(text(what)) }
                }));
            }
            _ => {}
        }
    }
    found
}

/// The full names of the imported modules, and of what may be one.
pub(super) fn names(file: &File) -> Vec<String> {
    let imports = all(file).into_iter();
    imports
        .flat_map(|import| {
            let inside = import.what.map(|what| format!("{}.{what}", import.module));
            [Some(import.module.to_owned()), inside].into_iter().flatten()
        })
        .collect()
}

/// What is imported, and what it is called here.
fn named(part: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    match part.kind() {
        "aliased_import" => (part.child_by_field_name("name"), part.child_by_field_name("alias")),
        _ => (Some(part), Some(part)),
    }
}

fn top(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

/// Each of these is imported somewhere.
pub(super) fn all_of(program: &Program, wanted: &[String]) -> Finding {
    let imports: Vec<Import<'_>> = program.files().iter().flat_map(all).collect();
    let missing = wanted.iter().find(|name| !imports.iter().any(|import| top(import.module) == name.as_str()));
    match missing {
        None => Finding::Kept,
        Some(name) => Finding::missing(program, None, format!("the module `{name}` is imported nowhere")),
    }
}

/// No modules but these, and those beside the program, are imported.
pub(super) fn only(program: &Program, allowed: &[String]) -> Finding {
    for file in program.files() {
        for import in all(file) {
            let is_beside = program.files().iter().any(|file| {
                let own = file.name.strip_suffix(".py").unwrap_or(&file.name);
                own.split('/').any(|part| part == top(import.module))
            });
            if !allowed.iter().any(|name| name == top(import.module)) && !is_beside {
                let (place, words) = program.place(file, import.node);
                return Finding::broken(place, format!("{words} imports `{}`", import.module));
            }
        }
    }
    Finding::Kept
}
