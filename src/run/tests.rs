//! Each promise of this layer, kept by a small program.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::*;

/// The one that the variable PYTHON names, or what is found.
static PYTHON: LazyLock<Interpreter> = LazyLock::new(|| {
    let typed = std::env::var_os("PYTHON").map(PathBuf::from);
    Interpreter::find(typed.as_deref()).unwrap()
});

/// A folder with files in it.
struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let files_folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let path = files_folder.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        files_folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, name: &str) -> Submission {
        Submission::open(&self.path(name)).unwrap()
    }
}

fn program(text: &str) -> Submission {
    Files::new(&[("student.py", text)]).open("student.py")
}

/// Generous: other things run on this machine.
fn limits() -> Limits {
    Limits { time: Duration::from_secs(20), ..Limits::default() }
}

fn seconds(time: f64) -> Limits {
    Limits { time: Duration::from_secs_f64(time), ..Limits::default() }
}

fn typed(inputs: &[&str]) -> Script {
    Script { inputs: inputs.iter().map(|&line| line.to_owned()).collect(), ..Script::default() }
}

fn seeded(seed: &str) -> Script {
    Script { seed: Some(seed.to_owned()), ..Script::default() }
}

/// What comes of a run, which is the same whatever starts the program.
fn run_with(submission: &Submission, script: &Script, limits: &Limits) -> Outcome {
    let program = Program::Python { interpreter: &PYTHON, submission };
    let by = |runner| {
        let session = Session::open(program, Conditions { runner, ..Conditions::default() }).unwrap();
        session.run(script, limits, &|_| false).unwrap()
    };
    let (warm, spawned) = (by(Runner::Warm), by(Runner::Spawn));
    assert_eq!(warm.ending, spawned.ending);
    if !matches!(warm.ending, Ending::TimedOut | Ending::TooMuchOutput | Ending::TooMuchMemory) {
        let seen =
            |outcome: &Outcome| (outcome.stdout.clone(), outcome.lines_read, outcome.places.clone(), outcome.status);
        assert_eq!(seen(&warm), seen(&spawned));
        assert_eq!(stderr(&warm), stderr(&spawned));
    }
    warm
}

/// A run of what does not repeat.
fn run_warm(submission: &Submission, script: &Script) -> Outcome {
    run(&Program::Python { interpreter: &PYTHON, submission }, script, &limits(), &|_| false).unwrap()
}

/// One run of any program.
fn run(
    program: &Program<'_>,
    script: &Script,
    limits: &Limits,
    stop: &dyn Fn(&[u8]) -> bool,
) -> Result<Outcome, RunError> {
    let session = Session::open(*program, Conditions::default())?;
    session.run(script, limits, stop)
}

fn python(text: &str, inputs: &[&str]) -> Outcome {
    run_with(&program(text), &typed(inputs), &limits())
}

fn command(line: &str, inputs: &[&str], limits: &Limits) -> Outcome {
    let program = Program::Command { line, submission: None };
    run(&program, &typed(inputs), limits, &|_| false).unwrap()
}

/// Python 3.8 shows the program as its argument says.
fn in_tracebacks(files: &Files) -> String {
    if PYTHON.version < (3, 9, 0) {
        return "student.py".to_owned();
    }
    files.path("student.py").to_string_lossy().into_owned()
}

fn stdout(outcome: &Outcome) -> &str {
    str::from_utf8(&outcome.stdout).unwrap()
}

fn stderr(outcome: &Outcome) -> &str {
    str::from_utf8(&outcome.stderr_tail).unwrap()
}

fn exception(name: &str) -> Ending {
    Ending::Crashed(Crash::Exception(name.to_owned()))
}

const WELL: Ending = Ending::Exited { status: 0 };

mod reading {
    use super::*;

    #[test]
    fn input() {
        let outcome = python("a = input('First? ')\nb = input('Second? ')\nprint(int(a) + int(b))", &["1", "2"]);
        assert_eq!(stdout(&outcome), "First? Second? 3\n");
        assert_eq!((outcome.ending, outcome.status), (WELL, Some(0)));
        assert_eq!(outcome.lines_read, Some(2));
        assert_eq!(outcome.places, Some(vec![7, 15]));
    }

    #[test]
    fn other_ways_have_places_too() {
        for (text, places) in [
            ("import sys\nfor n in 1, 2:\n print('?', end='')\n sys.stdin.readline()", vec![1, 2]),
            ("import sys\nprint('?', end='')\nfor line in sys.stdin: print('?', end='')", vec![1, 2]),
            ("import sys\nprint('?', end='')\nsys.stdin.read()\nprint('!')", vec![1, 1]),
            ("import sys\nprint('?', end='')\nsys.stdin.buffer.raw.read(2)\nsys.stdin.buffer.raw.read()", vec![1, 1]),
        ] {
            let outcome = python(text, &["a", "b"]);
            assert_eq!((&outcome.ending, outcome.lines_read), (&WELL, Some(2)), "{text}");
            assert_eq!(outcome.places, Some(places), "{text}");
        }
    }

