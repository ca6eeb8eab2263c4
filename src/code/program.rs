//! A program as a tree, with the modules beside it that it imports.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use super::functions::{self, Place};
use super::imports;

/// A program is not looked at beyond this many bytes. Those of students have a tenth of it.
const MOST_BYTES: usize = 256 << 10;
/// Some two thousand lines of code. What is looked for may take the square of it.
const MOST_NODES: usize = 30_000;
/// Nothing that a person writes is nested so deeply.
const MOST_DEPTH: u32 = 500;
/// What no program takes: only texts that are made to be hard to read do.
const MOST_TIME: Duration = Duration::from_secs(2);

/// A program that is too long, or too hard to read, to be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the program is too long, or nested too deeply, to be looked at")]
pub struct TooLong;

/// A program and the modules beside it that it imports, each as a tree.
#[derive(Debug)]
pub struct Program {
    files: Vec<File>,
    functions: OnceLock<Vec<Place>>,
}

/// One file as a tree.
#[derive(Debug)]
pub(super) struct File {
    /// Its name, with its place beside the program.
    pub name: String,
    /// Its text, with line ends that are all `\n`.
    pub text: String,
    tree: Tree,
}

impl Program {
    /// Reads a program, and those of the files beside it that it imports.
    ///
    /// # Errors
    /// If it is too long.
    pub fn read<'s>(
        name: &str,
        bytes: &[u8],
        siblings: impl Iterator<Item = (&'s Path, &'s [u8])>,
    ) -> Result<Program, TooLong> {
        let siblings: BTreeMap<&Path, &[u8]> = siblings.collect();
        let mut room = MOST_BYTES;
        let mut read = |name: &str, bytes: &[u8]| -> Result<File, TooLong> {
            room = room.checked_sub(bytes.len()).ok_or(TooLong)?;
            File::parse(name, bytes)
        };
        let mut files = vec![read(name, bytes)?];
        let mut seen: Vec<&Path> = vec![];
        let mut next = 0;
        while let Some(file) = files.get(next) {
            let mut found = vec![];
            for module in imports::names(file) {
                let plain: PathBuf = module.split('.').collect();
                // In a package names may be meant from there on.
                let inside = Path::new(&file.name).parent().unwrap_or(Path::new("")).join(&plain);
                let paths = [&plain, &inside].map(|path| [path.with_extension("py"), path.join("__init__.py")]);
                for path in paths.into_iter().flatten() {
                    if let Some((&path, &bytes)) = siblings.get_key_value(path.as_path())
                        && !seen.contains(&path)
                    {
                        seen.push(path);
                        found.push((path, bytes));
                    }
                }
            }
            for (path, bytes) in found {
                files.push(read(&path.to_string_lossy(), bytes)?);
            }
            next += 1;
        }
        Ok(Program { files, functions: OnceLock::new() })
    }

    /// Where its functions are, which is asked again and again.
    pub(super) fn functions(&self) -> &[Place] {
        self.functions.get_or_init(|| functions::find(&self.files))
    }

    /// The program's own file first.
    pub(super) fn files(&self) -> &[File] {
        &self.files
    }

    /// The program's own file.
    pub(super) fn main(&self) -> &File {
        &self.files[0]
    }

    /// Whether all of it could be read.
    pub(super) fn is_whole(&self) -> bool {
        self.files.iter().all(|file| !file.root().has_error())
    }

    /// Where something is: its line, if that is in the program's own file, and the words for it in a sentence.
    pub(super) fn place(&self, file: &File, node: Node<'_>) -> (Option<usize>, String) {
        let line = line(node);
        if std::ptr::eq(file, self.main()) {
            (Some(line), format!("line {line}"))
        } else {
            (None, format!("line {line} of {}", file.name))
        }
    }

    /// All nodes of all files, each with its file.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&File, Node<'_>)> {
        self.files.iter().flat_map(|file| nodes(file.root()).map(move |node| (file, node)))
    }
}

impl File {
    fn parse(name: &str, bytes: &[u8]) -> Result<File, TooLong> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_python::LANGUAGE.into()).map_err(|_| TooLong)?;
        let started = Instant::now();
        let mut watch = |_: &ParseState| {
            if started.elapsed() > MOST_TIME { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let rest = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
        let options = ParseOptions::new().progress_callback(&mut watch);
        let tree = parser.parse_with_options(&mut { rest }, None, Some(options)).ok_or(TooLong)?;
        let mut cursor = tree.walk();
        let mut count = 0;
        while goto_next(&mut cursor) {
            count += 1;
            // In a deeper or wider tree a node would have a long way to the one around it.
            if cursor.depth() > MOST_DEPTH || count > MOST_NODES {
                return Err(TooLong);
            }
        }
        drop(cursor);
        Ok(File { name: name.to_owned(), text, tree })
    }

    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    /// What stands in the file there.
    pub fn text_of(&self, node: Node<'_>) -> &str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text of a part of a node, such as the name of a function.
    pub fn field(&self, node: Node<'_>, field: &str) -> Option<&str> {
        node.child_by_field_name(field).map(|part| self.text_of(part))
    }
}

/// A line, from 1.
pub(super) fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

/// A node and all below it, in the order of the text. However deep they are nested, nothing is called recursively.
pub(super) fn nodes(root: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = root.walk();
    let mut next = Some(root);
    std::iter::from_fn(move || {
        let node = next.take()?;
        next = goto_next(&mut cursor).then(|| cursor.node());
        Some(node)
    })
}

/// Goes to the next node in the order of the text, if there is one.
fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    if cursor.goto_first_child() {
        return true;
    }
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

/// The named children of a node, comments left out.
pub(super) fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).filter(|part| part.kind() != "comment").collect()
}

/// Whether a node lies in another.
pub(super) fn is_within(node: Node<'_>, outer: Node<'_>) -> bool {
    outer.byte_range().start <= node.byte_range().start && node.byte_range().end <= outer.byte_range().end
}
