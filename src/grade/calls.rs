//! What the functions of a program do when they are called by themselves.

use reference::functions::{self, Value};

use super::checks::{CheckReport, CheckVerdict, Code, NOT_ASKED_FOR};
use super::{GradeError, Graded, Options};
use crate::assignment::{Assignment, Call, CallCase, Points, signature};
use crate::code::{self, Program};
use crate::judge::text::says_the_same;
use crate::run::{CallEnd, CallTold, Callable, Ending, Job, Limits, Loading, Outcome, Session, Told};

/// What is expected of one call.
struct Expected {
    returns: Option<Value>,
    /// Any of these texts may be printed, the usual one first; nothing counts where there is none.
    prints: Vec<String>,
    lists: Vec<(usize, Vec<i64>)>,
}

/// Calls the functions of a submission.
///
/// # Errors
/// When a run can't be made.
pub(super) fn look(
    assignment: &Assignment,
    graded: Graded<'_>,
    code: &Code,
    session: &Session<'_>,
    options: Options<'_>,
) -> Result<Vec<CheckReport>, GradeError> {
    let submission = match graded {
        _ if !options.checks.functions => return Ok(skipped(assignment, NOT_ASKED_FOR, false)),
        Graded::Python(_, submission) => submission,
        Graded::Command(..) => {
            return Ok(skipped(assignment, "only the functions of a Python program are called", false));
        }
    };
    let program = code.as_ref().and_then(|program| program.as_ref().ok());
    // What the code tells already need not be tried.
    let told = |case: &CallCase| case.calls.iter().find_map(|call| unfit(assignment, program?, case, call));
    let mut reports = vec![];
    let mut called: Vec<&CallCase> = vec![];
    for case in &assignment.calls {
        match told(case) {
            Some(found) => reports.push(report(case, found)),
            None => called.push(case),
        }
    }
    if !called.is_empty() {
        let callable = Callable::new(submission);
        let script = |case: &CallCase| callable.script(&written(case), &case.inputs);
        let scripts: Vec<_> = called.iter().map(|case| script(case)).collect();
        let time = options.time.unwrap_or(assignment.limits.time);
        let limits = Limits { time, output: assignment.limits.output_for(0) };
        let job = |script| Job { script, limits: limits.clone(), stop: &|_| false };
        let jobs: Vec<Job<'_>> = scripts.iter().map(job).collect();
        // Another worker would take longer to start than a few calls take.
        let outcomes = session.run_all(&jobs, 1, &|_, outcome| outcome)?.all;
        reports.extend(called.iter().zip(&outcomes).map(|(case, outcome)| {
            let told = callable.read(outcome, case.calls.len());
            let line = |function: &str| program.and_then(|program| code::definition(program, function));
            report(case, judge(assignment, case, &told, outcome, &line))
        }));
    }
    reports.sort_by_key(|report| assignment.calls.iter().position(|case| case.id.as_str() == report.id));
    Ok(reports)
}

/// What is known of a call before it is made: that there is no such function, or one that takes something else.
fn unfit(assignment: &Assignment, program: &Program, case: &CallCase, call: &Call) -> Option<Found> {
    if code::lacks(program, &call.function) {
        return Some(absent(case, &call.function));
    }
    let asked = signature(&assignment.checks, &call.function)?;
    let (line, why) = code::misfit(program, asked)?;
    Some(if case.is_note { Found::Untold(why) } else { Found::Wrong(line, why) })
}

/// There is no function to call. A note about it would only say the same again.
fn absent(case: &CallCase, function: &str) -> Found {
    let why = format!("there is no function named `{function}`");
    if case.is_note { Found::Untold(why) } else { Found::Wrong(None, why) }
}

/// None of the functions was called. They count, or nothing was to be had from them.
pub(super) fn skipped(assignment: &Assignment, why: &str, counts: bool) -> Vec<CheckReport> {
    let skipped = |case: &CallCase| {
        let why = why.to_owned();
        report(case, if counts { Found::Without(why) } else { Found::Untold(why) })
    };
    assignment.calls.iter().map(skipped).collect()
}

/// What came of a case.
enum Found {
    Right,
    Wrong(Option<usize>, String),
    /// There is nothing to call.
    Without(String),
    /// That can't be told.
    Untold(String),
}

fn report(case: &CallCase, found: Found) -> CheckReport {
    // What can't be told is not held against anybody.
    let max_points = if matches!(found, Found::Untold(_)) { Points::ZERO } else { case.points };
    let (verdict, line, why) = match found {
        Found::Right => (CheckVerdict::Passed, None, String::new()),
        Found::Wrong(line, why) if case.is_note => (CheckVerdict::Note, line, why),
        Found::Wrong(line, why) => (CheckVerdict::Failed, line, why),
        Found::Without(why) | Found::Untold(why) => (CheckVerdict::Skipped, None, why),
    };
    CheckReport {
        id: case.id.as_str().to_owned(),
        sentence: case.sentence(),
        verdict,
        hidden: case.is_hidden(),
        line,
        rule: case.rule,
        why,
        points: if verdict == CheckVerdict::Passed { case.points } else { Points::ZERO },
        max_points,
    }
}

/// The calls as Python writes them.
fn written(case: &CallCase) -> Vec<(String, Vec<String>)> {
    let arguments = |call: &Call| call.arguments.iter().map(Value::to_string).collect();
    case.calls.iter().map(|call| (call.function.clone(), arguments(call))).collect()
}

