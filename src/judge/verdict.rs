//! From one run to its verdict.

use reference::transcript::Transcript;
use serde::{Deserialize, Serialize};

use crate::run::{Ending, Outcome};

use super::compare::{Comparison, Expected, Level, Printed};

/// What became of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The program could not be run at all.
    NotRun,
    /// The content differs.
    Mismatch,
    /// The program broke.
    Crashed,
    /// It asked for more than the script has.
    WantedMoreInput,
    /// It took too long.
    TimedOut,
    /// It printed too much.
    TooMuchOutput,
    /// It took too much memory.
    TooMuchMemory,
    /// It ended before the script did.
    LeftInputUnread,
    /// The content is right, spacing or punctuation is not.
    Presentation,
    /// All is right.
    Passed,
}

impl Verdict {
    /// The name in reports.
    pub fn id(self) -> &'static str {
        match self {
            Verdict::NotRun => "not_run",
            Verdict::Mismatch => "mismatch",
            Verdict::Crashed => "crashed",
            Verdict::WantedMoreInput => "wanted_more_input",
            Verdict::TimedOut => "timed_out",
            Verdict::TooMuchOutput => "too_much_output",
            Verdict::TooMuchMemory => "too_much_memory",
            Verdict::LeftInputUnread => "left_input_unread",
            Verdict::Presentation => "presentation",
            Verdict::Passed => "passed",
        }
    }
}

/// A verdict and what led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// The first difference that counts for it, at the level at which it was found.
    pub divergence: Option<(Level, Comparison)>,
    /// How far the contents agree, then how far the bytes do: more is nearer.
    pub agreement: (usize, usize),
}

/// Judges a run that printed a transcript byte for byte, as most runs of a right program do, without taking either
/// apart; nothing if it has to be looked at more closely.
pub fn judge_at_once(
    transcript: &Transcript,
    printed: &Printed<'_>,
    outcome: &Outcome,
    lines: usize,
) -> Option<Judged> {
    let agreement = (printed.items(Level::Content).len(), printed.items(Level::Exact).len());
    let passed = Judged { verdict: Verdict::Passed, divergence: None, agreement };
    (is_over(outcome, lines) && transcript.piped().is_literally(printed.bytes)).then_some(passed)
}

/// Whether a run ended by itself and had read all of its script.
pub fn is_over(outcome: &Outcome, lines: usize) -> bool {
    fault(&outcome.ending).is_none() && outcome.lines_read.is_none_or(|read| read >= lines)
}

/// Judges one run. `lines` is how many inputs the script has.
pub fn judge(expected: &Expected, printed: &Printed<'_>, outcome: &Outcome, lines: usize) -> Judged {
    let mut content = expected.compare(printed, Level::Content);
    let mut exact = expected.compare(printed, Level::Exact);
    let unread = outcome.lines_read.is_some_and(|read| read < lines);
    if outcome.ending == Ending::WantedMoreInput && !unread {
        // A program that reads an answer before it asks for it never gets to ask for the one that nobody gives.
        for (level, compared) in [(Level::Content, &mut content), (Level::Exact, &mut exact)] {
            if expected.lacks_only_the_open_prompt(level, compared.comparison) {
                compared.comparison = Comparison::Equal;
            }
        }
    }
    let of_content = cut_short(content.comparison, expected, printed, outcome);
    // What follows a prompt that nobody answers is not graded, nor is how the program ends there.
    let ending = if expected.unanswered && of_content == Comparison::Equal { None } else { fault(&outcome.ending) };
    let (verdict, divergence) = match (of_content, ending) {
        (Comparison::Differs { .. }, _) => (Verdict::Mismatch, Some((Level::Content, of_content))),
        (Comparison::Equal, Some(verdict)) => (verdict, None),
        (_, Some(verdict)) => (verdict, Some((Level::Content, of_content))),
        (Comparison::Equal, None) if unread => (Verdict::LeftInputUnread, None),
        (_, None) if unread => (Verdict::LeftInputUnread, Some((Level::Content, of_content))),
        (Comparison::Short(_) | Comparison::Long(_), None) => (Verdict::Mismatch, Some((Level::Content, of_content))),
        (Comparison::Equal, None) if exact.comparison == Comparison::Equal => (Verdict::Passed, None),
        (Comparison::Equal, None) => (Verdict::Presentation, Some((Level::Exact, exact.comparison))),
    };
    Judged { verdict, divergence, agreement: (content.agreement, exact.agreement) }
}

/// A program that was stopped may have been stopped in the middle of a number, which then is no wrong number.
fn cut_short(comparison: Comparison, expected: &Expected, printed: &Printed<'_>, outcome: &Outcome) -> Comparison {
    use super::compare::What;
    use super::text::Kind;
    let Comparison::Differs { expected: want, actual } = comparison else { return comparison };
    let items = printed.items(Level::Content);
    let was_stopped =
        matches!(outcome.ending, Ending::TimedOut | Ending::TooMuchOutput | Ending::TooMuchMemory | Ending::Stopped);
    let wanted = expected.wants(Level::Content)[want].what;
    let What::Item { kind: Kind::Number, .. } = wanted else { return comparison };
    let item = items[actual];
    let text = expected.text(wanted).unwrap_or_default();
    let started = actual + 1 == items.len() && text.starts_with(&printed.bytes[item.start as usize..item.end as usize]);
    let at_the_end = item.end as usize == printed.bytes.len();
    if was_stopped && started && at_the_end { Comparison::Short(want) } else { comparison }
}

/// The verdict of an ending that is a fault.
fn fault(ending: &Ending) -> Option<Verdict> {
    match ending {
        Ending::Exited { .. } | Ending::Stopped => None,
        Ending::Crashed(_) => Some(Verdict::Crashed),
        Ending::WantedMoreInput => Some(Verdict::WantedMoreInput),
        Ending::TimedOut => Some(Verdict::TimedOut),
        Ending::TooMuchOutput => Some(Verdict::TooMuchOutput),
        Ending::TooMuchMemory => Some(Verdict::TooMuchMemory),
    }
}
