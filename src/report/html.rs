//! The report as one page for a browser: expected and yours beside each other or in one column.
//!
//! All can be read without a script; the script jumps from difference to difference and shows spaces.

use std::collections::VecDeque;
use std::io::{self, Write};

use maud::{Markup, PreEscaped, html};

use super::page::{Page, prose, shown};
use super::side::{self, CONTEXT, Mark, PieceKind, Row, Whole};
use super::visible::{Spaces, visible};
use super::words::{self, Remark};
use crate::grade::{CaseReport, CheckReport, CheckVerdict, Outcome, Report, Ruling, SideLine};
use crate::judge::Verdict;

const PAGE: Page = Page { style: include_str!("assets/report.css"), script: include_str!("assets/report.js") };

/// Bytes for the transcripts of all failing cases together, so that a browser opens the page at once.
const ROOM: usize = 180_000;
/// Of these, what the first of them may take.
const ROOM_OF_THE_FIRST: usize = 90_000;
/// What each of them has, however many there are.
const ROOM_OF_EACH: usize = 3_000;
/// Lines that are open from the first difference on.
const AT_ONCE: usize = 80;
/// So few lines are not worth a fold.
const FEW: usize = 2;

/// Writes the page.
///
/// # Errors
/// Those of the writer.
pub fn write(report: &Report, writer: &mut dyn Write) -> io::Result<()> {
    let title = format!("{}: {} of {} points in {}", report.submission, report.score, report.max_score, report.title);
    PAGE.start(&title, writer)?;
    write!(writer, "{}", header(report).0)?;
    if was_run(report) && report.outcome != Outcome::Passed {
        write!(writer, "{}", tools().0)?;
    }
    write!(writer, "<main>")?;
    if was_run(report) {
        write!(writer, "{}", overview(report).0)?;
    }
    let (passed, failing): (Vec<_>, Vec<_>) = report.cases.iter().partition(|case| case.verdict == Verdict::Passed);
    if was_run(report) {
        let mut room = ROOM;
        for (index, case) in failing.iter().enumerate() {
            let share = if index == 0 { ROOM_OF_THE_FIRST } else { room / (failing.len() - index) };
            let picture = Picture::new(case, share.max(ROOM_OF_EACH));
            room = room.saturating_sub(picture.rows.iter().map(|row| row.markup.0.len()).sum());
            write!(writer, "{}", case_in_full(report, case, &picture, index == 0).0)?;
        }
    }
    write!(writer, "{}", checks(report).0)?;
    if !passed.is_empty() {
        let cases = passed.iter().map(|case| passed_case(case).0).collect();
        let section = html! { section { h2 { "Cases that pass" } (PreEscaped::<String>(cases)) } };
        write!(writer, "{}", section.0)?;
    }
    write!(writer, "</main>{}", footer(report).0)?;
    PAGE.end(writer)
}

fn header(report: &Report) -> Markup {
    let total = report.cases.len();
    let passed = report.cases.iter().filter(|case| case.verdict == Verdict::Passed).count();
    let cases = if total == 1 { "case" } else { "cases" };
    html! {
        header {
            p.kicker { (shown(&report.title)) }
            h1 { (shown(&report.submission)) }
            p.outcome {
                span.badge.good[report.outcome == Outcome::Passed] { (outcome(report.outcome)) }
                " " strong { (report.score) " of " (report.max_score) } " points"
                @if was_run(report) { ", " strong { (passed) " of " (total) } " " (cases) }
            }
            @if let Some(reason) = &report.reason { p { (shown(reason)) } }
            @if let Some(words) = &report.syntax_error {
                h2 { "Python can't read the program" }
                pre { (lines(words.trim_end().lines())) }
                @for advice in words::advice_on_syntax(report) { p { (shown(&advice)) } }
            }
        }
    }
}

