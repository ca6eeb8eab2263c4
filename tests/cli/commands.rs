//! The commands and what they promise to scripts.

use std::io::Read;
use std::process::Stdio;
#[cfg(unix)]
use std::time::{Duration, Instant};

use clap::CommandFactory;
use console_check::cli::Cli;

use super::{Desk, Said, fixtures};

#[test]
fn the_transcript_of_a_known_game() {
    let desk = Desk::new();
    let said = desk.check(&["transcript", "racko", "--inputs", "y,4,5,p,1,60,0,-5,12,29,p,57,p,23,d,p,27,p,27,48"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.ends_with("The rack after the turn  [1, 27, 46, 50, 57]\n\nPlayer 1 wins!\n"), "{}", said.out);
}

#[test]
fn both_forms_and_a_ruling() {
    let desk = Desk::new();
    let inputs = "60,60,60,20,57,19,60,60,60,20,20,20,60,60,21,20,20,20,54";
    let said = |more: &[&str]| desk.check(&[&["transcript", "darts", "--inputs", inputs], more].concat()).out;
    assert!(said(&[]).contains("Enter score: «60»\nTreble 20\n"));
    assert!(said(&["--form", "piped"]).contains("Enter score: Treble 20\n"));
}

#[test]
fn a_script_that_ends_early_ends_at_the_prompt() {
    let said = Desk::new().check(&["transcript", "darts", "--inputs", "60"]);
    assert!(said.status == 0 && said.out.ends_with("Dart 2\nEnter score: «\n"), "{said:?}");
}

#[test]
fn a_script_can_be_a_file() {
    let desk = Desk::new();
    desk.write("script.txt", "60\n60\n");
    let said = desk.check(&["transcript", "darts", "--script", "script.txt"]);
    assert!(said.out.ends_with("Dart 3\nEnter score: «\n"), "{said:?}");
}

#[test]
fn the_reference_can_be_played() {
    let desk = Desk::new();
    let script = desk.write("typed.txt", "60\ntwenty\n20\n");
    let mut command = desk.command(&["play", "darts"]);
    command.stdin(std::fs::File::open(script).unwrap());
    let said = Said::from(command.output().unwrap());
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("Enter score: 60\nTreble 20\nDart 2\nEnter score: twenty\n(a whole number is wanted here)\nEnter score: 20\nDart 3\n"), "{}", said.out);
}

#[test]
fn listings() {
    let desk = Desk::new();
    let cases = desk.check(&["cases", "darts"]);
    assert!(cases.status == 0 && cases.out.contains("model-game"), "{cases:?}");
    let rules = desk.check(&["rules", "racko"]);
    assert!(
        rules.out.contains("racko.turn.discard") && rules.out.contains("reshuffle-on-the-winning-turn"),
        "{rules:?}"
    );
    assert!(!rules.out.contains("cases: none"), "{}", rules.out);
    for shell in ["bash", "zsh"] {
        let script = desk.check(&["completions", shell]).out;
        assert!(script.contains("_check") && script.contains("darts doubles racko"), "{script}");
    }
    assert!(desk.check(&["man"]).out.contains(".TH check"));
}

/// Each command as it is typed, from the definition of the command line: one that is added is one of these.
fn commands() -> Vec<Vec<String>> {
    fn below(command: &clap::Command, typed: &[String], all: &mut Vec<Vec<String>>) {
        all.push(typed.to_vec());
        for inner in command.get_subcommands() {
            below(inner, &[typed, &[inner.get_name().to_owned()]].concat(), all);
        }
    }
    let mut all = vec![];
    below(&Cli::command(), &[], &mut all);
    all
}

