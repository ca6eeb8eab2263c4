//! The GitHub Action and the samples for build servers: their steps are run here as a build server runs them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_yaml::Value;

use super::{Desk, Said};

fn yaml(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    serde_yaml::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value:?}"))
}

/// What came of the steps of the action.
#[derive(Debug)]
struct Done {
    said: Said,
    outputs: String,
    summary: String,
}

/// Runs the steps of the action in the folder of a desk until one fails.
fn act(desk: &Desk, inputs: &[(&str, &str)]) -> Done {
    let action = yaml("action.yml");
    let defaults = action["inputs"].as_mapping().unwrap().iter();
    let mut values: BTreeMap<&str, &str> =
        defaults.map(|(name, input)| (text(name), input["default"].as_str().unwrap_or(""))).collect();
    for (name, value) in inputs {
        assert!(values.insert(name, value).is_some(), "{name} is no input");
    }
    let runner = Desk::new();
    let file = |name: &str| runner.path().join(name);
    let mut done = Done {
        said: Said { status: 0, out: String::new(), err: String::new() },
        outputs: String::new(),
        summary: String::new(),
    };
    for step in action["runs"]["steps"].as_sequence().unwrap() {
        let run = text(&step["run"]);
        assert!(!run.contains("${{"), "what is put into a script could be a command: {run}");
        assert_eq!(text(&step["shell"]), "bash");
        let script = runner.write("step.sh", run);
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(script).current_dir(desk.path());
        // That of the tests comes first on the path.
        let check = Path::new(env!("CARGO_BIN_EXE_check")).parent().unwrap().to_owned();
        let path = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
        bash.env("PATH", std::env::join_paths([check].into_iter().chain(path)).unwrap());
        bash.env("RUNNER_TEMP", runner.path()).env("GITHUB_ACTION_PATH", env!("CARGO_MANIFEST_DIR"));
        bash.env("GITHUB_ACTIONS", "true").env("GITHUB_WORKSPACE", desk.path());
        for name in ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH", "GITHUB_ENV"] {
            bash.env(name, file(name));
        }
        for (name, value) in step.get("env").and_then(Value::as_mapping).into_iter().flatten() {
            let input = text(value).strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}")).unwrap();
            bash.env(text(name), values[input]);
        }
        let said = Said::from(bash.output().unwrap());
        done.said = Said { out: done.said.out + &said.out, err: done.said.err + &said.err, ..said };
        if done.said.status != 0 {
            break;
        }
    }
    assert!(!file("GITHUB_ENV").exists());
    let read = |name| fs::read_to_string(file(name)).unwrap_or_default();
    (done.outputs, done.summary) = (read("GITHUB_OUTPUT"), read("GITHUB_STEP_SUMMARY"));
    done
}

/// The commands that GitHub obeys in a log: lines that begin with `::`, or have `##[` in them, unless a command of their
/// own stopped that.
fn commands(log: &str) -> Vec<&str> {
    let mut stopped: Option<String> = None;
    let mut obeyed = vec![];
    for line in log.lines() {
        let command = line.trim_start();
        match &stopped {
            Some(word) if command == format!("::{word}::") => stopped = None,
            None if command.starts_with("::stop-commands::") => {
                stopped = command.strip_prefix("::stop-commands::").map(str::to_owned);
            }
            None if command.starts_with("::") || command.contains("##[") => obeyed.push(line),
            _ => {}
        }
    }
    assert_eq!(stopped, None, "commands are still stopped at the end");
    obeyed
}

#[test]
fn a_right_submission_passes() {
    let right = Desk::with_student("darts/good/keeps_every_sentence_comments_above.py");
    let done = act(&right, &[("assignment", "darts")]);
    assert_eq!(done.said.status, 0, "{done:?}");
    assert_eq!(done.outputs, "outcome=passed\nscore=46.0\nmax-score=46.0\n");
    assert!(done.said.out.contains("passes all 38 cases") && commands(&done.said.out).is_empty(), "{done:?}");
    assert!(done.summary.contains("46"), "{done:?}");
}

#[test]
fn a_wrong_submission_fails_with_annotations_unless_it_is_good_enough() {
    let desk = Desk::with_student("darts/bad/one_left_is_no_bust.py");
    let done = act(&desk, &[("assignment", "darts"), ("submission", "student.py")]);
    assert_eq!(done.said.status, 1, "{done:?}");
    assert_eq!(done.outputs, "outcome=failed\nscore=41.0\nmax-score=46.0\n");
    assert!(done.said.err.contains("Not every case passes."), "{done:?}");
    assert!(commands(&done.said.out).iter().any(|line| line.starts_with("::error ")), "{done:?}");
    assert!(done.summary.contains("36"), "{done:?}");
    // 41 of 46 are 89.1 percent.
    let status = |percent| act(&desk, &[("assignment", "darts"), ("fail-under", percent)]).said.status;
    assert_eq!((status("89.1"), status("89.2")), (0, 1));
}

/// The outcome speaks of the cases alone, and so does the step unless a share of the points is asked for.
#[test]
fn what_is_asked_of_the_code_fails_no_step_by_itself() {
    let desk = Desk::with_student("darts/good/all_input_first.py");
    let done = act(&desk, &[("assignment", "darts")]);
    assert_eq!(done.said.status, 0, "{done:?}");
    assert!(commands(&done.said.out).iter().all(|line| line.starts_with("::warning ")), "{done:?}");
    assert_eq!(act(&desk, &[("assignment", "darts"), ("fail-under", "100")]).said.status, 1);
}

