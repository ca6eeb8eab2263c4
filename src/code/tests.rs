//! What is found in small programs. Whole ones are in `fixtures/students`.

use std::path::Path;

use super::*;
use crate::assignment::{CallPattern, Commented, Construct, Forbidden, Signature, StartingList, Topic};

fn program(text: &str) -> Program {
    Program::read("student.py", text.as_bytes(), std::iter::empty()).unwrap()
}

/// The line and the reason of what is found; `ok` for nothing, `?` for what can't be told.
fn found(text: &str, ask: &Ask) -> String {
    told(look(&program(text), ask))
}

fn told(finding: Finding) -> String {
    match finding {
        Finding::Kept => "ok".to_owned(),
        Finding::Broken { line, why } => format!("{}: {why}", line.map_or("-".to_owned(), |line| line.to_string())),
        Finding::Without(why) => format!("nothing: {why}"),
        Finding::Undecided(why) => format!("?: {why}"),
    }
}

fn function(name: &str, parameters: Option<&[&str]>) -> Ask {
    let name_of = |name: &&str| Some((*name).to_owned()).filter(|name| name != "_");
    let parameters = parameters.map(|names| names.iter().map(name_of).collect());
    Ask::Function(Signature { name: name.to_owned(), parameters })
}

fn none(constructs: &[Construct], within: Option<&str>) -> Ask {
    Ask::NoConstructs(Forbidden { what: constructs.to_vec(), within: within.map(str::to_owned) })
}

fn no_calls(names: &[&str], within: Option<&str>) -> Ask {
    let what = names.iter().map(|name| (*name).to_owned()).collect();
    Ask::NoCalls(Forbidden { what, within: within.map(str::to_owned) })
}

#[test]
fn a_function_has_its_name_and_parameters_and_is_called() {
    let is_valid = function("is_valid", Some(&["_"]));
    for good in [
        "def is_valid(d):\n    pass\nis_valid(1)",
        "def is_valid(dart: int = 3) -> bool:\n    pass\nwhile not is_valid(1): pass",
        "is_valid = lambda dart: dart > 0\nprint(is_valid(5))",
        "def is_valid(d):\n    pass\ncheck = is_valid\ncheck(5)",
        "def is_valid(d):\n    pass\nprint(any(map(is_valid, [1])))",
        "def is_valid(a, b): pass\ndef is_valid(a): pass\nis_valid(1)",
        "def main():\n    def is_valid(d, /): pass\n    is_valid(1)",
        "def is_valid(d): pass\ndef other():\n    def is_valid(a, b): pass\nis_valid(1)",
        "@register\ndef is_valid(d): pass",
    ] {
        assert_eq!(found(good, &is_valid), "ok", "{good}");
    }
    for (bad, why) in [
        ("print()", "-: there is no function named `is_valid`"),
        ("def is_vaild(d): pass", "1: there is no function named `is_valid`; the nearest is `is_vaild` in line 1"),
        (
            "class A:\n  def is_valid(self): pass",
            "2: `is_valid` is a method of a class in line 2, and a function is asked for",
        ),
        ("\ndef is_valid(d): pass", "2: `is_valid` is defined in line 2, and nothing calls it"),
        ("def is_valid(d):\n  is_valid(d)", "1: `is_valid` is defined in line 1, and nothing calls it"),
        ("def is_valid(d): pass\nis_valid", "1: `is_valid` is defined in line 1, and nothing calls it"),
        ("def is_valid(d): pass\nif is_valid and 3: pass", "1: `is_valid` is defined in line 1, and nothing calls it"),
        ("def is_valid(): pass\nis_valid()", "1: line 1 has `is_valid()`, and one parameter is asked for"),
        ("def is_valid(*darts): pass\nis_valid()", "1: line 1 has `is_valid(*darts)`, and one parameter is asked for"),
    ] {
        assert_eq!(found(bad, &is_valid), why, "{bad}");
    }
    let other = "def turn(deck, pile): pass\nturn(1, 2)";
    assert_eq!(
        found(other, &function("turn", Some(&["deck", "rack"]))),
        "1: line 1 has `turn(deck, pile)`, and `turn(deck, rack)` is asked for"
    );
    assert_eq!(found(other, &function("turn", None)), "ok");
    // It may be called in a way that nobody sees.
    assert!(found("def is_valid(d): pass\nglobals()['is_valid'](3)", &is_valid).starts_with('?'));
    for unknown in [
        "is_valid = make()",
        "is_valid, other = f, g",
        "(is_valid := f)",
        "import importlib\nimportlib.import_module('game')",
    ] {
        assert!(found(unknown, &is_valid).starts_with('?'), "{unknown}");
    }
}