    #[test]
    fn past_the_streams_is_measured_all_the_same() {
        for text in [
            "for line in open(0): print(line, end='')",
            "import os\nwhile (b := os.read(0, 1)): os.write(1, b)",
            "import os\nwhile (b := os.read(0, 9999)): os.write(1, b)",
        ] {
            let outcome = python(text, &["a", "", "b"]);
            assert_eq!(stdout(&outcome), "a\n\nb\n", "{text}");
            assert_eq!((outcome.ending, outcome.lines_read), (WELL, Some(3)), "{text}");
        }
    }

    #[test]
    fn what_was_left_is_counted() {
        assert_eq!(python("input()", &["a", "b", "c"]).lines_read, Some(1));
        assert_eq!(python("", &["a"]).lines_read, Some(0));
        assert_eq!(python("", &[]).lines_read, Some(0));
        let outcome = python("import os\nos.read(0, 2)", &["abc"]);
        assert_eq!(outcome.lines_read, Some(0));
    }

    #[test]
    fn long_lines() {
        let long = "x".repeat(1_000_000);
        let outcome = python("print(len(input()), len(input()))", &[&long, "y"]);
        assert_eq!(stdout(&outcome), "1000000 1\n");
        assert_eq!(outcome.lines_read, Some(2));
        let outcome = python("print(1)", &[&long]);
        assert_eq!((outcome.ending, outcome.lines_read), (WELL, Some(0)));
    }

    #[test]
    fn more_than_there_is() {
        let outcome = python("print('?')\ninput()\ninput()", &["a"]);
        assert_eq!(outcome.ending, Ending::WantedMoreInput);
        assert!(stderr(&outcome).ends_with("EOFError: EOF when reading a line\n"));
        let outcome = python("import sys\nint(sys.stdin.readline())", &[]);
        assert_eq!(outcome.ending, Ending::WantedMoreInput);
        let outcome = python("import sys\nint(sys.stdin.read())", &["a"]);
        assert_eq!(outcome.ending, exception("ValueError"));
    }

    #[test]
    fn unicode_and_byte_order_marks() {
        let outcome = python("\u{feff}print('é', input('→ '))", &["ñ☃"]);
        assert_eq!(stdout(&outcome), "→ é ñ☃\n");
        let outcome = python("# coding: latin-1\nprint('\u{e9}')", &[]);
        assert_eq!(stdout(&outcome), "Ã©\n");
    }
}

mod endings {
    use super::*;

    #[test]
    fn a_status_of_its_own_is_no_crash() {
        let outcome = python("import sys; sys.exit(3)", &[]);
        assert_eq!((outcome.ending, outcome.status), (Ending::Exited { status: 3 }, Some(3)));
        let outcome = python("exit('no')", &[]);
        assert_eq!(outcome.ending, Ending::Exited { status: 1 });
        let outcome = python("import os\nprint('x', end='')\nos._exit(1)", &[]);
        assert_eq!((stdout(&outcome), &outcome.ending), ("x", &Ending::Exited { status: 1 }));
    }

    #[test]
    fn a_crash_shows_the_programs_own_traceback() {
        let files = Files::new(&[("student.py", "def f():\n  return 1 / 0\nf()\n")]);
        let outcome = run_with(&files.open("student.py"), &typed(&[]), &limits());
        assert_eq!(outcome.ending, exception("ZeroDivisionError"));
        let name = in_tracebacks(&files);
        let mut rest = stderr(&outcome);
        for line in [
            "Traceback (most recent call last):\n",
            &format!("  File \"{name}\", line 3, in <module>\n"),
            "    f()\n",
            &format!("  File \"{name}\", line 2, in f\n"),
            "ZeroDivisionError: division by zero\n",
        ] {
            rest = rest.split_once(line).unwrap_or_else(|| panic!("{}", stderr(&outcome))).1;
        }
        assert_eq!(rest, "");
        let outcome = python("import time\ntime.sleep('a')", &[]);
        assert_eq!(outcome.ending, exception("TypeError"));
        assert_eq!(stderr(&outcome).matches("File").count(), 1);
        assert!(!stderr(&outcome).contains("real("), "{}", stderr(&outcome));
    }

    #[test]
    fn a_crash_can_not_be_hidden() {
        let outcome = python("import os\nos.closerange(3, 256)\nx = int('a')", &[]);
        assert_eq!(outcome.ending, exception("ValueError"));
        let outcome = python("import sys\nsys.excepthook = lambda *a: 0\n[][1]", &[]);
        assert_eq!(outcome.ending, exception("IndexError"));
    }

    #[test]
    fn signals() {
        let outcome = python("import os\nos.abort()", &[]);
        assert_eq!(outcome.ending, Ending::Crashed(Crash::Signal("SIGABRT".into())));
        assert_eq!(outcome.status, None);
    }