/// What is expected of a call; nothing if that is not known, which a case has made sure of.
fn expected(assignment: &Assignment, case: &CallCase, call: &Call) -> Option<Expected> {
    if let Some(said) = &case.expected {
        let prints = said.prints.clone().into_iter().collect();
        return Some(Expected { returns: said.returns.clone(), prints, lists: said.lists.clone() });
    }
    let called = functions::call(assignment.game, &call.function, &call.arguments, &case.inputs)?.ok()?;
    Some(Expected { prints: called.prints(), returns: called.returns, lists: called.lists })
}

fn judge(
    assignment: &Assignment,
    case: &CallCase,
    told: &Told,
    outcome: &Outcome,
    line: &dyn Fn(&str) -> Option<usize>,
) -> Found {
    let functions: Vec<&str> = case.calls.iter().map(|call| call.function.as_str()).collect();
    match &told.loading {
        Loading::Done => {}
        Loading::Plays => {
            if outcome.ending == Ending::TimedOut {
                return Found::Wrong(None, "the program does not come to an end while it is loaded".to_owned());
            }
            let why = "the program prints or asks something as soon as it is loaded, so that no function of it can be called by itself";
            return Found::Wrong(None, why.to_owned());
        }
        Loading::Broke(said, at) => {
            return Found::Wrong(*at, format!("the program can't be loaded to call `{}`: {said}", functions[0]));
        }
        Loading::Needs(name) => return needs(functions[0], name),
    }
    for (call, told) in case.calls.iter().zip(&told.calls) {
        let Some(told) = told else { break };
        let Some(expected) = expected(assignment, case, call) else { continue };
        if let Some(found) = judge_call(case, call, told, &expected, outcome, line) {
            return found;
        }
    }
    match told.calls.iter().all(Option::is_some) {
        true => Found::Right,
        false => {
            Found::Wrong(line(functions[0]), format!("`{}` ended the program before all calls were made", functions[0]))
        }
    }
}

fn needs(function: &str, name: &str) -> Found {
    Found::Untold(format!("`{function}` needs `{name}`, which is set only when the whole program runs"))
}

/// What is wrong with a call, if anything is.
fn judge_call(
    case: &CallCase,
    call: &Call,
    told: &CallTold,
    expected: &Expected,
    outcome: &Outcome,
    line: &dyn Fn(&str) -> Option<usize>,
) -> Option<Found> {
    let function = &call.function;
    let answers: Vec<String> = case.inputs.iter().map(|input| format!("«{input}»")).collect();
    let answered = if answers.is_empty() { String::new() } else { format!(" with the answers {}", answers.join(" ")) };
    let wrong = |at: Option<usize>, why: String| Some(Found::Wrong(at.or_else(|| line(function)), why));
    let after = format!("after `{call}`{answered}");
    let (truth, shown) = match &told.end {
        CallEnd::Missing => {
            return Some(Found::Untold(format!("`{function}` can't be called without running the whole program")));
        }
        CallEnd::Needs(name) => return Some(needs(function, name)),
        CallEnd::Broke(said, _) if said.starts_with("EOFError") => {
            return wrong(None, format!("{after} it asks for another answer when it should be done"));
        }
        CallEnd::Broke(said, at) => {
            let place = at.map(|line| format!(" in line {line}")).unwrap_or_default();
            return wrong(*at, format!("`{call}`{answered} breaks{place}: {said}"));
        }
        CallEnd::Unfinished => {
            let ended = match outcome.ending {
                Ending::TimedOut => "does not come to an end in time",
                Ending::TooMuchOutput => "prints without end",
                Ending::TooMuchMemory => "takes more memory than it may have",
                _ => "ends the whole program",
            };
            return wrong(None, format!("`{call}`{answered} {ended}"));
        }
        CallEnd::Returned { truth, shown } => (*truth, shown),
    };
    if !expected.prints.is_empty() && !expected.prints.iter().any(|text| says_the_same(text.as_bytes(), &told.printed))
    {
        return wrong(
            None,
            format!(
                "`{call}`{answered} should print {}, and prints {}",
                quoted(expected.prints[0].as_bytes()),
                quoted(&told.printed)
            ),
        );
    }
    for (argument, numbers) in &expected.lists {
        let now = told.lists.iter().find(|(position, _)| position == argument).map(|(_, text)| text.as_str());
        let wanted = format!("{numbers:?}");
        if now != Some(&*wanted) {
            let before = &call.arguments[*argument];
            let was = if before.to_string() == wanted { "still be" } else { "be" };
            return wrong(
                None,
                format!("{after} the list {before} should {was} {wanted}, and is {}", now.unwrap_or("gone")),
            );
        }
    }
    match &expected.returns {
        Some(Value::Truth(wanted)) if truth != Some(*wanted) => {
            wrong(None, format!("`{call}` should return {}, and returns {shown}", Value::Truth(*wanted)))
        }
        Some(wanted @ (Value::Number(_) | Value::List(_))) if *shown != wanted.to_string() => {
            wrong(None, format!("`{call}` should return {wanted}, and returns {shown}"))
        }
        Some(Value::Text(text)) if *shown != python_repr(text) => {
            wrong(None, format!("`{call}` should return {text:?}, and returns {shown}"))
        }
        _ => None,
    }
}

/// A text in which Python prefers its quotes.
fn python_repr(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    if escaped.contains('\'') && !escaped.contains('"') {
        format!("\"{escaped}\"")
    } else {
        format!("'{}'", escaped.replace('\'', "\\'"))
    }
}

/// What is printed, in one line.
fn quoted(printed: &[u8]) -> String {
    const MOST: usize = 200;
    let text = String::from_utf8_lossy(printed);
    let text = text.trim_end_matches('\n').replace('\n', "⏎");
    if text.is_empty() {
        return "nothing".to_owned();
    }
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
