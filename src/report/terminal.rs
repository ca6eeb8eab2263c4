//! The report for a person at a terminal.

use std::path::Path;

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use super::side::{self, CONTEXT, Mark, Piece, PieceKind, Row};
use super::visible::{Spaces, visible, without_commands};
use super::words::{self, Remark};
use crate::grade::{CaseReport, CheckReport, CheckVerdict, DifferenceReport, Outcome, Report, SideLine};
use crate::judge::Verdict;

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

/// What there is to say of a submission besides its cases, for a text that is no terminal.
pub(super) fn closing(report: &Report) -> String {
    on_paper(|page| page.closing(report))
}

/// One case for a text that is no terminal; nothing for one that a student may not see, or of which nothing is known.
pub(super) fn case(report: &Report, case: &CaseReport) -> String {
    if case.withheld || report.is_not_run() { String::new() } else { on_paper(|page| page.case_itself(report, case)) }
}

/// Why a check of the code did not pass, for a text that is no terminal.
pub(super) fn check(check: &CheckReport) -> String {
    on_paper(|page| page.remarks("", words::check_remarks(check)))
}

fn on_paper(write: impl FnOnce(&mut Page<'_>)) -> String {
    let layout = Layout {
        width: 80,
        colour: false,
        side_by_side: false,
        all: false,
        case: None,
        command: String::new(),
        program: String::new(),
        folder: None,
        python: String::new(),
    };
    let mut page = Page { layout: &layout, text: String::new() };
    write(&mut page);
    page.text
}

struct Page<'l> {
    layout: &'l Layout,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        // It may be the log of a build server that shows it.
        self.text.push_str(&without_commands(line.as_ref().trim_end()));
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
        self.headline(report);
        let all_pass = report.cases.iter().all(|case| case.verdict == Verdict::Passed);
        if report.is_not_run() || all_pass && self.layout.case.is_none() {
            self.closing(report);
            return self.checks(report);
        }
        match self.layout.case.clone() {
            Some(id) => {
                report.cases.iter().filter(|case| case.id == id).for_each(|case| self.case_in_full(report, case))
            }
            None => {
                self.line("");
                self.cases(report);
                let failing = report.cases.iter().filter(|case| case.verdict != Verdict::Passed && !case.withheld);
                let shown = if self.layout.all { report.cases.len() } else { 1 };
                failing.take(shown).for_each(|case| self.case_in_full(report, case));
            }
        }
        self.line("");
        self.closing(report);
        self.checks(report);
    }

    /// What is asked of the code, where there is anything to say of it.
    fn checks(&mut self, report: &Report) {
        let Some(points) = words::checks(report) else { return };
        if let Some(id) = &self.layout.case {
            let chosen: Vec<&CheckReport> = report.checks.iter().filter(|check| check.id == *id).collect();
            return self.check_group(&chosen, 0, 0);
        }
        self.line("");
        self.line(self.paint(HEADING, &format!("{}: {points}.", words::CODE)));
        let width = words::findings(report).map(|check| check.id.len()).max().unwrap_or(0);
        let verdicts =
            words::findings(report).map(|check| words::check_verdict(check.verdict).len()).max().unwrap_or(0);
        for group in words::groups(report) {
            self.check_group(&group, width, verdicts);
        }
    }

    /// Checks with one reason.
    fn check_group(&mut self, group: &[&CheckReport], width: usize, verdicts: usize) {
        for check in group {
            let (sign, style) = match check.verdict {
                CheckVerdict::Failed => ("!! ", BAD),
                CheckVerdict::Passed => ("ok ", GOOD),
                CheckVerdict::Note | CheckVerdict::Skipped => ("-- ", HEADING),
            };
            let points = words::check_points(&[check]).map(|points| format!("{points} points")).unwrap_or_default();
            let verdict = format!("{:<verdicts$} ", words::check_verdict(check.verdict));
            let (sign, verdict) = (self.paint(style, sign), self.paint(style, &verdict));
            self.line(format!("{sign}{verdict} {:<width$}  {points}", check.id));
        }
        self.remarks("   ", group.first().map(|check| words::check_remarks(check)).unwrap_or_default());
    }

    fn headline(&mut self, report: &Report) {
        let name = visible(&report.submission, Spaces::Plain);
        let passed = report.outcome == Outcome::Passed;
        let line = if passed && self.layout.case.is_none() {
            let title = visible(&report.title, Spaces::Plain);
            format!("{name} passes {} of {title}: {}.", words::all_cases(report), words::points(report))
        } else {
            format!("{name} {}", visible(&words::outcome(report), Spaces::Plain))
        };
        self.line(self.paint(if passed { GOOD } else { BAD }, &line));
    }

    /// What there is to say besides the cases.
    fn closing(&mut self, report: &Report) {
        if let Some(words) = &report.syntax_error {
            self.line("");
            self.indented(words);
            self.line("");
            for advice in words::advice_on_syntax(report) {
                self.paragraph("", &advice);
            }
            return;
        }
        if report.reason.is_none() {
            self.rulings(report);
            words::run_by(report).into_iter().for_each(|text| self.line(self.paint(DIM, &text)));
        }
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
        let verdicts = report.cases.iter().map(|case| words::verdict(case.verdict).len()).max().unwrap_or(0);
        for case in &report.cases {
            let good = case.verdict == Verdict::Passed;
            let (sign, style) = if good { ("ok ", GOOD) } else { ("!! ", BAD) };
            let verdict = format!("{:<verdicts$} ", words::verdict(case.verdict));
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
                words::capitalised(words::verdict(case.verdict))
            ));
            return;
        }
        self.case_itself(report, case);
        self.commands(case, report);
    }

    fn case_itself(&mut self, report: &Report, case: &CaseReport) {
        if !case.inputs.is_empty() {
            self.typed(case);
        }
        match &case.difference {
            Some(difference) => self.transcripts(case, difference),
            None => self.agreement(case),
        }
        self.remarks("", words::remarks(case));
        self.crash(case, report);
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
        let rows = side::around(case, difference);
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
            let (sides, numbers) = (row.sides(case), row.numbers(case));
            if row.agrees {
                if let (Some(number), Some(side)) = (numbers.1.or(numbers.0), sides.1.or(sides.0)) {
                    let (text, _) = self.show(side, &[], Style::new());
                    self.line(format!("  {number:>4}   {text}"));
                }
                continue;
            }
            let marks = row.marks(case);
            let theirs = numbers.0.map(|number| if in_step { number.to_string() } else { String::new() });
            let own = numbers.1.map(|number| number.to_string());
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
            let (sides, numbers) = (row.sides(case), row.numbers(case));
            let marks = row.marks(case);
            let mut columns: Vec<Vec<(String, usize)>> = vec![];
            for (number, side, mark, style, nothing) in [
                (numbers.0, sides.0, &marks.0, EXPECTED, "(nothing more is expected)"),
                (numbers.1, sides.1, &marks.1, ACTUAL, "(your program prints nothing more)"),
            ] {
                let mut cells = vec![];
                match (number, side) {
                    (Some(number), Some(side)) => {
                        let style = if row.agrees { Style::new() } else { style };
                        let pieces = self.pieces(side, mark, style);
                        for (index, (text, plain_width, caret)) in self.folded(&pieces, column).into_iter().enumerate()
                        {
                            let number = if index == 0 { format!("{number:>4} ") } else { "     ".to_owned() };
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

    /// The pieces of a line in their colours; `style` is that of what is said.
    fn pieces(&self, side: &SideLine, marks: &[Mark], style: Style) -> Vec<Painted> {
        let differs = style != Style::new();
        let painted = side::pieces(side, marks, differs, Spaces::Plain).into_iter().map(|Piece { text, kind }| {
            let style = match kind {
                PieceKind::Said => style,
                PieceKind::Differs => PART.underline(),
                PieceKind::Typed => TYPED,
                PieceKind::Nothing => DIM,
            };
            Painted { text, style, marked: kind == PieceKind::Differs }
        });
        painted.collect()
    }

    /// The pieces broken into lines of this width: text, its width, and carets.
    fn folded(&self, pieces: &[Painted], width: usize) -> Vec<(String, usize, String)> {
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

    fn remarks(&mut self, indent: &str, remarks: Vec<Remark>) {
        for Remark { label, text } in remarks {
            let label = if label.is_empty() { String::new() } else { format!("{label}:") };
            self.paragraph(&format!("{indent}{label:<7}"), &text);
        }
    }

    /// A case whose text is right: the end of it, if the way in which it ended is not.
    fn agreement(&mut self, case: &CaseReport) {
        if case.verdict != Verdict::Passed {
            let from = case.actual.len().saturating_sub(CONTEXT + 1);
            for (index, line) in case.actual.iter().enumerate().skip(from) {
                let (text, _) = self.show(line, &[], Style::new());
                self.line(format!("  {:>4}   {text}", case.left_out.0 + index + 1));
            }
            self.line("");
        }
        self.paragraph("", words::agreement(case.verdict));
    }

    /// The student's own traceback.
    fn crash(&mut self, case: &CaseReport, report: &Report) {
        let Some((lines, has_more)) = words::last_words(case) else { return };
        self.line("");
        self.line(self.paint(HEADING, words::whose_words(report)));
        if has_more {
            self.indented("…");
        }
        self.indented(&lines.join("\n"));
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

struct Painted {
    text: String,
    style: Style,
    marked: bool,
}

impl Painted {
    fn caret(&self, width: usize) -> String {
        if self.marked { "^".repeat(width.max(1)) } else { " ".repeat(width) }
    }
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