    #[test]
    fn time() {
        for text in [
            "print('a')\nwhile True: pass",
            "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('a')\nwhile True: pass",
            "import os, signal\nprint('a')\nos.close(1); os.close(2)\nsignal.pause()",
            "import os, signal\nprint('a')\nos.kill(os.getpid(), signal.SIGSTOP)",
            "print('a')\nwhile True:\n  try: input()\n  except EOFError: pass",
        ] {
            let started = Instant::now();
            let outcome = run_with(&program(text), &typed(&[]), &seconds(1.0));
            assert_eq!(outcome.ending, Ending::TimedOut, "{text}");
            assert_eq!(stdout(&outcome), "a\n");
            assert!(started.elapsed() < Duration::from_secs(10));
        }
    }

    #[test]
    fn too_much_output() {
        let limits = Limits { output: 10_001, ..limits() };
        let outcome = run_with(&program("while True: print('0123456789' * 9)"), &typed(&[]), &limits);
        assert_eq!(outcome.ending, Ending::TooMuchOutput);
        assert_eq!(outcome.stdout.len(), 10_001);
        let outcome = run_with(&program("print('x' * 10_000)"), &typed(&[]), &limits);
        assert_eq!((outcome.stdout.len(), outcome.ending), (10_001, WELL));
    }

    #[test]
    fn a_flood_of_complaints_keeps_its_end() {
        let outcome = python("import sys\nfor n in range(9999): sys.stderr.write('line %d\\n' % n)", &[]);
        assert_eq!(outcome.stderr_tail.len(), 16 << 10);
        assert!(stderr(&outcome).ends_with("line 9998\n"));
        let outcome = python("import os\nwhile True: os.write(2, b'x' * 65536)", &[]);
        assert_eq!(outcome.ending, Ending::TooMuchOutput);
    }

    #[test]
    fn too_much_memory() {
        for text in [
            "x = bytearray(10**10)",
            "x = []\nwhile True: x.append(bytearray(10**6))",
            "x = []\nwhile True: x.append([])",
        ] {
            let outcome = python(text, &[]);
            assert_eq!(outcome.ending, Ending::TooMuchMemory, "{text}");
        }
    }

    #[test]
    fn enough() {
        let submission = program("print('a'); input('b'); print('c')\nwhile True: print('d')");
        let program = Program::Python { interpreter: &PYTHON, submission: &submission };
        let outcome = run(&program, &typed(&["1"]), &limits(), &|out| out.starts_with(b"a\nbc\n"));
        let outcome = outcome.unwrap();
        assert_eq!((outcome.ending, outcome.status), (Ending::Stopped, None));
        // Not before all is read.
        let outcome = run(&program, &typed(&["1", "2"]), &seconds(1.0), &|out| out.starts_with(b"a\n"));
        assert_ne!(outcome.unwrap().ending, Ending::Stopped);
    }
}

mod surroundings {
    use super::*;

    #[test]
    fn as_python3_student_py() {
        let files = Files::new(&[
            (
                "student.py",
                "import sys, os, helper\nprint(__name__, sys.argv, sys.path[0] == os.getcwd())\n\
             print(sorted(os.listdir()), helper.__name__)\n\
             print([m for m in sys.modules if 'custom' in m], [p for p in sys.path if 'harness' in p])\n\
             print(sorted(os.environ))\nprint(sys.stdin, sys.stdout, sys.stdout.buffer is sys.stdout.buffer.raw if \
             hasattr(sys.stdout.buffer, 'raw') else '', open('new', 'w').fileno())",
            ),
            ("helper.py", ""),
            ("words.txt", ""),
        ]);
        let outcome = run_with(&files.open("student.py"), &typed(&[]), &limits());
        assert_eq!(
            stdout(&outcome),
            "__main__ ['student.py'] True\n['helper.py', 'student.py'] helper\n[] []\n\
             ['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED', 'PYTHONIOENCODING', \
             'PYTHONNOUSERSITE', 'PYTHONUNBUFFERED', 'PYTHONUTF8', 'TEMP', 'TMP', 'TMPDIR']\n\
             <_io.TextIOWrapper name='<stdin>' mode='r' encoding='utf-8'> \
             <_io.TextIOWrapper name='<stdout>' mode='w' encoding='utf-8'>  3\n",
            "{}",
            stderr(&outcome)
        );
    }

    #[test]
    fn a_folder_comes_whole() {
        let files = Files::new(&[
            ("game.py", "from parts import deck\nprint(open('words.txt').read(), deck.N)"),
            ("words.txt", "hello"),
            ("parts/deck.py", "N = 60"),
            (".hidden", ""),
            ("__pycache__/x.pyc", ""),
        ]);
        let submission = Submission::open(files.0.path()).unwrap();
        assert_eq!(submission.siblings().count(), 2);
        let outcome = run_with(&submission, &typed(&[]), &limits());
        assert_eq!(stdout(&outcome), "hello 60\n");
        assert!(submission.name().ends_with("/game.py"));
    }