#[test]
fn what_is_no_python_is_not_said_to_lack_anything() {
    let broken = "def play(:\n    pass\nif x\n    y\n";
    for ask in [
        function("is_valid", None),
        Ask::List(StartingList { name: "score".to_owned(), numbers: vec![1] }),
        Ask::Comments(vec![Commented::Subprograms, Commented::Selections, Commented::Iterations]),
        Ask::Documents(Topic::Input, "Game".to_owned()),
        Ask::Header(vec![]),
        Ask::Imports(vec!["random".to_owned()]),
    ] {
        let found = found(broken, &ask);
        assert!(found.starts_with('?'), "{found}");
    }
    // What is there is there.
    assert!(found("import os\ndef play(:\n", &Ask::OnlyImports(vec![])).starts_with("1: "));
}

#[test]
fn any_text_can_be_looked_at() {
    let ifs: String = (0..100).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect();
    let sums = "x = ".to_owned() + &"1 + ".repeat(400) + "1";
    let comments = "#\n".repeat(20_000);
    for text in
        ["", "\n", "\u{feff}", "\0", "\r", "a\rb\r", "\"\"\"", "#", &ifs, &sums, &comments, "é = 'ü'\nif é: pass"]
    {
        let program = program(text);
        for ask in [
            function("f", None),
            Ask::List(StartingList { name: "x".to_owned(), numbers: vec![1] }),
            Ask::Comments(vec![Commented::Subprograms, Commented::Selections, Commented::Iterations]),
            Ask::Documents(Topic::Purpose, "Game".to_owned()),
            Ask::Header(vec![]),
            no_calls(&["sorted"], None),
            none(&[Construct::NewList, Construct::Dict], None),
        ] {
            assert_eq!(look(&program, &ask), look(&program, &ask));
        }
    }
    for text in [
        "x = 1\n".repeat(50_000),
        "(".repeat(9_000) + &")".repeat(9_000),
        "x = ".to_owned() + &"1 + ".repeat(20_000) + "1",
    ] {
        assert!(matches!(Program::read("a.py", text.as_bytes(), std::iter::empty()), Err(TooLong)));
    }
}

#[test]
fn a_list_may_be_made_in_many_ways() {
    let ask = Ask::List(StartingList { name: "score".to_owned(), numbers: vec![501, 501] });
    for good in [
        "score = [501, 501]",
        "score=[501,501,]",
        "score = [501] * 2",
        "score = [501 for player in range(2)]",
        "START = 501\nscore = [START, START]",
        "PLAYERS = 2\nscore = PLAYERS * [500 + 1]",
        "score: list = [\n  501,\n  501,\n]",
        "score, player = [501, 501], 0",
        "first = score = [501, 501]",
        "class G:\n  def __init__(self):\n    self.score = [501, 501]",
        "def f():\n    score = int(input())\nscore = [501, 501]",
    ] {
        assert_eq!(found(good, &ask), "ok", "{good}");
    }
    for unknown in [
        "score = make()",
        "score = list((501, 501))",
        "score = []\nscore.append(501)",
        "def play(score): pass\nplay([501, 501])",
    ] {
        assert!(found(unknown, &ask).starts_with('?'), "{unknown}");
    }
    for (bad, why) in [
        ("score = [301, 301]", "1: line 1 has `score = [301, 301]`, and `score = [501, 501]` is asked for"),
        (
            "score = 501",
            "1: line 1 has `score = 501`, which is no list of numbers, and `score = [501, 501]` is asked for",
        ),
        (
            "x = 1\nscore = {1: 501, 2: 501}",
            "2: line 2 has `score = {1: 501, 2: 501}`, which is no list of numbers, and `score = [501, 501]` is asked for",
        ),
        ("scores = [501, 501]", "-: there is no list named `score`; the nearest name is `scores`"),
    ] {
        assert_eq!(found(bad, &ask), why, "{bad}");
    }
}

