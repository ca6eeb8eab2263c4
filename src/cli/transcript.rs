//! `check transcript` and `check play`.

use std::cell::Cell;
use std::io::{self, BufRead, IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, path::Path};

use num_bigint::BigInt;
use reference::console::Stop;
use reference::rulings::Rulings;
use reference::transcript::{Body, End, Line, Transcript};
use reference::{Played, play_script, seeded_dice};

use super::args::{Form, PlayArgs, TranscriptArgs};
use super::{CliError, Exit, print};
use crate::assignment::{Assignment, nearest};

pub fn transcript(args: &TranscriptArgs) -> Result<Exit, CliError> {
    let assignment = Assignment::find(&args.assignment.assignment, args.assignment.fixtures.as_deref())?;
    let rulings = rulings(&assignment, &args.ruling)?;
    let inputs = match (&args.inputs, &args.script) {
        (Some(inputs), _) if inputs.is_empty() => vec![],
        (Some(inputs), _) => inputs.split(',').map(str::to_owned).collect(),
        (None, Some(file)) => lines(file)?,
        (None, None) => return Err(CliError::Usage("which inputs? give --inputs A,B,C or --script FILE".to_owned())),
    };
    let game = assignment.game;
    let seed = seed(args.seed.as_deref())?;
    match (&seed, game.needs_seed()) {
        (None, true) => {
            return Err(CliError::Usage(format!(
                "{} throws dice without asking for a seed: give --seed N",
                game.name()
            )));
        }
        (Some(_), false) => {
            return Err(CliError::Usage(format!(
                "--seed is only for games that do not ask for a seed; {} is none of them",
                game.name()
            )));
        }
        _ => {}
    }
    let played = play_script(game, &rulings, &inputs, &mut seeded_dice(&seed.unwrap_or_default()));
    let Played { transcript, unread, .. } = played.map_err(|stop| CliError::Usage(stop.to_string()))?;
    if unread > 0 {
        let first = &inputs[inputs.len() - unread];
        let message = format!(
            "{unread} of {} inputs are left over when the game is over, from input {} ({first:?}) on",
            inputs.len(),
            inputs.len() - unread + 1
        );
        return Err(CliError::Usage(message));
    }
    let text = match args.form {
        Form::Terminal => transcript.to_string(),
        Form::Piped => transcript.piped().to_string(),
    };
    print(text.as_bytes())?;
    Ok(Exit::Success)
}

fn lines(file: &Path) -> Result<Vec<String>, CliError> {
    let path = file.display().to_string();
    let wrong = |source| CliError::File { path: path.clone(), source };
    let about = fs::metadata(file).map_err(wrong)?;
    if !about.is_file() || about.len() > 1 << 20 {
        return Err(CliError::Usage(format!("--script {path}: a text file of at most 1 MiB is wanted")));
    }
    let text = fs::read_to_string(file).map_err(wrong)?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn seed(text: Option<&str>) -> Result<Option<BigInt>, CliError> {
    let parse =
        |text: &str| text.parse().map_err(|_| CliError::Usage(format!("--seed {text}: a whole number is wanted")));
    text.map(parse).transpose()
}

/// The assignment's default rulings with those that were typed.
fn rulings(assignment: &Assignment, typed: &[String]) -> Result<Rulings, CliError> {
    let mut rulings = assignment.combinations().into_iter().next().unwrap_or_else(|| assignment.game.default_rulings());
    for text in typed {
        let Some((id, answer)) = text.split_once('=') else {
            return Err(CliError::Usage(format!(
                "--ruling {text}: QUESTION=ANSWER is wanted, see check rules {}",
                assignment.name
            )));
        };
        let questions = assignment.game.questions();
        let question = questions.iter().find(|question| question.id == id);
        let question = question.ok_or_else(|| unknown("question", id, questions.iter().map(|question| question.id)))?;
        let known = question.answers.iter().find(|known| known.id == answer);
        let known = known.ok_or_else(|| unknown("answer", answer, question.answers.iter().map(|known| known.id)))?;
        rulings = rulings.with(question.id, known.id);
    }
    Ok(rulings)
}

fn unknown<'a>(what: &str, word: &str, known: impl Iterator<Item = &'a str> + Clone) -> CliError {
    let near = nearest(word, known.clone()).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    CliError::Usage(format!(
        "--ruling: there is no {what} {word:?}{near} Known: {}",
        known.collect::<Vec<_>>().join(", ")
    ))
}

