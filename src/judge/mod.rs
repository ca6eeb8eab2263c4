//! Judging: from what the runs of a submission printed to verdicts and first differences. Pure.
//!
//! The reference is played under every accepted combination of rulings; the submission is judged by the one under which
//! most of its cases pass, for all cases alike.

mod cause;
pub mod compare;
mod dice;
mod difference;
mod question;
mod screen;
mod story;
pub mod text;
mod verdict;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::OnceLock;

use num_bigint::BigInt;
use reference::console::Stop;
use reference::rulings::Rulings;
use reference::transcript::Transcript;
use reference::{Game, Played, play_script};

pub use cause::Cause;
pub use dice::Shown;
pub use difference::Difference;
pub use screen::{Screen, ScreenLine};
pub use verdict::{Judged, Verdict};

use crate::run::{Ending, Outcome};
use compare::{Expected, Printed};
use difference::Sides;
use verdict::{is_over, judge, judge_at_once};

/// One script that a submission was run on.
#[derive(Debug, Clone, Copy)]
pub struct Script<'s> {
    /// What was typed.
    pub inputs: &'s [String],
    /// The seed, for a game that does not ask for one.
    pub seed: Option<&'s BigInt>,
}

/// A run of a script and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct Run<'r> {
    /// The script.
    pub script: Script<'r>,
    /// What came of it.
    pub outcome: &'r Outcome,
}

/// What became of all cases of a submission.
#[derive(Debug)]
pub struct Judgement {
    /// The rulings under which the submission was judged.
    pub rulings: Rulings,
    /// All rulings that fit as well as these: what the runs can't tell apart, more runs may.
    pub fitting: Vec<Rulings>,
    /// The questions whose answer made a difference: with another answer fewer cases would have passed.
    pub telling: Vec<&'static str>,
    /// The cases, in the order of the runs.
    pub cases: Vec<JudgedCase>,
}

/// What became of one case. A case that passed has no transcripts: there is nothing to show in them.
#[derive(Debug)]
pub struct JudgedCase {
    /// The verdict.
    pub verdict: Verdict,
    /// The expected transcript.
    pub transcript: Transcript,
    /// The first difference.
    pub difference: Option<Difference>,
    /// The submission's transcript as a terminal shows it.
    pub screen: Screen,
    /// The dice that the run shows.
    pub dice: Shown,
}

impl JudgedCase {
    fn passed(read_ahead: bool) -> Self {
        JudgedCase {
            verdict: Verdict::Passed,
            transcript: Transcript::default(),
            difference: None,
            screen: Screen { lines: Vec::new(), before: 0, after: 0, read_ahead },
            dice: Shown::default(),
        }
    }
}

/// How well a combination of rulings fits: more is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Fit {
    passed: usize,
    content: usize,
    exact: usize,
}

/// What a run has to show under each combination of rulings. Few runs touch an open question: most have one transcript,
/// whatever the rulings.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Each other than the rest.
    known: Vec<Known>,
    /// Which of them, for each combination.
    under: Vec<usize>,
}

/// A transcript without notes, made ready to be compared the first time that it has to be.
#[derive(Debug)]
struct Known {
    transcript: Transcript,
    /// What a pipe carries of it, and where its prompts end there.
    text: String,
    prompt_ends: Vec<usize>,
    /// Whether every byte of that is graded.
    is_literal: bool,
    expected: OnceLock<Expected>,
}

impl Known {
    fn new(mut transcript: Transcript) -> Known {
        transcript.lines.iter_mut().for_each(|line| line.note = None);
        let piped = transcript.piped();
        let (text, prompt_ends) = (piped.to_string(), piped.prompt_ends());
        let is_literal = piped.is_literally(text.as_bytes());
        Known { transcript, text, prompt_ends, is_literal, expected: OnceLock::new() }
    }

    fn expected(&self) -> &Expected {
        self.expected.get_or_init(|| Expected::new(&self.transcript))
    }
}

impl Wanted {
    /// How much a right program prints, in bytes; what is not graded counts little.
    pub fn size(&self) -> usize {
        self.known.iter().map(|known| known.text.len()).max().unwrap_or(0)
    }

    /// Makes ready what even a right program will be compared with: where there are several transcripts, it differs from
    /// all but one.
    pub fn prepare(&self) {
        if self.known.len() > 1 {
            self.known.iter().for_each(|known| _ = known.expected());
        }
    }

    /// Whether the output already holds all that is graded, so that a run may be stopped there: the whole of a transcript
    /// that ends at a prompt which nobody answers, under some accepted rulings.
    #[must_use]
    pub fn is_enough(&self, printed: &[u8]) -> bool {
        let open = self.known.iter().filter(|known| known.transcript.is_unanswered());
        open.map(Known::expected).any(|expected| expected.is_reached(printed))
    }

    /// Under the next combination it is this transcript.
    pub fn add(&mut self, transcript: Transcript) {
        let known = self.known.iter().position(|known| known.transcript.shows_the_same(&transcript));
        self.under.push(known.unwrap_or(self.known.len()));
        if known.is_none() {
            self.known.push(Known::new(transcript));
        }
    }

