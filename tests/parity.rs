//! A program sees the same, and shows the same, whichever runner starts it: `fixtures/parity/*/student.py` (save what
//! `differs.yaml` there tells of), each run as
//! a fork of a warm interpreter and by an interpreter of its own, which is the yardstick.

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use console_check::run::{
    Conditions, Interpreter, Limits, OpenError, Outcome, Program, Runner, Script, Session, Submission,
};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let interpreter = Arc::new(support::quickest_python());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/parity");
    let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut folders: Vec<_> = entries.expect("the folder of the programs").iter().map(fs::DirEntry::path).collect();
    folders.sort();
    folders.retain(|path| path.is_dir());
    let text = fs::read_to_string(folder.join("differs.yaml")).expect("what is known to differ");
    let differs: BTreeMap<String, String> = serde_yaml::from_str(&text).expect("differs.yaml is well-formed");
    let trials = folders.into_iter().map(|folder| {
        let interpreter = Arc::clone(&interpreter);
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_known = differs.contains_key(&name);
        Trial::test(name, move || looks_the_same(&interpreter, &folder)).with_ignored_flag(is_known)
    });
    let trials = trials.collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn looks_the_same(interpreter: &Interpreter, folder: &Path) -> Result<(), Failed> {
    // Of a folder with one program everything is copied, of others the modules beside it.
    let submission = match Submission::open(folder) {
        Err(OpenError::SeveralPrograms { .. }) => Submission::open(&folder.join("student.py"))?,
        opened => opened?,
    };
    let program = Program::Python { interpreter, submission: &submission };
    let typed = fs::read_to_string(folder.join("inputs.txt")).unwrap_or_default();
    let inputs = typed.split_terminator('\n').map(str::to_owned).collect();
    let script = Script { inputs, ..Script::default() };
    let limits = Limits { time: Duration::from_secs(20), ..Limits::default() };
    let by = |runner, workers| -> Result<(Option<String>, Option<Outcome>), Failed> {
        let conditions = Conditions { runner, workers, confinement: support::sandbox(), ..Conditions::default() };
        let session = Session::open(program, conditions)?;
        let words = session.syntax_error().map(str::to_owned);
        let outcome = if words.is_none() { Some(session.run(&script, &limits, &|_| false)?) } else { None };
        if words.is_none() && runner == Runner::Warm && session.runner() != "warm" {
            return Err("the warm interpreter did not start".into());
        }
        Ok((words, outcome))
    };
    let spawned = by(Runner::Spawn, 1)?;
    // The only worker is where the program was compiled; one of several has moved.
    for (workers, who) in [(1, "a fork"), (2, "a fork that has moved")] {
        let warm = by(Runner::Warm, workers)?;
        if warm.0 != spawned.0 {
            return Err(format!("syntax error by {who} {:?}\nby its own interpreter {:?}", warm.0, spawned.0).into());
        }
        let (Some(warm), Some(spawned)) = (&warm.1, &spawned.1) else { continue };
        let (warm, spawned) = (seen(warm), seen(spawned));
        if warm != spawned {
            return Err(format!("{who}:\n{warm}\nan interpreter of its own:\n{spawned}").into());
        }
    }
    Ok(())
}

fn seen(outcome: &Outcome) -> String {
    format!(
        "ending {:?}, status {:?}, {:?} lines read, places {:?}\n--- stdout\n{}\n--- stderr\n{}",
        outcome.ending,
        outcome.status,
        outcome.lines_read,
        outcome.places,
        String::from_utf8_lossy(&outcome.stdout),
        String::from_utf8_lossy(&outcome.stderr_tail),
    )
}