fn tools() -> Markup {
    html! {
        div.tools role="group" aria-label="How the transcripts are shown" {
            fieldset {
                legend.unseen { "Layout" }
                label { input #side type="radio" name="layout" checked autocomplete="off"; " Side by side" }
                label { input #one type="radio" name="layout" autocomplete="off"; " One column" }
            }
            // These need the script, which makes them seen.
            label hidden { input #spaces type="checkbox" autocomplete="off"; " Show spaces" }
            button #unfold type="button" hidden aria-pressed="false" { "Open all" }
            span.jump hidden {
                button #previous type="button" title="Key: p" { "↑ Previous" span.unseen { " difference" } }
                button #next type="button" title="Key: n" { "↓ Next difference" }
                output #position aria-live="polite" {}
            }
        }
    }
}

/// All cases in a few lines, each a link.
fn overview(report: &Report) -> Markup {
    html! {
        nav aria-labelledby="cases" {
            h2 #cases { "Cases" }
            ol.cases {
                @for case in &report.cases {
                    li.(class(case.verdict)) {
                        a href=(format!("#{}", anchor(case))) title=(shown(&case.title)) {
                            span.sign aria-hidden="true" { (sign(case.verdict)) } (shown(&case.id))
                        }
                        " " span.verdict.unseen[case.verdict == Verdict::Passed] { (words::verdict(case.verdict)) }
                    }
                }
            }
            @if let Some(points) = words::checks(report) {
                p { a href="#code" { (words::CODE) } ": " (points) }
            }
        }
    }
}

fn case_in_full(report: &Report, case: &CaseReport, picture: &Picture, open: bool) -> Markup {
    html! {
        details.case.(class(case.verdict)) #(anchor(case)) open[open] {
            (summary(case))
            @if case.withheld {
                p { "This case is hidden: its title and verdict are all that is shown." }
            } @else {
                div.beside {
                    @if !picture.rows.is_empty() { (picture.markup()) }
                    aside aria-label="Why" {
                        @if case.difference.is_none() { p { (words::agreement(case.verdict)) } }
                        (remarks(words::remarks(case)))
                    }
                }
                @if let Some((last, has_more)) = words::last_words(case) {
                    h4 { (words::whose_words(report)) }
                    pre { @if has_more { "…\n" } (lines(last.into_iter())) }
                }
                (typed(case))
            }
        }
    }
}

fn passed_case(case: &CaseReport) -> Markup {
    html! {
        details.case.good #(anchor(case)) {
            (summary(case))
            @if case.withheld {
                p { "This case is hidden: its title and verdict are all that is shown." }
            } @else {
                p { (words::agreement(case.verdict)) }
                (remarks(words::remarks(case)))
                (typed(case))
            }
        }
    }
}

fn summary(case: &CaseReport) -> Markup {
    html! {
        summary {
            span.sign aria-hidden="true" { (sign(case.verdict)) }
            h3 { (shown(&case.id)) ": " span.title { (shown(&case.title)) } }
            span.verdict { (words::verdict(case.verdict)) }
            @if case.hidden { span.verdict { "hidden" } }
            span.points { (case.points) " of " (case.max_points) }
        }
        p.link { a href=(format!("#{}", anchor(case))) { "Link to this case" } }
    }
}

/// What is asked of the code: first what was found, then in a few lines what is as it is asked for.
fn checks(report: &Report) -> Markup {
    let Some(points) = words::checks(report) else { return html! {} };
    let passed: Vec<_> = report.checks.iter().filter(|check| check.verdict == CheckVerdict::Passed).collect();
    html! {
        section aria-labelledby="code" {
            h2 #code { (words::CODE) ": " (points) }
            @for group in words::groups(report) { (finding(&group)) }
            @if !passed.is_empty() {
                ul.cases.kept {
                    @for check in passed {
                        li.good title=(shown(&check.sentence)) {
                            span.sign aria-hidden="true" { (check_sign(check.verdict)) } (shown(&check.id))
                            " " span.verdict.unseen { (words::check_verdict(check.verdict)) }
                            " " span.points { (words::check_points(&[check]).unwrap_or_default()) }
                        }
                    }
                }
            }
        }
    }
}

/// Checks with one reason.
fn finding(group: &[&CheckReport]) -> Markup {
    let Some(first) = group.first() else { return html! {} };
    html! {
        details.case.(check_class(first.verdict)) open {
            summary {
                span.sign aria-hidden="true" { (check_sign(first.verdict)) }
                h3 {
                    @for (index, check) in group.iter().enumerate() {
                        @if index > 0 { ", " }
                        span #(format!("check-{}", shown(&check.id))) { (shown(&check.id)) }
                    }
                }
                span.verdict { (words::check_verdict(first.verdict)) }
                @if let Some(line) = first.line { span.verdict { "line " (line) } }
                @if first.hidden { span.verdict { "hidden" } }
                span.points { (words::check_points(group).unwrap_or_default()) }
            }
            (remarks(words::check_remarks(first)))
        }
    }
}

fn check_class(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Passed => "good",
        CheckVerdict::Failed => "bad",
        CheckVerdict::Note | CheckVerdict::Skipped => "note",
    }
}

fn check_sign(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Passed => "✓",
        CheckVerdict::Failed => "✗",
        CheckVerdict::Note | CheckVerdict::Skipped => "–",
    }
}

