//! The report for a person at a terminal.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use similar::{Algorithm, DiffTag, capture_diff_slices};
use unicode_width::UnicodeWidthStr;

use super::visible::{Spaces, named, visible};
use crate::grade::{CaseReport, DifferenceReport, Outcome, Report, SideLine};
use crate::judge::{Cause, Verdict};
use crate::run::{Layer, State};

/// How the report is laid out.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Columns of the terminal.
    pub width: usize,
    /// Whether colours are used; without them differences are marked by carets.
    pub colour: bool,
    /// Whether the two transcripts stand side by side.
    pub side_by_side: bool,
    /// Whether every failing case is shown in full, not only the first.
    pub all: bool,
    /// The one case that is shown.
    pub case: Option<String>,
    /// The command that shows a case again, without the case: `check darts student.py`.
    pub command: String,
    /// The command that runs the submission: `python3 student.py`.
    pub program: String,
    /// The folder in which that has to be done, if it is not this one.
    pub folder: Option<String>,
    /// The command that runs Python.
    pub python: String,
}

/// Below this many columns two transcripts do not fit beside each other.
pub const SIDE_BY_SIDE_WIDTH: usize = 100;

/// Lines of agreement that are shown before a difference.
const CONTEXT: usize = 3;
/// Lines that are shown after it, as far as they agree.
const AFTER: usize = 2;
/// Lines in another order that are shown at most.
const MOVED: usize = 6;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const PART: Style = AnsiColor::Yellow.on_default().bold();
const TYPED: Style = AnsiColor::Cyan.on_default();
const EXPECTED: Style = AnsiColor::Green.on_default();
const ACTUAL: Style = AnsiColor::Red.on_default();
const DIM: Style = Style::new().dimmed();
const HEADING: Style = Style::new().bold();

/// The report as text.
pub fn render(report: &Report, layout: &Layout) -> String {
    let mut page = Page { layout, text: String::new() };
    page.report(report);
    page.text
}

