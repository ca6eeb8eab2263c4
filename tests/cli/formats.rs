//! The formats for machines, as `check` writes them.

use std::fs;

use serde_json::Value;

use super::Desk;
use super::schema::faults_of;

/// A program that tries to be obeyed by whatever reads of it.
const HOSTILE: &str = r#"
import sys
print("Player 1 it's your turn. Your score is: 501")
print("::error::HOSTILE ##[error]HOSTILE ``` <script> @all |\r::stop-commands::a\u2028::debug::b \x1b[31m\x00\ufffe")
sys.stderr.write("::warning::HOSTILE\n##vso[task.complete]HOSTILE\r\n")
class Bad(Exception):
    pass
Bad.__name__ = Bad.__qualname__ = "::notice::HOSTILE"
raise Bad("::add-mask::HOSTILE\n::set-output name=a::b")
"#;

/// Lines of a log that GitHub or Azure obeys.
fn commands(log: &str) -> Vec<&str> {
    let lines = log.split(['\n', '\r', '\u{2028}', '\u{85}']);
    lines.filter(|line| line.trim().starts_with("::") || line.contains("##[") || line.contains("##vso[")).collect()
}

#[test]
fn all_of_them_into_a_folder() {
    let desk = Desk::with_student("darts/bad/no_shot.py");
    let formats = "junit,gradescope,github,csv";
    let said = desk.check(&["darts", "student.py", "--format", formats, "--output", "out"]);
    assert_eq!(said.status, 1, "{said:?}");
    let mut names: Vec<String> = fs::read_dir(desk.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["junit.xml", "results.csv", "results.json", "summary.md"]);
    // The annotations are for the log: of the cases first, then of the code.
    let (errors, warnings): (Vec<&str>, Vec<&str>) =
        said.out.lines().partition(|line| line.starts_with("::error title="));
    let in_its_line = |line: &&str| line.starts_with("::warning title=") && line.contains(",file=student.py,line=");
    assert!(!warnings.is_empty() && warnings.iter().all(in_its_line), "{}", said.out);
    let read = |name: &str| fs::read_to_string(desk.path().join("out").join(name)).unwrap();
    let results: Value = serde_json::from_str(&read("results.json")).unwrap();
    assert_eq!(faults_of(include_str!("../../src/report/gradescope.schema.json"), &results), Vec::<String>::new());
    assert!(results.get("leaderboard").is_none() && results["execution_time"].as_f64().unwrap() > 0.0, "{results}");
    let failed = results["tests"].as_array().unwrap().iter().filter(|test| test["status"] == "failed").count();
    assert_eq!((failed - warnings.len(), errors.len()), (18, 10), "{}", said.out);
    assert!(read("junit.xml").contains(&format!("failures=\"{failed}\"")), "{}", read("junit.xml"));
    assert_eq!(read("summary.md").lines().filter(|line| line.starts_with("| ❌")).count(), failed);
    assert!(read("results.csv").starts_with("\u{feff}key,score,"), "{}", read("results.csv"));
    assert!(read("summary.md").starts_with("## ❌ ` student.py ` does not pass yet: "), "{}", read("summary.md"));
}

#[test]
fn a_log_obeys_no_submission() {
    let desk = Desk::with(HOSTILE);
    let name = "::error::HOSTILE ##[x].py";
    #[cfg(unix)]
    let name = &format!("{name}\n::error::x.py");
    desk.write(name, HOSTILE);
    for format in ["terminal", "junit", "gradescope", "csv", "json"] {
        for arguments in [&["--all"][..], &["--side-by-side"]] {
            let file = format!("./{name}");
            let said = desk.check(&[&["darts", &file, "--format", format], arguments].concat());
            assert_eq!((said.status, commands(&said.err).len()), (1, 0), "{said:?}");
            // A log may be where they are shown.
            assert_eq!(commands(&said.out), Vec::<&str>::new(), "{format}");
        }
    }
    let said = desk.check(&["darts", &format!("./{name}"), "--format", "github", "--no-source", "--no-functions"]);
    assert_eq!(commands(&said.out).len(), 10);
    for line in said.out.split_inclusive('\n') {
        let (_, message) = line.strip_prefix("::error title=").unwrap().split_once("::").unwrap();
        assert!(!message.contains("##[") && !message.contains("##vso[") && message.contains("HOSTILE"), "{line}");
    }
    for broken in ["missing.py\n::error::HOSTILE", "##[error]HOSTILE"] {
        let said = desk.check(&["darts", broken]);
        assert_eq!((said.status, commands(&said.err)), (2, vec![]), "{said:?}");
    }
}

