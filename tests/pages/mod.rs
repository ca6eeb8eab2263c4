//! What is written for a browser, before any browser sees it; `tests/browser` looks at it in one.

use console_check::grade::{CheckVerdict, Report, Row};
use console_check::judge::Verdict;
use console_check::report::html;

use crate::cli::Desk;
use crate::support::pages::{
    HOSTILE, case, check, checked, class, failing, flood, hostile, line, report, row, rows, write_class,
};

/// What is asked of the page of one submission.
const LARGEST: usize = 300_000;

fn page(report: &Report) -> String {
    let mut page = vec![];
    html::write(report, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

fn class_page(rows: impl Iterator<Item = Row>) -> String {
    let mut page = vec![];
    write_class(&class(), rows, &mut page).unwrap();
    String::from_utf8(page).unwrap()
}

/// Every element that is opened is closed in its place, and no attribute stands twice or is unquoted.
fn assert_well_formed(page: &str) {
    const EMPTY: [&str; 4] = ["meta", "link", "input", "!DOCTYPE"];
    let mut open: Vec<&str> = vec![];
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        let end = after.find('>').unwrap();
        let tag = &after[..end];
        rest = &after[end + 1..];
        let name = tag.split([' ', '\n']).next().unwrap();
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "…{}", &rest[..rest.len().min(80)]);
            continue;
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if !EMPTY.contains(&name) {
            open.push(name);
        }
        if ["style", "script"].contains(&name) {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Nothing of the hostile text stands in the page as it was.
fn assert_inert(page: &str) {
    assert!(!page.contains("<img") && !page.contains("<script>window"));
    assert!(!page.contains(|c: char| c.is_control() && c != '\n'));
    assert!(!page.contains(['\u{202e}', '\u{200b}', '\u{2028}', '\u{feff}']));
    assert!(page.contains("⟨U+202E⟩txet"));
}

#[test]
fn pages_are_well_formed() {
    let passed = report(vec![case("one", Verdict::Passed), case("two", Verdict::Passed)]);
    let game = vec![line("Dart 1", None), line("Enter score: ", Some("60")), line("Treble 20", None)];
    let failed =
        report(vec![failing("one", game.clone(), vec![line("Dart  1", None)], 0), failing("two", game, vec![], 0)]);
    for report in [passed, failed, flood(100), hostile(), checked()] {
        assert_well_formed(&page(&report));
    }
    assert_well_formed(&class_page(rows(&class(), 50)));
    assert_well_formed(&class_page(std::iter::empty()));
}

#[test]
fn hostile_text_is_inert() {
    assert_inert(&page(&hostile()));
    let mut row = row(HOSTILE, &hostile());
    row.folder = HOSTILE.to_owned();
    assert_inert(&class_page(std::iter::once(row)));
}

#[test]
fn no_failure_makes_a_large_page() {
    let long = |count: usize, more: &str| -> Vec<_> {
        let said = |number: usize| line(&format!("line {number} of a game {more}"), Some("60"));
        (0..count).map(said).collect()
    };
    // Every line of every case differs; a line is a flood; the lines are a flood.
    let every = (0..38).map(|number| failing(&format!("case-{number}"), long(900, ""), long(900, "!"), 0)).collect();
    let endless = [line(&"\u{1b}".repeat(1 << 20), None)];
    let one = (0..38).map(|number| failing(&format!("case-{number}"), long(9, ""), endless.to_vec(), 0)).collect();
    for report in [report(every), report(one), flood(500_000)] {
        let size = page(&report).len();
        assert!(size < LARGEST, "{size}");
    }
}

#[test]
fn what_is_left_out_is_told() {
    let page = page(&flood(5_000));
    // 40 lines and the 600 that are looked at are there, or as many of them as there is room for.
    let shown = page.matches(" line </span>").count();
    let told = format!("Left out after this: 0 lines of what is expected, {} lines of yours.", 5_000 - shown);
    assert!(shown > 300 && page.contains(&told), "{shown}");
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(page(&hostile()), page(&hostile()));
    assert_eq!(class_page(rows(&class(), 30)), class_page(rows(&class(), 30)));
}

#[test]
fn a_case_that_is_withheld_says_nothing_else() {
    let mut secret = failing("secret", vec![line("the secret", None)], vec![], 0);
    secret.hidden = true;
    let page_of = |report: Report| page(&report);
    assert!(page_of(report(vec![secret.clone()])).contains("the secret"));
    let shown = page_of(report(vec![secret]).for_students());
    assert!(
        shown.contains("This case is hidden") && !shown.contains("the secret") && !shown.contains("the words differ")
    );
}

#[test]
fn what_is_found_in_the_code_stands_before_what_passes() {
    let shown = page(&checked());
    let places = [
        "href=\"#code\"",
        "What is asked of the code: 1.0 of 2.5 points</h2>",
        "<details class=\"case bad\" open>",
        "<span id=\"check-the-second\">the-second</span>",
        "line 12",
        "There is <code>something</code> about the-second.",
        "(racko.code.header; ",
        "<span id=\"check-the-third\">the-third</span>",
        "<span id=\"check-the-fourth\">the-fourth</span>, <span id=\"check-the-fifth\">the-fifth</span></h3>",
        "not looked at",
        "0.0 of 1.0",
        "<li class=\"good\" title=\"The code has `the-first`.\">",
        "Cases that pass",
    ];
    let found: Vec<_> = places.iter().map(|place| shown.find(place)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?}");
    assert!(!page(&report(vec![case("one", Verdict::Passed)])).contains("What is asked of the code"));
}

#[test]
fn only_what_failed_is_counted_of_the_code() {
    let of = |key: &str, verdict| row(key, &Report { checks: vec![check("header", verdict)], ..checked() });
    let (failed, note, skipped) = (CheckVerdict::Failed, CheckVerdict::Note, CheckVerdict::Skipped);
    let shown = class_page([of("a", failed), of("b", note), of("c", skipped), of("d", failed)].into_iter());
    let (_, chart) = shown.split_once("<h2 id=\"code\">").unwrap();
    let counted = "data-kind=\"check\" data-value=\"0\">header</button><p>The code has <code>header</code>.</p>";
    assert!(chart.contains(counted) && chart.contains("</svg>2</td>"), "{chart}");
    assert!(shown.contains("<td>header (2)</td>"), "the rule of it is broken there");
    let none = class_page([of("b", note), of("c", skipped)].into_iter());
    assert!(
        none.split_once("<h2 id=\"code\">")
            .unwrap()
            .1
            .starts_with("What is asked of the code</h2><p class=\"quiet\">None.")
    );
}

#[test]
fn the_page_is_a_format() {
    let desk = Desk::with_student("darts/bad/one_left_is_no_bust.py");
    let said = desk.check(&["darts", "student.py", "--format", "html"]);
    assert!(said.status == 1 && said.out.starts_with("<!DOCTYPE html>") && said.err.is_empty());
    assert_well_formed(&said.out);
    let text = std::fs::read_to_string(desk.path().join("student.py")).unwrap();
    assert!(text.len() < said.out.len() && said.out.len() < LARGEST);
    assert_eq!(desk.check(&["darts", "student.py", "--format", "terminal,html", "--output", "here"]).status, 1);
    assert_eq!(std::fs::read_to_string(desk.path().join("here/report.html")).unwrap(), said.out);
}