struct Page<'l> {
    layout: &'l Layout,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref().trim_end());
        self.text.push('\n');
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if self.layout.colour && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    /// A paragraph, broken at the terminal's width, all lines but the first indented.
    fn paragraph(&mut self, label: &str, text: &str) {
        let indent = label.width();
        let width = self.layout.width.max(indent + 20) - indent;
        for (index, line) in wrapped(&visible(text, Spaces::Plain), width).iter().enumerate() {
            let start = if index == 0 { self.paint(HEADING, label) } else { " ".repeat(indent) };
            self.line(format!("{start}{line}"));
        }
    }

    fn report(&mut self, report: &Report) {
        let name = visible(&report.submission, Spaces::Plain);
        let points = format!("{} of {} points", report.score, report.max_score);
        if let Some(words) = &report.syntax_error {
            self.line(self.paint(BAD, &format!("{name} does not run: Python can't read it. {points}.")));
            self.line("");
            self.indented(words);
            self.line("");
            let interpreter = report.interpreter.as_deref().unwrap_or("Python");
            self.paragraph("", &format!("This is what {interpreter} says. If the program is right in another version of Python, name that one: --python PATH."));
            if Path::new(&report.submission).extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("py")) {
                self.paragraph("", "The file is not named as a Python program (.py). A program in another language is run with --command, such as --command \"java Game\".");
            }
            return;
        }
        let total = report.cases.len();
        let passed = report.cases.iter().filter(|case| case.verdict == Verdict::Passed).count();
        let all = if total == 1 { "the one case".to_owned() } else { format!("all {total} cases") };
        if report.outcome == Outcome::Passed && self.layout.case.is_none() {
            self.line(self.paint(GOOD, &format!("{name} passes {all} of {}: {points}.", report.title)));
            self.rulings(report);
            self.closing(report);
            return;
        }
        match report.outcome {
            Outcome::Passed => self.line(self.paint(GOOD, &format!("{name} passes {all}: {points}."))),
            _ => {
                let cases = if total == 1 { "case" } else { "cases" };
                let line = format!("{name} does not pass yet: {passed} of {total} {cases}, {points}.");
                self.line(self.paint(BAD, &line));
            }
        }
        match self.layout.case.clone() {
            Some(id) => {
                report.cases.iter().filter(|case| case.id == id).for_each(|case| self.case_in_full(report, case))
            }
            None => {
                self.line("");
                self.cases(report);
                let failing = report.cases.iter().filter(|case| case.verdict != Verdict::Passed && !case.withheld);
                let shown = if self.layout.all { total } else { 1 };
                failing.take(shown).for_each(|case| self.case_in_full(report, case));
            }
        }
        self.line("");
        self.rulings(report);
        self.closing(report);
    }

    fn closing(&mut self, report: &Report) {
        self.line(self.paint(DIM, &last_line(report)));
        for note in &report.notes {
            self.paragraph("Note: ", note);
        }
    }

    fn rulings(&mut self, report: &Report) {
        if report.rulings.is_empty() {
            if report.outcome == Outcome::Passed {
                self.line("No open question of the assignment made a difference.");
            }
            return;
        }
        let answers: Vec<String> =
            report.rulings.iter().map(|ruling| format!("{} = {}", ruling.question, ruling.answer)).collect();
        let verb = if report.rulings.iter().all(|ruling| !ruling.inferred) {
            "The instructor decided"
        } else {
            "Open questions, as your program answers them"
        };
        let line = format!("{verb}: {}.", answers.join(", "));
        if report.outcome == Outcome::Passed { self.line(line) } else { self.paragraph("", &line) }
    }

    fn cases(&mut self, report: &Report) {
        let width = report.cases.iter().map(|case| case.id.len()).max().unwrap_or(0);
        let verdicts = report.cases.iter().map(|case| words(case.verdict).len()).max().unwrap_or(0);
        for case in &report.cases {
            let good = case.verdict == Verdict::Passed;
            let (sign, style) = if good { ("ok ", GOOD) } else { ("!! ", BAD) };
            let verdict = format!("{:<verdicts$} ", words(case.verdict));
            let room = self.layout.width.saturating_sub(sign.len() + verdict.len() + width + 3).max(20);
            let title = cut(&visible(&case.title, Spaces::Plain), room);
            self.line(format!(
                "{}{} {:<width$}  {title}",
                self.paint(style, sign),
                self.paint(style, &verdict),
                case.id
            ));
        }
    }

    fn case_in_full(&mut self, report: &Report, case: &CaseReport) {
        self.line("");
        let room = self.layout.width.saturating_sub(case.id.width() + 6).max(20);
        let title = format!("── {}: {} ", case.id, cut(&visible(&case.title, Spaces::Plain), room));
        let rule = "─".repeat(self.layout.width.saturating_sub(title.width()));
        self.line(self.paint(HEADING, &format!("{title}{rule}")));
        if case.withheld {
            self.line(format!(
                "{}. This case is hidden: its title and verdict are all that is shown.",
                capitalised(words(case.verdict))
            ));
            return;
        }
        if !case.inputs.is_empty() {
            self.typed(case);
        }
        match &case.difference {
            Some(difference) => {
                self.transcripts(case, difference);
                self.reasons(case, difference);
            }
            None => self.ending(case),
        }
        self.crash(case, report.interpreter.is_some());
        self.commands(case, report);
    }

    /// What was typed up to the difference.
    fn typed(&mut self, case: &CaseReport) {
        let until = match &case.difference {
            Some(difference) => difference.input.as_ref().map_or(0, |input| input.number),
            None => case.read.unwrap_or(case.inputs.len()),
        };
        let shown: Vec<String> = case.inputs[..until.min(case.inputs.len())]
            .iter()
            .map(|input| self.paint(TYPED, &format!("«{}»", visible(input, Spaces::Plain))))
            .collect();
        // The last ones led there.
        let most = 20;
        let skipped = shown.len().saturating_sub(most);
        let start = match skipped {
            0 => String::new(),
            1 => "(1 answer before) ".to_owned(),
            _ => format!("({skipped} answers before) "),
        };
        if shown.is_empty() {
            self.line("Typed: nothing yet.");
        } else {
            let plain_width: usize = self.layout.width.saturating_sub(7);
            let mut line = start;
            let mut lines = vec![];
            let mut used = line.width();
            for (text, input) in shown[skipped..].iter().zip(&case.inputs[skipped..]) {
                let width = visible(input, Spaces::Plain).width() + 3;
                if used + width > plain_width && used > 0 {
                    lines.push(std::mem::take(&mut line));
                    used = 0;
                }
                line.push_str(text);
                line.push(' ');
                used += width;
            }
            lines.push(line);
            for (index, line) in lines.iter().enumerate() {
                self.line(format!("{}{line}", if index == 0 { "Typed: " } else { "       " }));
            }
        }
        self.line("");
    }

    fn transcripts(&mut self, case: &CaseReport, difference: &DifferenceReport) {
        if case.expected.is_empty() && case.actual.is_empty() {
            return;
        }
        let rows = rows(case, difference);
        if self.layout.side_by_side {
            self.side_by_side(case, &rows)
        } else {
            self.unified(case, &rows)
        }
        self.line("");
    }

    fn unified(&mut self, case: &CaseReport, rows: &[Row]) {
        self.line(format!("  {}   {}   {}", "line", self.paint(EXPECTED, "- expected"), self.paint(ACTUAL, "+ yours")));
        // The numbers are those of the student's own lines; as long as both count alike they are the expected ones too.
        let in_step = rows.iter().filter_map(|row| row.expected.zip(row.actual)).all(|(theirs, own)| theirs == own);
        for row in rows {
            let sides = row.sides(case);
            if row.agrees {
                if let (Some(line), Some(side)) = (row.actual.or(row.expected), sides.1.or(sides.0)) {
                    let (text, _) = self.show(side, &[], Style::new());
                    self.line(format!("  {:>4}   {text}", line + 1));
                }
                continue;
            }
            let marks = row.marks(case);
            let theirs = row.expected.map(|line| if in_step { (line + 1).to_string() } else { String::new() });
            let own = row.actual.map(|line| (line + 1).to_string());
            for (sign, number, side, marks, style) in
                [('-', theirs, sides.0, &marks.0, EXPECTED), ('+', own, sides.1, &marks.1, ACTUAL)]
            {
                let (Some(number), Some(side)) = (number, side) else { continue };
                let (text, caret) = self.show(side, marks, style);
                self.line(format!("{} {number:>4}   {text}", self.paint(style, &sign.to_string())));
                if !self.layout.colour && !caret.is_empty() {
                    self.line(format!("         {caret}"));
                }
            }
            if sides.1.is_none() && row.is_end {
                self.line(format!("{}        (your program prints nothing more)", self.paint(ACTUAL, "+")));
            }
            if sides.0.is_none() && row.is_end {
                self.line(format!("{}        (nothing more is expected)", self.paint(EXPECTED, "-")));
            }
        }
    }

    fn side_by_side(&mut self, case: &CaseReport, rows: &[Row]) {
        let width = (self.layout.width.saturating_sub(3)) / 2;
        let column = width.saturating_sub(5);
        self.line(format!(
            "{} │ {}",
            padded(&self.paint(EXPECTED, "     expected"), "     expected".width(), width),
            self.paint(ACTUAL, "     yours")
        ));
        for row in rows {
            let sides = row.sides(case);
            let marks = row.marks(case);
            let mut columns: Vec<Vec<(String, usize)>> = vec![];
            for (line, side, mark, style, nothing) in [
                (row.expected, sides.0, &marks.0, EXPECTED, "(nothing more is expected)"),
                (row.actual, sides.1, &marks.1, ACTUAL, "(your program prints nothing more)"),
            ] {
                let mut cells = vec![];
                match (line, side) {
                    (Some(line), Some(side)) => {
                        let style = if row.agrees { Style::new() } else { style };
                        let pieces = self.pieces(side, mark, style);
                        for (index, (text, plain_width, caret)) in self.folded(&pieces, column).into_iter().enumerate()
                        {
                            let number = if index == 0 { format!("{:>4} ", line + 1) } else { "     ".to_owned() };
                            cells.push((format!("{number}{text}"), plain_width + 5));
                            if !self.layout.colour && !caret.trim().is_empty() {
                                cells.push((format!("     {caret}"), caret.width() + 5));
                            }
                        }
                    }
                    _ if row.is_end => cells.push((format!("     {nothing}"), nothing.width() + 5)),
                    _ => {}
                }
                columns.push(cells);
            }
            let height = columns.iter().map(Vec::len).max().unwrap_or(0);
            for index in 0..height {
                let empty = (String::new(), 0);
                let left = columns[0].get(index).unwrap_or(&empty);
                let right = columns[1].get(index).unwrap_or(&empty);
                let bar = if row.agrees { "│" } else { "┃" };
                self.line(format!("{} {bar} {}", padded(&left.0, left.1, width), right.0));
            }
        }
    }

    /// A line in one piece, and the carets under what differs.
    fn show(&self, side: &SideLine, marks: &[Mark], style: Style) -> (String, String) {
        let pieces = self.pieces(side, marks, style);
        // A line longer than the terminal is broken by the terminal itself, unless there are carets to be put under it.
        let text = pieces.iter().map(|piece| self.paint(piece.style, &piece.text)).collect();
        let caret: String = pieces.iter().map(|piece| piece.caret(piece.text.width())).collect();
        (text, caret.trim_end().to_owned())
    }

    fn pieces(&self, side: &SideLine, marks: &[Mark], style: Style) -> Vec<Piece> {
        let mut pieces = vec![];
        if side.said.is_empty() && side.typed.is_none() && style != Style::new() {
            return vec![Piece { text: "(an empty line)".to_owned(), style: DIM, marked: false }];
        }
        let said = limited(&side.said, marks);
        let mut from = 0;
        for mark in marks.iter().filter(|mark| mark.end <= said.len()) {
            let plain = visible(&said[from..mark.start], Spaces::Plain);
            pieces.push(Piece { text: plain, style, marked: false });
            let text = &said[mark.start..mark.end];
            let spaces = if mark.only_spaces { Spaces::Visible } else { Spaces::Plain };
            // The … of an open line is none that could look like something else.
            let text = if side.is_open { visible(text, spaces) } else { named(text, spaces) };
            // Where nothing stands there is nothing to mark, but for the end of the line.
            if !text.is_empty() || mark.start == said.len() {
                pieces.push(Piece { text, style: PART.underline(), marked: true });
            }
            from = mark.end;
        }
        pieces.push(Piece { text: visible(&said[from..], Spaces::Plain), style, marked: false });
        match &side.typed {
            Some(Some(typed)) => {
                pieces
                    .push(Piece { text: format!("«{}»", visible(typed, Spaces::Plain)), style: TYPED, marked: false })
            }
            Some(None) => pieces.push(Piece { text: "«".to_owned(), style: TYPED, marked: false }),
            None => {}
        }
        pieces
    }

    /// The pieces broken into lines of this width: text, its width, and carets.
    fn folded(&self, pieces: &[Piece], width: usize) -> Vec<(String, usize, String)> {
        let width = width.max(10);
        let mut lines = vec![(String::new(), 0, String::new())];
        for piece in pieces {
            let mut rest = piece.text.as_str();
            while !rest.is_empty() {
                let room = width - lines.last().map_or(0, |line| line.1);
                let mut end = 0;
                let mut used = 0;
                for (at, c) in rest.char_indices() {
                    let c_width = c.to_string().width();
                    if used + c_width > room {
                        break;
                    }
                    used += c_width;
                    end = at + c.len_utf8();
                }
                if let Some(line) = lines.last_mut() {
                    let part = &rest[..end];
                    line.0.push_str(&self.paint(piece.style, part));
                    line.1 += used;
                    line.2.push_str(&piece.caret(used));
                }
                rest = &rest[end..];
                if !rest.is_empty() {
                    lines.push((String::new(), 0, String::new()));
                }
            }
            if piece.text.is_empty()
                && piece.marked
                && let Some(line) = lines.last_mut()
            {
                line.2.push('^');
            }
        }
        lines
    }

    fn reasons(&mut self, case: &CaseReport, difference: &DifferenceReport) {
        self.paragraph("Why:   ", &format!("{}.", capitalised(&difference.why)));
        if let Some(story) = &difference.story {
            self.paragraph("       ", story);
        }
        if let Some(rule) = difference.rule {
            self.paragraph("Rule:  ", &format!("{} ({}; {})", rule.sentence, rule.id, rule.place));
        }
        let mut place = difference.situation.clone();
        if let Some(input) = &difference.input {
            let _ = write!(
                place,
                "{}after answer {}, «{}»",
                if place.is_empty() { "" } else { ", " },
                input.number,
                input.text
            );
        }
        if !place.is_empty() {
            self.paragraph("Where: ", &format!("{place}."));
        }
        if case.verdict == Verdict::LeftInputUnread {
            self.unread(case);
        }
        if case.verdict != Verdict::Mismatch {
            self.how_it_ended(case);
        } else if case.ending.is_some_and(|ending| ending != "exited") {
            let detail = case.ending_detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
            self.paragraph(
                "Later: ",
                &format!("the program {}{detail}. That may well come from this difference.", ended(case)),
            );
        }
    }

    fn how_it_ended(&mut self, case: &CaseReport) {
        match case.verdict {
            Verdict::Crashed
            | Verdict::TimedOut
            | Verdict::TooMuchOutput
            | Verdict::TooMuchMemory
            | Verdict::WantedMoreInput => {
                let detail = case.ending_detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
                self.paragraph("End:   ", &format!("The program {}{detail}.", ended(case)));
            }
            Verdict::LeftInputUnread => {}
            _ => self.status(case),
        }
    }

    /// A status that the program chose.
    fn status(&mut self, case: &CaseReport) {
        if let Some(detail) = &case.ending_detail {
            self.paragraph("End:   ", &format!("The program ended with {detail}, which is no fault."));
        }
    }

    /// A case whose text is right, but not the way in which it ended.
    fn ending(&mut self, case: &CaseReport) {
        if case.verdict == Verdict::Passed {
            self.line("All lines are as they should be.");
            self.status(case);
            return;
        }
        let from = case.actual.len().saturating_sub(CONTEXT + 1);
        for (index, line) in case.actual.iter().enumerate().skip(from) {
            let (text, _) = self.show(line, &[], Style::new());
            self.line(format!("  {:>4}   {text}", index + 1));
        }
        self.line("");
        self.paragraph("", "What the program prints is right up to its end.");
        if case.verdict == Verdict::LeftInputUnread {
            self.unread(case);
        }
        self.how_it_ended(case);
    }

    fn unread(&mut self, case: &CaseReport) {
        let read = case.read.unwrap_or(0).min(case.inputs.len());
        let left: Vec<String> = case.inputs[read..].iter().take(5).map(|input| format!("«{input}»")).collect();
        let more = case.inputs.len() - read - left.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let verb = if case.inputs.len() - read == 1 { "was" } else { "were" };
        let status = case.ending_detail.as_ref().map(|detail| format!(" with {detail}")).unwrap_or_default();
        self.paragraph(
            "End:   ",
            &format!(
                "The program ended{status} before {}{more} {verb} read. It has to ask for every answer of the game.",
                left.join(" ")
            ),
        );
    }

    /// The student's own traceback.
    fn crash(&mut self, case: &CaseReport, by_python: bool) {
        let broke =
            case.ending == Some("crashed") || case.ending == Some("too_much_memory") && !case.stderr_tail.is_empty();
        if !broke || case.stderr_tail.trim().is_empty() {
            return;
        }
        self.line("");
        self.line(self.paint(HEADING, if by_python { "What Python says:" } else { "What the program says of it:" }));
        let lines: Vec<&str> = case.stderr_tail.trim_end().lines().collect();
        let from = lines.len().saturating_sub(14);
        if from > 0 {
            self.indented("…");
        }
        self.indented(&lines[from..].join("\n"));
    }

    fn indented(&mut self, text: &str) {
        for line in text.trim_end().lines() {
            self.line(format!("    {}", visible(line, Spaces::Plain)));
        }
    }

    /// Commands stand in lines of their own and are never broken, so that they can be copied.
    fn commands(&mut self, case: &CaseReport, report: &Report) {
        self.line("");
        self.line("See this case again:");
        self.line(visible(&format!("    {} --case {}", self.layout.command, case.id), Spaces::Plain));
        if case.inputs.is_empty() {
            return;
        }
        let run = match (&case.seed, &report.interpreter) {
            (Some(seed), Some(_)) => seeded(seed, &self.layout.python, &report.submission),
            _ => self.layout.program.clone(),
        };
        let there = self.layout.folder.as_ref().map(|folder| format!("cd {folder} && ")).unwrap_or_default();
        self.line("Run your program on the same input:");
        self.line(visible(&format!("    {there}{}", typed_into(&case.inputs, &run)), Spaces::Plain));
    }
}