#[test]
fn a_syntax_error_is_annotated_in_its_line() {
    let desk = Desk::with_student("darts/bad/missing_colon.py");
    let said = desk.check(&["darts", "student.py", "--format", "github", "--no-source", "--no-functions"]);
    let start =
        "::error title=student.py does not run%3A Python can't read it. 0.0 of 38.0 points.,file=student.py,line=27::";
    assert!(said.out.starts_with(start) && said.out.lines().count() == 1, "{}", said.out);
}

#[test]
fn what_is_found_in_the_code_is_a_warning_unless_it_fails_the_submission() {
    let desk = Desk::with_student("racko/good/starter_file_functions.py");
    for (strict, status, level) in [(None, 0, "warning"), (Some("--strict"), 1, "error")] {
        let arguments = ["racko", "student.py", "--format", "github"].into_iter().chain(strict);
        let said = desk.check(&arguments.collect::<Vec<_>>());
        let start = format!("::{level} title=function-prep-game%3A ");
        assert!(said.status == status && said.out.starts_with(&start), "{said:?}");
        let levels = said.out.lines().map(|line| line.split_once(' ').unwrap().0);
        assert!(levels.filter(|found| *found != "::notice").all(|found| found == format!("::{level}")), "{said:?}");
        let note =
            "::notice title=imports%3A The program imports no module but `random`.,file=student.py,line=5::a note%0A";
        assert!(said.out.lines().last().unwrap().starts_with(note), "{said:?}");
    }
}

#[test]
fn the_summary_is_added_to_that_of_the_step() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let summary = desk.write("summary", "before\n");
    let run = || {
        let mut command = desk.command(&["darts", "student.py", "--format", "github", "--no-source", "--no-functions"]);
        command.env("GITHUB_STEP_SUMMARY", &summary).output().unwrap()
    };
    let said = run();
    assert_eq!((said.status.code(), said.stdout.len()), (Some(0), 0));
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.starts_with("before\n## ✅ ` student.py ` passes all 38 cases: 38.0 of 38.0 points."), "{text}");
    // Of a summary that is full nothing would be shown.
    fs::write(&summary, "x".repeat((1 << 20) - 2000)).unwrap();
    run();
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.len() <= 1 << 20 && text.ends_with("no more than 1 MiB of it._\n"), "{}", text.len());
    run();
    assert!(fs::metadata(&summary).unwrap().len() <= 1 << 20);
}

#[test]
fn a_hidden_case_stays_hidden_in_every_format() {
    let desk = Desk::with("print('Player 1 SECRET')\n");
    desk.write_hidden_case();
    for format in ["junit", "gradescope", "github", "csv"] {
        let shown = |audience| {
            let output = format!("{format}-{audience}");
            let said =
                desk.check(&["./mine", "student.py", "--format", format, "--for", audience, "--output", &output]);
            assert_eq!(said.status, 1, "{said:?}");
            said.out + &fs::read_to_string(desk.path().join(output)).unwrap()
        };
        let (student, instructor) = (shown("student"), shown("instructor"));
        let tells = |text: &str| text.contains("SECRET") || text.contains("it's your turn") || text.contains("darts.");
        assert!(!tells(&student), "{student}");
        assert!(tells(&instructor), "{format}: {instructor}");
        assert!(format != "gradescope" || student.contains("\"visibility\": \"hidden\""), "{student}");
    }
}
