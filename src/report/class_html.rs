//! The results of a class as one page for a browser: a table to sort and search, and what fails how often.
//!
//! The rows go into the page one by one, as data from which its script makes the lines of the table that are seen. What
//! is counted follows after them, so that no more than the counts is kept.

use std::collections::BTreeMap;
use std::io::{self, Write};

use maud::{Markup, html};
use serde::Serialize;

use reference::rules::Rule;

use super::json::without_actors;
use super::page::{Page, prose, shown};
use super::words;
use crate::grade::{CheckVerdict, Class, Outcome, Record, Row, Totals};
use crate::judge::Verdict;
use crate::shared::first_of;

const PAGE: Page = Page { style: include_str!("assets/class.css"), script: include_str!("assets/class.js") };

/// The page while its rows come in, in the order in which they are first shown.
pub struct Index<'i> {
    class: &'i Class,
    counts: Counts,
    writer: &'i mut dyn Write,
}

impl<'i> Index<'i> {
    /// Begins the page.
    ///
    /// # Errors
    /// Those of the writer, here and below.
    pub fn begin(class: &'i Class, writer: &'i mut dyn Write) -> io::Result<Index<'i>> {
        PAGE.start(&format!("{}: the class", class.title), writer)?;
        write!(writer, "<script type=\"application/json\" id=\"rows\">[")?;
        Ok(Index { class, counts: Counts::new(class), writer })
    }

    /// Writes one row.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let line = self.counts.count(row);
        let is_first = self.counts.totals.submissions == 1;
        write!(self.writer, "{}{}", if is_first { "\n" } else { ",\n" }, json(&line)?)
    }

    /// Writes all that was counted.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<()> {
        let Index { class, counts, writer } = self;
        let shown = |tally: &Tally| tally.names.iter().map(|name| shown(name)).collect();
        let names = Names { cases: shown(&counts.cases), rules: shown(&counts.rules), rulings: shown(&counts.rulings) };
        writeln!(writer, "]</script><script type=\"application/json\" id=\"names\">{}</script>", json(&names)?)?;
        write!(writer, "{}{}{}", header(class, &counts).0, table(class, &counts).0, charts(class, &counts).0)?;
        PAGE.end(writer)
    }
}

/// JSON that can stand in a page: nothing in it ends the element around it.
fn json(value: &impl Serialize) -> io::Result<String> {
    Ok(without_actors(&serde_json::to_string(value)?).replace('<', "\\u003c"))
}

/// A row of the table: key, folder, outcome, hundredths of points and of those that there are, passed cases, cases, the
/// failing cases, the failed checks, the rules that both break, the first of these, the rulings, and why it was not graded.
#[derive(Serialize)]
struct Line(
    String,
    String,
    Outcome,
    u64,
    u64,
    usize,
    usize,
    Vec<usize>,
    Vec<usize>,
    Vec<usize>,
    Option<usize>,
    Vec<usize>,
    String,
);

/// What the numbers in a [`Line`] stand for.
#[derive(Serialize)]
struct Names {
    cases: Vec<String>,
    rules: Vec<String>,
    rulings: Vec<String>,
}

/// Names by numbers, in the order in which they were met, and how many submissions have each.
#[derive(Default)]
struct Tally {
    names: Vec<String>,
    numbers: BTreeMap<String, usize>,
    counts: Vec<usize>,
}

impl Tally {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.numbers.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.counts.push(0);
        self.names.len() - 1
    }

    fn count(&mut self, numbers: &[usize]) {
        numbers.iter().for_each(|&number| self.counts[number] += 1);
    }

    /// The numbers with the most frequent first, without those that were not met.
    fn by_frequency(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.names.len()).filter(|&number| self.counts[number] > 0).collect();
        numbers.sort_by_key(|&number| std::cmp::Reverse(self.counts[number]));
        numbers
    }
}

/// What is counted over all rows.
struct Counts {
    totals: Totals,
    /// Submissions in each tenth of the points; the last is for all of them.
    tenths: [usize; 11],
    cases: Tally,
    checks: Tally,
    rules: Tally,
    rulings: Tally,
    /// For a rule, where it is broken, and how often.
    places: BTreeMap<(usize, Place), usize>,
}

/// Where a rule is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Case(usize),
    Check(usize),
}

impl Counts {
    fn new(class: &Class) -> Counts {
        let (mut cases, mut checks) = (Tally::default(), Tally::default());
        for case in &class.cases {
            cases.number(&case.id);
        }
        for check in &class.checks {
            checks.number(&check.id);
        }
        Counts {
            totals: Totals::default(),
            tenths: [0; 11],
            cases,
            checks,
            rules: Tally::default(),
            rulings: Tally::default(),
            places: BTreeMap::new(),
        }
    }