/// A desk with the files that the examples speak of, and with the shares of a class if one needs them.
fn desk_of_the_examples(with_shares: bool) -> Desk {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    desk.write("submissions/ada.py", "print(1)\n");
    desk.write("submissions/grace.py", "print(2)\n");
    for share in ["1", "2", "3"].into_iter().filter(|_| with_shares) {
        let (output, share) = (format!("results-{share}/"), format!("{share}/3"));
        let said = desk.check(&["grade", "racko", "submissions/", "--output", &output, "--partition", &share]);
        assert_eq!(said.status, 0, "{said:?}");
    }
    desk.write("ada_1.py", "print(1)\n");
    let zipped = desk.python(&["-m", "zipfile", "-c", "export.zip", "ada_1.py"]);
    assert!(zipped.status.success(), "{zipped:?}");
    desk
}

#[test]
fn every_command_has_an_example_and_every_example_works() {
    let commands = commands();
    assert!(commands.len() >= 9, "{commands:?}");
    for command in commands {
        let arguments: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = Desk::new().check(&arguments);
        assert_eq!(help.status, 0, "{help:?}");
        let examples = help.out.split_once("Example").map_or("", |(_, examples)| examples);
        let examples: Vec<_> = examples.lines().filter_map(|line| line.trim().strip_prefix("check ")).collect();
        assert!(!examples.is_empty(), "check {}: --help has no example", command.join(" "));
        // Another language's program is not on the desk, nor everywhere a check that can be packed.
        let can_pack = cfg!(all(target_os = "linux", target_arch = "x86_64"));
        let is_possible = |line: &&str| !line.contains("java") && (can_pack || !line.starts_with("pack "));
        for line in examples.into_iter().filter(is_possible) {
            assert!(line.starts_with(&command.join(" ")), "check {}: {line}", command.join(" "));
            // What one example writes must not stand in the way of another.
            let desk = desk_of_the_examples(line.starts_with("merge "));
            let words = shell_words::split(line).unwrap();
            let mut command = desk.command(&words.iter().map(String::as_str).collect::<Vec<_>>());
            command.stdin(Stdio::null());
            let said = Said::from(command.output().unwrap());
            assert_eq!(said.status, 0, "check {line}: {said:?}");
        }
    }
}

#[test]
fn the_json_report_has_what_scripts_rely_on() {
    let desk = Desk::with_student("darts/bad/no_shot.py");
    let said = desk.check(&["darts", "student.py", "--format", "json", "--output", "report.json"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(desk.path().join("report.json")).unwrap()).unwrap();
    assert_eq!(report["schema"], "check/report/v1");
    assert_eq!(report["outcome"], "failed");
    let case = report["cases"].as_array().unwrap().iter().find(|case| case["verdict"] != "passed").unwrap();
    let difference = &case["difference"];
    assert_eq!(
        (&difference["cause"], &difference["rule"]),
        (&"missing_line".into(), &"darts.dart.shot".into()),
        "{case}"
    );
    assert_eq!(difference["expected"], "Shot!");
    assert!(difference["input"]["number"].as_u64().unwrap() > 0 && difference["expected_line"].as_u64().unwrap() > 0);
    assert_eq!((&case["ending"], &case["points"]), (&"exited".into(), &0.0.into()));
}

#[test]
fn the_number_of_workers_changes_nothing() {
    let desk = Desk::with_student("racko/bad/taken_discard_stays_in_pile.py");
    let report = |jobs| {
        let said = desk.check(&["racko", "student.py", "--format", "json", "--jobs", jobs]);
        let mut report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        for case in report["cases"].as_array_mut().unwrap() {
            case["duration_ms"].take();
        }
        report
    };
    let one = report("1");
    assert_eq!(one, report("2"));
    assert_eq!(one, report("7"));
}

#[test]
fn several_formats_are_a_folder() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let said = desk.check(&["darts", "student.py", "--format", "terminal,json", "--output", "out"]);
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{said:?}");
    assert!(desk.path().join("out/report.txt").is_file() && desk.path().join("out/report.json").is_file());
}