/// A command line that runs a Python program with its random numbers from a seed.
fn seeded(seed: &str, python: &str, program: &str) -> String {
    let folder = Path::new(program).parent().filter(|folder| *folder != Path::new(""));
    // Modules beside the program are found as when it is run by itself.
    let (sys, path) = match folder {
        Some(folder) => (", sys", format!(" sys.path.insert(0, {});", python_text(&folder.to_string_lossy()))),
        None => ("", String::new()),
    };
    let program = python_text(program);
    format!(
        "{python} -c \"import random, runpy{sys};{path} random.seed({seed}); runpy.run_path({program}, run_name='__main__')\""
    )
}

/// A command line that types the inputs into a program.
fn typed_into(inputs: &[String], program: &str) -> String {
    if cfg!(windows) {
        let echoes: Vec<String> = inputs
            .iter()
            .map(|input| if input.is_empty() { "echo.".to_owned() } else { format!("echo {input}") })
            .collect();
        return format!("({}) | {program}", echoes.join("& "));
    }
    format!("printf '%s\\n' {} | {program}", inputs.iter().map(|input| shell_word(input)).collect::<Vec<_>>().join(" "))
}

/// A word as a shell takes it.
pub fn shell_word(word: &str) -> String {
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn python_text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

struct Piece {
    text: String,
    style: Style,
    marked: bool,
}

impl Piece {
    fn caret(&self, width: usize) -> String {
        if self.marked { "^".repeat(width.max(1)) } else { " ".repeat(width) }
    }
}

/// The part of a line in which it differs from the other, in bytes of what is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    start: usize,
    end: usize,
    /// Whether only white space differs, so that it has to be seen.
    only_spaces: bool,
}

