//! Whatever is wrong with what was typed gets a clear word and exit code 2, and nothing is written.

use std::fs;

use super::{Desk, Said};

const PROGRAM: &str = "print('Player 1 it\\'s your turn. Your score is: 501')\n";

/// Calls `check`, which has to refuse with a message that holds these words.
#[track_caller]
fn refused(desk: &Desk, arguments: &[&str], words: &[&str]) -> Said {
    let before = files(desk);
    let said = desk.check(arguments);
    assert_eq!(said.status, 2, "{said:?}");
    assert_eq!(said.out, "", "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "{word:?} is not in: {}", said.err);
    }
    assert!(!said.err.contains("panicked") && !said.err.contains("RUST_BACKTRACE"), "{}", said.err);
    assert_eq!(files(desk), before, "something was written");
    said
}

fn files(desk: &Desk) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(desk.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn no_such_file() {
    refused(&Desk::new(), &["darts", "student.py"], &["student.py", "no such file"]);
}

#[test]
fn a_folder_without_a_program() {
    let desk = Desk::new();
    fs::create_dir(desk.path().join("folder")).unwrap();
    refused(&desk, &["darts", "folder"], &["folder", ".py"]);
}

#[test]
fn a_folder_with_two_programs() {
    let desk = Desk::new();
    desk.write("folder/one.py", PROGRAM);
    desk.write("folder/two.py", PROGRAM);
    refused(&desk, &["darts", "folder"], &["one.py", "two.py"]);
}

#[cfg(unix)]
#[test]
fn a_fifo_is_not_waited_for() {
    let desk = Desk::new();
    let status = std::process::Command::new("mkfifo").arg(desk.path().join("student.py")).status().unwrap();
    assert!(status.success());
    refused(&desk, &["darts", "student.py"], &["student.py", "FIFO"]);
}

#[cfg(unix)]
#[test]
fn a_device() {
    refused(&Desk::new(), &["darts", "/dev/null"], &["/dev/null", "device"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing() {
    let desk = Desk::new();
    std::os::unix::fs::symlink("nothing.py", desk.path().join("student.py")).unwrap();
    refused(&desk, &["darts", "student.py"], &["student.py", "link"]);
}

#[test]
fn a_file_over_one_mebibyte() {
    let desk = Desk::with(&"#".repeat((1 << 20) + 1));
    refused(&desk, &["darts", "student.py"], &["student.py", "1 MiB"]);
}

#[test]
fn an_empty_file_is_judged_and_passes_nothing() {
    let said = Desk::with("").check(&["darts", "student.py", "--format", "json"]);
    assert_eq!(said.status, 1, "{said:?}");
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["outcome"], "failed");
    assert_eq!(report["score"], 0.0);
    assert!(report["cases"].as_array().unwrap().iter().all(|case| case["verdict"] == "left_input_unread"), "{report}");
}

#[test]
fn an_unknown_assignment() {
    refused(&Desk::with(PROGRAM), &["dart", "student.py"], &["dart", "darts"]);
}

#[test]
fn an_unknown_case() {
    refused(&Desk::with(PROGRAM), &["darts", "student.py", "--case", "model-gam"], &["model-gam", "model-game"]);
}

#[test]
fn no_time_at_all() {
    refused(&Desk::with(PROGRAM), &["darts", "student.py", "--timeout", "0"], &["timeout", "more than 0"]);
    refused(&Desk::with(PROGRAM), &["darts", "student.py", "--timeout", "-1"], &["timeout"]);
    refused(&Desk::with(PROGRAM), &["darts", "student.py", "--timeout", "nan"], &["timeout"]);
}

#[test]
fn no_such_interpreter() {
    refused(
        &Desk::with(PROGRAM),
        &["darts", "student.py", "--python", "no-such-python"],
        &["no-such-python", "--python"],
    );
}

#[test]
fn several_formats_without_a_folder() {
    refused(&Desk::with(PROGRAM), &["darts", "student.py", "--format", "terminal,json"], &["--output"]);
}

#[test]
fn inputs_that_do_not_fit_the_game() {
    let desk = Desk::new();
    refused(&desk, &["transcript", "darts", "--inputs", "60,twenty"], &["input 2", "twenty", "whole number"]);
    refused(&desk, &["transcript", "doubles", "--seed", "1", "--inputs", "maybe,"], &["input 1", "maybe", "y or n"]);
    refused(&desk, &["transcript", "doubles", "--seed", "1", "--inputs", "n,,more"], &["left over", "more"]);
    refused(&desk, &["transcript", "doubles", "--inputs", "n,"], &["--seed"]);
    refused(&desk, &["transcript", "darts", "--seed", "1", "--inputs", "60"], &["--seed"]);
    refused(&desk, &["transcript", "darts", "--inputs", "60", "--ruling", "double-out=odd"], &["odd", "even"]);
    refused(&desk, &["transcript", "darts", "--inputs", "60", "--ruling", "double=even"], &["double-out"]);
    refused(&desk, &["transcript", "darts", "--script", "none.txt"], &["none.txt"]);
}

#[cfg(unix)]
#[test]
fn a_scratch_folder_that_cannot_be_made() {
    let desk = Desk::with(PROGRAM);
    let mut command = desk.command(&["darts", "student.py"]);
    command.env("TMPDIR", desk.path().join("nowhere"));
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.err.contains("scratch folder") && said.err.contains("TMPDIR"), "{said:?}");
}

/// An assignment of one case, with one of its files replaced.
fn broken(file: &str, text: &str) -> Desk {
    let desk = Desk::with(PROGRAM);
    desk.write("mine/assignment.yaml", "title: Mine\ngame: darts\ncases: [first]\n");
    desk.write("mine/cases/first.yaml", "title: the first dart\ninputs: [\"60\"]\n");
    let transcript = desk.check(&["transcript", "darts", "--inputs", "60"]).out;
    desk.write("mine/cases/first.transcript", &transcript);
    desk.write(&format!("mine/{file}"), text);
    desk
}

#[test]
fn an_assignment_in_a_folder_is_judged() {
    let desk = broken("assignment.yaml", "title: Mine\ngame: darts\ncases: [first]\n");
    let said = desk.check(&["./mine", "student.py"]);
    assert_eq!(said.status, 1, "{said:?}");
}

#[test]
fn a_case_file_with_a_fault() {
    let case = "cases/first.yaml";
    let place = |words: &str| words.to_owned();
    for (text, words) in [
        ("title: [a]\ninputs: [\"60\"]\n", place("first.yaml:1:8")),
        ("title: a\npionts: 2\ninputs: [\"60\"]\n", place("pionts")),
        ("title: a\ntitle: b\ninputs: [\"60\"]\n", place("title")),
        ("title: a\ninputs: [\"60\", 60]\n", place("first.yaml:2:16")),
        ("title: a\npoints: -1\ninputs: [\"60\"]\n", place("first.yaml:2:9")),
        ("title: a\nvisibility: no\ninputs: [\"60\"]\n", place("first.yaml:2:13")),
    ] {
        let said = refused(&broken(case, text), &["./mine", "student.py"], &[&words, "first.yaml"]);
        assert!(said.err.contains('^'), "no caret: {}", said.err);
    }
}

#[test]
fn a_transcript_that_does_not_match() {
    let desk = broken("cases/first.transcript", "Player 1 it's your turn. Your score is: 101\n");
    refused(&desk, &["./mine", "student.py"], &["first.transcript:1", "501"]);
}

#[test]
fn a_case_whose_inputs_do_not_fit() {
    let desk = broken("cases/first.yaml", "title: a\ninputs: [\"sixty\"]\n");
    refused(&desk, &["./mine", "student.py"], &["first", "sixty", "whole number"]);
}

#[test]
fn a_report_does_not_take_the_place_of_its_submission() {
    let desk = Desk::with("print(1)\n");
    let said = desk.check(&["darts", "student.py", "--output", "./student.py"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("is the submission itself"), "{said:?}");
    assert_eq!(fs::read_to_string(desk.path().join("student.py")).unwrap(), "print(1)\n");
}

#[cfg(unix)]
#[test]
fn a_script_is_a_file() {
    let desk = Desk::new();
    let said = desk.check(&["transcript", "darts", "--script", "/dev/zero"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("a text file of at most 1 MiB is wanted"), "{said:?}");
}

#[test]
fn an_own_case_has_no_inputs_left_over() {
    let desk = Desk::with("print(1)\n");
    desk.write("mine/assignment.yaml", "title: mine\ngame: darts\ncases: [all]\n");
    let inputs = "60 60 20 20 57 19 60 15 20 60 20 1 60 57 57 20 20 20 60 32".replace(' ', "\", \"");
    desk.write("mine/cases/all.yaml", &format!("title: all\ninputs: [\"{inputs}\", \"7\"]\n"));
    let transcript = desk.check(&["transcript", "darts", "--inputs", &inputs.replace("\", \"", ",")]);
    desk.write("mine/cases/all.transcript", &transcript.out);
    let said = desk.check(&["./mine", "student.py"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("all.yaml:2:129: the game is over before this input is read"), "{said:?}");
}

#[test]
fn an_input_that_does_not_fit_its_game_is_named_with_its_place() {
    let desk = Desk::with("print(1)\n");
    desk.write("mine/assignment.yaml", "title: mine\ngame: darts\ncases: [all]\n");
    desk.write("mine/cases/all.yaml", "title: all\ninputs:\n  - \"60\"\n  - \"sixty\"\n");
    desk.write("mine/cases/all.transcript", "");
    let place = "all.yaml:4:5: a whole number is wanted here, for `Enter score:`\n  |\n4 |   - \"sixty\"\n  |     ^\n";
    refused(&desk, &["./mine", "student.py"], &[place]);
    desk.write("dice/assignment.yaml", "title: dice\ngame: doubles\ncases: [dice]\n");
    desk.write(
        "dice/cases/dice.yaml",
        "title: dice\ndice:\n  runs: 60\n  first_seed: 1\n  inputs: [\"maybe\", \"\"]\n",
    );
    refused(&desk, &["./dice", "student.py"], &["dice.yaml:5:12: y or n is wanted here"]);
}

#[test]
fn an_assignment_that_the_fixtures_do_not_hold_is_not_taken_from_elsewhere() {
    let desk = Desk::with("print(1)\n");
    desk.write("own/dart/assignment.yaml", "title: mine\ngame: darts\ncases: [all]\n");
    let words = ["there is no assignment \"darts\" in this folder; did you mean `dart`?", "it holds dart"];
    refused(&desk, &["darts", "student.py", "--fixtures", "own"], &words);
}

#[test]
fn options_stand_after_a_command() {
    let desk = Desk::new();
    refused(&desk, &["--color", "never", "cases", "darts"], &["`cases` is a command and stands first"]);
    refused(&desk, &["man", "case"], &["there is no command \"case\"", "cases"]);
}

#[test]
fn names_reach_the_terminal_without_control_characters() {
    let said = Desk::new().check(&["darts", "no\u{1b}[31mb.py"]);
    assert_eq!(said.status, 2, "{said:?}");
    assert!(!said.err.contains('\u{1b}'), "{said:?}");
}
