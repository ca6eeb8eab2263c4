//! A class: who is graded, what is kept, and that nothing is lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::schema::faults_of;
use super::{Desk, Said};

/// Plays the two darts that the cases ask for.
const RIGHT: &str = "\
print(\"Player 1 it's your turn. Your score is: 501\")
for dart in 1, 2, 3:
    print('Dart', dart)
    score = int(input('Enter score: '))
    print('Treble', score // 3)
";
const WRONG: &str = "print('Player 1')\n";

/// A desk with an assignment of two short cases, the second hidden, and a folder of submissions.
fn class(submissions: &[(&str, &str)]) -> Desk {
    let desk = Desk::new();
    desk.write("short/assignment.yaml", "title: Two darts\ngame: darts\ncases: [one, two]\n");
    for (id, visibility, inputs) in [("one", "visible", "60"), ("two", "hidden", "60,57")] {
        let list: Vec<String> = inputs.split(',').map(|input| format!("{input:?}")).collect();
        let case = format!("title: dart {id}\nvisibility: {visibility}\ninputs: [{}]\n", list.join(", "));
        desk.write(&format!("short/cases/{id}.yaml"), &case);
        let said = desk.check(&["transcript", "darts", "--inputs", inputs]);
        desk.write(&format!("short/cases/{id}.transcript"), &said.out);
    }
    for (path, program) in submissions {
        desk.write(&format!("submissions/{path}"), program);
    }
    desk
}

fn many(count: usize) -> Desk {
    let names: Vec<String> = (0..count).map(|student| format!("student-{student}.py")).collect();
    let program = |student| if student % 3 == 0 { WRONG } else { RIGHT };
    class(&names.iter().enumerate().map(|(student, name)| (name.as_str(), program(student))).collect::<Vec<_>>())
}

fn grade(desk: &Desk, more: &[&str]) -> Said {
    desk.check(&[&["grade", "./short", "submissions", "--no-durations"], more].concat())
}

/// The latest rows of a journal by their keys.
fn rows(results: &Path) -> BTreeMap<String, Value> {
    let text = fs::read_to_string(results.join("journal.jsonl")).unwrap();
    assert!(text.ends_with('\n'));
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|row| Some((row["key"].as_str()?.to_owned(), row))).collect()
}

