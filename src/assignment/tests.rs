//! Whole assignments, good and bad. In a bad file `¦` stands before the place that the error has to point to.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use super::*;

/// An assignment that is right; each test spoils it in one way.
const GOOD: &str = "title: Practice\ngame: darts\ncases: [one, two]\n";
const CASE: &str = "title: a case\ninputs: [\"60\"]\n";

/// A folder with these files on top of a good assignment of two cases; no text deletes a file.
fn folder(files: &[(&str, Option<&str>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("cases")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("assignment.yaml", GOOD);
    for case in ["one", "two"] {
        write(&format!("cases/{case}.yaml"), CASE);
        write(&format!("cases/{case}.transcript"), "Dart 1\n");
    }
    for (name, text) in files {
        match text {
            Some(text) => write(name, text),
            None => fs::remove_file(folder.path().join(name)).unwrap(),
        }
    }
    folder
}

/// What an error says, with `FOLDER` for the folder and `/` on every system.
fn told(error: &AssignmentError, folder: &Path) -> String {
    error
        .to_string()
        .replace(&folder.display().to_string(), "FOLDER")
        .replace("FOLDER\\", "FOLDER/")
        .replace("cases\\", "cases/")
}

/// The error of an assignment with these files, as a person reads it.
fn fault(files: &[(&str, Option<&str>)]) -> String {
    let folder = folder(files);
    told(&Assignment::open(folder.path()).unwrap_err(), folder.path())
}

/// The errors of a file for each of these texts, with the place of each checked.
fn faults(file: &str, others: &[(&str, Option<&str>)], texts: &[&str]) -> String {
    let mut all = String::new();
    for marked in texts {
        let text = marked.replacen('¦', "", 1);
        let mut files = others.to_vec();
        files.push((file, Some(&text)));
        let folder = folder(&files);
        let error = Assignment::open(folder.path()).expect_err(marked);
        let AssignmentError::File(at) = &error else { panic!("{marked}: {error}") };
        assert!(at.file().replace('\\', "/").ends_with(file), "{marked}: {error}");
        let place = marked.find('¦').map(|byte| Position::of_byte(marked, byte));
        assert_eq!(at.position(), place, "{marked}\n{error}");
        writeln!(all, "{}\n", told(&error, folder.path())).unwrap();
    }
    all
}

fn case_faults(texts: &[&str]) -> String {
    faults("cases/one.yaml", &[], texts)
}

fn assignment_faults(texts: &[&str]) -> String {
    faults("assignment.yaml", &[], texts)
}

#[test]
fn the_built_in_assignments_are_right() {
    for name in BUILT_IN {
        let assignment = Assignment::built_in(name).unwrap();
        assert_eq!(assignment.name, name);
        assert_eq!(assignment.game.name(), name);
        assert!(assignment.source.is_built_in());
        assert!(assignment.cases.iter().all(|case| !case.is_hidden()), "{name}: built-in cases are all visible");
        for case in &assignment.cases {
            if let Some(script) = case.script() {
                script.transcript.parse().unwrap();
            }
        }
    }
}

#[test]
fn what_is_left_out_has_its_default() {
    let folder = folder(&[]);
    let assignment = Assignment::open(folder.path()).unwrap();
    assert_eq!(assignment.limits, Limits { time: Duration::from_secs(5), output: None, memory_mib: 512 });
    assert_eq!(assignment.limits.output_for(10), 1 << 20);
    assert_eq!(assignment.limits.output_for(1 << 20), 20 << 20);
    assert_eq!(assignment.presentation_credit, Share::HALF);
    assert_eq!(assignment.max_points().to_string(), "2.0");
    let case = assignment.case("one").unwrap();
    assert_eq!((case.points, case.visibility), (Points::ONE, Visibility::Visible));
    assert_eq!(case.script().unwrap().seed, None);
    assert_eq!(case.inputs(), ["60"]);
    for (accepted, question) in assignment.rulings.iter().zip(assignment.game.questions()) {
        assert_eq!(accepted.question, question);
        assert_eq!(accepted.answers.len(), question.answers.len());
    }
    assert_eq!(assignment.combinations()[0], assignment.game.default_rulings());
}

#[test]
fn everything_can_be_said() {
    let folder = folder(&[
        (
            "assignment.yaml",
            Some(
                "\u{feff}# Übung\r\ntitle: '  501: \"Übung\"  '\r\ngame: darts\r\nlimits: {time: 0.5, output: 4096, memory: 256}\r\n\
                 presentation_credit: 0.25\r\nrulings:\r\n  double-out: even\r\n  bust-at-one: [after-the-turn, at-once]\r\ncases:\r\n  - two\r\n  - one\r\n",
            ),
        ),
        (
            "cases/one.yaml",
            Some(
                "title: geheim – 漢\npoints: 7.25\nvisibility: hidden\ninputs: # typed\n- \"6\\\"0\" # a comment, 'quoted'\n\n- 'it''s'\n- \"\"\n- '-5'\n",
            ),
        ),
        ("cases/notes.txt", Some("not read")),
        ("cases/.hidden.yaml", Some("not read")),
    ]);
    let assignment = Assignment::open(folder.path()).unwrap();
    assert_eq!(assignment.title, "501: \"Übung\"");
    assert_eq!(assignment.limits, Limits { time: Duration::from_millis(500), output: Some(4096), memory_mib: 256 });
    assert_eq!(assignment.limits.output_for(1 << 20), 4096);
    assert_eq!(assignment.limits.memory_bytes(), 256 << 20);
    assert!((assignment.presentation_credit.to_f64() - 0.25).abs() < f64::EPSILON);
    assert!(assignment.accepts("double-out", "even") && !assignment.accepts("double-out", "double"));
    let accepted = |id| assignment.rulings.iter().find(|accepted| accepted.question.id == id).unwrap();
    assert!(accepted("double-out").is_pinned());
    assert_eq!(accepted("bust-at-one").answers, ["at-once", "after-the-turn"], "in the question's own order");
    let ids: Vec<_> = assignment.cases.iter().map(|case| case.id.as_str()).collect();
    assert_eq!(ids, ["two", "one"], "in the order of the list");
    let case = assignment.case("one").unwrap();
    assert!(case.is_hidden());
    assert_eq!(case.points.hundredths(), 725);
    assert_eq!(case.inputs(), ["6\"0", "it's", "", "-5"]);
    assert_eq!(assignment.name, folder.path().file_name().unwrap().to_string_lossy());
}

#[test]
fn a_seed_of_any_size_is_read_exactly() {
    let doubles = ("assignment.yaml", Some("title: D\ngame: doubles\ncases: [one, two]\n"));
    let two = ("cases/two.yaml", Some("title: t\nseed: 0\ninputs: []\n"));
    let huge = format!("1{}", "0".repeat(40));
    for seed in ["0", "-4", "18446744073709551617", "-170141183460469231731687303715884105729", &huge] {
        let folder =
            folder(&[doubles, two, ("cases/one.yaml", Some(&format!("title: t\nseed: {seed}\ninputs: []\n")))]);
        let assignment = Assignment::open(folder.path()).unwrap();
        assert_eq!(assignment.case("one").unwrap().script().unwrap().seed.as_ref().unwrap().to_string(), seed);
    }
}

#[test]
fn a_case_of_the_dice_is_the_last() {
    let folder = folder(&[
        ("assignment.yaml", Some("title: D\ngame: doubles\ncases: [one, two]\n")),
        ("cases/one.yaml", Some("title: t\nseed: 2880\ninputs: [\"y\"]\n")),
        ("cases/two.yaml", Some("title: fair\ndice: {runs: 3, first_seed: -1, inputs: [\"y\", \"\"]}\n")),
        ("cases/two.transcript", None),
    ]);
    let assignment = Assignment::open(folder.path()).unwrap();
    let case = assignment.case("two").unwrap();
    assert!(case.script().is_none());
    assert_eq!(case.inputs(), ["y", ""]);
    let Task::Dice(dice) = &case.task else { panic!("no dice") };
    assert_eq!(dice.seeds().map(|seed| seed.to_string()).collect::<Vec<_>>(), ["-1", "0", "1"]);
}

#[test]
fn faults_of_a_value() {
    let all = case_faults(&[
        "title: ¦\"\"\ninputs: []\n",
        "title: ¦\"  \"\ninputs: []\n",
        "title: ¦\"two\\nlines\"\ninputs: []\n",
        "title: ¦501\ninputs: []\n",
        "title:¦\ninputs: []\n",
        "title: ¦[a]\ninputs: []\n",
        "title: t\npoints: ¦-1\ninputs: []\n",
        "title: t\npoints: ¦0.125\ninputs: []\n",
        "title: t\npoints: ¦.nan\ninputs: []\n",
        "title: t\npoints: ¦1e9\ninputs: []\n",
        "title: t\npoints: ¦\"2\"\ninputs: []\n",
        "title: t\npoints: ¦two\ninputs: []\n",
        "title: t\npoints: ¦{a: 1}\ninputs: []\n",
        "title: t\nvisibility: ¦visble\ninputs: []\n",
        "title: t\nvisibility: ¦true\ninputs: []\n",
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_the_inputs() {
    let all = case_faults(&[
        "title: t\ninputs: [\"60\", ¦60, \"20\"]\n",
        "title: t – é\ninputs:\n  - \"60\"\n  - ¦-5\n",
        "title: t\ninputs: [¦20.5]\n",
        "title: t\ninputs: [\"d\", ¦true]\n",
        "title: t\ninputs: [\"d\", ¦~]\n",
        "title: t\ninputs: [\"d\", ¦[\"p\"]]\n",
        "title: t\ninputs: [\"d\", ¦y]\n",
        "title: t\ninputs:\n- 'it''s' # - n\n- \"a\\\"b\"\n- ¦-y\n",
        "title: t\ninputs: [\"d\", ¦\"a\\nb\"]\n",
        "title: t\ninputs: ¦60\n",
        "title: t\ninputs: ¦\"60, 60\"\n",
        "title: t\ninputs:¦\n",
        "¦title: t\n",
        "¦inputs: [\"60\"]\n",
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_a_key() {
    let all = case_faults(&[
        "title: t\n¦inptus: []\n",
        "title: t\n¦reason: r\ninputs: []\n",
        "title: t\ninputs: []\n¦title: u\n",
        "title: t\n¦[a]: u\n",
        "title: t\n¦2: u\n",
        "title: t\n¦\"a\\x1bb\": u\n",
        "title: t\n¦seed: 4\ninputs: []\n",
        "title: t\n¦dice: {runs: 1}\n",
        "title: t\n¦inputs: []\ndice: {runs: 1}\n",
        "title: t\n¦<<: {points: 2}\ninputs: []\n",
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_the_syntax() {
    let all = case_faults(&[
        "",
        "\n# nothing\n---\n",
        "¦just a text\n",
        "¦- title\n",
        "title: a¦: b\n",
        "title: t\ninputs: ¦[\"60\"\n",
        "title: t\ninputs:\n¦\t- \"60\"\n",
        "title: t\n¦\tinputs: []\n",
        "title: ¦\"t\ninputs: []\n",
        "title: ¦@t\n",
        "title: ¦*t\n",
        "title: ¦!t x\ninputs: []\n",
        "title: t\ninputs: []\n¦---\ntitle: u\n",
        "title: ¦\u{1b}[31mt\n",
        "title: a¦\u{2028}b\n",
        "title: a¦\rinputs: []\n",
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_an_assignment() {
    let all = assignment_faults(&[
        "title: t\ngame: ¦dart\ncases: [one, two]\n",
        "title: t\ngame: ¦chess\ncases: [one, two]\n",
        "title: t\ngame: ¦501\ncases: [one, two]\n",
        "¦title: t\ncases: [one, two]\n",
        "¦title: t\ngame: darts\n",
        "title: t\ngame: darts\ncases: ¦[]\n",
        "title: t\ngame: darts\ncases: ¦one\n",
        "title: t\ngame: darts\ncases: [one, two, ¦one]\n",
        "title: t\ngame: darts\ncases: [one, ¦Two]\n",
        "title: t\ngame: darts\ncases: [one, ¦../two]\n",
        "title: t\ngame: darts\ncases: [one, ¦2]\n",
        "title: t\ngame: darts\ncases:\n  - one\n  - ¦tow\n",
        "title: t\ngame: darts\ncases: ¦[one]\n",
        "title: t\ngame: darts\npresentation_credit: ¦50\ncases: [one, two]\n",
        "title: t\ngame: darts\npresentation_credit: ¦1.5\ncases: [one, two]\n",
        "title: t\ngame: darts\npresentation_credit: ¦-0.5\ncases: [one, two]\n",
        "title: t\ngame: darts\npresentation_credit: ¦half\ncases: [one, two]\n",
        "title: t\ngame: darts\nlimits: {time: ¦0}\ncases: [one, two]\n",
        "title: t\ngame: darts\nlimits: {time: ¦5 s}\ncases: [one, two]\n",
        "title: t\ngame: darts\nlimits: {output: ¦-1}\ncases: [one, two]\n",
        "title: t\ngame: darts\nlimits: {memory: ¦1}\ncases: [one, two]\n",
        "title: t\ngame: darts\nlimits: {¦cpu: 1}\ncases: [one, two]\n",
        "title: t\ngame: darts\nlimits: ¦5\ncases: [one, two]\n",
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_the_rulings() {
    let all = assignment_faults(&[
        "rulings: {¦double-in: even}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: {double-out: ¦evne}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: {double-out: [even, ¦odd]}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: {double-out: [even, ¦even]}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: {double-out: ¦[]}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: {double-out: ¦1}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: {double-out: ¦{a: b}}\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings: ¦[double-out]\ntitle: t\ngame: darts\ncases: [one, two]\n",
        "rulings:\n  double-out: even\n  ¦double-out: double\ntitle: t\ngame: darts\ncases: [one, two]\n",
    ]);
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_seeds_and_dice() {
    let doubles = [
        ("assignment.yaml", Some("title: D\ngame: doubles\ncases: [two, one]\n")),
        ("cases/two.yaml", Some("title: t\nseed: 1\ninputs: []\n")),
        ("cases/one.transcript", None),
    ];
    let all = faults(
        "cases/one.yaml",
        &doubles,
        &[
            "¦title: t\ninputs: []\n",
            "title: t\nseed: ¦\"4\"\ninputs: []\n",
            "title: t\nseed: ¦4.0\ninputs: []\n",
            "title: t\nseed: ¦four\ninputs: []\n",
            "title: t\nseed: ¦[4]\ninputs: []\n",
            "title: t\ndice: ¦{runs: 150, first_seed: 1}\n",
            "title: t\ndice: {runs: ¦0, first_seed: 1, inputs: []}\n",
            "title: t\ndice: {runs: ¦1.5, first_seed: 1, inputs: []}\n",
            "title: t\ndice: {runs: 150, first_seed: ¦\"1\", inputs: []}\n",
            "title: t\ndice: {runs: 150, first_seed: 1, inputs: [\"y\", ¦y]}\n",
            "title: t\ndice: {runs: 150, first_seed: 1, ¦answer: \"y\"}\n",
            "title: t\n¦seed: 1\ndice: {runs: 150, first_seed: 1, inputs: []}\n",
        ],
    );
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_the_files() {
    let mut all = String::new();
    let dice = "title: t\ndice: {runs: 150, first_seed: 1, inputs: []}\n";
    let seeded = "title: t\nseed: 1\ninputs: []\n";
    let doubles = "title: D\ngame: doubles\ncases: [one, two]\n";
    for (what, files) in [
        ("a transcript that is missing", vec![("cases/two.transcript", None)]),
        (
            "a transcript that is missing, in a game with seeds",
            vec![("assignment.yaml", Some(doubles)), ("cases/one.yaml", Some(seeded)), ("cases/one.transcript", None)],
        ),
        ("a transcript without a case", vec![("cases/three.transcript", Some(""))]),
        ("a case that is not listed", vec![("cases/three.yaml", Some(CASE))]),
        ("another ending", vec![("cases/three.yml", Some(CASE))]),
        (
            "dice with a transcript",
            vec![("assignment.yaml", Some(doubles)), ("cases/one.yaml", Some(seeded)), ("cases/two.yaml", Some(dice))],
        ),
        (
            "dice before another case",
            vec![
                ("assignment.yaml", Some(doubles)),
                ("cases/one.yaml", Some(dice)),
                ("cases/one.transcript", None),
                ("cases/two.yaml", Some(seeded)),
            ],
        ),
    ] {
        writeln!(all, "## {what}\n{}\n", fault(&files)).unwrap();
    }

    let folder = folder(&[]);
    let mut tell = |what: &str| {
        let error = Assignment::open(folder.path()).unwrap_err();
        writeln!(all, "## {what}\n{}\n", told(&error, folder.path())).unwrap();
    };
    let case = folder.path().join("cases/one.yaml");
    fs::write(&case, b"title: caf\xe9\ninputs: []\n").unwrap();
    tell("no UTF-8");
    fs::write(&case, vec![b'#'; (4 << 20) + 1]).unwrap();
    tell("too large");
    fs::remove_file(&case).unwrap();
    fs::create_dir(&case).unwrap();
    tell("a folder in a file's place");
    fs::remove_dir_all(folder.path().join("cases")).unwrap();
    tell("no folder of cases");
    fs::remove_file(folder.path().join("assignment.yaml")).unwrap();
    tell("no assignment.yaml");
    insta::assert_snapshot!(all);
}

#[test]
fn faults_of_the_argument() {
    let folder = folder(&[]);
    let own = folder.path().join("cricket");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("assignment.yaml"), GOOD).unwrap();
    let file = folder.path().join("student.py");
    fs::write(&file, "").unwrap();
    let missing = folder.path().join("missing");
    let cases = folder.path().join("cases");
    let mut all = String::new();
    let arguments: [(&OsStr, Option<&Path>); 9] = [
        (OsStr::new("dart"), None),
        (OsStr::new("chess"), None),
        (OsStr::new(""), None),
        (OsStr::new("crikcet"), Some(folder.path())),
        (missing.as_os_str(), None),
        (file.as_os_str(), None),
        (cases.as_os_str(), None),
        (OsStr::new("darts"), Some(&missing)),
        (OsStr::new("cases"), Some(folder.path())),
    ];
    for (argument, fixtures) in arguments {
        let error = Assignment::find(argument, fixtures).unwrap_err();
        writeln!(all, "{}\n", told(&error, folder.path())).unwrap();
    }
    let yaml = folder.path().join("assignment.yaml");
    writeln!(all, "{}\n", told(&Assignment::find(&yaml, None).unwrap_err(), folder.path())).unwrap();
    writeln!(all, "{}\n", Assignment::built_in("doubels").unwrap_err()).unwrap();
    let mut assignment = Assignment::open(folder.path()).unwrap();
    assignment.name = "practice".to_owned();
    writeln!(all, "{}\n", assignment.case("tow").unwrap_err()).unwrap();
    let transcript = &assignment.case("one").unwrap().script().unwrap().transcript;
    let broken = StoredTranscript { text: "Dart 1\nEnter score: «60\n".to_owned(), ..transcript.clone() };
    writeln!(all, "{}", told(&broken.parse().unwrap_err(), folder.path())).unwrap();
    insta::assert_snapshot!(all);
}

#[test]
fn with_a_folder_of_fixtures_nothing_else_is_taken() {
    let folder = folder(&[]);
    let fixtures = tempfile::tempdir().unwrap();
    let own = fixtures.path().join("racko");
    fs::rename(folder.path(), &own).unwrap();
    let find = |argument| Assignment::find(argument, Some(fixtures.path())).unwrap();
    let racko = find("racko");
    assert_eq!((racko.name.as_str(), racko.title.as_str()), ("racko", "Practice"));
    assert!(!racko.source.is_built_in());
    let missing = Assignment::find("doubles", Some(fixtures.path())).unwrap_err().to_string();
    assert!(missing.contains("no assignment \"doubles\" in this folder"), "{missing}");
    assert!(Assignment::find("racko", None).unwrap().source.is_built_in());
    assert_eq!(Assignment::find(&own, None).unwrap().title, "Practice");
    assert_eq!(Assignment::find(own.join(".."), None).unwrap_err().to_string().lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_fifo_in_a_files_place_does_not_block() {
    let folder = folder(&[("cases/one.yaml", None)]);
    let path = folder.path().join("cases/one.yaml");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let error = Assignment::open(folder.path()).unwrap_err();
    assert!(told(&error, folder.path()).contains("it is no plain file"), "{error}");
}

#[test]
fn a_missing_transcript_is_empty_for_those_who_write_it() {
    let folder = folder(&[("cases/two.transcript", None)]);
    let source = Source::folder(folder.path()).unwrap();
    let assignment = Assignment::read_for_writing(source).unwrap();
    let transcript = &assignment.case("two").unwrap().script().unwrap().transcript;
    assert_eq!(transcript.text, "");
    fs::write(&transcript.file, "Dart 1\n").unwrap();
    assert!(Assignment::open(folder.path()).is_ok());
}

/// Fixtures for students' programs must never be part of the binary.
#[test]
fn only_the_three_assignments_are_embedded() {
    assert!(Source::built_in("students").is_none());
}

#[test]
fn every_kind_of_check_can_be_said() {
    let checks = "checks:\n\
        - {id: a, points: 2.5, rule: darts.code.play-game, function: 'play(first, _)'}\n\
        - {id: b, function: play(...)}\n\
        - {id: c, list: 'score = [501, -1]'}\n\
        - {id: d, comments: [subprograms, selections, iterations]}\n\
        - {id: e, documents: purpose}\n\
        - {id: f, header: []}\n\
        - {id: g, header: [Name, Course number]}\n\
        - {id: h, file_name: Game.py}\n\
        - {id: i, finding: note, call: 'random.randrange(1, 7)'}\n\
        - {id: j, imports: [random]}\n\
        - {id: k, only_imports: []}\n\
        - {id: l, finding: fault, forbidden_calls: [sorted, .sort], within: play}\n\
        - {id: m, forbidden_constructs: [class, dict, set, try, lambda, comprehension, new_list]}\n";
    let calls = "title: five calls\npoints: 2\nvisibility: hidden\nrule: darts.call.is-dart-valid\n\
        call: ['is_dart_valid(1..3)', is_dart_valid(60), is_dart_valid(-1)]\n";
    let own = "title: own\ncall: 'play([1, 2], \"x\", True)'\nreturns: [1]\nprints: \"Hi\\nthere\"\nlists: {first: [2]}\ninputs: [\"5\"]\n";
    let folder = folder(&[
        ("assignment.yaml", Some(&format!("title: t\ngame: darts\ncases: [one, two, three, four]\n{checks}"))),
        ("cases/three.yaml", Some(calls)),
        ("cases/four.yaml", Some(own)),
    ]);
    let assignment = Assignment::open(folder.path()).unwrap();
    assert_eq!(assignment.cases.len(), 2);
    assert_eq!(assignment.max_check_points().to_string(), "16.5");
    let sentences: Vec<String> = assignment.checks.iter().map(Check::sentence).collect();
    insta::assert_snapshot!(sentences.join("\n"));
    let [three, four] = assignment.calls.as_slice() else { panic!("{:?}", assignment.calls) };
    let shown: Vec<String> = three.calls.iter().map(Call::to_string).collect();
    assert_eq!(
        shown.join(" "),
        "is_dart_valid(1) is_dart_valid(2) is_dart_valid(3) is_dart_valid(60) is_dart_valid(-1)"
    );
    assert!(three.is_hidden() && three.expected.is_none());
    assert_eq!(four.calls[0].to_string(), "play([1, 2], \"x\", True)");
    assert_eq!(four.expected.as_ref().unwrap().lists, [(0, vec![2])]);
}

#[test]
fn faults_of_the_checks() {
    let checks = |text: &str| format!("title: t\ngame: darts\ncases: [one, two]\nchecks:\n{text}");
    let all: Vec<String> = [
        "- ¦{function: play()}\n",
        "- ¦{id: a}\n",
        "- ¦{id: a, function: play(), header: []}\n",
        "- {id: a, function: ¦play}\n",
        "- {id: a, function: ¦'1st()'}\n",
        "- {id: a, list: ¦score}\n",
        "- {id: a, call: ¦randrange(1)}\n",
        "- {id: a, comments: [¦loops]}\n",
        "- {id: a, documents: ¦everything}\n",
        "- {id: a, forbidden_constructs: [¦dicts]}\n",
        "- ¦{id: a, forbidden_calls: []}\n",
        "- {id: a, forbidden_calls: [¦'a b']}\n",
        "- ¦{id: a, header: [], within: play}\n",
        "- ¦{id: a, finding: note, points: 1, header: []}\n",
        "- {id: a, finding: ¦remark, header: []}\n",
        "- {id: a, rule: ¦darts.code.play, header: []}\n",
        "- {id: a, file_name: ¦''}\n",
        "- {id: a, header: []}\n- ¦{id: a, header: []}\n",
        "- ¦{id: one, header: []}\n",
        "- {id: a, ¦heading: []}\n",
    ]
    .map(checks)
    .to_vec();
    insta::assert_snapshot!(assignment_faults(&all.iter().map(String::as_str).collect::<Vec<_>>()));
}

#[test]
fn faults_of_a_call() {
    let others = [
        (
            "assignment.yaml",
            Some("title: t\ngame: racko\ncases: [two, one]\nchecks: [{id: a, function: 'put(rack, card)'}]\n"),
        ),
        ("cases/one.transcript", None),
    ];
    let all = faults(
        "cases/one.yaml",
        &others,
        &[
            "title: t\ncall: ¦is_sorted\n",
            "title: t\ncall: ¦is_sorted([1, x])\n",
            "title: t\ncall: ¦is_sorted(9..1)\n",
            "title: t\ncall: ¦[]\n",
            "title: t\ncall: ¦is_tidy([1])\n",
            "title: t\ncall: ¦is_sorted([1])\ninputs: [\"1\"]\n",
            "title: t\ncall: ¦place_card([1], 2, [3])\ninputs: [\"5\"]\n",
            "title: t\ncall: put([1], 2)\nlists: {¦racks: [1]}\n",
            "title: t\ncall: put([1], 2)\nlists: {¦card: [1]}\n",
            "title: t\ncall: ¦['put([1], 2)', take()]\nreturns: true\n",
            "title: t\ncall: put([1], 2)\nreturns: ¦{a: b}\n",
            "title: t\ncall: put([1], 2)\nprints: ¦[a]\n",
            "title: t\ncall: put([1], 2)\n¦seed: 5\nreturns: 1\n",
            "title: t\ninputs: []\n¦returns: 1\n",
            "¦title: t\ncall: put([1], 2)\nreturns: 1\npoints: 1\nfinding: note\n",
        ],
    );
    insta::assert_snapshot!(all);
}
