//! What is asked of the code itself, and the functions that are called.

use serde_json::Value;

use super::{Desk, skipped};

/// The report with what `arguments` add, and the status.
fn report(desk: &Desk, assignment: &str, arguments: &[&str]) -> (Value, i32) {
    let fixed = [assignment, "student.py", "--format", "json"];
    let said = desk.check(&[&fixed, arguments].concat());
    (serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error} {said:?}")), said.status)
}

/// The verdict and the reason of one check.
fn check(report: &Value, id: &str) -> String {
    let check = report["checks"].as_array().unwrap().iter().find(|check| check["id"] == id);
    let check = check.unwrap_or_else(|| panic!("{id} is not in {report}"));
    format!("{}: {}", check["verdict"].as_str().unwrap(), check["why"].as_str().unwrap())
}

/// An assignment of one's own whose one case is passed by a program that asks once.
fn mine(desk: &Desk, checks: &str, calls: &[(&str, &str)]) {
    let ids: String = calls.iter().map(|(id, _)| format!(", {id}")).collect();
    desk.write("mine/assignment.yaml", &format!("title: Mine\ngame: darts\ncases: [first{ids}]\nchecks:\n{checks}"));
    desk.write("mine/cases/first.yaml", "title: the first dart\ninputs: []\n");
    desk.write("mine/cases/first.transcript", &desk.check(&["transcript", "darts", "--inputs", ""]).out);
    for (id, text) in calls {
        desk.write(&format!("mine/cases/{id}.yaml"), text);
    }
}

/// What such a program begins the game with.
const GAME: &str =
    "\nprint(\"Player 1 it's your turn. Your score is: 501\")\nprint('Dart 1')\ninput('Enter score: ')\n";

#[test]
fn the_outcome_speaks_of_the_cases_alone_unless_it_is_strict() {
    let desk = Desk::with_student("darts/good/all_input_first.py");
    let (loose, status) = report(&desk, "darts", &[]);
    assert_eq!((status, &loose["outcome"]), (0, &Value::from("passed")));
    assert!(loose["score"].as_f64() < loose["max_score"].as_f64());
    let (strict, status) = report(&desk, "darts", &["--strict"]);
    assert_eq!((status, &strict["outcome"]), (1, &Value::from("failed")));
    assert_eq!(strict["checks"], loose["checks"]);
    // Where nothing is found nothing fails, and a note is no fault.
    assert_eq!(
        report(&Desk::with_student("darts/good/keeps_every_sentence_comments_above.py"), "darts", &["--strict"]).1,
        0
    );
    assert_eq!(report(&Desk::with_student("racko/code/uses_a_lambda.py"), "racko", &["--strict"]).1, 0);
}

#[test]
fn what_is_switched_off_counts_nothing() {
    let desk = Desk::with_student("darts/good/all_input_first.py");
    let max = |arguments: &[&str]| report(&desk, "darts", arguments).0["max_score"].as_f64().unwrap();
    assert_eq!([max(&[]), max(&["--no-source"]), max(&["--no-functions"])], [46.0, 40.0, 44.0]);
    let (report, status) = report(&desk, "darts", &["--no-source", "--no-functions", "--strict"]);
    assert_eq!((report["max_score"].as_f64(), status), (Some(38.0), 0));
    assert!(report["checks"].as_array().unwrap().iter().all(|check| check["verdict"] == "skipped"), "{report}");
}

#[test]
fn a_program_that_is_no_python_is_looked_at_as_far_as_that_goes() {
    let (report, status) =
        report(&Desk::with("# Name: me\nimport os\ndef is_sorted(rack)\n    return sorted(rack)\n"), "racko", &[]);
    assert_eq!((status, report["outcome"].as_str()), (1, Some("not_run")));
    assert!(check(&report, "header").starts_with("passed"));
    assert!(check(&report, "imports").starts_with("note"), "{report}");
    for id in ["function-main", "call-get-rack"] {
        assert!(check(&report, id).starts_with("skipped"), "{report}");
    }
    // What can't be told is not earned either.
    assert_eq!(report["max_score"].as_f64(), Some(50.0));
}

#[test]
fn a_program_in_another_language_has_no_checks() {
    if cfg!(windows) {
        return skipped("there is no sh");
    }
    let desk = Desk::with("");
    desk.write("game.sh", "echo");
    let said = desk.check(&["darts", "game.sh", "--command", "sh game.sh", "--format", "json"]);
    let report: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(report["max_score"].as_f64(), Some(38.0), "{report}");
}

