//! Each promise of this layer, kept by a small program.

use std::sync::LazyLock;
use std::time::Duration;

use super::*;

static PYTHON: LazyLock<Interpreter> = LazyLock::new(|| Interpreter::find(None).unwrap());

struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Self(folder)
    }

    fn open(&self, name: &str) -> Submission {
        Submission::open(&self.0.path().join(name)).unwrap()
    }
}

fn program(text: &str) -> Submission {
    Files::new(&[("student.py", text)]).open("student.py")
}

fn limits() -> Limits {
    Limits {
        time: Duration::from_secs(20),
        ..Limits::default()
    }
}

fn typed(inputs: &[&str]) -> Script {
    Script {
        inputs: inputs.iter().map(|&line| line.to_owned()).collect(),
        seed: None,
    }
}

fn run_with(submission: &Submission, script: &Script, limits: &Limits) -> Outcome {
    run(
        &Program::Python {
            interpreter: &PYTHON,
            submission,
        },
        script,
        limits,
        &|_| false,
    )
    .unwrap()
}

fn python(text: &str, inputs: &[&str]) -> Outcome {
    run_with(&program(text), &typed(inputs), &limits())
}

fn stdout(outcome: &Outcome) -> String {
    String::from_utf8(outcome.stdout.clone()).unwrap()
}

#[test]
fn a_game() {
    let outcome = python(
        "a = input('First? ')\nb = input('Second? ')\nprint(int(a) + int(b))",
        &["1", "2"],
    );
    assert_eq!(stdout(&outcome), "First? Second? 3\n");
    assert_eq!(outcome.ending, Ending::Exited { status: 0 });
    assert_eq!(outcome.lines_read, Some(2));
    assert_eq!(outcome.places, Some(vec![7, 15]));
}
