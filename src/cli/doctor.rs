//! `check doctor`.

use std::io::{self, IsTerminal};

use super::args::DoctorArgs;
use super::{CliError, Exit, check, print};
use crate::run::{self, Confinement, Examination, Interpreter, RunError, State};

pub fn doctor(args: &DoctorArgs) -> Result<Exit, CliError> {
    let interpreter = Interpreter::find(args.python.as_deref())?;
    let confinement = Confinement {
        isolation: args.isolation.into(),
        launcher: std::env::current_exe().ok(),
        ..Confinement::default()
    };
    let wrong = |error: RunError| CliError::Grade(error.into());
    let examination = run::examine(&interpreter, confinement).map_err(wrong)?;
    print(report(&interpreter, &examination).as_bytes())?;
    Ok(Exit::Success)
}

fn report(interpreter: &Interpreter, examination: &Examination) -> String {
    let row = |name: &str, text: &str| format!("{name:<12} {text}\n");
    let mut text = row("check", env!("CARGO_PKG_VERSION"));
    text += &row("python", &format!("{interpreter} ({})", interpreter.path.display()));
    text += &row("runner", examination.runner);
    let kind = if io::stdout().is_terminal() { "a terminal" } else { "no terminal" };
    text += &row("output", &format!("{kind}, {} columns", check::columns()));
    text.push('\n');
    for (layer, attempts) in &examination.layers {
        let why = if layer.why.is_empty() { String::new() } else { format!(": {}", layer.why) };
        text += &row(layer.name, &format!("{}{why}", layer.state.id()));
        for attempt in attempts {
            let result = if attempt.refused { "refused" } else { "possible" };
            text += &format!("    {:<32} {result}\n", attempt.what);
        }
    }
    let holds =
        |name: &str| examination.layers.iter().any(|(layer, _)| layer.name == name && layer.state == State::Enforced);
    text.push('\n');
    text += match (holds("landlock"), holds("seccomp")) {
        (true, true) => "Programs run in a sandbox.\n",
        (false, false) => {
            "Limits only, not a sandbox: a program can read what its user can read. Grade programs of strangers on \
             Linux 6.12 or later, or on a machine that holds nothing of value.\n"
        }
        _ => "The sandbox has holes, see above: Linux 6.12 or later has all of its layers.\n",
    };
    text
}