#[test]
fn a_fault_is_no_grade() {
    let done = act(&Desk::new(), &[("assignment", "darts")]);
    assert_eq!((done.said.status, done.outputs.as_str()), (2, ""), "{done:?}");
    assert!(done.said.out.contains("a folder without a .py file"), "{done:?}");
    let [error] = commands(&done.said.out)[..] else { panic!("{done:?}") };
    assert!(error.contains("nothing was graded"), "{error}");
}

#[test]
fn inputs_are_no_commands_and_no_options() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    for hostile in ["darts\"; touch injected; \"", "$(touch injected)", "`touch injected`", "--version", "\n::error::"]
    {
        for name in ["assignment", "submission", "fail-under"] {
            let inputs: Vec<_> = [("assignment", "darts"), (name, hostile)].into_iter().collect();
            let done = act(&desk, &inputs);
            assert_eq!(done.said.status, 2, "{name} {hostile:?}: {done:?}");
            assert!(!desk.path().join("injected").exists(), "{name} {hostile:?}");
            assert_eq!(commands(&done.said.out).len(), 1, "{name} {hostile:?}: {done:?}");
        }
    }
}

/// Whatever a submission is called, prints or brings along.
#[test]
fn no_command_comes_from_a_submission() {
    let words = "\\n::error::from the submission\\n  ::set-output name=score::1000\\n##[error]from the submission\\n::stop-commands::x\\n";
    let desk = Desk::new();
    let hostile = "student\n::error::from the submission.py";
    desk.write(
        hostile,
        &format!("import sys\nprint('{words}')\nsys.stderr.write('{words}')\nraise ValueError('{words}')\n"),
    );
    // What the step itself could take for a library's.
    for module in ["json", "decimal"] {
        desk.write(&format!("{module}/__init__.py"), "print('score=1000')\nraise SystemExit(0)\n");
    }
    let is_ours = |line: &str| {
        let levels = ["::error ", "::error::", "::warning ", "::notice "];
        levels.iter().any(|level| line.starts_with(level)) && !line.starts_with("::error::from")
    };
    for submission in [".", hostile] {
        let done = act(&desk, &[("assignment", "darts"), ("submission", submission)]);
        assert_eq!(
            (done.said.status, done.outputs.as_str()),
            (1, "outcome=failed\nscore=0.0\nmax-score=46.0\n"),
            "{done:?}"
        );
        assert!(commands(&done.said.out).iter().all(|line| is_ours(line)), "{done:?}");
        assert!(commands(&done.said.err).is_empty(), "{done:?}");
    }
    desk.write("\n::error::from another.py", "");
    let done = act(&desk, &[("assignment", "darts")]);
    assert_eq!((done.said.status, commands(&done.said.out).len()), (2, 1), "{done:?}");
}

#[test]
fn without_a_check_the_action_builds_one() {
    let desk = Desk::new();
    desk.write("cargo", "#!/bin/sh\necho \"$@\" >cargo-was-called\n");
    desk.write("outside/path", "");
    let step = &yaml("action.yml")["runs"]["steps"][0];
    let cargo = desk.path().join("cargo");
    fs::set_permissions(&cargo, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let script = desk.write("step.sh", text(&step["run"]));
    let output = Command::new("/bin/bash")
        .args(["-eo", "pipefail"])
        .arg(script)
        .current_dir(desk.path())
        .env("PATH", desk.path())
        .env("GITHUB_ACTION_PATH", "/the action")
        .env("RUNNER_TEMP", "/temporary")
        .env("GITHUB_PATH", desk.path().join("outside/path"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let called = fs::read_to_string(desk.path().join("cargo-was-called")).unwrap();
    assert_eq!(called, "install --quiet --locked --path /the action --root /temporary/check\n");
    assert_eq!(fs::read_to_string(desk.path().join("outside/path")).unwrap(), "/temporary/check/bin\n");
}

#[test]
fn the_sample_for_github_uses_the_action_as_it_is() {
    let sample = yaml("examples/ci/github-classroom.yml");
    let steps = sample["jobs"]["grade"]["steps"].as_sequence().unwrap();
    let uses: Vec<_> = steps.iter().filter(|step| text(&step["uses"]).contains("/check@")).collect();
    let [step] = uses[..] else { panic!("{steps:?}") };
    let inputs = yaml("action.yml")["inputs"].clone();
    for (name, _) in step["with"].as_mapping().unwrap() {
        assert!(inputs.get(name).is_some(), "{name:?} is no input");
    }
    let version = env!("CARGO_PKG_VERSION");
    assert!(text(&step["uses"]).ends_with(&format!("@v{version}")), "{step:?}");
}

#[test]
fn the_sample_for_gitlab_runs() {
    let sample = yaml("examples/ci/gitlab-ci.yml");
    let lines: Vec<_> = sample["check"]["script"].as_sequence().unwrap().iter().map(text).collect();
    for (student, status) in [("racko/good/class_game_top_at_the_end.py", 0), ("racko/bad/capital_d_draws_too.py", 1)] {
        let desk = Desk::with_student(student);
        let path = Path::new(env!("CARGO_BIN_EXE_check")).parent().unwrap().to_owned();
        let all = std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
        let path = std::env::join_paths([path].into_iter().chain(all)).unwrap();
        let mut shell = Command::new("bash");
        shell.args(["-eo", "pipefail", "-c", &lines.join("\n")]).current_dir(desk.path()).env("PATH", path);
        let said = Said::from(shell.output().unwrap());
        assert_eq!(said.status, status, "{said:?}");
        for file in sample["check"]["artifacts"]["reports"].as_mapping().unwrap().values() {
            assert!(desk.path().join(text(file)).is_file(), "{file:?}");
        }
        assert!(said.out.starts_with("student.py "), "{said:?}");
    }
}