/// Plays a game with whoever types. An answer that the game can't take is asked for again.
pub fn play(args: &PlayArgs) -> Result<Exit, CliError> {
    let assignment = Assignment::find(&args.assignment.assignment, args.assignment.fixtures.as_deref())?;
    let rulings = rulings(&assignment, &args.ruling)?;
    let game = assignment.game;
    if args.seed.is_some() && !game.needs_seed() {
        return Err(CliError::Usage(format!(
            "--seed is only for games that do not ask for a seed; {} is none of them",
            game.name()
        )));
    }
    let seed = seed(args.seed.as_deref())?.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        BigInt::from(now.as_nanos())
    });
    let mut answers: Vec<String> = vec![];
    let shown = Cell::new(0);
    loop {
        let mut known = answers.clone().into_iter();
        let mut given = vec![];
        let mut failed = None;
        let mut typist = |transcript: &Transcript| {
            let answer = known.next().or_else(|| match ask(transcript, &shown) {
                Ok(answer) => answer,
                Err(error) => {
                    failed = Some(error);
                    None
                }
            })?;
            given.push(answer.clone());
            Some(answer)
        };
        let (transcript, _, result) = reference::play(game, &rulings, &mut typist, &mut seeded_dice(&seed));
        if let Some(error) = failed {
            return Err(error);
        }
        match result {
            Err(Stop::Unfit { expected, .. }) => {
                given.pop();
                answers = given;
                shown.set(shown.get().saturating_sub(1));
                print(format!("({expected} is wanted here)\n").as_bytes())?;
            }
            Ok(()) | Err(Stop::OutOfAnswers) => {
                show(&transcript, &shown)?;
                if result.is_err() {
                    print(b"\n")?;
                }
                return Ok(Exit::Success);
            }
        }
    }
}

/// Shows what is new and waits for an answer; none at the end of the input.
fn ask(transcript: &Transcript, shown: &Cell<usize>) -> Result<Option<String>, CliError> {
    show(transcript, shown)?;
    let mut answer = String::new();
    let read = io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|source| CliError::File { path: "standard input".to_owned(), source })?;
    if read == 0 {
        return Ok(None);
    }
    let answer = answer.trim_end_matches(['\n', '\r']).to_owned();
    if !io::stdin().is_terminal() {
        // Nobody has typed it here, so that it is not on the screen yet.
        print(format!("{answer}\n").as_bytes())?;
    }
    Ok(Some(answer))
}

fn show(transcript: &Transcript, shown: &Cell<usize>) -> Result<(), CliError> {
    let mut text = String::new();
    for line in &transcript.lines[shown.get().min(transcript.lines.len())..] {
        match &line.body {
            Body::AnyLines => text.push_str("(the instructions of the provided file)\n"),
            Body::Line(said, end) => {
                let plain = Line::new(said.clone(), End::Newline);
                text.push_str(if plain.text().is_empty() { "" } else { plain.text() });
                if plain.text().is_empty() && !said.is_empty() {
                    text.push_str(
                        &plain
                            .to_string()
                            .replace("{any}", "")
                            .replace("riple", "A Triple!")
                            .replace("{number}", "as it was"),
                    );
                }
                if *end == End::Newline {
                    text.push('\n');
                }
            }
        }
    }
    shown.set(transcript.lines.len());
    print(text.as_bytes())?;
    io::stdout().flush().map_err(CliError::Output)
}
