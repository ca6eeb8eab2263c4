//! Tries real forbidden operations in a real child.

use std::fs;
use std::io;

use super::{
    Conditions, Confinement, Interpreter, Layer, Limits, Program, RunError, Script, Session, State, Submission,
};

const PROGRAM: &str = include_str!("python/doctor.py");

/// What was found out about running programs on this system.
#[derive(Debug)]
pub struct Examination {
    /// How programs are started.
    pub runner: &'static str,
    /// The layers, each with what was tried.
    pub layers: Vec<(Layer, Vec<Attempt>)>,
}

/// One thing that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// What.
    pub what: String,
    /// Whether it was refused.
    pub refused: bool,
}

/// Runs a program that tries what a submission must not do. A layer that lets through what it should refuse holds in
/// part at most, whatever the system says of it.
///
/// # Errors
/// If the program can't be run.
pub fn examine(interpreter: &Interpreter, confinement: Confinement) -> Result<Examination, RunError> {
    let folder = tempfile::Builder::new().prefix("check-doctor-").tempdir()?;
    let outside = folder.path().canonicalize()?.join("outside");
    fs::create_dir(&outside)?;
    for (name, mode) in [("secret", 0o644), ("private", 0o600)] {
        fs::write(outside.join(name), "x")?;
        open_to(&outside.join(name), mode)?;
    }
    open_to(&outside, 0o777)?;
    open_to(folder.path(), 0o755)?;
    let path = folder.path().join("doctor.py");
    fs::write(&path, PROGRAM)?;
    let submission = Submission::open(&path).map_err(|error| io::Error::other(error.to_string()))?;
    let program = Program::Python { interpreter, submission: &submission };
    let session = Session::open(program, Conditions { confinement, ..Conditions::default() })?;
    let script = Script { inputs: vec![outside.to_string_lossy().into_owned()], ..Script::default() };
    let outcome = session.run(&script, &Limits::default(), &|_| false)?;
    let said = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let tried: Vec<(&str, Attempt)> = said.lines().filter_map(attempt).collect();
    if tried.is_empty() {
        let said = String::from_utf8_lossy(&outcome.stderr_tail).into_owned();
        return Err(RunError::Interpreter { path: interpreter.path.clone(), said });
    }
    let examined = |layer: &Layer| {
        let attempts: Vec<_> =
            tried.iter().filter(|(of, _)| *of == layer.name).map(|(_, tried)| tried.clone()).collect();
        let mut layer = layer.clone();
        let possible = attempts.iter().find(|attempt| !attempt.refused);
        if let Some(possible) = possible
            && layer.state == State::Enforced
        {
            layer = Layer::new(layer.name, State::Partly, format!("a program could {}", possible.what));
        }
        (layer, attempts)
    };
    Ok(Examination { runner: session.runner(), layers: session.layers().iter().map(examined).collect() })
}

fn attempt(line: &str) -> Option<(&str, Attempt)> {
    let mut parts = line.split('\t');
    let (layer, what, result) = (parts.next()?, parts.next()?, parts.next()?);
    (result != "skipped").then(|| (layer, Attempt { what: what.to_owned(), refused: result == "refused" }))
}

#[cfg(unix)]
fn open_to(path: &std::path::Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn open_to(_: &std::path::Path, _: u32) -> io::Result<()> {
    Ok(())
}
