//! Reports and classes that are made up, for the tests of what is written about them.

use std::io::{self, Write};

use console_check::assignment::Points;
use console_check::grade::{
    CaseReport, CheckReport, CheckVerdict, Class, ClassCase, ClassCheck, DifferenceReport, Input, Outcome, Record,
    Report, Row, SideLine, Totals,
};
use console_check::judge::{Cause, Verdict};
use console_check::report::class_html::Index;

/// Texts that would do something if they were taken for anything but text.
pub const HOSTILE: &str = "</script></title></style><script>window.hacked=1</script><img src=x onerror=window.hacked=2>\
     <!--\"'&amp;{{}}]]>--><a href=\"javascript:window.hacked=3\">\u{1b}[2J\u{7}\u{0}\u{202e}txet\u{200b}\u{2028}\u{feff}\r";

/// A line of a transcript.
pub fn line(said: &str, typed: Option<&str>) -> SideLine {
    SideLine {
        said: said.to_owned(),
        typed: typed.map(|typed| Some(typed.to_owned())),
        text: said.to_owned(),
        is_open: false,
    }
}

/// A case with nothing to say.
pub fn case(id: &str, verdict: Verdict) -> CaseReport {
    let points = if verdict == Verdict::Passed { Points::ONE } else { Points::ZERO };
    CaseReport {
        id: id.to_owned(),
        title: format!("the case {id}"),
        ending: Some("exited"),
        ..CaseReport::empty(verdict, points, Points::ONE)
    }
}

/// A case whose transcripts part at this line, counted from 0.
pub fn failing(id: &str, expected: Vec<SideLine>, actual: Vec<SideLine>, at: usize) -> CaseReport {
    let difference = DifferenceReport {
        expected_line: Some(at).filter(|line| *line < expected.len()),
        actual_line: Some(at).filter(|line| *line < actual.len()),
        cause: Cause::Wording,
        rule: Some(reference::rules::darts::BUST),
        why: "the words differ".to_owned(),
        input: None,
        situation: "player 1, turn 1".to_owned(),
        story: None,
    };
    CaseReport { difference: Some(difference), expected, actual, ..case(id, Verdict::Mismatch) }
}

/// A check of the code that is worth half a point.
pub fn check(id: &str, verdict: CheckVerdict) -> CheckReport {
    let earns = matches!(verdict, CheckVerdict::Passed | CheckVerdict::Note);
    let max_points = Points::from_hundredths(50);
    CheckReport {
        id: id.to_owned(),
        sentence: format!("The code has `{id}`."),
        verdict,
        hidden: false,
        line: (verdict == CheckVerdict::Failed).then_some(12),
        rule: Some(reference::rules::racko::HEADER),
        why: if verdict == CheckVerdict::Passed { String::new() } else { format!("there is `something` about {id}") },
        points: if earns { max_points } else { Points::ZERO },
        max_points,
    }
}

/// A report that passes its cases, with checks of every verdict.
pub fn checked() -> Report {
    let checks = [
        check("the-first", CheckVerdict::Passed),
        check("the-second", CheckVerdict::Failed),
        check("the-third", CheckVerdict::Note),
        check("the-fourth", CheckVerdict::Skipped),
        CheckReport { id: "the-fifth".to_owned(), ..check("the-fourth", CheckVerdict::Skipped) },
    ];
    Report { checks: checks.to_vec(), ..report(vec![case("one", Verdict::Passed), case("two", Verdict::Passed)]) }
}

/// A report on these cases.
pub fn report(cases: Vec<CaseReport>) -> Report {
    let passed = cases.iter().all(|case| case.verdict == Verdict::Passed);
    Report {
        assignment: "darts".to_owned(),
        title: "Darts 501".to_owned(),
        submission: "student.py".to_owned(),
        outcome: if passed { Outcome::Passed } else { Outcome::Failed },
        reason: None,
        score: cases.iter().map(|case| case.points).sum(),
        max_score: cases.iter().map(|case| case.max_points).sum(),
        interpreter: Some("CPython 3.12.1".to_owned()),
        runner: Some("warm"),
        confinement: vec![],
        rulings: vec![],
        notes: vec![],
        cases,
        checks: vec![],
        syntax_error: None,
    }
}