    /// Under the next combination it is the same as under one before, of this number.
    pub fn add_as_under(&mut self, other: usize) {
        self.under.push(self.under[other]);
    }

    /// The assessment of a run that is right to the byte under all rulings alike: it takes no more than to compare the
    /// bytes. Nothing if the run has to be looked at more closely.
    fn settle(&self, run: &Run<'_>) -> Option<Assessment> {
        let [known] = self.known.as_slice() else { return None };
        let is_right = known.is_literal && run.outcome.stdout == known.text.as_bytes();
        // How far it agrees tells rulings from each other, and here it is the same under all of them.
        let passed = Judged { verdict: Verdict::Passed, divergence: None, agreement: (0, 0) };
        let settled = Some(read_ahead(&known.prompt_ends, run));
        (is_right && is_over(run.outcome, run.script.inputs.len()))
            .then(|| Assessment { judged: vec![passed; self.under.len()], settled: vec![settled; self.under.len()] })
    }

    /// What it is for one run; of Doubles with the dice that this shows.
    ///
    /// # Errors
    /// When an input of the script does not fit the game.
    pub fn of(game: Game, run: &Run<'_>, combinations: &[Rulings]) -> Result<Wanted, Stop> {
        let runs = [*run];
        let references = References::new(game, &runs);
        let mut wanted = Wanted::default();
        for rulings in combinations {
            wanted.add(references.play(0, rulings)?.0.transcript);
        }
        Ok(wanted)
    }
}

/// How one run looks under each combination of rulings.
#[derive(Debug)]
pub struct Assessment {
    judged: Vec<Judged>,
    /// Under which of them it is right, byte for byte: then what it printed is not needed any more. Whether an answer was
    /// read before its prompt was printed is.
    settled: Vec<Option<bool>>,
}

impl Assessment {
    /// Whether there is no need to look at the run again.
    pub fn is_settled(&self) -> bool {
        self.settled.iter().all(Option::is_some)
    }
}

/// Judges one run under each combination of rulings.
pub fn assess(game: Game, wanted: &Wanted, run: &Run<'_>) -> Assessment {
    // The dice of a game of Doubles are judged all together, later.
    let is_final = game != Game::Doubles;
    if let Some(settled) = wanted.settle(run).filter(|_| is_final) {
        return settled;
    }
    let printed = Printed::new(&run.outcome.stdout);
    let lines = run.script.inputs.len();
    let assess = |known: &Known| {
        let at_once = judge_at_once(&known.transcript, &printed, run.outcome, lines);
        let settled = (at_once.is_some() && is_final).then(|| read_ahead(&known.prompt_ends, run));
        (at_once.unwrap_or_else(|| judge(known.expected(), &printed, run.outcome, lines)), settled)
    };
    let assessed: Vec<_> = wanted.known.iter().map(assess).collect();
    let (judged, settled) = wanted.under.iter().map(|&transcript| assessed[transcript]).unzip();
    Assessment { judged, settled }
}

/// Whether a run that printed a transcript byte for byte had read an answer before it had asked for it.
fn read_ahead(prompt_ends: &[usize], run: &Run<'_>) -> bool {
    let places = run.outcome.places.as_deref().unwrap_or_default();
    places.iter().zip(prompt_ends).any(|(read, asked)| read < asked)
}

