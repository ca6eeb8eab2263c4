//! `check cases` and `check rules`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reference::rules;
use reference::{play_script, seeded_dice};

use super::args::AssignmentArgs;
use super::{CliError, Exit, print};
use crate::assignment::{Assignment, Points, Task};
use crate::shared::first_of;

/// A rule that holds in more cases holds in nearly all.
const MOST_SHOWN: usize = 8;

pub fn cases(args: &AssignmentArgs) -> Result<Exit, CliError> {
    let assignment = Assignment::find(&args.assignment, args.fixtures.as_deref())?;
    let ids = assignment.cases.iter().map(|case| &case.id).chain(assignment.calls.iter().map(|case| &case.id));
    let width = ids.map(|id| id.as_str().len()).max().unwrap_or(0);
    let mut text =
        format!("{}: {} cases, {} points\n\n", assignment.title, assignment.cases.len(), assignment.max_points());
    for case in &assignment.cases {
        let points = points(case.points);
        let hidden = if case.is_hidden() { " (hidden)" } else { "" };
        let _ = writeln!(text, "{:<width$}  {points:<10}  {}{hidden}", case.id.as_str(), case.title);
    }
    if !assignment.calls.is_empty() {
        text.push_str("\nCalls of its functions, which count among what is asked of the code\n\n");
    }
    for case in &assignment.calls {
        let points = worth(case.points, case.is_note);
        let hidden = if case.is_hidden() { " (hidden)" } else { "" };
        let _ = writeln!(text, "{:<width$}  {points:<10}  {}{hidden}", case.id.as_str(), case.title);
    }
    print(text.as_bytes())?;
    Ok(Exit::Success)
}

pub fn rules(args: &AssignmentArgs) -> Result<Exit, CliError> {
    let assignment = Assignment::find(&args.assignment, args.fixtures.as_deref())?;
    let exercised = exercised(&assignment)?;
    let mut text = format!("{}: the rules\n", assignment.title);
    for rule in assignment.game.rules() {
        let cases = exercised.get(rule.id).map(Vec::as_slice).unwrap_or_default();
        let cases = if cases.is_empty() { "none".to_owned() } else { first_of(cases, MOST_SHOWN) };
        let _ = write!(text, "\n{} ({})\n    {}\n    cases: {cases}\n", rule.id, rule.place, rule.sentence);
    }
    text.push_str("\nOpen questions: a program may answer either way, but only one way\n");
    for accepted in &assignment.rulings {
        let _ = write!(text, "\n{}: {}\n", accepted.question.id, accepted.question.text);
        for answer in accepted.question.answers {
            let refused = if accepted.answers.contains(&answer.id) { "" } else { " (not accepted here)" };
            let _ = writeln!(text, "    {} = {}{refused}", answer.id, answer.text);
        }
    }
    let checks = assignment
        .checks
        .iter()
        .map(|check| (&check.id, worth(check.points, check.is_note), check.rule, check.sentence()));
    let calls =
        assignment.calls.iter().map(|case| (&case.id, worth(case.points, case.is_note), case.rule, case.sentence()));
    let asked: Vec<_> = checks.chain(calls).collect();
    if !asked.is_empty() {
        let _ = write!(text, "\nWhat is asked of the code: {}\n", points(assignment.max_check_points()));
    }
    for (id, worth, rule, sentence) in asked {
        let place = rule.map(|rule| format!(" ({}; {})", rule.id, rule.place)).unwrap_or_default();
        let _ = write!(text, "\n{id}: {worth}{place}\n    {sentence}\n");
    }
    print(text.as_bytes())?;
    Ok(Exit::Success)
}

fn worth(worth: Points, is_note: bool) -> String {
    if is_note { "a note".to_owned() } else { points(worth) }
}

fn points(points: Points) -> String {
    if points == Points::ONE { "1 point".to_owned() } else { format!("{points} points") }
}

/// For each rule the cases in which a line follows it, under any accepted rulings; for a rule that never says anything,
/// the cases in which something is left unsaid because of it.
fn exercised(assignment: &Assignment) -> Result<BTreeMap<&'static str, Vec<&str>>, CliError> {
    let mut exercised: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    let mut silent: BTreeMap<&'static str, Vec<&str>> = BTreeMap::new();
    for case in &assignment.cases {
        let id = case.id.as_str();
        let Task::Script(script) = &case.task else {
            note(&mut exercised, rules::doubles::FAIR_DICE.id, id);
            continue;
        };
        for rulings in assignment.combinations() {
            let seed = script.seed.as_ref().map(|seed| seed.number().clone()).unwrap_or_default();
            let played = play_script(assignment.game, &rulings, &script.inputs, &mut seeded_dice(&seed));
            let played = played.map_err(|stop| CliError::Usage(format!("case {id}: {stop}")))?;
            for line in played.transcript.lines.iter().filter_map(|line| line.note.as_deref()) {
                note(&mut exercised, line.rule.id, id);
                line.value_rules.iter().for_each(|rule| note(&mut exercised, rule.id, id));
                line.silence.iter().for_each(|silence| note(&mut silent, silence.rule.id, id));
            }
        }
    }
    silent.extend(exercised);
    Ok(silent)
}

fn note<'c>(cases_of: &mut BTreeMap<&'static str, Vec<&'c str>>, rule: &'static str, case: &'c str) {
    let cases = cases_of.entry(rule).or_default();
    if cases.last() != Some(&case) {
        cases.push(case);
    }
}