#[test]
fn a_comment_may_stand_in_many_places() {
    let ask = |kind| Ask::Comments(vec![kind]);
    for good in [
        "# why\nif x: pass",
        "# why\n\nif x: pass",
        "#why\n#-----\nif x: pass",
        "if x: # why\n    pass",
        "if x: pass # why",
        "if x:\n    # why\n    pass",
        "if (x\n    and y): # why\n    pass",
        "if (x # why\n    and y):\n    pass",
        "'why'\nif x: pass",
        "# why\na = 1\nb = 2\nif x: pass",
        "# why\nif x: pass\nelif y: pass\nelse: pass",
        "def f():\n    if __name__ == '__main__': pass",
        "if x:\n    pass # why",
        "for y in z: # ...\n    # why\n    pass\nelse: # why\n    if x: pass",
        "# why\ntry:\n    if x: pass\nexcept: pass",
        "# why\n\n# ----\nif x: pass",
        "# Größe\r\nif x: pass",
        "# 何故\nif x: pass",
    ] {
        assert_eq!(found(good, &ask(Commented::Selections)), "ok", "{good}");
    }
    for bad in [
        "if x: pass",
        "# ----\nif x: pass",
        "a = 1 # why\nif x: pass",
        "# why\na = 1\n\nif x: pass",
        "def f(x):\n    \"\"\"Why.\"\"\"\n    if x: pass",
        "if x: pass\nelse: # why\n    pass",
        "#!/usr/bin/env python3\nif x: pass",
        "a = '# why'\nif x: pass",
        "# noqa\nif x: pass",
    ] {
        assert!(found(bad, &ask(Commented::Selections)).contains("has no comment"), "{bad}");
    }
    for good in [
        "def f():\n    'Why.'",
        "# why\n@decorated\ndef f(): pass",
        "@decorated\n# why\ndef f(): pass",
        "def f(): # why\n  pass",
    ] {
        assert_eq!(found(good, &ask(Commented::Subprograms)), "ok", "{good}");
    }
    let two = "for x in y: pass\nwhile z: pass\n\nasync def f():\n    async for x in y: pass";
    assert_eq!(
        found(two, &ask(Commented::Iterations)),
        "1: the `for` in line 1 has no comment that says what it is for; nor have those in line 2 and line 5"
    );
}

#[test]
fn documentation_is_found_where_it_stands() {
    let ask = |topic| Ask::Documents(topic, "Doubles".to_owned());
    let all = [Topic::Name, Topic::Purpose, Topic::Input, Topic::Output];
    for good in [
        "# Doubles.py\n# Plays a dice game.\n# Input: y or n\n# Output: who has won\nx = 1",
        "'''Doubles lets a person play against the computer.\n\nThe player types y or n; the scores are printed.'''\nx = 1",
        "import random\n# Program: Doubles\n# Purpose: to play\n# Expects y or n.\n# Shows the dice.\nx = 1",
        "import random\n\n# Doubles, a game.\n\n# The user enters y or n.\n\n# It prints the scores.\nx = 1",
        "x = 1\n# Doubles: a game that asks for y or n and prints who won",
        "# Name: Doubles\n# This program plays a game.\n# Input and output: the user types y or n; the program prints the scores\nx = 1",
        "def main():\n  '''Doubles: a game. Asks for y or n, tells who won.'''\nmain()",
    ] {
        for topic in all {
            assert_eq!(found(good, &ask(topic)), "ok", "{good} {topic:?}");
        }
    }
    for bad in [
        "x = 1",
        "x = 1 # input output game Doubles",
        "# Author: me\n# Date: today\nx = 1",
        "def f():\n    # Doubles: game input output\n    pass",
    ] {
        for topic in all {
            assert!(found(bad, &ask(topic)).starts_with("-: "), "{bad} {topic:?}");
        }
    }
    let labels = "# Name: Doubles\n# Purpose: a game\n# Input:\n# Output:\nx = 1";
    assert_eq!(all.map(|topic| found(labels, &ask(topic)) == "ok"), [true, true, false, false]);
}