/// One row of the picture of a difference.
struct Row {
    expected: Option<usize>,
    actual: Option<usize>,
    agrees: bool,
    /// Whether the side that has nothing here has ended.
    is_end: bool,
    /// Whether two lines stand beside each other that are right, but not there.
    is_moved: bool,
}

impl Row {
    fn new(expected: Option<usize>, actual: Option<usize>) -> Row {
        Row { expected, actual, agrees: false, is_end: false, is_moved: false }
    }

    fn agreeing(expected: usize, actual: usize) -> Row {
        Row { agrees: true, ..Row::new(Some(expected), Some(actual)) }
    }

    /// The parts in which the two lines differ.
    fn marks(&self, case: &CaseReport) -> (Vec<Mark>, Vec<Mark>) {
        match self.sides(case) {
            (Some(expected), Some(actual)) if !self.agrees && !self.is_moved => marks(expected, actual),
            _ => (vec![], vec![]),
        }
    }

    fn sides<'c>(&self, case: &'c CaseReport) -> (Option<&'c SideLine>, Option<&'c SideLine>) {
        (self.expected.and_then(|line| case.expected.get(line)), self.actual.and_then(|line| case.actual.get(line)))
    }
}

/// A few lines of agreement, the difference, and what agrees again after it.
fn rows(case: &CaseReport, difference: &DifferenceReport) -> Vec<Row> {
    let mut rows = vec![];
    let expected = difference.expected_line.unwrap_or(case.expected.len());
    let actual = difference.actual_line.unwrap_or(case.actual.len());
    let agrees = |expected: usize, actual: usize| match (case.expected.get(expected), case.actual.get(actual)) {
        (Some(expected), Some(actual)) => expected == actual,
        _ => false,
    };
    rows.extend(before(case, expected, actual));
    let missing = matches!(difference.cause, Cause::MissingLine | Cause::MissingEmptyLine);
    let (theirs, own) = (
        Some(expected).filter(|line| *line < case.expected.len()),
        Some(actual).filter(|line| *line < case.actual.len()),
    );
    let (mut next, mut own_next) = if missing && theirs.is_some() {
        rows.push(Row::new(theirs, None));
        if own.is_some() && !agrees(expected + 1, actual) {
            rows.push(Row::new(None, own));
        }
        (expected + 1, actual)
    } else if difference.cause.is_too_much() && own.is_some() {
        rows.push(Row { is_end: theirs.is_none(), ..Row::new(None, own) });
        if theirs.is_some() && !agrees(expected, actual + 1) {
            rows.push(Row::new(theirs, None));
        }
        (expected, actual + 1)
    } else {
        let is_moved = difference.cause == Cause::Order;
        rows.push(Row { is_end: theirs.is_none() || own.is_none(), is_moved, ..Row::new(theirs, own) });
        (expected + 1, actual + 1)
    };
    if difference.cause == Cause::Order {
        let both = |next, own| next < case.expected.len() && own < case.actual.len() && !agrees(next, own);
        while next < expected + MOVED && both(next, own_next) {
            rows.push(Row { is_moved: true, ..Row::new(Some(next), Some(own_next)) });
            (next, own_next) = (next + 1, own_next + 1);
        }
    }
    if difference.cause == Cause::LineBreak && !agrees(next, own_next) && agrees(next, own_next + 1) {
        // The rest of a line that ended too early.
        rows.push(Row::new(None, Some(own_next)));
        own_next += 1;
    }
    for ahead in 0..AFTER {
        if !agrees(next + ahead, own_next + ahead) {
            break;
        }
        rows.push(Row::agreeing(next + ahead, own_next + ahead));
    }
    rows
}