    fn count(&mut self, row: &Row) -> Line {
        let report = &row.report;
        self.totals.count(report);
        if report.outcome != Outcome::Error {
            self.tenths[tenth(report)] += 1;
        }
        let (mut failing, mut failed, mut broken) = (vec![], vec![], vec![]);
        // That a program does not run at all says nothing of any case.
        let is_run = matches!(report.outcome, Outcome::Passed | Outcome::Failed);
        for case in report.cases.iter().filter(|case| is_run && case.verdict != Verdict::Passed) {
            let number = self.cases.number(&case.id);
            failing.push(number);
            let rule = case.difference.as_ref().and_then(|difference| difference.rule.as_deref());
            broken.extend(rule.map(|rule| (self.rules.number(rule), Place::Case(number))));
        }
        for check in report.checks.iter().filter(|check| check.verdict == CheckVerdict::Failed) {
            let number = self.checks.number(&check.id);
            failed.push(number);
            broken.extend(check.rule.as_deref().map(|rule| (self.rules.number(rule), Place::Check(number))));
        }
        let mut rules = vec![];
        for (rule, place) in broken {
            *self.places.entry((rule, place)).or_default() += 1;
            if !rules.contains(&rule) {
                rules.push(rule);
            }
        }
        let first = report.first_failing_rule().map(|rule| self.rules.number(rule));
        let ruling = |ruling: &crate::grade::RulingRecord| format!("{} = {}", ruling.question, ruling.answer);
        let rulings: Vec<usize> = report.rulings.iter().map(|answer| self.rulings.number(&ruling(answer))).collect();
        self.cases.count(&failing);
        self.checks.count(&failed);
        self.rules.count(&rules);
        self.rulings.count(&rulings);
        let passed = report.cases.iter().filter(|case| case.verdict == Verdict::Passed).count();
        let reason = report.reason.as_deref().or(report.syntax_error.as_deref().map(last_line)).unwrap_or_default();
        Line(
            shown(&row.key),
            row.folder.clone(),
            report.outcome,
            report.score.hundredths(),
            report.max_score.hundredths(),
            passed,
            report.cases.len(),
            failing,
            failed,
            rules,
            first,
            rulings,
            shown(&start(reason)),
        )
    }
}

/// The last line of Python's own words names the fault.
fn last_line(words: &str) -> &str {
    words.trim_end().lines().last().unwrap_or_default()
}

/// As much of a text as has room in a line.
fn start(text: &str) -> String {
    text.chars().take(160).collect()
}

fn tenth(report: &Record) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100 percent")]
    let tenth = (report.score.percent_of(report.max_score) / 10.0) as usize;
    tenth.min(10)
}

fn header(class: &Class, counts: &Counts) -> Markup {
    let Totals { submissions, passed, failed, not_run, errors, .. } = counts.totals;
    let part = |count: usize, outcome: Outcome, words: &str| {
        html! { @if count > 0 { li { (filter("outcome", outcome.id(), words)) " " strong { (count) } } } }
    };
    html! {
        header {
            p.kicker { (shown(&class.title)) }
            h1 { (submissions) @if submissions == 1 { " submission" } @else { " submissions" } }
            ul.totals {
                (part(passed, Outcome::Passed, "Passed"))
                (part(failed, Outcome::Failed, "Failed"))
                (part(not_run, Outcome::NotRun, "Not run"))
                (part(errors, Outcome::Error, "Not graded"))
            }
            nav aria-label="Parts of this page" {
                a href="#submissions" { "Submissions" } " " a href="#rules" { "Rules that are broken" } " "
                a href="#cases" { "Cases that fail" } " "
                @if !class.checks.is_empty() { a href="#code" { (words::CODE) } " " }
                a href="#questions" { "Open questions" }
            }
            h2 #scores { "Points" }
            ol.histogram aria-labelledby="scores" {
                @for (index, &count) in counts.tenths.iter().enumerate() {
                    li {
                        span.count { (count) }
                        (column(count, counts.tenths.iter().copied().max().unwrap_or(0)))
                        span.label { @if index == 10 { "100 %" } @else { (index * 10) "–" (index * 10 + 9) " %" } }
                    }
                }
            }
        }
    }
}

/// A button that shows only those rows of the table that have this.
fn filter(kind: &str, value: impl maud::Render, words: &str) -> Markup {
    html! { button.filter type="button" data-kind=(kind) data-value=(value) { (shown(words)) } }
}

fn column(count: usize, most: usize) -> Markup {
    let height = hundredths(count, most);
    html! {
        svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true" {
            rect y=(100 - height) width="10" height=(height) {}
        }
    }
}

fn bar(count: usize, most: usize) -> Markup {
    html! {
        svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect width=(hundredths(count, most)) height="10" {}
        }
    }
}

/// A part of a whole in hundredths, never nothing for something.
fn hundredths(part: usize, whole: usize) -> usize {
    (part * 100).div_ceil(whole.max(1))
}

