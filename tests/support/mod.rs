//! What more than one test binary needs.

#[allow(dead_code, reason = "not every test binary writes reports")]
pub mod pages;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use console_check::run::{Confinement, Interpreter, Isolation};

/// Of the Pythons on the path the one that starts quickest: there are many thousand runs, and an installation may load
/// a great deal before a program's first line.
pub fn quickest_python() -> Interpreter {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path =
        std::env::split_paths(&path).filter_map(|folder| Interpreter::find(Some(&folder.join("python3"))).ok());
    let found = on_path.min_by_key(|interpreter| {
        let start = Instant::now();
        let status = Command::new(&interpreter.path).args(["-c", "pass"]).stdin(Stdio::null()).status();
        status.map_or(Duration::MAX, |_| start.elapsed())
    });
    found.unwrap_or_else(|| Interpreter::find(None).expect("a Python to run the programs"))
}

/// All that the system offers against a submission.
#[allow(dead_code, reason = "not every test binary runs submissions itself")]
pub fn sandbox() -> Confinement {
    let launcher = Some(env!("CARGO_BIN_EXE_check").into());
    Confinement { isolation: Isolation::Sandbox, launcher, ..Confinement::default() }
}

/// The path with the folder of the Python that starts quickest before all others.
#[allow(dead_code, reason = "not every test binary calls check")]
pub fn path_with_quickest_python() -> std::ffi::OsString {
    let python = quickest_python().path;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = python.parent().map(std::path::Path::to_owned);
    std::env::join_paths(first.into_iter().chain(std::env::split_paths(&path))).unwrap_or(path)
}