/// The lines before a difference, as far as their words agree. What is laid out in another way there is shown as it is.
fn before(case: &CaseReport, expected: usize, actual: usize) -> Vec<Row> {
    let mut rows = vec![];
    let (mut expected, mut actual) = (expected.min(case.expected.len()), actual.min(case.actual.len()));
    let is_empty = |line: &SideLine| line.said.trim().is_empty() && line.typed.is_none();
    while rows.len() < CONTEXT
        && let (Some(line), Some(own)) = (expected.checked_sub(1), actual.checked_sub(1))
    {
        let (theirs, yours) = (&case.expected[line], &case.actual[own]);
        let agrees = theirs == yours || theirs.is_open;
        let (with_theirs, with_yours) = match (agrees, is_empty(theirs), is_empty(yours)) {
            (false, true, false) => (true, false),
            (false, false, true) => (false, true),
            _ => (true, true),
        };
        let row = Row { agrees, ..Row::new(with_theirs.then_some(line), with_yours.then_some(own)) };
        expected -= usize::from(with_theirs);
        actual -= usize::from(with_yours);
        rows.push(row);
        // How many lines stand for such a line is not told here.
        if theirs.text == "..." {
            break;
        }
    }
    rows.reverse();
    rows
}

/// What differs in two lines, word by word; of lines that differ in many places all between the first and the last.
fn marks(expected: &SideLine, actual: &SideLine) -> (Vec<Mark>, Vec<Mark>) {
    const MOST: usize = 3;
    let (a, b) = (words_of(&expected.said), words_of(&actual.said));
    let differing: Vec<(Range<usize>, Range<usize>)> = capture_diff_slices(Algorithm::Myers, &a, &b)
        .into_iter()
        .filter(|part| part.tag() != DiffTag::Equal)
        .map(|part| (part.old_range(), part.new_range()))
        .collect();
    let differing = match differing.as_slice() {
        [(first, own_first), .., (last, own_last)] if differing.len() > MOST => {
            vec![(first.start..last.end, own_first.start..own_last.end)]
        }
        _ => differing,
    };
    let mark = |words: &[&str], range: &Range<usize>, only_spaces| {
        let bytes = |words: &[&str]| words.iter().map(|word| word.len()).sum::<usize>();
        Mark { start: bytes(&words[..range.start]), end: bytes(&words[..range.end]), only_spaces }
    };
    let pair = |(theirs, own): &(Range<usize>, Range<usize>)| {
        let is_space = |words: &[&str]| words.iter().all(|word| word.trim().is_empty());
        let only_spaces = is_space(&a[theirs.clone()]) && is_space(&b[own.clone()]);
        (mark(&a, theirs, only_spaces), mark(&b, own, only_spaces))
    };
    differing.iter().map(pair).unzip()
}