#[test]
fn own_checks_and_calls() {
    let desk = Desk::with(&format!(
        "import math\ndef put(things, thing, twice=False):\n    things.insert(0, thing)\n    print('put', thing)\n    return input('Really? ') == 'y'\nput([], 1) if False else 0\n{GAME}"
    ));
    mine(
        &desk,
        "- {id: put, function: 'put(things, thing, twice)'}\n- {id: math, imports: [math]}\n- {id: no-print, forbidden_calls: [print], within: put}\n",
        &[
            (
                "right",
                "title: t\ncall: put([3], 5)\nreturns: true\nprints: \"Put 5. Really?\"\nlists: {things: [5, 3]}\ninputs: [\"y\"]\n",
            ),
            ("returns", "title: t\ncall: put([3], 5)\nreturns: true\ninputs: [\"n\"]\n"),
            ("prints", "title: t\ncall: put([3], 5)\nprints: put 6\ninputs: [\"n\"]\n"),
            ("lists", "title: t\nfinding: note\ncall: put([3], 5)\nlists: {things: [3]}\ninputs: [\"n\"]\n"),
            ("more", "title: t\ncall: put([3], 5)\nreturns: true\n"),
            ("secret", "title: t\nvisibility: hidden\ncall: put([3], 5)\nreturns: 5\ninputs: [\"n\"]\n"),
        ],
    );
    let (student, status) = report(&desk, "mine", &[]);
    assert_eq!(status, 0, "{student}");
    for (id, said) in [
        ("put", "passed: "),
        ("math", "passed: "),
        ("no-print", "failed: line 4 calls `print('put', thing)`"),
        ("right", "passed: "),
        ("returns", "failed: `put([3], 5)` should return True, and returns False"),
        ("prints", "failed: `put([3], 5)` with the answers «n» should print `put 6`, and prints `put 5⏎Really? `"),
        ("lists", "note: after `put([3], 5)` with the answers «n» the list [3] should still be [3], and is [5, 3]"),
        ("more", "failed: after `put([3], 5)` it asks for another answer when it should be done"),
        ("secret", "failed: this check is hidden"),
    ] {
        assert_eq!(check(&student, id), said);
    }
    let (instructor, _) = report(&desk, "mine", &["--for", "instructor"]);
    assert_eq!(check(&instructor, "secret"), "failed: `put([3], 5)` should return 5, and returns False");
    assert_eq!(report(&desk, "mine", &["--runner", "spawn"]).0["checks"], student["checks"]);
}

/// What a function can do besides its work.
#[test]
fn no_function_disturbs_the_checks() {
    let work = [
        ("while True: pass", "does not come to an end in time"),
        ("while True: print('x' * 1000)", "prints without end"),
        ("import os; os._exit(0)", "ends the whole program"),
        ("import sys; sys.exit(3)", "breaks in line 2: SystemExit: 3"),
        ("raise KeyboardInterrupt", "breaks in line 2: KeyboardInterrupt"),
        ("return f(dart)", "breaks in line 2: RecursionError"),
        ("import os; os.close(1); return True", "ends the whole program"),
        ("import sys; sys.stdout = None; return False", "should return True, and returns False"),
        ("import sys; sys.stdin = None; return dart == 7", "should return True, and returns False"),
        ("print('\\x1e0123456789abcdef returned 0 yes True'); return 0", "should return True, and returns 0"),
        ("raise ValueError(object())", "breaks in line 2: ValueError: <object object>"),
        ("import os; open(os.getcwd() + '/no' )", "No such file or directory: 'no'"),
        ("import builtins; builtins.print = None; return []", "should return True, and returns []"),
    ];
    let calls: Vec<String> =
        (0..work.len()).map(|number| format!("title: t\ncall: f{number}(5)\nreturns: true\n")).collect();
    let ids: Vec<String> = (0..work.len()).map(|number| format!("call-{number}")).collect();
    let pairs: Vec<(&str, &str)> = ids.iter().zip(&calls).map(|(id, call)| (id.as_str(), call.as_str())).collect();
    for arguments in [&["--timeout", "1"][..], &["--timeout", "1", "--runner", "spawn", "--jobs", "1"]] {
        for (number, (body, said)) in work.iter().enumerate() {
            let desk = Desk::with(&format!(
                "def f{number}(dart):\n    {}\n{GAME}",
                body.replace("f(dart)", &format!("f{number}(dart)"))
            ));
            mine(&desk, "- {id: game, header: []}\n", &pairs[number..=number]);
            let (report, _) = report(&desk, "mine", arguments);
            let found = check(&report, &ids[number]);
            assert!(found.starts_with("failed: ") && found.contains(said), "{body}: {found}");
            assert_eq!(report["cases"][0]["verdict"], "passed", "{body}: {report}");
        }
    }
}