    #[test]
    fn names_like_options() {
        let files = Files::new(&[("-x.py", "import sys\nprint(sys.argv)")]);
        let outcome = run_with(&files.open("-x.py"), &typed(&[]), &limits());
        assert_eq!(stdout(&outcome), "['./-x.py']\n");
    }

    #[test]
    fn no_other_descriptors() {
        let outcome = command("ls /proc/self/fd", &[], &limits());
        // The fourth is the listed folder itself.
        assert_eq!(stdout(&outcome), "0\n1\n2\n3\n");
    }

    #[test]
    fn sleeping_takes_no_time() {
        let started = Instant::now();
        let outcome = python(
            "import time\nfrom time import sleep\ntime.sleep(100); sleep(1.5); sleep(0)\ntry: sleep(-1)\nexcept ValueError as e: print(e)",
            &[],
        );
        assert_eq!(stdout(&outcome), "sleep length must be non-negative\n");
        assert!(started.elapsed() < Duration::from_secs(20));
        let submission = program("import time\ntime.sleep(99)");
        let program = Program::Python { interpreter: &PYTHON, submission: &submission };
        let session = Session::open(program, Conditions { real_sleep: true, ..Conditions::default() }).unwrap();
        let outcome = session.run(&typed(&[]), &seconds(1.0), &|_| false).unwrap();
        assert_eq!(outcome.ending, Ending::TimedOut);
    }
}

mod chance {
    use super::*;

    #[test]
    fn the_seed_holds_from_the_first_line() {
        let text = "from random import randrange, random\nprint([randrange(1, 7) for n in range(9)], random())";
        let first = run_with(&program(text), &seeded("2880"), &limits());
        let own = python(&format!("import random\nrandom.seed(2880)\n{text}"), &[]);
        assert_eq!(stdout(&first), stdout(&own));
        assert_eq!(first.ending, WELL);
        let long = format!("-1{}", "0".repeat(6000));
        assert_eq!(run_with(&program(text), &seeded(&long), &limits()).ending, WELL);
    }

    #[test]
    fn an_honest_reseed_repeats() {
        let text = "import random\nfrom random import seed\nrandom.seed()\na = random.random()\nseed(None)\nb = random.random()\n\
                    random.seed(5)\nassert random.random() == 0.6229016948897019\nprint(a, b)";
        let [one, again, other] = ["1", "1", "2"].map(|seed| run_with(&program(text), &seeded(seed), &limits()));
        assert_eq!(one.ending, WELL, "{}", stderr(&one));
        assert_eq!(one.stdout, again.stdout);
        assert_ne!(one.stdout, other.stdout);
        let (a, b) = stdout(&one).split_once(' ').unwrap();
        assert_ne!(a, b.trim());
        let free = "import random\nprint(random.SystemRandom().random(), random.Random().random())";
        let [one, again] = ["1", "1"].map(|seed| run_warm(&program(free), &seeded(seed)));
        assert_ne!(one.stdout, again.stdout);
    }

    #[test]
    fn the_programs_own_modules_win() {
        let files = Files::new(&[
            ("student.py", "import random\nprint(random.mine)\nimport bisect\nprint(bisect.mine)"),
            ("random.py", "mine = 1"),
            ("bisect.py", "mine = 2"),
        ]);
        let outcome = run_with(&files.open("student.py"), &seeded("1"), &limits());
        assert_eq!(stdout(&outcome), "1\n2\n", "{outcome:?} {}", stderr(&outcome));
        let files = Files::new(&[
            ("student.py", "import random\nprint(random.random())\nimport bisect\nprint(bisect.mine)"),
            ("bisect.py", "mine = 2"),
        ]);
        let outcome = run_with(&files.open("student.py"), &seeded("1"), &limits());
        assert_eq!(stdout(&outcome), "0.13436424411240122\n2\n");
    }
}

mod tidiness {
    use super::*;

    #[test]
    fn the_background_is_ended() {
        let files = Files::new(&[]);
        let note = files.path("pid");
        let text = format!(
            "import os, sys, signal\nprint('before')\nr, w = os.pipe()\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n  \
             os.chdir('/')\n  open({note:?}, 'w').write(str(os.getpid()))\n  os.write(w, b'x')\n  while True: signal.pause()\n os._exit(0)\n\
             os.read(r, 1)\nprint('after')"
        );
        let outcome = python(&text, &[]);
        assert_eq!((stdout(&outcome), outcome.ending.clone()), ("before\nafter\n", WELL), "{}", stderr(&outcome));
        let pid = fs::read_to_string(note).unwrap();
        assert!(!Path::new("/proc").join(pid).exists());
    }