/// All files of a folder with what is in them; of a journal the rows, since their order is nobody's promise.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name == "journal.jsonl" {
                found.insert(name, format!("{:#?}", rows(folder)));
            } else {
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

/// Tells the first line in which two folders of results differ.
fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (files(one), files(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, text) in one {
        let differing = text.lines().zip(other[&name].lines()).find(|(one, other)| one != other);
        assert!(differing.is_none() && text.len() == other[&name].len(), "{name}: {differing:?}");
    }
}

#[test]
fn each_student_has_a_row_with_an_outcome_or_a_reason() {
    let desk = class(&[
        ("right.py", RIGHT),
        ("Mu\u{308}ller.py", RIGHT),
        ("wrong.py", WRONG),
        ("folder/game/play.py", RIGHT),
        ("folder/notes.txt", "none"),
        ("two/a.py", RIGHT),
        ("two/b.py", RIGHT),
        ("none/notes.txt", "none"),
        ("essay.txt", "none"),
        ("twice.py", RIGHT),
        ("twice/game.py", RIGHT),
        ("colon.py", "while True print()\n"),
        ("large.py", &"#".repeat((1 << 20) + 1)),
        ("helper.py", "import right\n"),
        (".hidden.py", RIGHT),
        ("__MACOSX/right.py", RIGHT),
        ("submission_metadata.yml", "a: b\n"),
    ]);
    #[cfg(unix)]
    {
        let submissions = desk.path().join("submissions");
        std::os::unix::fs::symlink("right.py", submissions.join("link.py")).unwrap();
        std::os::unix::fs::symlink("folder", submissions.join("linked")).unwrap();
        fs::create_dir(submissions.join("inner")).unwrap();
        std::os::unix::fs::symlink("../right.py", submissions.join("inner/game.py")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(submissions.join("fifo.py")).status().unwrap().success());
    }
    let said = grade(&desk, &[]);
    assert_eq!(said.status, 0, "{said:?}");
    let rows = rows(&desk.path().join("results"));
    let of = |key: &str| {
        let report = &rows[key]["report"];
        (report["outcome"].as_str().unwrap().to_owned(), report["reason"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(of("right"), ("passed".into(), String::new()));
    assert_eq!(of("folder"), ("passed".into(), String::new()));
    assert_eq!(of("wrong").0, "failed");
    assert_eq!(of("colon").0, "not_run");
    // What lies beside a flat file is other students' work.
    assert_eq!(of("helper").0, "failed");
    let mut refused = vec![
        ("two", "holds 2 .py files, and which of them is the program is not guessed: a.py, b.py"),
        ("none", "holds no .py file"),
        ("essay.txt", "its name does not end in .py"),
        ("twice", "several submissions have this key, and none of them is chosen: twice, twice.py"),
        ("large", "holds a program over 1 MiB"),
    ];
    if cfg!(unix) {
        refused.extend([
            ("link", "is a link, and links are not followed"),
            ("linked", "is a link, and links are not followed"),
            ("inner", "holds game.py, which is a link, and links are not followed"),
            ("fifo", "is not a regular file"),
        ]);
    }
    for (key, reason) in &refused {
        let (outcome, found) = of(key);
        assert!(outcome == "not_run" && found.contains(reason), "{key}: {found}");
    }
    assert_eq!(of("M\u{fc}ller").0, "passed");
    assert_eq!(rows.len(), 6 + refused.len(), "{:?}", rows.keys());
    for (key, row) in &rows {
        let folder = desk.path().join("results").join(row["folder"].as_str().unwrap());
        assert!(folder.join("report.json").is_file(), "{key}");
        // A page says what ran a program only if something did.
        let page = fs::read_to_string(folder.join("report.html")).unwrap();
        assert_eq!(page.contains("Run by"), !row["report"]["runner"].is_null(), "{key}");
        let results: Value = serde_json::from_slice(&fs::read(folder.join("results.json")).unwrap()).unwrap();
        assert_eq!(results["score"], row["report"]["score"], "{key}");
    }
    let file = |name: &str| fs::read_to_string(desk.path().join("results").join(name)).unwrap();
    let results: Value = serde_json::from_str(&file("results.json")).unwrap();
    let schema = include_str!("../../src/report/results.v1.schema.json");
    assert_eq!(faults_of(schema, &results), Vec::<String>::new());
    let keys = |row: &Value| row["key"].as_str().unwrap().to_owned();
    let keys: Vec<String> = results["submissions"].as_array().unwrap().iter().map(keys).collect();
    assert!(keys.iter().eq(rows.keys()), "{keys:?}");
    let table = file("results.csv");
    assert_eq!(table.lines().count(), 1 + rows.len());
    assert!(table.lines().skip(1).zip(rows.keys()).all(|(line, key)| line.starts_with(&format!("{key},"))), "{table}");
    // What could not be opened is an error, what Python can't read is a failure.
    let junit = file("junit.xml");
    let cases = rows["right"]["report"]["cases"].as_array().unwrap().len();
    let envelope = format!("tests=\"{}\" skipped=\"0\"", rows.len() * cases);
    assert!(junit.contains(&envelope) && junit.contains(&format!("errors=\"{}\"", refused.len() * cases)), "{junit}");
}

#[test]
fn a_file_of_several_can_be_named_and_keys_can_be_cut_out() {
    let desk = class(&[("doe_1/a.py", WRONG), ("doe_1/game.py", RIGHT), ("roe_2.py", RIGHT), ("odd.py", RIGHT)]);
    let said = grade(&desk, &["--program", "game.py", "--key", "^([a-z]+)_"]);
    assert_eq!(said.status, 0, "{said:?}");
    let rows = rows(&desk.path().join("results"));
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["doe", "odd.py", "roe"]);
    assert_eq!(rows["doe"]["report"]["outcome"], "passed");
    assert_eq!(rows["odd.py"]["report"]["reason"], "odd.py has no key: --key does not match this name");
}

#[test]
fn two_runs_give_the_same_bytes_with_any_number_of_workers() {
    let desk = many(9);
    for (jobs, output) in [("1", "one"), ("5", "five")] {
        let said = grade(&desk, &["--jobs", jobs, "--output", output, "--quiet"]);
        assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "", ""));
    }
    assert_same(&desk.path().join("one"), &desk.path().join("five"));
}

#[test]
fn students_see_less_of_a_hidden_case_than_instructors() {
    let desk = class(&[("wrong.py", WRONG)]);
    let case = |output: &str, file: &str| {
        let text = fs::read_to_string(desk.path().join(output).join(file)).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        report["cases"][1].clone()
    };
    let row = |output: &str| rows(&desk.path().join(output))["wrong"]["report"]["cases"][1].clone();
    assert_eq!(grade(&desk, &[]).status, 0);
    assert!(case("results", "wrong/report.json")["difference"].is_null());
    assert!(row("results")["difference"]["why"].is_string());
    assert_eq!(grade(&desk, &["--output", "all", "--for", "instructor"]).status, 0);
    assert!(case("all", "wrong/report.json")["difference"]["why"].is_string());
    assert_eq!(grade(&desk, &["--output", "some", "--for", "student"]).status, 0);
    assert!(row("some")["difference"].is_null());
}

#[test]
fn what_was_graded_before_a_kill_is_not_graded_again() {
    let desk = many(12);
    assert_eq!(grade(&desk, &["--output", "whole"]).status, 0);
    let mut child = desk
        .command(&["grade", "./short", "submissions", "--no-durations", "--jobs", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let journal = desk.path().join("results/journal.jsonl");
    let start = Instant::now();
    while fs::read(&journal).map_or(0, |text| text.iter().filter(|&&byte| byte == b'\n').count()) < 4 {
        assert!(start.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // As a power cut leaves it.
    let mut text = fs::read(&journal).unwrap();
    let lines = text.iter().filter(|&&byte| byte == b'\n').count();
    assert!(lines < 13, "it was killed too late");
    text.extend_from_slice(b"{\"key\":\"student-11\",\"fol");
    fs::write(&journal, text).unwrap();

    let said = grade(&desk, &[]);
    assert!(said.status == 2 && said.err.contains("results already holds results: go on with --resume"), "{said:?}");
    let said = grade(&desk, &["--resume"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.err.contains(&format!("12 of 12 ({} known before)", lines - 1)), "{said:?}");
    assert_same(&desk.path().join("whole"), &desk.path().join("results"));
    assert_eq!(fs::read_to_string(&journal).unwrap().lines().count(), 13);
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_it_with_a_word_and_it_goes_on_when_there_is_room() {
    let desk = many(60);
    assert_eq!(grade(&desk, &["--output", "whole"]).status, 0);
    // No file may be larger than two thirds of the journal: in blocks of 512 bytes, as POSIX has it.
    let blocks = fs::metadata(desk.path().join("whole/journal.jsonl")).unwrap().len() / 3 * 2 / 512;
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = desk.command(&["grade", "./short", "submissions", "--no-durations"]);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", &script]).arg(command.get_program()).args(command.get_args()).current_dir(desk.path());
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let said = Said::from(limited.output().unwrap());
    assert!(said.status == 2 && said.err.contains("results/journal.jsonl: "), "{said:?}");
    assert!(!said.err.contains("panicked"), "{said:?}");
    let said = Said::from(command.arg("--resume").output().unwrap());
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.err.contains("known before"), "{said:?}");
    let marks = |output: &str| -> Vec<Value> {
        rows(&desk.path().join(output)).into_values().map(|row| row["report"]["score"].clone()).collect()
    };
    // Not all bytes: a limit on files is felt by the submissions as well, and their reports say so.
    assert_eq!(marks("whole"), marks("results"));
}

#[test]
fn only_what_has_changed_is_graded_again() {
    let desk = many(4);
    let again = |known: usize| {
        let said = grade(&desk, &["--resume"]);
        assert_eq!(said.status, 0, "{said:?}");
        let known = if known == 0 { "4 of 4, ".to_owned() } else { format!("4 of 4 ({known} known before), ") };
        assert!(said.err.contains(&known), "{said:?}");
    };
    again(0);
    again(4);
    desk.write("submissions/student-3.py", RIGHT);
    again(3);
    assert_eq!(rows(&desk.path().join("results"))["student-3"]["report"]["outcome"], "passed");
    fs::remove_file(desk.path().join("results/student-1/report.json")).unwrap();
    again(3);
    desk.write("short/cases/one.yaml", "title: another title\ninputs: [\"60\"]\n");
    again(0);
    again(4);
    assert_eq!(rows(&desk.path().join("results"))["student-0"]["report"]["cases"][0]["title"], "another title");
    // Who comes later is graded, who goes is no more in the results.
    desk.write("submissions/student-4.py", RIGHT);
    fs::remove_file(desk.path().join("submissions/student-0.py")).unwrap();
    again(3);
    let said = grade(&desk, &["--resume", "--partition", "1/2"]);
    assert!(
        said.status == 2 && said.err.contains("results of short, share 1/1, and not of short, share 1/2"),
        "{said:?}"
    );
}

#[test]
fn shares_come_together_as_if_it_had_been_one() {
    let desk = many(10);
    assert_eq!(grade(&desk, &["--output", "whole"]).status, 0);
    let shares: Vec<String> = (1..=3).map(|share| format!("share-{share}")).collect();
    for (share, output) in (1..).zip(&shares) {
        assert_eq!(grade(&desk, &["--partition", &format!("{share}/3"), "--output", output]).status, 0);
    }
    let merge = |folders: &[&str], output: &str| desk.check(&[&["merge", "--output", output], folders].concat());
    let said = merge(&["share-3", "share-1", "share-2"], "merged");
    assert_eq!(said.status, 0, "{said:?}");
    assert_same(&desk.path().join("whole"), &desk.path().join("merged"));

    let refused = |folders: &[&str], words: &str| {
        let said = merge(folders, "never");
        assert!(said.status == 2 && said.err.contains(words), "{said:?}");
        assert!(!desk.path().join("never").exists());
    };
    refused(&["share-1", "share-3"], "share 2 is missing: the class was graded in 3 shares");
    refused(&["share-1", "share-2", "share-3", "share-1"], "share-1 and share-1 are both share 1/3");
    refused(&["share-1", "share-2", "whole"], "shares of 3 and shares of 1");
    refused(&["share-1", "share-2", "nowhere"], "nowhere");
    let journal = desk.path().join("share-2/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let (kept, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&journal, format!("{kept}\n{}", &last[..20])).unwrap();
    refused(&["share-1", "share-2", "share-3"], "9 of 10 submissions are there");
    fs::write(&journal, text).unwrap();
    for (file, text, why) in [
        (
            "assignment.yaml",
            "title: Two darts\ngame: darts\ncases: [one, two]\nchecks: [{id: play, function: play()}]\n",
            "what is asked of the code is not the same",
        ),
        ("assignment.yaml", "title: Darts\ngame: darts\ncases: [one, two]\n", "their titles are not the same"),
        ("cases/one.yaml", "title: another title\ninputs: [\"60\"]\n", "their cases are not the same"),
    ] {
        desk.write(&format!("short/{file}"), text);
        assert_eq!(grade(&desk, &["--partition", "2/3", "--output", "share-2", "--resume"]).status, 0);
        refused(&["share-1", "share-2", "share-3"], why);
    }
    let timeout = ["--partition", "1/3", "--output", "other-1", "--timeout", "4"];
    assert_eq!(grade(&desk, &timeout).status, 0);
    assert_eq!(grade(&desk, &["--partition", "3/3", "--output", "other-3"]).status, 0);
    refused(&["other-1", "share-2", "other-3"], "was graded by other cases or under other conditions");
}

#[test]
fn what_is_asked_of_the_code_is_told_of_a_class() {
    let indented: String = RIGHT.lines().map(|line| format!("    {line}\n")).collect();
    let main = format!("def main():\n{indented}main()\n");
    let broken = "while True print()\n";
    let desk = class(&[("right.py", RIGHT), ("main.py", &main), ("broken.py", broken), ("none.txt", "")]);
    let assignment = "title: Two darts\ngame: darts\ncases: [one, two]\nchecks: [{id: own, function: main()}]\n";
    desk.write("short/assignment.yaml", assignment);
    assert_eq!(grade(&desk, &[]).status, 0);
    let file = |name: &str| fs::read_to_string(desk.path().join("results").join(name)).unwrap();
    let verdict = |line: &str| line.rsplit_once(',').unwrap().1.to_owned();
    let table: Vec<String> = file("results.csv").lines().map(verdict).collect();
    assert_eq!(table, ["own", "skipped", "passed", "skipped", "failed"]);
    let junit = file("junit.xml");
    assert!(junit.contains("tests=\"12\" skipped=\"2\" failures=\"3\" errors=\"2\""), "{junit}");
    assert!(
        junit.contains("classname=\"right (code)\"")
            && junit.contains("name=\"own: The program has a function `main()`"),
        "{junit}"
    );
    let results: Value = serde_json::from_str(&file("results.json")).unwrap();
    let schema = include_str!("../../src/report/results.v1.schema.json");
    assert_eq!(faults_of(schema, &results), Vec::<String>::new());
    assert_eq!((&results["totals"]["failed_checks"], &results["totals"]["skipped_checks"]), (&1.into(), &2.into()));

    for (share, output) in [("1/2", "one"), ("2/2", "two")] {
        assert_eq!(grade(&desk, &["--partition", share, "--output", output]).status, 0);
    }
    let said = desk.check(&["merge", "--output", "merged", "one", "two"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert_same(&desk.path().join("results"), &desk.path().join("merged"));

    // As it was written before there were any checks.
    let older = file("journal.jsonl").lines().fold(String::new(), |older, line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        for part in ["class", "report"] {
            line.get_mut(part).and_then(Value::as_object_mut).and_then(|part| part.remove("checks"));
        }
        older + &format!("{line}\n")
    });
    desk.write("older/journal.jsonl", &older);
    assert_eq!(grade(&desk, &["--output", "older", "--resume"]).status, 0);
    assert_same(&desk.path().join("results"), &desk.path().join("older"));
}

#[test]
fn a_fault_of_check_is_told_and_the_exit_code_is_2() {
    let desk = many(2);
    assert_eq!(grade(&desk, &["--output", "share", "--jobs", "1"]).status, 0);
    // As it is written where check itself failed at a submission, which no submission can bring about.
    let journal = desk.path().join("share/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let failed =
        text.replace("\"outcome\":\"passed\",\"reason\":null", "\"outcome\":\"error\",\"reason\":\"out of luck\"");
    assert_ne!(failed, text);
    fs::write(&journal, failed).unwrap();
    let said = desk.check(&["merge", "share", "--fail-under", "100"]);
    assert_eq!(said.status, 2, "{said:?}");
    assert!(said.out.contains("1 failed, 1 could not be graded, by a fault of check"), "{said:?}");
    assert!(said.err.contains("student-1 could not be graded: out of luck"), "{said:?}");
    let table = fs::read_to_string(desk.path().join("results/results.csv")).unwrap();
    assert!(table.contains("student-1,") && table.contains(",error,"), "{table}");
    // It is graded anew.
    let said = grade(&desk, &["--output", "share", "--resume"]);
    assert!(said.status == 0 && said.err.contains("(1 known before)"), "{said:?}");
}

#[test]
fn a_share_of_marks_that_is_too_low_fails() {
    let desk = class(&[("right.py", RIGHT), ("wrong.py", WRONG)]);
    assert_eq!(grade(&desk, &[]).status, 0);
    assert_eq!(grade(&desk, &["--resume", "--fail-under", "50"]).status, 1);
    assert_eq!(grade(&desk, &["--resume", "--fail-under", "0"]).status, 0);
    for wrong in ["-1", "101", "half"] {
        assert_eq!(grade(&desk, &["--resume", "--fail-under", wrong]).status, 2);
    }
}

#[test]
fn what_cannot_be_a_class_is_refused() {
    let desk = class(&[]);
    let refused = |arguments: &[&str], words: &str| {
        let said = desk.check(&[&["grade"], arguments].concat());
        assert!(said.status == 2 && said.err.contains(words), "{said:?}");
        assert!(!desk.path().join("results").exists());
    };
    desk.write("student.py", RIGHT);
    refused(&["darts", "nowhere"], "nowhere: ");
    refused(&["darts", "student.py"], "student.py is neither a folder nor a zip file that can be read");
    desk.write("empty/.keep", "");
    refused(&["darts", "empty"], "empty: there are no submissions in it");
    refused(&["dart", "short"], "darts");
    refused(&["darts", "short", "--partition", "4/3"], "the first is 1/16, the last 16/16");
    refused(&["darts", "short", "--key", "("], "unclosed group");
}

/// A zip in the test's folder, of files and what is in them; a name that ends in @ is a link.
fn zip(desk: &Desk, name: &str, files: &[(&str, &str)]) {
    let mut writer = zip::ZipWriter::new(fs::File::create(desk.path().join(name)).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    for (name, text) in files {
        match name.strip_suffix('@') {
            Some(link) => writer.add_symlink(link, *text, options).unwrap(),
            None => {
                writer.start_file(*name, options).unwrap();
                std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
            }
        }
    }
    writer.finish().unwrap();
}

#[test]
fn the_zips_of_learning_platforms() {
    let desk = class(&[]);
    let graded = |name: &str, files: &[(&str, &str)], more: &[&str]| {
        zip(&desk, name, files);
        let output = format!("of-{name}");
        let arguments = [&["grade", "./short", name, "--output", &output], more].concat();
        let said = desk.check(&arguments);
        assert_eq!(said.status, 0, "{said:?}");
        let told = |row: &Value| {
            let report = &row["report"];
            format!("{} {}", report["outcome"].as_str().unwrap(), report["reason"].as_str().unwrap_or_default())
        };
        let rows = rows(&desk.path().join(output));
        rows.iter().map(|(key, row)| (key.clone(), told(row).trim().to_owned())).collect::<Vec<_>>()
    };
    let is = |rows: &[(&str, &str)]| {
        rows.iter().map(|(key, told)| ((*key).to_owned(), (*told).to_owned())).collect::<Vec<_>>()
    };
    // Canvas: flat files, named after the student, numbers, and the file as it was handed in.
    let canvas = [("doejane_101_2001_game.py", RIGHT), ("roerichard_LATE_102_2002_game-1.py", WRONG)];
    assert_eq!(
        graded("canvas.zip", &canvas, &["--key", "^([^_]+)_"]),
        is(&[("doejane", "passed"), ("roerichard", "failed")])
    );
    // Moodle: a folder a student.
    let moodle = [("Jane Doe_7_assignsubmission_file/game.py", RIGHT), ("Rê Roe_8_assignsubmission_file/my.py", WRONG)];
    assert_eq!(
        graded("moodle.zip", &moodle, &["--key", "^(.*)_[0-9]+_assignsubmission_file"]),
        is(&[("Jane Doe", "passed"), ("Rê Roe", "failed")])
    );
    // Gradescope: a folder around all, with a file about it; macOS adds its own.
    let gradescope = [
        ("assignment_1_export/submission_11/game.py", RIGHT),
        ("assignment_1_export/submission_12/src/game.py", WRONG),
        ("assignment_1_export/submission_metadata.yml", "submission_11: {}\n"),
        ("__MACOSX/assignment_1_export/submission_11/._game.py", "\u{0}"),
    ];
    assert_eq!(
        graded("gradescope.zip", &gradescope, &[]),
        is(&[("submission_11", "passed"), ("submission_12", "failed")])
    );
    // What nobody's platform makes.
    let hostile = [
        ("link.py@", "/etc/passwd"),
        ("out/../../game.py", RIGHT),
        ("../above.py", RIGHT),
        ("right/../bombs/x.py", RIGHT),
        ("both/game.py", RIGHT),
        ("both/data", "1"),
        ("both/data/more", "2"),
        (&format!("long/{}/game.py", "x".repeat(300)), RIGHT),
        ("large.py", &"#".repeat((1 << 20) + 1)),
        ("bombs/game.py", RIGHT),
        ("bombs/zeros", &"\u{0}".repeat((16 << 20) + 1)),
        ("right.py", RIGHT),
    ];
    let found = graded("hostile.zip", &hostile, &[]);
    let told = |key: &str| found.iter().find(|(found, _)| found == key).map(|(_, told)| told.as_str());
    assert_eq!(told("link"), Some("not_run link.py is a link, and links are not followed"));
    assert_eq!(told("large"), Some("not_run large.py holds a program over 1 MiB"));
    assert_eq!(told("bombs"), Some("not_run bombs holds more than 16 MiB"));
    assert_eq!(told("out"), Some("not_run out has a file whose name leads out of it"));
    assert_eq!(told("above"), Some("not_run above.py has a file whose name leads out of it"));
    let leading_out = found.iter().filter(|(_, told)| told.contains("has a file whose name leads out of it")).count();
    assert_eq!(leading_out, 2, "{found:?}");
    // Nobody gets into another's folder, and whose name begins like another's is told so.
    assert_eq!(
        told("right"),
        Some("not_run several submissions have this key, and none of them is chosen: right, right.py")
    );
    assert_eq!(told("both"), Some("not_run both has a file and a folder of one name: data"));
    assert!(told("long").unwrap().contains("has a file whose name is too long"), "{found:?}");
    assert_eq!(found.len(), 8, "{found:?}");
    assert!(!desk.path().join("../game.py").exists());
}

#[test]
fn of_two_members_of_one_name_neither_is_chosen() {
    let desk = class(&[]);
    zip(&desk, "class.zip", &[("amy.py", RIGHT), ("xav.py", WRONG)]);
    assert_eq!(desk.check(&["grade", "./short", "class.zip"]).status, 0);
    let text = fs::read(desk.path().join("class.zip")).unwrap();
    let renamed: Vec<u8> = text
        .chunk_by(|_, next| *next != b'x')
        .flat_map(|part| if part.starts_with(b"xav.py") { [b"amy.py", &part[6..]].concat() } else { part.to_vec() })
        .collect();
    fs::write(desk.path().join("twice.zip"), renamed).unwrap();
    let said = desk.check(&["grade", "./short", "twice.zip", "--output", "twice"]);
    assert!(said.status == 2 && said.err.contains("two files in it have the same name"), "{said:?}");
}

/// The recipe of the README.
#[cfg(unix)]
#[test]
fn gnu_parallel_grades_the_shares() {
    let version = std::process::Command::new("parallel").arg("--version").output();
    if !version.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("GNU parallel")) {
        assert!(std::env::var_os("CHECK_PARALLEL").is_none(), "GNU parallel is not installed");
        eprintln!("skipped: GNU parallel is not installed");
        return;
    }
    let desk = many(8);
    assert_eq!(grade(&desk, &["--output", "whole"]).status, 0);
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let recipe = readme.split("```").find(|block| block.contains("parallel check grade")).expect("a recipe");
    let recipe = recipe.trim_start_matches("sh\n").replace("grade racko", "grade ./short --no-durations");
    let check = Path::new(env!("CARGO_BIN_EXE_check")).parent().unwrap().to_owned();
    let command = desk.command(&[]);
    let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path).unwrap().to_owned();
    let path = std::env::join_paths(std::iter::once(check).chain(std::env::split_paths(&path))).unwrap();
    let mut shell = std::process::Command::new("sh");
    let said = Said::from(shell.args(["-ec", &recipe]).current_dir(desk.path()).env("PATH", path).output().unwrap());
    assert_eq!(said.status, 0, "{said:?}");
    assert_same(&desk.path().join("whole"), &desk.path().join("results"));
}

#[test]
fn results_are_no_submissions() {
    let desk = many(2);
    let said = grade(&desk, &["--output", "submissions"]);
    assert!(said.status == 2 && said.err.contains("the results can't be written among the submissions"), "{said:?}");
    assert_eq!(grade(&desk, &["--output", "submissions/first"]).status, 0);
    let said = grade(&desk, &["--output", "submissions/second"]);
    assert!(
        said.status == 0 && said.err.contains("first holds results of check grade, and is no submission"),
        "{said:?}"
    );
    assert_same(&desk.path().join("submissions/first"), &desk.path().join("submissions/second"));
    let said = grade(&desk, &["--key", "nothing"]);
    assert!(said.status == 2 && said.err.contains("--key finds no key"), "{said:?}");
}

#[test]
fn only_one_check_at_a_time_writes_into_a_folder() {
    let desk = many(2);
    assert_eq!(grade(&desk, &[]).status, 0);
    let journal = fs::File::open(desk.path().join("results/journal.jsonl")).unwrap();
    journal.lock().unwrap();
    let said = grade(&desk, &["--resume"]);
    assert!(said.status == 2 && said.err.contains("results is being written by another check"), "{said:?}");
    journal.unlock().unwrap();
    assert_eq!(grade(&desk, &["--resume"]).status, 0);
}

#[test]
fn a_journal_that_is_none_is_left_alone() {
    let desk = many(1);
    let refused = |words: &str| {
        let said = grade(&desk, &["--resume"]);
        assert!(said.status == 2 && said.err.contains(words), "{said:?}");
    };
    let path = desk.write("results/journal.jsonl", "my notes");
    refused("line 1: this is no journal");
    assert_eq!(fs::read_to_string(&path).unwrap(), "my notes");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    refused("is no file");
    #[cfg(unix)]
    {
        fs::remove_dir(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        refused("is no file");
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_written_or_read_through_a_link() {
    let desk = many(2);
    let path = |name: &str| desk.path().join(name);
    desk.write("outside/kept", "kept");
    desk.write("precious", "precious");
    desk.write("results/.keep", "");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(path(to), path(name)).unwrap();
    link("precious", "results/index.html");
    assert_eq!(grade(&desk, &[]).status, 0);
    assert_eq!(fs::read_to_string(path("precious")).unwrap(), "precious");
    desk.write("other/.keep", "");
    link("outside", "other/student-0");
    let said = grade(&desk, &["--output", "other"]);
    assert!(said.status == 2 && said.err.contains("can't write the reports of student-0"), "{said:?}");
    assert_eq!(fs::read_dir(path("outside")).unwrap().count(), 1);

    // A share is what somebody sent.
    let report = path("results/student-0/report.json");
    fs::remove_file(&report).unwrap();
    link("precious", "results/student-0/report.json");
    let merge = || desk.check(&["merge", "results", "--output", "deep/merged"]);
    let said = merge();
    assert!(said.status == 2 && said.err.contains("is no regular file"), "{said:?}");
    assert!(!path("deep").exists());
    let journal = path("results/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replace("\"folder\":\"student-1\"", "\"folder\":\"../student-1\"")).unwrap();
    let said = merge();
    assert!(said.status == 2 && said.err.contains("the folder in it is not that of its key"), "{said:?}");
}

/// Whatever a run has left beside its home, the next one does not find it.
#[test]
fn no_run_of_a_submission_tells_the_next_one_anything() {
    let notes = "\
import os, sys
found = []
for place in '..', '.', '../..':
    found += [os.path.join(place, name) for name in (os.listdir(place) if os.access(place, os.R_OK) else [])]
    try:
        found += [os.getxattr(place, 'user.note').decode()]
    except (OSError, AttributeError):
        pass
    try:
        open(os.path.join(place, 'note'), 'a').write(sys.stdin.readline())
        os.setxattr(place, 'user.note', b'note')
    except (OSError, AttributeError):
        pass
print([name for name in found if 'note' in name], os.stat('..').st_mtime == 7, file=sys.stderr)
try:
    os.utime('..', (7, 7))
except OSError:
    pass
";
    let desk = class(&[("leaves.py", notes)]);
    for options in [&["--isolation", "limits"][..], &[]] {
        let _ = fs::remove_dir_all(desk.path().join("results"));
        assert_eq!(grade(&desk, &[&["--jobs", "1", "--for", "instructor"], options].concat()).status, 0);
        let rows = rows(&desk.path().join("results"));
        for case in rows["leaves"]["report"]["cases"].as_array().unwrap() {
            assert_eq!(case["stderr_tail"], "[] False\n", "{options:?}");
        }
    }
}