#[test]
fn a_closed_output_ends_quietly_with_the_verdicts_code() {
    let desk = Desk::with_student("darts/bad/no_shot.py");
    let mut child =
        desk.command(&["darts", "student.py"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!((status.code(), err.as_str()), (Some(1), ""));
}

#[test]
fn colours_follow_the_usual_words() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let has_colour = |arguments: &[&str], variable: Option<(&str, &str)>| {
        let mut command = desk.command(&[&["darts", "student.py"], arguments].concat());
        command.envs(variable);
        Said::from(command.output().unwrap()).out.contains('\u{1b}')
    };
    assert!(!has_colour(&[], None));
    assert!(has_colour(&["--color", "always"], None));
    assert!(has_colour(&[], Some(("CLICOLOR_FORCE", "1"))));
    assert!(!has_colour(&["--color", "never"], Some(("CLICOLOR_FORCE", "1"))));
    assert!(has_colour(&["--color", "always"], Some(("NO_COLOR", "1"))));
}

#[cfg(unix)]
#[test]
fn other_programs_run_as_a_command() {
    let desk = Desk::new();
    // A shell script that reads byte by byte, as shells do, and plays no game.
    desk.write("game.sh", "printf \"Player 1 it's your turn. Your score is: 501\\nDart 1\\nEnter score: \"\nread dart\necho \"Treble 20\"\n");
    let said = desk.check(&["darts", "game.sh", "--command", "sh game.sh", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.status, &report["runner"]), (1, &"command".into()), "{said:?}");
    let case = &report["cases"][0];
    assert_eq!(case["verdict"], "left_input_unread", "{case}");
    // Without a file, the files of the folder are the program's.
    let said = desk.check(&["darts", "--command", "sh game.sh", "--format", "json"]);
    let again: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(again["cases"][0]["verdict"], "left_input_unread", "{again}");
}

#[cfg(unix)]
#[test]
fn a_command_needs_no_files() {
    let said = Desk::new().check(&["darts", "--command", "true", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said.status, &report["cases"][0]["verdict"]), (1, &"left_input_unread".into()), "{said:?}");
}

#[test]
fn reading_before_asking_costs_nothing_and_is_told() {
    let said = Desk::with_student("darts/good/reads_before_it_asks.py").check(&["darts", "student.py"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(
        said.out.contains("Note: The program reads an answer before it has printed the prompt for it."),
        "{said:?}"
    );
    let said = Desk::with_student("darts/good/text_only_functions.py").check(&["darts", "student.py"]);
    assert!(!said.out.contains("Note:"), "{said:?}");
}

#[test]
fn a_question_without_a_prompt_is_shown_where_it_is_asked() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let source = std::fs::read_to_string(desk.path().join("student.py")).unwrap();
    desk.write("student.py", &format!("input()\n{source}"));
    let said = desk.check(&["darts", "student.py", "--unified"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("once without asking for it: answer 1, «60», goes there"), "{}", said.out);
    let picture = "-        Enter score: «60»\n+    7   Enter score: «20»\n";
    assert!(said.out.contains(picture), "the third answer stands in its place: {}", said.out);
}

#[test]
fn a_line_printed_twice_is_told_as_such() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let source = std::fs::read_to_string(desk.path().join("student.py")).unwrap();
    let line = "        print(f\"{total} scored.\")\n";
    assert!(source.contains(line));
    desk.write("student.py", &source.replace(line, &line.repeat(2)));
    let said = desk.check(&["darts", "student.py", "--unified"]);
    let picture = "    10   140 scored.\n+   11   140 scored.\n    12\n    13   Player 2 it's";
    assert!(said.out.contains(picture), "{}", said.out);
    assert!(
        said.out.contains("Why:   This line is printed twice.") && said.out.contains("(darts.scored;"),
        "{}",
        said.out
    );
}

#[test]
fn an_open_question_answered_both_ways_is_told_as_such() {
    let desk = Desk::with_student("darts/bad/busts_at_one_only_first.py");
    let said = desk.check(&["darts", "student.py"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = "Here the program answers “it is a bust at once”, in other cases “the remaining darts are thrown, then";
    assert!(words.contains(told), "{}", said.out);
}

#[test]
fn what_went_to_standard_error_is_told() {
    let said = Desk::with_student("darts/bad/bust_on_standard_error.py").check(&["darts", "student.py"]);
    assert!(said.out.contains("This line was printed, but on standard error"), "{}", said.out);
    let said = Desk::with_student("darts/bad/no_shot.py").check(&["darts", "student.py"]);
    assert!(!said.out.contains("standard error"), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn the_streams_can_be_opened_by_their_names() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let source = std::fs::read_to_string(desk.path().join("student.py")).unwrap();
    let streams = "import sys\nsys.stdin = open('/dev/stdin')\nsys.stdout = open('/dev/stdout', 'w', 1)\n";
    desk.write("student.py", &format!("{streams}{source}"));
    for runner in ["warm", "spawn"] {
        let said = desk.check(&["darts", "student.py", "--runner", runner]);
        assert_eq!(said.status, 0, "{runner}: {said:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_command_that_is_not_there_is_no_verdict() {
    for command in ["no-such-command", "./no-such-command"] {
        let said = Desk::with("print(1)\n").check(&["darts", "--command", command]);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
        assert!(said.err.contains(&format!("can't start {command}: ")), "{said:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_command_that_runs_the_program_fits_it() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let game = desk.write("sub/game", "#!/bin/sh\necho no\n");
    std::fs::set_permissions(&game, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = desk.check(&["darts", "sub/game"]);
    assert!(said.out.contains("60 32 | ./sub/game\n"), "{}", said.out);
    let said = desk.check(&["darts", "sub", "--command", "./game"]);
    assert!(said.out.contains("    cd sub && printf '%s\\n' 60 60"), "{}", said.out);
    let own = Desk::new();
    own.write("sub/helper.py", "def roll():\n    return 1\n");
    own.write("sub/student.py", "from helper import roll\nprint('You rolled', roll())\n");
    let said = own.check(&["doubles", "sub/student.py"]);
    let command = said.out.lines().find(|line| line.contains("runpy")).unwrap().trim().to_owned();
    let run = own.command(&[]).get_envs().find(|(name, _)| *name == "PATH").unwrap().1.unwrap().to_owned();
    let output =
        std::process::Command::new("sh").args(["-c", &command]).env("PATH", run).current_dir(own.path()).output();
    assert_eq!(String::from_utf8(output.unwrap().stdout).unwrap(), "You rolled 1\n", "{command}");
}

#[test]
fn each_command_has_its_man_page() {
    let said = Desk::new().check(&["man", "transcript"]);
    assert!(said.status == 0 && said.out.contains("check\\-transcript") && said.out.contains("ruling"), "{said:?}");
}

/// While one worker copies a program, another must not start a process that holds the copy open.
#[cfg(unix)]
#[test]
fn a_compiled_program_starts_every_time() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let path = desk.path().join("game");
    std::fs::copy("/bin/true", &path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    for _ in 0..5 {
        let said = desk.check(&["darts", "game", "--jobs", "8", "--format", "json"]);
        assert_eq!(said.status, 1, "{said:?}");
    }
}

#[test]
fn what_turns_text_round_is_told_by_number() {
    let said = Desk::with("print('\\u202e\\u009b')\n").check(&["darts", "student.py", "--format", "json"]);
    assert!(said.out.contains("\\u202e\\u009b") && !said.out.contains('\u{202e}'), "{}", said.out);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let desk = Desk::with("while True:\n    pass\n");
    let scratch = desk.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let mut command = desk.command(&["darts", "student.py", "--timeout", "60"]);
    command.env("TMPDIR", &scratch).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    while std::fs::read_dir(&scratch).unwrap().next().is_none() {
        assert!(started.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0);
}

#[test]
fn an_assignment_can_be_taken_from_a_folder_of_fixtures() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let said = desk.check(&["darts", "student.py", "--fixtures", fixtures().to_str().unwrap()]);
    assert_eq!(said.status, 0, "{said:?}");
}