fn remarks(remarks: Vec<Remark>) -> Markup {
    html! {
        dl {
            @for Remark { label, text } in remarks {
                @if !label.is_empty() { dt { (label) } }
                dd { (prose(&words::capitalised(&text))) }
            }
        }
    }
}

/// What was typed, and what was not any more.
fn typed(case: &CaseReport) -> Markup {
    const MOST: usize = 400;
    if case.inputs.is_empty() {
        return html! {};
    }
    let until = match &case.difference {
        Some(difference) => difference.input.as_ref().map_or(0, |input| input.number),
        None => case.read.unwrap_or(case.inputs.len()),
    };
    let (typed, later) = case.inputs.split_at(until.min(case.inputs.len()));
    let skipped = typed.len().saturating_sub(MOST);
    let answer = |input: &String| html! { kbd { "«" (shown(&side::limited(input, &[]))) "»" } " " };
    html! {
        p.typed {
            strong { "Typed: " }
            @if typed.is_empty() { "nothing yet. " }
            @if skipped > 0 { "(" (skipped) " answers before) " }
            @for input in &typed[skipped..] { (answer(input)) }
            @if !later.is_empty() {
                span.later {
                    "Still to come: "
                    @for input in later.iter().take(MOST) { (answer(input)) }
                    @if later.len() > MOST { "and " (later.len() - MOST) " more" }
                }
            }
        }
        @if let Some(seed) = &case.seed { p { "Its random numbers come from the seed " code { (shown(seed)) } "." } }
    }
}

fn footer(report: &Report) -> Markup {
    html! {
        footer {
            @if !report.rulings.is_empty() {
                h2 { "Open questions of the assignment" }
                dl { @for ruling in &report.rulings { (self::ruling(ruling)) } }
            } @else if report.outcome == Outcome::Passed {
                p { "No open question of the assignment made a difference." }
            }
            @for note in &report.notes { p { strong { "Note: " } (shown(note)) } }
            @if let Some(text) = words::run_by(report) { p { (shown(&text)) } }
        }
    }
}

fn ruling(ruling: &Ruling) -> Markup {
    html! {
        dt { (prose(ruling.text)) }
        dd {
            (prose(ruling.answer_text)) " "
            span.quiet { "(" (ruling.question) " = " (ruling.answer) ", "
                @if ruling.inferred { "as the program answers it" } @else { "as the instructor decided" } ")" }
        }
    }
}

struct ShownRow {
    agrees: bool,
    markup: Markup,
}

/// The two transcripts of a case, as far as they are shown.
struct Picture {
    rows: VecDeque<ShownRow>,
    /// Where among them the first difference is; their end where there is none.
    first: usize,
    /// Lines of both sides that are left out before the first row.
    before: (usize, usize),
    /// The same after the last.
    after: (usize, usize),
}

impl Picture {
    /// The rows around the first difference that have room in so many bytes.
    fn new(case: &CaseReport, room: usize) -> Picture {
        let Whole { rows, first } = side::whole(case);
        let mut shown = VecDeque::new();
        let (mut start, mut end, mut used) = (first, first, 0);
        let mut take = |index: usize| {
            let row = ShownRow { agrees: rows[index].agrees, markup: row(case, &rows[index]) };
            used += row.markup.0.len();
            (used <= room || index == first).then_some(row)
        };
        loop {
            let after = (end < rows.len()).then(|| take(end)).flatten();
            let before = start.checked_sub(1).and_then(&mut take);
            if after.is_none() && before.is_none() {
                break;
            }
            end += usize::from(after.is_some());
            start -= usize::from(before.is_some());
            shown.extend(after);
            before.into_iter().for_each(|row| shown.push_front(row));
        }
        let count = |rows: &[Row]| {
            (rows.iter().filter_map(|row| row.expected).max(), rows.iter().filter_map(|row| row.actual).max())
        };
        let past = |line: Option<usize>| line.map_or(0, |line| line + 1);
        let (before, until) = (count(&rows[..start]), count(&rows[..end]));
        Picture {
            rows: shown,
            first: first - start,
            before: (past(before.0), case.left_out.0 + past(before.1)),
            after: (case.expected.len() - past(until.0), case.actual.len() + case.left_out.1 - past(until.1)),
        }
    }