/// Words, runs of spaces, sequences for the terminal, and every other character by itself.
fn words_of(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        ' ' => 1,
        c if c.is_alphanumeric() => 2,
        _ => 3,
    };
    let mut words = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match kind(first) {
            _ if rest.starts_with("\u{1b}[") => rest.find(|c: char| c.is_alphabetic()).map(|last| last + 1),
            3 => Some(first.len_utf8()),
            of_a_kind => rest.find(|c| kind(c) != of_a_kind),
        };
        let (word, after) = rest.split_at(end.filter(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len()));
        words.push(word);
        rest = after;
    }
    words
}

/// A line of a flood is cut; what differs in it stays.
fn limited(said: &str, marks: &[Mark]) -> String {
    const MOST: usize = 400;
    let until = marks.last().map_or(0, |mark| mark.end.min(mark.start + MOST)) + MOST;
    if said.len() <= until {
        return said.to_owned();
    }
    let end = (until..=said.len()).find(|&at| said.is_char_boundary(at)).unwrap_or(said.len());
    format!("{}…", &said[..end])
}

/// A text in at most this many columns.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if shown.width() + c.to_string().width() + 1 > width {
            break;
        }
        shown.push(c);
    }
    shown.trim_end().to_owned() + "…"
}

fn padded(text: &str, text_width: usize, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text_width)))
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().map(|line| line.width()).unwrap_or(0);
        if line > 0 && line + 1 + word.width() > width {
            lines.push(word.to_owned());
        } else if let Some(last) = lines.last_mut() {
            if line > 0 {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A verdict in words for a student.
fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::NotRun => "does not run",
        Verdict::Mismatch => "differs",
        Verdict::Crashed => "crashed",
        Verdict::WantedMoreInput => "wanted more input",
        Verdict::TimedOut => "ran out of time",
        Verdict::TooMuchOutput => "too much output",
        Verdict::TooMuchMemory => "too much memory",
        Verdict::LeftInputUnread => "left input unread",
        Verdict::Presentation => "only layout",
        Verdict::Passed => "passed",
    }
}

/// How a run ended, for a sentence.
fn ended(case: &CaseReport) -> &'static str {
    match case.ending {
        Some("crashed") => "broke with an error",
        Some("wanted_more_input") => "asked for another answer when the game should have been over",
        Some("timed_out") => "did not come to an end in time and was stopped",
        Some("too_much_output") => "printed without end and was stopped",
        Some("too_much_memory") => "took more memory than it may have",
        _ => "ended",
    }
}

fn last_line(report: &Report) -> String {
    let by = report.interpreter.as_deref().unwrap_or("its own command");
    let holding: Vec<_> = report.confinement.iter().filter(|layer| layer.name != "limits").filter_map(holds).collect();
    match holding.as_slice() {
        [] => format!("Run by {by}, with limits on time, output and memory, but not in a sandbox."),
        holding => format!("Run by {by} in a sandbox ({}).", holding.join(", ")),
    }
}

fn holds(layer: &Layer) -> Option<String> {
    match layer.state {
        State::Enforced => Some(layer.name.to_owned()),
        State::Partly => Some(format!("{} in part", layer.name)),
        State::Unavailable | State::Off => None,
    }
}