/// A report with the hostile text wherever a text can stand.
pub fn hostile() -> Report {
    let text = || HOSTILE.to_owned();
    let side = vec![line("Dart 1", None), line(HOSTILE, Some(HOSTILE))];
    let mut case =
        failing("a-case", side.clone(), vec![line("Dart 1", None), line("Dart", Some(HOSTILE)), side[1].clone()], 1);
    if let Some(difference) = &mut case.difference {
        difference.why = text();
        difference.story = Some(text());
        difference.situation = text();
        difference.input = Some(Input { number: 1, text: text() });
    }
    let case = CaseReport {
        id: text(),
        title: text(),
        ending: Some("crashed"),
        ending_detail: Some(text()),
        stderr_tail: format!("Traceback\n{HOSTILE}\n"),
        inputs: vec![text(), text()],
        seed: Some(text()),
        ..case
    };
    let checks = [CheckVerdict::Failed, CheckVerdict::Note, CheckVerdict::Skipped, CheckVerdict::Passed];
    let checks = checks.map(|verdict| CheckReport { sentence: text(), why: text(), ..check(HOSTILE, verdict) });
    Report {
        checks: checks.to_vec(),
        assignment: text(),
        title: text(),
        submission: text(),
        reason: Some(text()),
        interpreter: Some(text()),
        notes: vec![text()],
        syntax_error: Some(text()),
        ..report(vec![case])
    }
}

/// A report whose first failing case printed this many lines too many.
pub fn flood(lines: usize) -> Report {
    let expected: Vec<SideLine> = (0..40).map(|number| line(&format!("line {number} of the game"), None)).collect();
    let more = (0..lines).map(|number| line(&format!("and on and on {number}"), None));
    let actual = expected.iter().cloned().chain(more).collect();
    let mut case = failing("flood", expected, actual, 40);
    case.verdict = Verdict::TooMuchOutput;
    case.ending = Some("too_much_output");
    report(vec![case])
}

/// What is asked of the code of that class.
const CHECKS: [&str; 3] = ["header", "function-main", "imports"];

/// A class of Darts.
pub fn class() -> Class {
    let cases = (0..38).map(|number| ClassCase {
        id: format!("case-{number}"),
        title: format!("the case number {number}"),
        max_points: Points::ONE,
        hidden: number % 7 == 0,
    });
    Class {
        assignment: "darts".to_owned(),
        title: "Darts 501".to_owned(),
        cases: cases.collect(),
        checks: CHECKS.map(|id| ClassCheck::from(&check(id, CheckVerdict::Passed))).to_vec(),
        totals: Totals::default(),
    }
}

/// Rows of such a class, none of them like the one before.
pub fn rows(class: &Class, count: usize) -> impl Iterator<Item = Row> {
    let rules = reference::rules::darts::ALL;
    (0..count).map(move |number| {
        // Any order will do that is the same on every run.
        let mixed = number.wrapping_mul(2_654_435_761) >> 7;
        let fails = |at: usize| mixed % 3 != 0 && (mixed >> 3).wrapping_mul(at + 7) % 11 < mixed % 5;
        let cases = class.cases.iter().enumerate().map(|(at, known)| {
            if !fails(at) {
                return case(&known.id, Verdict::Passed);
            }
            let mut case = failing(&known.id, vec![], vec![], 0);
            if let Some(difference) = &mut case.difference {
                difference.rule = Some(rules[(at + mixed % 4) % rules.len()]);
            }
            case
        });
        let mut made = report(cases.collect());
        let failed =
            |at: usize| if (mixed >> at).is_multiple_of(3) { CheckVerdict::Failed } else { CheckVerdict::Note };
        made.checks = CHECKS.iter().enumerate().map(|(at, id)| check(id, failed(at))).collect();
        if number % 97 == 5 {
            made.checks = CHECKS.map(|id| check(id, CheckVerdict::Skipped)).to_vec();
            made.outcome = Outcome::NotRun;
            made.score = Points::ZERO;
            made.syntax_error = Some("  File \"student.py\", line 3\nSyntaxError: expected ':'".to_owned());
        }
        made.rulings = vec![console_check::grade::Ruling {
            question: "bust-at-one",
            text: "",
            answer: if mixed % 5 == 0 { "at-the-end" } else { "at-once" },
            answer_text: "",
            inferred: true,
        }];
        row(&format!("student{number:05}"), &made)
    })
}

/// The row of one report.
pub fn row(key: &str, report: &Report) -> Row {
    Row {
        key: key.to_owned(),
        folder: format!("folder of {key}"),
        content: None,
        basis: String::new(),
        report: Record::from(report),
    }
}

/// Writes the page of a class.
pub fn write_class(class: &Class, mut rows: impl Iterator<Item = Row>, writer: &mut dyn Write) -> io::Result<()> {
    let mut page = Index::begin(class, writer)?;
    rows.try_for_each(|row| page.row(&row))?;
    page.finish()
}