fn charts(class: &Class, counts: &Counts) -> Markup {
    let rules = counts.rules.by_frequency();
    let rulings = counts.rulings.by_frequency();
    let title = |number: usize| class.cases.get(number).map_or("", |case| &case.title);
    let sentence = |number: usize| class.checks.get(number).map_or("", |check| &check.sentence);
    html! {
        section {
            h2 #rules { "Rules that are broken" }
            @if rules.is_empty() { p.quiet { "None." } } @else {
                p.quiet { "By how many submissions, in one place or more." }
                table.chart {
                    thead { tr { th scope="col" { "Rule" } th scope="col" { "Submissions" } th scope="col" { "Most often in" } } }
                    tbody {
                        @for &rule in &rules {
                            tr {
                                th scope="row" {
                                    (filter("rule", rule, &counts.rules.names[rule]))
                                    @if let Some(rule) = Rule::find(&counts.rules.names[rule]) { p { (prose(rule.sentence)) } }
                                }
                                (frequency(&counts.rules, rule, &rules))
                                td { (places(counts, rule)) }
                            }
                        }
                    }
                }
            }
        }
        section {
            h2 #cases { "Cases that fail" }
            (failures("case", &counts.cases, title))
        }
        @if !class.checks.is_empty() {
            section {
                h2 #code { (words::CODE) }
                (failures("check", &counts.checks, sentence))
            }
        }
        section {
            h2 #questions { "Open questions, as they were answered" }
            @if rulings.is_empty() { p.quiet { "None made a difference." } } @else {
                table.chart {
                    thead { tr { th scope="col" { "Question and answer" } th scope="col" { "Submissions" } } }
                    tbody {
                        @for &ruling in &rulings {
                            tr {
                                th scope="row" { (filter("ruling", ruling, &counts.rulings.names[ruling])) }
                                (frequency(&counts.rulings, ruling, &rulings))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What fails in how many submissions, of one kind.
fn failures<'t>(kind: &str, tally: &Tally, title: impl Fn(usize) -> &'t str) -> Markup {
    let failing = tally.by_frequency();
    html! {
        @if failing.is_empty() { p.quiet { "None." } } @else {
            table.chart {
                thead { tr { th scope="col" { (words::capitalised(kind)) } th scope="col" { "Submissions" } } }
                tbody {
                    @for &number in &failing {
                        tr {
                            th scope="row" {
                                (filter(kind, number, &tally.names[number])) p { (prose(title(number))) }
                            }
                            (frequency(tally, number, &failing))
                        }
                    }
                }
            }
        }
    }
}

/// How often one of them came, beside the first, which came most often.
fn frequency(tally: &Tally, number: usize, by_frequency: &[usize]) -> Markup {
    let most = by_frequency.first().map_or(0, |&first| tally.counts[first]);
    html! { td { (bar(tally.counts[number], most)) (tally.counts[number]) } }
}

/// Where a rule is broken most often.
fn places(counts: &Counts, rule: usize) -> String {
    let range = (rule, Place::Case(0))..(rule + 1, Place::Case(0));
    let mut places: Vec<(usize, Place)> =
        counts.places.range(range).map(|(&(_, place), &count)| (count, place)).collect();
    places.sort_by_key(|&(count, place)| (std::cmp::Reverse(count), place));
    let name = |place: Place| match place {
        Place::Case(case) => &counts.cases.names[case],
        Place::Check(check) => &counts.checks.names[check],
    };
    let places: Vec<String> =
        places.iter().map(|&(count, place)| format!("{} ({count})", shown(name(place)))).collect();
    first_of(&places, 3)
}

fn table(class: &Class, counts: &Counts) -> Markup {
    // Numbers start with the smallest, texts with the first letter.
    let columns = ["Submission", "Outcome", "Points", "Cases passed", "First failing case", "First rule broken"];
    html! {
        main {
            h2 #submissions { "Submissions" }
            noscript { p { "The table is made by a script, which this browser does not run. The same is in results.csv." } }
            div.tools hidden {
                label { "Search " input #search type="search" autocomplete="off" spellcheck="false"; }
                span #filter hidden { "Only " strong {} " " button type="button" { "Show all" } }
                output #found aria-live="polite" {}
            }
            div.wide {
                table #class hidden {
                    caption.unseen { "The submissions of " (shown(&class.title)) }
                    thead {
                        tr {
                            @for (index, name) in columns.iter().enumerate() {
                                th scope="col" aria-sort=(if index == 0 { "ascending" } else { "none" }) {
                                    button type="button" { (name) }
                                }
                            }
                        }
                    }
                    tbody {}
                }
            }
            nav.pages aria-label="Pages of the table" hidden {
                button #back type="button" { "← Back" }
                output #page {}
                button #on type="button" { "On →" }
            }
            @if counts.totals.submissions == 0 { p { "Nobody has been graded." } }
        }
    }
}
