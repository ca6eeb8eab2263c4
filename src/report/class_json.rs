//! The outcomes of a class as JSON, schema `check/results/v1`. Fields may be added; none is renamed.

use std::io::{self, Write};

use serde::Serialize;

use super::json::without_actors;
use crate::grade::{Class, ClassCase, ClassCheck, Record, Row, Totals};

/// The name of the schema.
const SCHEMA: &str = "check/results/v1";

/// Where the head ends: an array that is still empty.
const END: &str = "]}";

#[derive(Serialize)]
struct Head<'c> {
    schema: &'static str,
    assignment: &'c str,
    title: &'c str,
    totals: Totals,
    cases: &'c [ClassCase],
    checks: &'c [ClassCheck],
    submissions: [(); 0],
}

#[derive(Serialize)]
struct Submission<'r> {
    key: &'r str,
    folder: &'r str,
    report: &'r Record,
}

/// The outcomes, written submission by submission, each in a line of its own.
pub struct Results<'w> {
    writer: &'w mut dyn Write,
    is_empty: bool,
}

impl<'w> Results<'w> {
    /// Writes what all submissions have in common.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn begin(class: &Class, writer: &'w mut dyn Write) -> io::Result<Results<'w>> {
        let Class { assignment, title, cases, checks, totals } = class;
        let head = Head { schema: SCHEMA, assignment, title, totals: *totals, cases, checks, submissions: [] };
        let head = without_actors(&serde_json::to_string(&head)?);
        writer.write_all(head.strip_suffix(END).unwrap_or(&head).as_bytes())?;
        Ok(Results { writer, is_empty: true })
    }

    /// Writes the next submission.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let Row { key, folder, report, .. } = row;
        let submission = without_actors(&serde_json::to_string(&Submission { key, folder, report })?);
        let before = if std::mem::replace(&mut self.is_empty, false) { "" } else { "," };
        write!(self.writer, "{before}\n{submission}")
    }

    /// Writes the end.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<()> {
        writeln!(self.writer, "\n{END}")
    }
}