    #[test]
    fn a_background_that_prints_on_is_out_of_time() {
        let text = "import os, time\nif os.fork() == 0:\n while True:\n  os.write(1, b'x'); t = time.time()\n  while time.time() < t + 0.01: pass";
        let outcome = run_with(&program(text), &typed(&[]), &seconds(1.0));
        assert_eq!(outcome.ending, Ending::TimedOut);
        assert!(stdout(&outcome).starts_with('x'));
    }

    #[test]
    fn whatever_was_made_of_the_scratch_folder() {
        let text = "import os\nprint(os.getcwd())\nos.mkdir('a'); os.chmod('a', 0); os.mkdir('b'); os.symlink('/', 'b/link')\n\
                    for n in range(3000): os.mkdir('d'); os.chdir('d')\nos.chmod('.', 0)";
        let submission = program(text);
        let scratch = Scratch::new(Some(&submission)).unwrap();
        let root = scratch.home().parent().unwrap().to_owned();
        let program = Program::Python { interpreter: &PYTHON, submission: &submission };
        let script = typed(&[]);
        let command = launch::command(&program, &scratch, Mode::Run(&script), &Conditions::default()).unwrap();
        let made = { command }.output().unwrap();
        assert!(made.status.success() && root.exists());
        scratch.remove().unwrap();
        assert!(!root.exists());
    }

    #[test]
    fn a_run_leaves_no_folder() {
        let outcome = run_warm(&program("import os\nos.write(2, os.getcwdb()[::-1])"), &typed(&[]));
        let folder: String = stderr(&outcome).chars().rev().collect();
        assert!(folder.contains("check-"));
        assert!(!Path::new(&folder).exists());
    }