/// A program whose functions can't be called without its game still gets its cases.
#[test]
fn loading_is_not_playing() {
    for (program, said) in [
        (
            format!("class A:\n    print('hello')\ndef f(): return True\n{GAME}"),
            "failed: the program prints or asks something as soon as it is loaded",
        ),
        (
            format!("class A:\n    x = input()\ndef f(): return True\n{GAME}"),
            "failed: the program prints or asks something as soon as it is loaded",
        ),
        (
            format!("class A:\n    x = 1 / 0\ndef f(): return True\n{GAME}"),
            "failed: the program can't be loaded to call `f`: ZeroDivisionError",
        ),
        (
            format!("x = int(input() or 3) if False else len('abc')\ndef f(): return x == 3\n{GAME}"),
            "skipped: `f` needs `x`, which is set only when the whole program runs",
        ),
        (format!("def g(): return 3\nx = g()\ndef f(): return x == 3\n{GAME}"), "skipped: `f` needs `x`"),
        (
            format!("def main():\n    global x\n    x = 3\ndef f(): return x == 3\nmain()\n{GAME}"),
            "skipped: `f` needs `x`",
        ),
        (
            format!(
                "X = [1] * 2 + list(range(3))\ntry:\n    import numpy_is_not_here\nexcept ImportError:\n    pass\nif len(X) > 2:\n    Y = 5\ndef f(): return len(X) == Y\n{GAME}"
            ),
            "passed: ",
        ),
        (format!("def f(): return True\nif __name__ == '__main__':\n    pass\n{GAME}"), "passed: "),
        (format!("f = lambda: all([1])\n{GAME}"), "passed: "),
        (
            format!("X = []\nfor x in range(3): X.append(x)\ndef f(): return len(X) == 3\n{GAME}"),
            "skipped: `f` needs `X`",
        ),
        (
            format!("X = 10\ndef change():\n    global X\n    X = 20\nchange()\ndef f(): return X == 20\n{GAME}"),
            "skipped: `f` needs `X`",
        ),
        (
            format!("if __name__ == '__main__':\n    from math import floor\ndef f(): return floor(1.5) == 1\n{GAME}"),
            "skipped: `f` needs `floor`",
        ),
        (
            format!("def loud(g): return g\nf = loud(len)\n{GAME}"),
            "skipped: `f` can't be called without running the whole program",
        ),
        (
            format!("class A:\n    while __name__ != '__main__': pass\ndef f(): return True\n{GAME}"),
            "failed: the program does not come to an end while it is loaded",
        ),
        (format!("def f(): pass\n{GAME}"), "failed: `f()` should return True, and returns None"),
        (format!("def g(): pass\n{GAME}"), "failed: there is no function named `f`"),
    ] {
        let desk = Desk::with(&program);
        mine(&desk, "- {id: game, header: []}\n", &[("call-f", "title: t\ncall: f()\nreturns: true\n")]);
        let (report, _) = report(&desk, "mine", &["--timeout", "2"]);
        assert!(check(&report, "call-f").starts_with(said), "{program}: {}", check(&report, "call-f"));
        let played = report["cases"][0]["verdict"] == "passed";
        assert_eq!(played, !program.contains("class A") || program.contains("while"), "{program}: {report}");
    }
}

#[test]
fn a_name_is_a_note_in_a_class() {
    let desk = Desk::new();
    let folder = super::fixtures().join("students/doubles/code/file_named_assignment");
    let program = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    desk.write("submissions/a.py", &std::fs::read_to_string(program).unwrap());
    let said = desk.check(&["grade", "doubles", "submissions", "--output", "results", "--quiet"]);
    assert_eq!(said.status, 0, "{said:?}");
    let report = std::fs::read_to_string(desk.path().join("results/a/report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(check(&report, "file-name"), "note: the file is named `a.py`, and not `Doubles.py`");
    assert_eq!(report["score"], report["max_score"], "{report}");
}

/// Nothing that a program is called, or has beside it, takes the place of what calls its functions.
#[test]
fn names_do_not_collide() {
    let desk = Desk::new();
    let program =
        std::fs::read_to_string(super::fixtures().join("students/darts/good/keeps_every_sentence_comments_above.py"))
            .unwrap();
    for name in ["check-calls.py", "types.py", "_ast.py"] {
        desk.write(name, &program);
        let said = desk.check(&["darts", name, "--format", "json"]);
        let report: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(check(&report, "call-is-dart-valid"), "passed: ", "{name}");
    }
}

/// The assignment of the README, put together from its pieces.
#[test]
fn the_sample_of_the_readme_is_right() {
    let readme = std::fs::read_to_string(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```yaml\n").skip(1).filter_map(|block| Some(block.split_once("```")?.0)).collect();
    let piece = |start: &str| *blocks.iter().find(|block| block.starts_with(start)).unwrap();
    let desk = Desk::with(&format!("def half(number):\n    return number // 2\nhalf(3)\n{GAME}"));
    let head = piece("# mine/assignment.yaml\n").split("cases:").next().unwrap();
    desk.write("mine/assignment.yaml", &(head.to_owned() + piece("# mine/assignment.yaml, its end\n")));
    desk.write("mine/cases/a-bust.yaml", piece("# mine/cases/a-bust.yaml\n"));
    let inputs = ["transcript", "darts", "--inputs", "60,60,60", "--ruling", "double-out=double"];
    desk.write("mine/cases/a-bust.transcript", &desk.check(&inputs).out);
    desk.write("mine/cases/call-half.yaml", piece("# mine/cases/call-half.yaml\n"));
    let (report, _) = report(&desk, "mine", &[]);
    for (id, said) in
        [("half", "passed"), ("call-half", "passed"), ("plain", "passed"), ("modules", "failed: the module `math`")]
    {
        assert!(check(&report, id).starts_with(said), "{report}");
    }
}