/// Judges the runs of one submission, each of which has been assessed under the same `combinations`: the accepted
/// rulings, the assignment's defaults first.
///
/// # Errors
/// When an input of a script does not fit the game.
pub fn judge_submission(
    game: Game,
    combinations: &[Rulings],
    runs: &[Run<'_>],
    assessments: &[Assessment],
) -> Result<Judgement, Stop> {
    let references = References::new(game, runs);
    let mut fits = vec![Fit::default(); combinations.len()];
    for assessment in assessments {
        for (judged, fit) in assessment.judged.iter().zip(&mut fits) {
            fit.passed += usize::from(judged.verdict == Verdict::Passed);
            fit.content += judged.agreement.0;
            fit.exact += judged.agreement.1;
        }
    }
    // Of equals the first, so that the defaults win.
    let best = (0..fits.len()).rev().max_by_key(|&index| fits[index]).unwrap_or(0);
    let rulings = combinations[best].clone();
    let is_telling = |question: &str| {
        let mut others = combinations.iter().zip(&fits).filter(|(other, _)| differ_only_in(other, &rulings, question));
        others.any(|(_, fit)| fit.passed < fits[best].passed)
    };
    let telling = game.questions().iter().map(|question| question.id).filter(|id| is_telling(id)).collect();
    let case = |(index, (run, assessment)): (usize, (&Run<'_>, &Assessment))| match assessment.settled[best] {
        Some(read_ahead) => Ok(JudgedCase::passed(read_ahead)),
        None => {
            let mut case = judged_case(references.play(index, &rulings)?, run, &Printed::new(&run.outcome.stdout));
            let passing = combinations.iter().zip(&assessment.judged);
            let passing = passing.filter(|(_, judged)| judged.verdict == Verdict::Passed).map(|(other, _)| other);
            if let Some(difference) = &mut case.difference
                && let Some(why) = contradiction(game, &rulings, passing)
            {
                (difference.why, difference.story) = (why, None);
            } else if let Some(difference) = case.difference.as_mut().filter(|difference| difference.story.is_none()) {
                let (inputs, printed, near) = (run.script.inputs, &run.outcome.stdout, difference.answers);
                let unasked = case.screen.unasked();
                difference.story = question::one_too_many(game, &rulings, inputs, printed, near, unasked);
            }
            let line = case.difference.as_ref().and_then(|difference| difference.actual_line);
            case.screen.keep_near(line.unwrap_or(case.screen.lines.len()));
            Ok(case)
        }
    };
    let cases = runs.iter().zip(assessments).enumerate().map(case).collect::<Result<_, Stop>>()?;
    let fitting = combinations
        .iter()
        .zip(&fits)
        .filter(|(_, fit)| **fit == fits[best])
        .map(|(rulings, _)| rulings.clone())
        .collect();
    Ok(Judgement { rulings, fitting, telling, cases })
}

/// How a case that is right under other rulings contradicts the cases by which these were chosen.
fn contradiction<'r>(game: Game, rulings: &Rulings, passing: impl Iterator<Item = &'r Rulings>) -> Option<String> {
    passing.into_iter().find_map(|other| {
        let question = game.questions().iter().find(|question| differ_only_in(other, rulings, question.id))?;
        let text = |rulings: &Rulings| {
            let answer = rulings.answer(question.id)?;
            Some(question.answers.iter().find(|known| known.id == answer)?.text)
        };
        Some(format!(
            "the assignment leaves open: “{}” Here the program answers “{}”, in other cases “{}”; either is right, but it \
             has to be the same in all cases",
            question.text,
            text(other)?,
            text(rulings)?
        ))
    })
}

fn differ_only_in(one: &Rulings, other: &Rulings, question: &str) -> bool {
    one.iter().zip(other.iter()).all(|((id, one), (_, other))| (one != other) == (id == question))
}

/// What is wrong with the dice of all runs as a whole; nothing if they are fair.
pub fn unfair_dice(runs: &[Shown]) -> Option<String> {
    dice::unfair(runs)
}

/// The reference, played again and again on the same runs under other rulings.
struct References<'r> {
    game: Game,
    runs: &'r [Run<'r>],
    /// The dice that each run shows, by whether the computer throws on a tie: nothing else decides who throws.
    dice: RefCell<HashMap<(usize, Option<&'static str>), Shown>>,
}

impl<'r> References<'r> {
    fn new(game: Game, runs: &'r [Run<'r>]) -> Self {
        References { game, runs, dice: RefCell::default() }
    }

    /// Plays the script of one run, for Doubles with the dice that the submission shows.
    fn play(&self, index: usize, rulings: &Rulings) -> Result<(Played, Shown), Stop> {
        let Run { script: Script { inputs, seed }, outcome } = self.runs[index];
        let Some(seed) = seed.filter(|_| self.game == Game::Doubles) else {
            return Ok((play_script(self.game, rulings, inputs, &mut |_| 1)?, Shown::default()));
        };
        let key = (index, rulings.answer("computer-on-a-tie"));
        let known = self.dice.borrow().get(&key).cloned();
        let shown = match known {
            Some(shown) => shown,
            None => {
                let shown = dice::read(rulings, inputs, seed, &dice::Rows::new(&outcome.stdout))?;
                self.dice.borrow_mut().insert(key, shown.clone());
                shown
            }
        };
        Ok((dice::play_with(&shown, rulings, inputs, seed)?, shown))
    }
}

fn judged_case((played, dice): (Played, Shown), run: &Run<'_>, printed: &Printed<'_>) -> JudgedCase {
    let transcript = played.transcript;
    let Run { script, outcome } = run;
    if judge_at_once(&transcript, printed, outcome, script.inputs.len()).is_some() {
        return JudgedCase { dice, ..JudgedCase::passed(read_ahead(&transcript.piped().prompt_ends(), run)) };
    }
    let read = outcome.lines_read.unwrap_or(script.inputs.len()).min(script.inputs.len());
    let screen = Screen::new(&outcome.stdout, read, outcome.places.as_deref(), &transcript);
    let expected = Expected::new(&transcript);
    let judged = judge(&expected, printed, outcome, script.inputs.len());
    let broke_off = !matches!(outcome.ending, Ending::Exited { .. });
    let sides = Sides { transcript: &transcript, expected: &expected, printed, screen: &screen, broke_off };
    let mut difference = match judged.divergence {
        Some((level, comparison)) => sides.difference(level, comparison),
        None if judged.verdict == Verdict::LeftInputUnread => sides.unawaited(read),
        None => None,
    };
    if let Some(difference) = &mut difference
        && sides.is_on_standard_error(difference, &outcome.stderr_tail)
    {
        difference.story = Some(
            "This line was printed, but on standard error, which a screen shows in the same way: use print(…) without \
             file=sys.stderr, and no sys.exit(…) with a text."
                .to_owned(),
        );
    }
    JudgedCase { verdict: judged.verdict, difference, screen, transcript, dice }
}