#[test]
fn a_header_is_filled_in() {
    let ask = Ask::Header(vec![]);
    for good in [
        "# Name: A\n# Date: today\nx = 1",
        "#!/usr/bin/env python3\n#  File: a.py\n#  Description:\n#     This is what it does.\nx = 1",
        "'''\nName: A\n'''\nx = 1",
        "########\n# Name: A #\n########\nx = 1",
        "# Name - Anna\n# Course - 5\nx = 1",
        "# Author = Anna-Lena\n# Date   = 1 - 2 - 2030\nx = 1",
        "# Name: Sam <sam@example.edu>\n# About: sorted if a < b and b > c\nx = 1",
        "# Name: A\n\n# Imports:\nimport random\nx = 1",
        "# Description:\n#\n# It is played like this:\n# - draw a card\nx = 1",
    ] {
        assert_eq!(found(good, &ask), "ok", "{good}");
    }
    for (bad, why) in [
        ("x = 1\n# Name: A", "1: no comment lines such as `# Name: …` stand before the first statement"),
        ("# Rack-O - a card game\nx = 1", "1: no comment lines such as `# Name: …` stand before the first statement"),
        ("# Name: A\n# Date:\nx = 1", "2: line 2 has nothing after `Date:`"),
        ("# Name: <your name>\nx = 1", "1: line 1 has still `<your name>` after `Name:`"),
        ("# Name: ______\nx = 1", "1: line 1 has still `______` after `Name:`"),
        ("# Date: TODO\nx = 1", "1: line 1 has still `TODO` after `Date:`"),
        ("# pylint: disable=all\nx = 1", "1: no comment lines such as `# Name: …` stand before the first statement"),
        ("# -*- coding: utf-8 -*-\nx = 1", "1: no comment lines such as `# Name: …` stand before the first statement"),
    ] {
        assert_eq!(found(bad, &ask), why, "{bad}");
    }
    let labels = Ask::Header(vec!["Name".to_owned(), "Course".to_owned()]);
    assert_eq!(found("# name: A\n# Course: 5\n", &labels), "ok");
    assert_eq!(found("# Name: A\n", &labels), "1: the comment at the top has no line `Course: …`");
}

#[test]
fn forbidden_calls_are_found_wherever_they_are_reached() {
    let ask = no_calls(&["sorted", ".sort"], Some("is_sorted"));
    for good in [
        "def is_sorted(r):\n    sorted = True\n    return sorted\nx = sorted([2])",
        "def is_sorted(r): return helper(r)\ndef helper(r): return True\ndef other(r): r.sort()",
        "def is_sorted(r): return sorted(r)\ndef sorted(r): return 5",
    ] {
        assert_eq!(found(good, &ask), "ok", "{good}");
    }
    for (bad, why) in [
        ("def is_sorted(r):\n    return r == sorted(r)", "2: line 2 calls `sorted(r)`"),
        ("def is_sorted(r): return helper(r)\ndef helper(r):\n    return r.sort()", "3: line 3 calls `r.sort()`"),
        ("import builtins\ndef is_sorted(r): return builtins.sorted(r)", "2: line 2 calls `builtins.sorted(r)`"),
        ("x = 1", "nothing: there is no function named `is_sorted` to look at"),
        ("from tools import ordered as is_sorted", "?: what `is_sorted` is can't be told without running the program"),
    ] {
        assert_eq!(found(bad, &ask), why, "{bad}");
    }
    assert_eq!(found("x = eval(input())", &no_calls(&["eval"], None)), "1: line 1 calls `eval(input())`");
}

