//! Reports in which every field holds any text.

use std::time::Duration;

use console_check::assignment::Points;
use console_check::grade::{CaseReport, CheckReport, CheckVerdict, DifferenceReport, Input, Outcome, Report, SideLine};
use console_check::judge::{Cause, Verdict};
use proptest::prelude::*;
use reference::Game;

/// What means something to a reader of one of the formats.
const MEANINGFUL: [&str; 34] = [
    "HOSTILE",
    "::error::",
    "\n::stop-commands::x\n",
    "\r::set-output name=a::b",
    "##[error]",
    "##vso[task.complete]",
    "##",
    "%0A::error::",
    "`",
    "```",
    "\n```\n",
    "|",
    "\\",
    "<script>",
    "</code></summary>",
    "<!--",
    "]]>",
    "&lt;",
    "&#60;",
    "![a](http://b)",
    "@someone",
    "https://example.org",
    "#1",
    "**",
    "=1+1",
    "+",
    "-",
    "@SUM(1)",
    ";",
    ",",
    "\"",
    "\t=",
    "\u{1b}[31m",
    "\n    ",
];

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        3 => prop::sample::select(&MEANINGFUL[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
        1 => prop::sample::select(vec!['\0', '\u{7f}', '\u{85}', '\u{2028}', '\u{202e}', '\u{fffe}', '\u{ffff}', ' ', '＝'])
            .prop_map(String::from),
        1 => "[a-z ]{1,20}",
    ];
    let long = (part.clone(), 1..3000_usize).prop_map(|(part, times)| part.repeat(times));
    prop_oneof![
        20 => prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat()),
        1 => long,
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(vec![
        Verdict::Passed,
        Verdict::Mismatch,
        Verdict::Crashed,
        Verdict::TimedOut,
        Verdict::LeftInputUnread,
        Verdict::Presentation,
    ])
}

fn line() -> impl Strategy<Value = SideLine> {
    (text(), prop::option::of(prop::option::of(text())), text(), any::<bool>())
        .prop_map(|(said, typed, text, is_open)| SideLine { said, typed, text, is_open })
}

fn difference() -> impl Strategy<Value = DifferenceReport> {
    let cause = prop::sample::select(vec![
        Cause::MissingLine,
        Cause::ExtraLine,
        Cause::Number,
        Cause::Order,
        Cause::LineBreak,
        Cause::WentOn,
    ]);
    let rule = prop::option::of(prop::sample::select(Game::Darts.rules()));
    let place = || prop::option::of(0..4_usize);
    let input = prop::option::of((1..4_usize, text()).prop_map(|(number, text)| Input { number, text }));
    (place(), place(), cause, rule, text(), input, text(), prop::option::of(text())).prop_map(
        |(expected_line, actual_line, cause, rule, why, input, situation, story)| DifferenceReport {
            expected_line,
            actual_line,
            cause,
            rule,
            why,
            input,
            situation,
            story,
        },
    )
}

fn case() -> impl Strategy<Value = CaseReport> {
    let lines = || prop::collection::vec(line(), 0..4);
    let told = (text(), text(), any::<bool>(), verdict(), prop::option::of(text()), any::<bool>());
    let known = (prop::option::of(difference()), text(), prop::collection::vec(text(), 0..4), lines(), lines());
    (told, known, prop::option::of(0..100_000_u64)).prop_map(|(told, known, micros)| {
        let (id, title, hidden, verdict, ending_detail, crashed) = told;
        let (difference, stderr_tail, inputs, expected, actual) = known;
        CaseReport {
            id,
            title,
            hidden,
            ending: Some(if crashed { "crashed" } else { "exited" }),
            ending_detail,
            duration: micros.map(Duration::from_micros),
            difference: difference.filter(|_| verdict != Verdict::Passed),
            stderr_tail,
            inputs,
            read: Some(1),
            expected,
            actual,
            ..CaseReport::empty(verdict, Points::from_hundredths(50), Points::ONE)
        }
    })
}

fn check() -> impl Strategy<Value = CheckReport> {
    let verdict = prop::sample::select(vec![
        CheckVerdict::Passed,
        CheckVerdict::Failed,
        CheckVerdict::Note,
        CheckVerdict::Skipped,
    ]);
    let line = prop::option::of(1..4000_usize);
    let rule = prop::option::of(prop::sample::select(Game::Racko.code_rules()));
    (text(), verdict, any::<bool>(), line, rule, text(), 0..3_u64).prop_map(
        |(id, verdict, hidden, line, rule, why, most)| {
            let max_points = Points::from_hundredths(50 * most);
            let earns = matches!(verdict, CheckVerdict::Passed | CheckVerdict::Note);
            CheckReport {
                // What is asked by one name is the same for a whole class.
                sentence: format!("{id} is what it asks."),
                id,
                verdict,
                hidden,
                line: line.filter(|_| matches!(verdict, CheckVerdict::Failed | CheckVerdict::Note)),
                rule,
                why: if verdict == CheckVerdict::Passed { String::new() } else { why },
                points: if earns { max_points } else { Points::ZERO },
                max_points,
            }
        },
    )
}

/// Any report, for students or for instructors.
pub fn reports() -> impl Strategy<Value = Report> {
    let named = (text(), text(), text(), prop::collection::vec(text(), 0..2));
    // One that was run, one that Python can't read, and one that could not be graded.
    let became = prop_oneof![
        4 => Just((Outcome::Failed, None, None)),
        1 => text().prop_map(|words| (Outcome::NotRun, Some(words), None)),
        1 => text().prop_map(|reason| (Outcome::Error, None, Some(reason))),
    ];
    let made = (prop::collection::vec(case(), 0..14), prop::collection::vec(check(), 0..30), any::<bool>());
    (named, became, made, any::<bool>(), any::<bool>()).prop_map(
        |((assignment, title, submission, notes), became, (mut cases, checks, is_strict), python, student)| {
            let (outcome, syntax_error, reason) = became;
            let not_run = outcome != Outcome::Failed;
            if not_run {
                cases.iter_mut().for_each(|case| (case.verdict, case.difference) = (Verdict::NotRun, None));
            }
            let kept = checks.iter().all(|check| check.verdict != CheckVerdict::Failed);
            let passed = cases.iter().all(|case| case.verdict == Verdict::Passed) && (kept || !is_strict);
            let points = cases.iter().map(|case| (case.points, case.max_points));
            let points = points.chain(checks.iter().map(|check| (check.points, check.max_points)));
            let (score, max_score): (Vec<Points>, Vec<Points>) = points.unzip();
            let report = Report {
                assignment,
                title,
                submission,
                outcome: if passed && !not_run { Outcome::Passed } else { outcome },
                reason,
                score: score.into_iter().sum(),
                max_score: max_score.into_iter().sum(),
                interpreter: python.then(|| "CPython 3.11.7".to_owned()),
                runner: (!not_run).then_some("warm"),
                confinement: vec![],
                rulings: vec![],
                notes,
                cases,
                checks,
                syntax_error,
            };
            if student { report.for_students() } else { report }
        },
    )
}