    fn markup(&self) -> Markup {
        let rows: Vec<_> = self.rows.iter().collect();
        // Much later lines are rarely what the first difference is about.
        let until = if rows.len() > self.first + AT_ONCE + FEW { self.first + AT_ONCE } else { rows.len() };
        let (rows, rest) = rows.split_at(until);
        html! {
            div.sides {
                div.heads aria-hidden="true" { span { "Expected" } span { "Yours" } }
                (left_out(self.before, "before"))
                (folded(rows, self.first == rows.len()))
                @if !rest.is_empty() {
                    details.fold.rest { summary { "The rest: " (rest.len()) " lines" } (folded(rest, false)) }
                }
                (left_out(self.after, "after"))
            }
        }
    }
}

/// Rows with the equal ones folded that have no difference near them, or do not stand at an end that has to be seen.
fn folded(rows: &[&ShownRow], is_end_seen: bool) -> Markup {
    let mut folded = String::new();
    let stretches: Vec<_> = rows.chunk_by(|one, other| one.agrees == other.agrees).collect();
    for (index, stretch) in stretches.iter().enumerate() {
        let markup = |part: &[&ShownRow]| part.iter().map(|row| row.markup.0.as_str()).collect::<String>();
        let before = if index == 0 { 0 } else { CONTEXT };
        let after = if index + 1 == stretches.len() && !is_end_seen { 0 } else { CONTEXT };
        if !stretch[0].agrees || stretch.len() <= before + after + FEW {
            folded.push_str(&markup(stretch));
            continue;
        }
        let (start, rest) = stretch.split_at(before);
        let (middle, end) = rest.split_at(rest.len() - after);
        let fold = html! { details.fold { summary { (middle.len()) " equal lines" } (PreEscaped(markup(middle))) } };
        folded.extend([markup(start), fold.0, markup(end)]);
    }
    PreEscaped(folded)
}

/// Word of the lines that are left out.
fn left_out((expected, actual): (usize, usize), place: &str) -> Markup {
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    html! {
        @if expected + actual > 0 {
            p.cut { "Left out " (place) " this: " (lines(expected)) " of what is expected, " (lines(actual)) " of yours." }
        }
    }
}

/// A row. Without the style it reads as a list of lines.
fn row(case: &CaseReport, row: &Row) -> Markup {
    let ((theirs, own), numbers) = (row.sides(case), row.numbers(case));
    if row.agrees {
        let is_same = theirs == own;
        return html! {
            div.r {
                b { @if let Some(number) = numbers.0 { (number) } }
                (line(theirs, &[], false, is_same.then_some("true")))
                b { @if let Some(number) = numbers.1 { (number) } }
                (line(own, &[], false, None))
            }
        };
    }
    let marks = row.marks(case);
    let side = |number: Option<usize>, side: Option<&SideLine>, marks: &[Mark], whose: &str, nothing: &str| {
        html! {
            @match (number, side) {
                (Some(number), Some(_)) => {
                    b { span.unseen { (whose) " line " } (number) }
                    (line(side, marks, true, None))
                }
                _ if row.is_end => { b {} em { (nothing) } }
                _ => { b {} s {} }
            }
        }
    };
    html! {
        div.r.x {
            (side(numbers.0, theirs, &marks.0, "Expected", "(nothing more is expected)"))
            (side(numbers.1, own, &marks.1, "Your", "(your program prints nothing more)"))
        }
    }
}

fn line(side: Option<&SideLine>, marks: &[Mark], differs: bool, unheard: Option<&str>) -> Markup {
    let pieces = side.map(|side| side::pieces(side, marks, differs, Spaces::Kept)).unwrap_or_default();
    html! {
        code aria-hidden=[unheard] {
            @for piece in &pieces {
                @match piece.kind {
                    PieceKind::Said => (piece.text),
                    PieceKind::Differs => mark { (piece.text) },
                    PieceKind::Typed => kbd { (piece.text) },
                    PieceKind::Nothing => em { (piece.text) },
                }
            }
        }
    }
}

/// Lines from outside, one below the other.
fn lines<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    lines.map(|line| visible(&side::limited(line, &[]), Spaces::Plain) + "\n").collect()
}

fn anchor(case: &CaseReport) -> String {
    format!("case-{}", shown(&case.id))
}

/// Whether there is anything to say of its cases.
fn was_run(report: &Report) -> bool {
    matches!(report.outcome, Outcome::Passed | Outcome::Failed)
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "good",
        Verdict::Presentation => "part",
        _ => "bad",
    }
}

fn sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "✓",
        Verdict::Presentation => "≈",
        _ => "✗",
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "Passed",
        Outcome::Failed => "Does not pass yet",
        Outcome::NotRun => "Does not run",
        Outcome::Error => "Not graded",
    }
}