    #[test]
    fn an_interruption_leaves_nothing() {
        let temporary = Files::new(&[]);
        let marks = Files::new(&[]);
        let mut check = Command::new(std::env::current_exe().unwrap())
            .args(["run::tests::tidiness::interrupted_run", "--exact", "--ignored"])
            .env("TMPDIR", temporary.0.path())
            .env("MARK", marks.path("pid"))
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let pid = loop {
            let pid = fs::read_to_string(marks.path("pid")).unwrap_or_default();
            if !pid.is_empty() {
                break pid;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let signal = rustix::process::Signal::TERM;
        rustix::process::kill_process(rustix::process::Pid::from_child(&check), signal).unwrap();
        assert!(check.wait().unwrap().success());
        assert_eq!(fs::read_dir(temporary.0.path()).unwrap().count(), 0);
        assert!(!Path::new("/proc").join(pid).exists());
    }

    /// In a process of its own: the flag stays.
    #[test]
    #[ignore = "a part of another test"]
    fn interrupted_run() {
        stop_on_signals().unwrap();
        let mark = std::env::var("MARK").unwrap();
        let text = format!(
            "import os, signal\nif os.fork(): signal.pause()\nos.setsid()\nopen({mark:?}, 'w').write(str(os.getpid()))\nsignal.pause()"
        );
        let program = Program::Python { interpreter: &PYTHON, submission: &program(&text) };
        let result = run(&program, &typed(&[]), &limits(), &|_| false);
        assert!(matches!(result, Err(RunError::Interrupted)));
        assert!(interrupted());
    }

    #[test]
    fn paths_are_shown_as_they_were_typed() {
        let files = Files::new(&[(
            "student.py",
            "import os\nprint(__file__)\ninput()\nprint(os.path.abspath('other'), os.getcwd())",
        )]);
        let outcome = run_with(&files.open("student.py"), &typed(&["a"]), &limits());
        let name = in_tracebacks(&files);
        let folder = files.0.path().display();
        assert_eq!(stdout(&outcome), format!("{name}\n{folder}/other {folder}\n"));
        assert_eq!(outcome.places, Some(vec![name.len() + 1]));
    }
}

mod commands {
    use super::*;

    #[test]
    fn words() {
        let outcome = command("sh -c 'read a; read b; echo \"$b $a\"'", &["1", "2", "3"], &limits());
        assert_eq!(stdout(&outcome), "2 1\n");
        assert_eq!((outcome.ending, outcome.lines_read), (WELL, Some(2)));
        assert_eq!(outcome.places, None);
        let outcome = command("bash -c 'read a; exit 3'", &["1"], &limits());
        assert_eq!(outcome.ending, Ending::Crashed(Crash::Status(3)));
    }

    #[test]
    fn what_can_not_start() {
        for (line, words) in
            [("no-such-command", "can't start no-such-command"), ("'", "can't read the command"), ("", "it is empty")]
        {
            let program = Program::Command { line, submission: None };
            let error = run(&program, &typed(&[]), &limits(), &|_| false).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[test]
    fn an_executable_file() {
        use std::os::unix::fs::PermissionsExt;
        let files = Files::new(&[("my game", "#!/bin/sh\nread a\necho $a; pwd")]);
        fs::set_permissions(files.path("my game"), fs::Permissions::from_mode(0o755)).unwrap();
        let submission = files.open("my game");
        assert!(submission.is_executable());
        let line = submission.command_line();
        let program = Program::Command { line: &line, submission: Some(&submission) };
        let outcome = run(&program, &typed(&["x"]), &limits(), &|_| false).unwrap();
        assert_eq!(stdout(&outcome), format!("x\n{}\n", files.0.path().display()));
    }

    #[test]
    fn memory_is_watched() {
        let python = PYTHON.path.display();
        // In a grandchild, too.
        let line =
            format!("sh -c '(exec {python} -c \"x = b\\\"x\\\" * 300_000_000; import signal; signal.pause()\"); :'",);
        let program = Program::Command { line: &line, submission: None };
        let session = Session::open(program, Conditions { memory: 100 << 20, ..Conditions::default() }).unwrap();
        let outcome = session.run(&typed(&[]), &limits(), &|_| false).unwrap();
        assert_eq!(outcome.ending, Ending::TooMuchMemory);
    }
}

mod syntax {
    use super::*;

    fn words(files: &Files) -> Option<String> {
        let submission = files.open("student.py");
        let program = Program::Python { interpreter: &PYTHON, submission: &submission };
        let by = |runner| {
            let session = Session::open(program, Conditions { runner, ..Conditions::default() }).unwrap();
            session.syntax_error().map(str::to_owned)
        };
        let warm = by(Runner::Warm);
        assert_eq!(warm, by(Runner::Spawn));
        warm
    }

    #[test]
    fn a_program_does_not_run() {
        let files = Files::new(&[("student.py", "open('/dev/full', 'w').write('x')\n1/0")]);
        assert_eq!(words(&files), None);
        assert_eq!(words(&Files::new(&[("student.py", "")])), None);
    }

    #[test]
    fn pythons_own_words() {
        let files = Files::new(&[("student.py", "if 1:\n    print('a'\nprint('b')\n")]);
        let said = words(&files).unwrap();
        let name = in_tracebacks(&files);
        assert!(said.starts_with(&format!("  File \"{name}\", line ")), "{said}");
        assert!(said.contains("\nSyntaxError: "), "{said}");
        for text in ["a = 'x\0'\n", "# coding: nonsense\n", "if 1:\n\tx=1\n        y=2\n"] {
            let said = words(&Files::new(&[("student.py", text)])).unwrap();
            assert!(said.contains("Error: "), "{said}");
        }
        let files = Files::new(&[]);
        fs::write(files.path("student.py"), b"print('\xff')").unwrap();
        let said = words(&files).unwrap();
        assert!(said.contains("SyntaxError: Non-UTF-8") || said.contains("SyntaxError: (unicode error)"), "{said}");
        assert!(!said.contains("check-"), "{said}");
    }

    #[test]
    fn an_interpreter_that_is_none() {
        let submission = program("");
        let mut interpreter = PYTHON.clone();
        interpreter.path = "/bin/false".into();
        let program = Program::Python { interpreter: &interpreter, submission: &submission };
        let error = Session::open(program, Conditions::default()).unwrap_err();
        assert!(matches!(error, RunError::Interpreter { .. }));
    }
}

mod finding {
    use super::*;

    #[test]
    fn an_interpreter() {
        assert!(PYTHON.path.is_absolute() && PYTHON.version >= (3, 8, 0));
        assert!(PYTHON.to_string().starts_with("CPython 3."));
        let again = Interpreter::find(Some(&PYTHON.path)).unwrap();
        assert_eq!((&again.path, again.version), (&PYTHON.path, PYTHON.version));
        let error = Interpreter::find(Some(Path::new("/bin/false"))).unwrap_err();
        assert!(error.to_string().contains("--python"), "{error}");
        let error = Interpreter::find(Some(Path::new("/no/such/thing"))).unwrap_err();
        assert!(matches!(error, InterpreterError::Broken { .. }));
    }

    #[test]
    fn one_that_waits_for_its_program() {
        let (submission, other) = (program("print('hi')"), Files::new(&[("other.py", "")]).open("other.py"));
        let presumed = Presumed::start(Some(&PYTHON.path), &submission, &Confinement::default(), 1);
        let found = Interpreter::find_presumed(Some(&PYTHON.path), presumed, &Confinement::default()).unwrap();
        assert_eq!((&found.path, found.version), (&PYTHON.path, PYTHON.version));
        assert!(found.waiting_for(&other).is_none());
        let program = Program::Python { interpreter: &found, submission: &submission };
        let session = Session::open(program, Conditions::default()).unwrap();
        assert!(found.waiting_for(&submission).is_none());
        let outcome = session.run(&Script::default(), &limits(), &|_| false).unwrap();
        assert_eq!((session.runner(), stdout(&outcome)), ("warm", "hi\n"));
    }

    #[test]
    fn what_is_no_python_never_gets_a_program() {
        let files = Files::new(&[]);
        let trail = files.path("trail");
        fs::write(files.path("student.py"), format!("echo here > {}", trail.display())).unwrap();
        let submission = files.open("student.py");
        for path in ["/bin/sh", "/bin/false", "/no/such/thing"].map(Path::new) {
            let presumed = Presumed::start(Some(path), &submission, &Confinement::default(), 1);
            let error = Interpreter::find_presumed(Some(path), presumed, &Confinement::default()).unwrap_err();
            assert_eq!(error.to_string(), Interpreter::find(Some(path)).unwrap_err().to_string());
            assert!(!trail.exists(), "{}", path.display());
        }
    }

    #[test]
    fn an_old_interpreter() {
        use std::os::unix::fs::PermissionsExt;
        let files = Files::new(&[("python3", "#!/bin/sh\nprintf '3 7 16\\ncpython\\n\\n/usr/bin/python3.7'")]);
        let path = files.path("python3");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let error = Interpreter::find(Some(&path)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/usr/bin/python3.7 is Python 3.7.16: 3.8 or later is needed; name one with --python PATH"
        );
    }
}

mod opening {
    use super::*;

    fn error(path: &Path) -> String {
        Submission::open(path).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_program() {
        let files = Files::new(&[("a/b.txt", ""), ("c/d.py", ""), ("c/e.py", "")]);
        std::os::unix::fs::symlink("nothing", files.path("dangling")).unwrap();
        assert!(Command::new("mkfifo").arg(files.path("fifo")).status().unwrap().success());
        fs::write(files.path("big.py"), vec![b'#'; (1 << 20) + 1]).unwrap();
        for (path, words) in [
            ("none.py", "no such file"),
            ("c/d.py/e", "no such file"),
            ("dangling", "a link to a file that does not exist"),
            ("fifo", "is a FIFO"),
            ("a", "a folder without a .py file"),
            ("c", "2 .py files (d.py, e.py)"),
            ("big.py", "over 1 MiB"),
        ] {
            let said = error(&files.path(path));
            assert!(said.contains(words), "{said}");
        }
        assert!(error(Path::new("/dev/null")).contains("is a device"));
        assert!(error(Path::new("")).contains("no such file"));
    }

    #[test]
    fn what_is_one() {
        let files = Files::new(&[("empty.py", "")]);
        std::os::unix::fs::symlink("empty.py", files.path("link.py")).unwrap();
        fs::write(files.path("big.py"), vec![b'#'; 1 << 20]).unwrap();
        assert!(files.open("empty.py").source().is_empty());
        assert_eq!(files.open("link.py").file_name(), "link.py");
        assert_eq!(files.open("big.py").source().len(), 1 << 20);
    }

    #[test]
    fn neighbours() {
        let names: Vec<String> = (0..51).map(|n| format!("m{n}.py")).collect();
        let mut files: Vec<_> = names[..50].iter().map(|name| (name.as_str(), "")).collect();
        files.push(("student.py", ""));
        let submission = Files::new(&files).open("student.py");
        assert_eq!((submission.siblings().count(), submission.notes().len()), (50, 0));
        files.push((&names[50], ""));
        let submission = Files::new(&files).open("student.py");
        assert_eq!(submission.siblings().count(), 0);
        assert!(submission.notes()[0].contains("51 other .py files"));
        let half = "#".repeat(600_000);
        let files = [("student.py", ""), ("a.py", &half), ("b.py", &half)];
        let submission = Files::new(&files).open("student.py");
        assert_eq!((submission.siblings().count(), submission.notes().len()), (0, 1));
    }
}

mod many {
    use super::*;

    fn endings(text: &str, scripts: &[Script], workers: usize, time: f64) -> Results<String> {
        let submission = program(text);
        let program = Program::Python { interpreter: &PYTHON, submission: &submission };
        let jobs: Vec<_> =
            scripts.iter().map(|script| Job { script, limits: seconds(time), stop: &|_| false }).collect();
        let session = Session::open(program, Conditions::default()).unwrap();
        let show = |index, outcome: Outcome| format!("{index} {:?} {}", outcome.ending, stdout(&outcome));
        session.run_all(&jobs, workers, &show).unwrap()
    }

    #[test]
    fn in_order() {
        let scripts: Vec<_> = (0..20).map(|n| typed(&[&n.to_string()])).collect();
        let results = endings("print(input())", &scripts, 4, 20.0);
        let expected: Vec<_> = (0..20).map(|n| format!("{n} Exited {{ status: 0 }} {n}\n")).collect();
        assert_eq!((results.all, results.short_from), (expected, None));
    }

    #[cfg(unix)]
    #[test]
    fn each_run_finds_what_was_handed_in() {
        let text = r##"
import mmap, os, shutil
about = os.stat("student.py")
print(sorted(os.listdir()), hash(open("student.py", "rb").read()), oct(about.st_mode), about.st_nlink)

def overwrite():
    with open("student.py", "r+b") as file:
        file.write(b"#")

def map_it():
    with open("student.py", "r+b") as file:
        mmap.mmap(file.fileno(), 0)[0:1] = b"#"

def put_another():
    shutil.copy("student.py", "other.py")
    os.replace("other.py", "student.py")

def new_home():
    home = os.getcwd()
    os.rename(home, home + "2")
    shutil.copytree(home + "2", home)
    open(home + "/student.py", "a").write("#")

ways = [
    lambda: None, overwrite, map_it, put_another, new_home,
    lambda: open("student.py", "a").write("#"), lambda: open("new.txt", "w"), lambda: os.mkdir("folder"),
    lambda: os.chmod("student.py", 0o777), lambda: os.link("student.py", "link.py"), lambda: os.remove("student.py"),
]
ways[int(input())]()
try:
    os.utime("student.py", ns=(about.st_atime_ns, about.st_mtime_ns))
except OSError:
    pass
"##;
        let ways: Vec<usize> = (0..11).flat_map(|way| [way, 0, 0]).collect();
        let scripts: Vec<_> = ways.iter().map(|way| typed(&[&way.to_string()])).collect();
        let results = endings(text, &scripts, 1, 20.0).all;
        let shown: Vec<_> = results.iter().map(|result| result.split_once(' ').unwrap().1).collect();
        assert!(shown[0].starts_with("Exited { status: 0 } ['student.py'] "), "{results:?}");
        assert!(shown.iter().all(|&one| one == shown[0]), "{results:?}");
    }

    #[test]
    fn little_time_after_three_that_timed_out() {
        let text = "import time\nn = float(input())\nwhile time.process_time() < n: pass";
        let scripts: Vec<_> = ["9", "0", "9", "9", "1.2", "0", "1.2"].iter().map(|n| typed(&[n])).collect();
        for workers in [1, 7] {
            let results = endings(text, &scripts, workers, 3.0);
            let short: Vec<_> = results.all.iter().map(|ending| ending.contains("TimedOut")).collect();
            assert_eq!(short, [true, false, true, true, true, false, true]);
            assert_eq!(results.short_from, Some(4));
        }
    }

    #[test]
    fn a_fault_of_ours_ends_all() {
        let script = typed(&[]);
        let program = Program::Command { line: "no-such-command", submission: None };
        let job = || Job { script: &script, limits: limits(), stop: &|_| false };
        let session = Session::open(program, Conditions::default()).unwrap();
        let result = session.run_all(&[job(), job(), job()], 2, &|_, _| ());
        assert!(matches!(result, Err(RunError::Start { .. })));
    }
}

/// Run by hand, with another interpreter in PYTHON if need be: `cargo test --release --lib run::tests::speed -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn speed() {
    let submission = program(
        "import random\nrandom.seed(int(input('Seed: ')))\ndeck = list(range(1, 61))\nrandom.shuffle(deck)\nrack = deck[:5]\n\
         for turn in range(19):\n    print('Rack', rack)\n    print('Top of discard pile', deck[-1])\n    \
         rack[turn % 5] = int(input('Enter card: '))\n    print('The rack after the turn ', rack)\n    print()\n",
    );
    let program = Program::Python { interpreter: &PYTHON, submission: &submission };
    let inputs: Vec<String> = (0..20).map(|n| n.to_string()).collect();
    let script = Script { inputs, ..Script::default() };
    let job = || Job { script: &script, limits: limits(), stop: &|_| false };
    let jobs: Vec<_> = (0..200).map(|_| job()).collect();
    for workers in [1, 2] {
        let (started, used) = (Instant::now(), cpu());
        let session = Session::open(program, Conditions::default()).unwrap();
        session.run_all(&jobs, workers, &|_, outcome| assert_eq!(outcome.ending, WELL)).unwrap();
        report(&format!("{workers} workers"), started, &used);
    }
    for (what, arguments) in [("python3 -c pass", vec!["-c", "pass"])] {
        let (started, used) = (Instant::now(), cpu());
        for _ in 0..200 {
            let mut command = Command::new(&PYTHON.path);
            command.args(&arguments).env_clear().status().unwrap();
        }
        report(what, started, &used);
    }

    /// Seconds of user and system time, of this process and of its children.
    fn cpu() -> Vec<f64> {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let fields = stat.rsplit_once(") ").unwrap().1.split(' ');
        fields.skip(11).take(4).map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).collect()
    }

    fn report(what: &str, started: Instant, before: &[f64]) {
        let time = started.elapsed().as_secs_f64();
        let used: Vec<_> = cpu().iter().zip(before).map(|(now, then)| (now - then) * 5.0).collect();
        println!(
            "{what}: {:.1} runs a second; CPU a run: {:.2} ms ours, {:.2} ms the program's",
            200.0 / time,
            used[0] + used[1],
            used[2] + used[3]
        );
    }
}
