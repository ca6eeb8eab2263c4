//! Looks at a program's code without running it: names, limits, comments.
//!
//! A wrong finding is worse than none. What can't be told for sure, such as anything that seems to be missing from a
//! file that is no Python, is [`Finding::Undecided`].

mod calls;
mod comments;
mod constructs;
mod documentation;
mod functions;
mod imports;
mod lists;
mod names;
mod program;

pub use program::{Program, TooLong};

use crate::assignment::{Ask, Signature};

/// What came of one look at a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The program does as it is asked.
    Kept,
    /// It does not.
    Broken {
        /// The line of the program that shows it, from 1, if one does.
        line: Option<usize>,
        /// Why, in a sentence without its full stop.
        why: String,
    },
    /// There is nothing to look at, such as a function that is missing, and this is what.
    Without(String),
    /// That can't be told, and this is why.
    Undecided(String),
}

impl Finding {
    fn broken(line: impl Into<Option<usize>>, why: impl Into<String>) -> Finding {
        Finding::Broken { line: line.into(), why: why.into() }
    }

    /// Something seems to be missing. In a file of which a part can't be read it may stand just there.
    fn missing(program: &Program, line: impl Into<Option<usize>>, why: impl Into<String>) -> Finding {
        if program.is_whole() { Finding::broken(line, why) } else { Finding::unreadable() }
    }

    fn unreadable() -> Finding {
        Finding::Undecided("a part of the file is no Python that could be read".to_owned())
    }
}

/// Looks at a program for what is asked of it.
#[must_use]
pub fn look(program: &Program, ask: &Ask) -> Finding {
    match ask {
        Ask::Function(signature) => functions::has(program, signature),
        Ask::List(list) => lists::starts(program, list),
        Ask::Comments(kinds) => comments::explain(program, kinds),
        Ask::Documents(topic, name) => documentation::documents(program, *topic, name),
        Ask::Header(labels) => documentation::header(program, labels),
        Ask::FileName(name) => names::file_name(program, name),
        Ask::Call(call) => calls::has(program, call),
        Ask::Imports(names) => imports::all_of(program, names),
        Ask::OnlyImports(names) => imports::only(program, names),
        Ask::NoCalls(forbidden) => calls::none(program, forbidden),
        Ask::NoConstructs(forbidden) => constructs::none(program, forbidden),
    }
}

/// The line, from 1, in which a function of this name is defined.
#[must_use]
pub fn definition(program: &Program, name: &str) -> Option<usize> {
    functions::line(program, name)
}

/// Why a function can't be called as its specification says, with its line, if it takes other things.
#[must_use]
pub fn misfit(program: &Program, wanted: &Signature) -> Option<(Option<usize>, String)> {
    functions::misfit(program, wanted)
}

/// Whether a program certainly has no function of this name.
#[must_use]
pub fn lacks(program: &Program, name: &str) -> bool {
    functions::is_missing(program, name)
}

#[cfg(test)]
mod tests;