#[test]
fn constructs_are_found() {
    let new_list = none(&[Construct::NewList], Some("f"));
    for good in [
        "def f(r): return r[0] + r[1] < r[-1]",
        "def f(r: List[int]) -> list[int]: return all(r[i] < r[i + 1] for i in range(len(r) - 1))",
        "def f(r):\n    del r[1:]",
    ] {
        assert_eq!(found(good, &new_list), "ok", "{good}");
    }
    for bad in ["[]", "[1]", "r[1:]", "list(r)", "r + r", "r * 1", "r.copy()", "copy.deepcopy(r)", "[x for x in r]"] {
        assert_eq!(
            found(&format!("def f(r): return {bad}"), &new_list),
            format!("1: line 1 makes a new list: `{bad}`")
        );
    }
    for (construct, text) in [
        (Construct::Class, "class A: pass"),
        (Construct::Dict, "x = {}"),
        (Construct::Dict, "x = dict()"),
        (Construct::Set, "x = {1}"),
        (Construct::Try, "try: pass\nexcept: pass"),
        (Construct::Lambda, "x = lambda: 1"),
        (Construct::Comprehension, "x = sum(y for y in z)"),
    ] {
        assert!(found(text, &none(&[construct], None)).starts_with("1: line 1 has "), "{text}");
        assert_eq!(found("x = [1, 2]\nif x: print(x[0:1])", &none(&[construct], None)), "ok");
    }
}

#[test]
fn modules_and_their_functions_are_known_by_any_name() {
    let roll = Ask::Call(CallPattern {
        module: "random".to_owned(),
        function: "randrange".to_owned(),
        arguments: vec!["1".to_owned(), "7".to_owned()],
    });
    for good in [
        "import random\nx = random.randrange(1, 7)",
        "import random as r\nx = r.randrange(1,7)",
        "from random import randrange\nx = randrange(1, 7)",
        "from random import randrange as roll\nx = roll(1, 7)",
        "from random import *\nx = randrange(1, 7)",
        "import random\nSIDES = 6\nx = random.randrange(1, SIDES + 1)",
    ] {
        assert_eq!(found(good, &roll), "ok", "{good}");
    }
    assert_eq!(
        found("import random\nrandom.seed(5)\nx = random.randint(1, 6)", &roll),
        "3: line 3 calls `random.randint(1, 6)`, and not `random.randrange(1, 7)`"
    );
    for unknown in ["import random\nroll = random.randrange\nroll(1, 7)", "from random import randrange\nf(randrange)"]
    {
        assert!(found(unknown, &roll).starts_with('?'), "{unknown}");
    }
    assert_eq!(found("x = 4", &roll), "-: nothing calls `random.randrange(1, 7)`");

    let only = Ask::OnlyImports(vec!["random".to_owned()]);
    assert_eq!(found("import random, os.path", &only), "1: line 1 imports `os.path`");
    assert_eq!(found("from random import seed", &only), "ok");
    let wanted = Ask::Imports(vec!["math".to_owned()]);
    assert_eq!(found("from math import sqrt", &wanted), "ok");
    assert_eq!(found("import maths", &wanted), "-: the module `math` is imported nowhere");
}

#[test]
fn the_name_of_a_file_is_found_among_what_was_put_around_it() {
    let ask = Ask::FileName("Doubles.py".to_owned());
    let named = |name: &str| told(look(&Program::read(name, b"", std::iter::empty()).unwrap(), &ask));
    for good in ["Doubles.py", "doubles.PY", "kim_48213_Doubles-2.py", "DOUBLES (1).py", "late_doubles_77.py"] {
        assert_eq!(named(good), "ok", "{good}");
    }
    for bad in ["dice.py", "mydoubles.py", "doublesgame.py", "double.py"] {
        assert_eq!(named(bad), format!("-: the file is named `{bad}`, and not `Doubles.py`"));
    }
}

#[test]
fn modules_beside_the_program_belong_to_it() {
    let helper = b"def is_valid(d):\n    if d: pass\n".as_slice();
    let files = [(Path::new("helper.py"), helper), (Path::new("unused.py"), b"def main(): pass".as_slice())];
    let program = Program::read("main.py", b"import helper\nhelper.is_valid(3)\n", files.into_iter()).unwrap();
    assert_eq!(told(look(&program, &function("is_valid", Some(&["d"])))), "ok");
    assert!(lacks(&program, "main"));
    assert_eq!(told(look(&program, &Ask::OnlyImports(vec![]))), "ok");
    assert_eq!(
        told(look(&program, &Ask::Comments(vec![Commented::Selections]))),
        "-: the `if` in line 2 of helper.py has no comment that says what it is for"
    );
}
