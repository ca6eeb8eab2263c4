//! The wheel, as a student gets it with pip. Building it takes maturin, so that is done beforehand, and the variable
//! `CHECK_WHEEL` names the file:
//!
//! ```sh
//! maturin build --profile dev --compatibility linux --out target/wheels
//! CHECK_WHEEL=$(ls target/wheels/*.whl) cargo test --test main wheel
//! ```

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Desk, Said, fixtures, skipped};

/// A fresh virtual environment with the wheel in it; none, with a word about it, where there is no wheel.
fn environment(desk: &Desk) -> Option<PathBuf> {
    let Some(wheel) = std::env::var_os("CHECK_WHEEL") else {
        skipped("CHECK_WHEEL names no wheel; tests/cli/wheel.rs tells how to build one");
        return None;
    };
    let wheel = Path::new(env!("CARGO_MANIFEST_DIR")).join(wheel);
    assert!(wheel.is_file(), "there is no {}", wheel.display());
    // The one that made the wheel, which is known to have what environments need.
    let mut python = Command::new(if cfg!(windows) { "python" } else { "python3" });
    let made = python.args(["-m", "venv", "environment"]).current_dir(desk.path()).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let programs = desk.path().join("environment").join(if cfg!(windows) { "Scripts" } else { "bin" });
    let mut pip = Command::new(programs.join("python"));
    pip.args(["-m", "pip", "install", "--no-index", "--no-deps"]).arg(wheel);
    let installed = pip.output().unwrap();
    assert!(installed.status.success(), "{installed:?}");
    Some(programs)
}

#[test]
fn what_pip_installs_judges_a_program() {
    let desk = Desk::new();
    let Some(programs) = environment(&desk) else { return };
    let mut check = Command::new(programs.join("check"));
    // As in a shell that has entered the environment.
    let path = std::env::join_paths(
        [programs.clone()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    check.env("PATH", path.unwrap()).current_dir(desk.path());
    check.arg("darts").arg(fixtures().join("students/darts/good/text_only_functions.py"));
    let said = Said::from(check.output().unwrap());
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("passes all 38 cases of Darts 501"), "{said:?}");

    let metadata = "import importlib.metadata as m\nd = m.metadata('console-check')\nprint(d['License-Expression'], d['License-File'], d['Requires-Python'], d['Version'])\nprint(d.get_payload().strip()[:7])\n";
    let output = Command::new(programs.join("python")).args(["-c", metadata]).output().unwrap();
    let expected = format!("MIT LICENSE >=3.8 {}\n# check\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(output.stdout).unwrap().replace('\r', ""), expected);
}
