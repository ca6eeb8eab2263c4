//! A table for a spreadsheet: a row a submission, a column a case, then a column a check of the code.
//!
//! It is UTF-8 and starts with a byte order mark, without which Excel takes it for another encoding; Python reads it
//! with `utf-8-sig`. Nothing in it is a formula: what a spreadsheet would take for one has an apostrophe before it.

use std::io::{self, Write};

use csv::WriterBuilder;

use super::told::{short, why_not_run};
use crate::grade::{Class, Record, Report, Row};

/// The columns before those of the cases.
const COLUMNS: [&str; 7] = ["key", "score", "max_score", "outcome", "first_failing_rule", "rulings", "reason"];

/// Writes the table of one submission.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let record = Record::from(report);
    let cases = record.cases.iter().map(|case| case.id.clone()).collect();
    let checks = record.checks.iter().map(|check| check.id.clone()).collect();
    let mut table = Table::new(cases, checks, writer)?;
    table.write(&record.submission, &record)?;
    table.finish()
}

/// A table, written row by row.
pub struct Table<'w> {
    writer: csv::Writer<&'w mut dyn Write>,
    cases: Vec<String>,
    checks: Vec<String>,
}

impl<'w> Table<'w> {
    /// Writes the head of a class's table.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn begin(class: &Class, writer: &'w mut dyn Write) -> io::Result<Table<'w>> {
        let cases = class.cases.iter().map(|case| case.id.clone()).collect();
        let checks = class.checks.iter().map(|check| check.id.clone()).collect();
        Table::new(cases, checks, writer)
    }

    /// Writes the row of the next submission.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        self.write(&row.key, &row.report)
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }

    fn new(cases: Vec<String>, checks: Vec<String>, writer: &'w mut dyn Write) -> io::Result<Table<'w>> {
        writer.write_all("\u{feff}".as_bytes())?;
        let mut writer = WriterBuilder::new().from_writer(writer);
        let fixed = COLUMNS.into_iter().map(str::to_owned);
        writer.write_record(fixed.chain(cases.iter().chain(&checks).map(|id| cell(id))))?;
        Ok(Table { writer, cases, checks })
    }

    fn write(&mut self, key: &str, report: &Record) -> io::Result<()> {
        let answers = report.rulings.iter().map(|ruling| format!("{}={}", ruling.question, ruling.answer));
        let fixed = [
            cell(key),
            // Numbers stay numbers.
            report.score.to_string(),
            report.max_score.to_string(),
            report.outcome.id().to_owned(),
            cell(report.first_failing_rule().unwrap_or_default()),
            cell(&answers.collect::<Vec<_>>().join(" ")),
            cell(why_not_run(report).unwrap_or_default()),
        ];
        let case = |id: &String| Some(report.cases.iter().find(|case| case.id == *id)?.verdict.id());
        let check = |id: &String| Some(report.checks.iter().find(|check| check.id == *id)?.verdict.id());
        let verdicts = self.cases.iter().map(case).chain(self.checks.iter().map(check));
        let verdicts = verdicts.map(|verdict| verdict.unwrap_or_default().to_owned());
        self.writer.write_record(fixed.into_iter().chain(verdicts))?;
        Ok(())
    }
}

/// A text as a cell that no spreadsheet runs, whatever it takes for the end of a cell.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    let mut at_start = true;
    for c in short(text).chars() {
        // Spreadsheets take the wide forms for the narrow ones.
        if at_start && matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') {
            // The start of a cell is what counts, not the place of the sign in it.
            let start = cell.rfind([',', ';', '|']).map_or(0, |separator| separator + 1);
            cell.insert(start, '\'');
        }
        // Where a semicolon or the like parts cells, what follows it starts one.
        at_start = matches!(c, ',' | ';' | '|') || at_start && (c == ' ' || c == '"');
        cell.push(c);
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula() {
        for (text, inert) in [
            ("=1+1", "'=1+1"),
            ("  @SUM(A1)", "'  @SUM(A1)"),
            ("\t+1", "'    +1"),
            ("\r=1", "␍=1"),
            ("＝1", "'＝1"),
            ("a;=1;\" -2", "a;'=1;'\" -2"),
            ("a-b = c", "a-b = c"),
        ] {
            assert_eq!(cell(text), inert);
        }
    }
}
