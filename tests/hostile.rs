//! Programs that attack the grader, each graded by a process of its own, with what must come of it.
//!
//! `fixtures/hostile/*.py` with `expected.yaml`, and shapes of submissions that are made here. Without more it is one
//! round: warm, in the sandbox, as who is here. `CHECK_HOSTILE=all cargo test --test hostile` makes every round: both
//! runners, sandbox, limits alone and namespaces, as root and as a plain user where this is root. The last test prints
//! the counts. The name of a round after `--` makes that one: `CHECK_HOSTILE=all cargo test --test hostile --
//! spawn-strong-own`.
#![allow(clippy::print_stdout, reason = "a report for the person who started it")]

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod support;

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::process::CommandExt;
    use std::path::{Path, PathBuf};
    use std::process::{Command, ExitCode, Output, Stdio};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    use libtest_mimic::{Arguments, Failed, Trial};
    use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, waitpid};
    use serde::Deserialize;

    use crate::support::quickest_python;

    /// What must come of a program.
    #[derive(Debug, Clone, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Expected {
        #[allow(dead_code, reason = "for the reader")]
        tries: String,
        verdict: String,
        #[allow(dead_code, reason = "for the reader")]
        stopped_by: Vec<String>,
        leaks_without_layers: bool,
    }

    /// The cases that are played: a whole game, one that stops early, and one with wrong entries.
    const CASES: [&str; 3] = ["model-game", "invalid-23", "bust-43"];
    /// The time limit of a program that never ends, and of one that ends some other way.
    const SHORT: Duration = Duration::from_secs(1);
    const LONG: Duration = Duration::from_secs(4);
    /// A user without a name that owns nothing, where these tests are run by root.
    const PLAIN: u32 = 60_123;

    /// One way to grade.
    #[derive(Debug, Clone, Copy)]
    struct Round {
        runner: &'static str,
        isolation: &'static str,
        as_plain_user: bool,
    }

    impl Round {
        fn name(self) -> String {
            let who = if self.as_plain_user { "plain" } else { "own" };
            format!("{}-{}-{who}", self.runner, self.isolation)
        }
    }

    pub fn main() -> ExitCode {
        // Whoever leaves its family comes to us, and is seen.
        set_child_subreaper(Some(getpid())).expect("Linux 3.4 or later");
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = fs::read_to_string(root.join("fixtures/hostile/expected.yaml")).expect("what must come of them");
        let expected: BTreeMap<String, Expected> = serde_yaml::from_str(&text).expect("expected.yaml is well-formed");
        let mut rounds = vec![Round { runner: "warm", isolation: "sandbox", as_plain_user: false }];
        if std::env::var_os("CHECK_HOSTILE").is_some_and(|which| which == "all") {
            let is_root = rustix::process::geteuid().is_root();
            rounds = [false, true]
                .into_iter()
                .filter(|plain| is_root || !plain)
                .flat_map(|as_plain_user| {
                    let ways = [
                        ("warm", "sandbox"),
                        ("spawn", "sandbox"),
                        ("warm", "limits"),
                        ("spawn", "limits"),
                        ("spawn", "strong"),
                    ];
                    ways.map(|(runner, isolation)| Round { runner, isolation, as_plain_user })
                })
                .collect();
        }
        let ground = Arc::new(Ground::new());
        let mut trials = vec![];
        let mut counts = vec![];
        for round in rounds {
            let without_layers = round.isolation == "limits";
            let (stopped, through): (Vec<_>, Vec<_>) =
                expected.iter().partition(|(_, row)| !(without_layers && row.leaks_without_layers));
            counts.push(format!("{}: {} programs and {} shapes", round.name(), stopped.len(), SHAPES.len()));
            if !through.is_empty() {
                let names: Vec<_> = through.iter().map(|(file, _)| file.trim_end_matches(".py")).collect();
                counts.push(format!("    not stopped by limits alone, and not run: {}", names.join(", ")));
            }
            for (file, row) in stopped {
                let (ground, path) = (Arc::clone(&ground), root.join("fixtures/hostile").join(file));
                let verdict = row.verdict.clone();
                let name = format!("{}::{}", round.name(), file.trim_end_matches(".py"));
                trials.push(Trial::test(name, move || ground.program(round, &path, &verdict)));
            }
            for (name, make, outcome) in SHAPES {
                let ground = Arc::clone(&ground);
                let name = format!("{}::shape::{name}", round.name());
                trials.push(Trial::test(name, move || ground.shape(round, make, outcome)));
            }
        }
        let files = fs::read_dir(root.join("fixtures/hostile")).expect("the programs").flatten();
        let programs: Vec<_> = files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        let without_row: Vec<_> =
            programs.into_iter().filter(|name| name.ends_with(".py") && !expected.contains_key(name)).collect();
        trials.push(Trial::test("every_program_has_its_row", move || {
            if without_row.is_empty() { Ok(()) } else { Err(format!("{without_row:?}").into()) }
        }));
        let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
        counts.iter().for_each(|line| println!("{line}"));
        conclusion.exit_code()
    }

    /// What all attacks are made on.
    struct Ground {
        folder: tempfile::TempDir,
        canary: String,
        python: PathBuf,
        /// Held while a process of `check` is started and while those that are left are looked for: one at a time, so
        /// that whatever is left over is this one's.
        turn: Mutex<Undisturbed>,
    }

    /// For each round the neighbour's report before anything else was graded.
    type Undisturbed = BTreeMap<String, String>;

    impl Ground {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a temporary folder");
            open_to_all(folder.path());
            let seed =
                std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
            let ground = Self {
                folder,
                canary: format!("canary-{seed:x}"),
                python: quickest_python().path,
                turn: Mutex::default(),
            };
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
            fs::write(ground.path("secret.txt"), format!("{}\n", ground.canary)).expect("a secret");
            fs::create_dir_all(ground.path("assignment/cases")).expect("an assignment");
            let list: String = CASES.iter().map(|case| format!("  - {case}\n")).collect();
            let about = format!("title: Darts 501\ngame: darts\ncases:\n{list}");
            fs::write(ground.path("assignment/assignment.yaml"), about).expect("an assignment");
            for case in CASES {
                for kind in ["yaml", "transcript"] {
                    let name = format!("{case}.{kind}");
                    let from = fixtures.join("darts/cases").join(&name);
                    fs::copy(from, ground.path("assignment/cases").join(name)).expect("a case");
                }
            }
            fs::create_dir(ground.path("neighbour")).expect("a folder");
            let right = fixtures.join("students/darts/good/text_only_functions.py");
            fs::copy(right, ground.path("neighbour/student.py")).expect("a right program");
            for folder in ["outside", "temporary"] {
                fs::create_dir(ground.path(folder)).expect("a folder");
                open_to_all(&ground.path(folder));
            }
            ground
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn check(&self, round: Round, submission: &Path, limit: Duration) -> Command {
            let mut command = Command::new(env!("CARGO_BIN_EXE_check"));
            command.arg(self.path("assignment")).arg(submission);
            command.args(["--format", "json", "--timeout", &limit.as_secs().to_string()]);
            command.args(["--runner", round.runner, "--isolation", round.isolation]);
            command.arg("--python").arg(&self.python);
            command.env("TMPDIR", self.path("temporary")).env("CHECK_CANARY", &self.canary);
            command.current_dir(self.folder.path()).stdin(Stdio::null());
            if round.as_plain_user {
                command.uid(PLAIN).gid(PLAIN);
            }
            command
        }

        fn program(&self, round: Round, path: &Path, verdict: &str) -> Result<(), Failed> {
            let attack = tempfile::tempdir_in(self.folder.path())?;
            open_to_all(attack.path());
            let mut source = fs::read(path)?;
            let places = [
                ("@SECRET@", self.path("secret.txt")),
                ("@OUTSIDE@", self.path("outside")),
                ("@NEIGHBOUR@", self.path("neighbour/student.py")),
                ("@CASES@", self.path("assignment/cases")),
            ];
            for (word, place) in places {
                source = replace(&source, word.as_bytes(), place.as_os_str().as_encoded_bytes());
            }
            let file = attack.path().join("student.py");
            fs::write(&file, source)?;

            let mut turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let neighbour =
                || Ok::<_, Failed>(graded(&self.check(round, &self.path("neighbour/student.py"), LONG).output()?)?.0);
            let before = match turn.get(&round.name()) {
                Some(before) => before.clone(),
                None => turn.entry(round.name()).or_insert(neighbour()?).clone(),
            };
            let limit = if verdict == "timed_out" { SHORT } else { LONG };
            let started = Instant::now();
            let output = self.check(round, &file, limit).output()?;
            let took = started.elapsed();
            let said = [output.stdout.as_slice(), &output.stderr].concat();
            if contains(&said, self.canary.as_bytes()) {
                return Err("it has read the secret".into());
            }
            let (_, got) = graded(&output)?;
            if got != verdict {
                return Err(format!("expected {verdict}, got {got}:\n{}", String::from_utf8_lossy(&said)).into());
            }
            if took > ceiling(limit) {
                return Err(format!("it took {took:?}").into());
            }
            self.nothing_is_left()?;
            let after = neighbour()?;
            if before != after {
                return Err(format!("the next submission's report is another:\n{before}\n{after}").into());
            }
            Ok(())
        }

        fn shape(&self, round: Round, make: fn(&Path) -> PathBuf, outcome: &str) -> Result<(), Failed> {
            let attack = tempfile::tempdir_in(self.folder.path())?;
            open_to_all(attack.path());
            let submission = make(attack.path());
            let _turn = self.turn.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let started = Instant::now();
            let output = self.check(round, &submission, LONG).output()?;
            if started.elapsed() > ceiling(LONG) {
                return Err(format!("it took {:?}", started.elapsed()).into());
            }
            let got = match output.status.code() {
                Some(2) => "refused".to_owned(),
                _ => graded(&output)?.1,
            };
            // Older Pythons take zero bytes for an empty program.
            if !outcome.split('|').any(|outcome| outcome == got) {
                let said = String::from_utf8_lossy(&output.stderr);
                return Err(format!("expected {outcome}, got {got}: {said}").into());
            }
            self.nothing_is_left()
        }

        fn nothing_is_left(&self) -> Result<(), Failed> {
            for folder in ["outside", "temporary"] {
                let left: Vec<_> = fs::read_dir(self.path(folder))?.flatten().map(|entry| entry.path()).collect();
                if !left.is_empty() {
                    return Err(format!("it has left {left:?}").into());
                }
            }
            if fs::read_to_string(self.path("secret.txt"))?.trim() != self.canary {
                return Err("it has changed a file".into());
            }
            let left = children();
            for pid in &left {
                let _ = rustix::process::kill_process(*pid, rustix::process::Signal::KILL);
                let _ = waitpid(Some(*pid), WaitOptions::empty());
            }
            if left.is_empty() { Ok(()) } else { Err(format!("it has left {} processes", left.len()).into()) }
        }
    }

    /// Every case three times its limit on the clock, and some seconds for all that is ours.
    fn ceiling(limit: Duration) -> Duration {
        CASES.len() as u32 * 3 * limit + Duration::from_secs(10)
    }

    type Shape = (&'static str, fn(&Path) -> PathBuf, &'static str);

    /// What a submission can be besides a program.
    const SHAPES: [Shape; 16] = [
        ("a_link_to_a_program", |folder| link(folder, "../neighbour/student.py"), "passed"),
        ("a_link_to_nothing", |folder| link(folder, "nothing.py"), "refused"),
        ("a_link_to_itself", |folder| link(folder, "student.py"), "refused"),
        ("a_link_to_a_device", |folder| link(folder, "/dev/zero"), "refused"),
        (
            "a_fifo",
            |folder| {
                let path = folder.join("student.py");
                let mode = rustix::fs::Mode::from(0o666);
                rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).expect("a FIFO");
                path
            },
            "refused",
        ),
        ("a_device", |_| PathBuf::from("/dev/zero"), "refused"),
        ("an_empty_folder", Path::to_path_buf, "refused"),
        (
            "a_file_that_nobody_can_read",
            |folder| {
                let path = file(folder, "student.py", b"print(1)\n");
                fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("permissions");
                // Root reads everything.
                if rustix::process::geteuid().is_root() { folder.join("none.py") } else { path }
            },
            "refused",
        ),
        ("an_empty_file", |folder| file(folder, "student.py", b""), "left_input_unread"),
        ("zero_bytes", |folder| file(folder, "student.py", &[0; 4096]), "not_run|left_input_unread"),
        ("utf_16", |folder| file(folder, "student.py", b"\xff\xfep\0r\0i\0n\0t\0(\x001\0)\0\n\0"), "not_run"),
        ("a_million_brackets", |folder| file(folder, "student.py", &[b'('; 1 << 20]), "not_run"),
        ("over_a_mebibyte", |folder| file(folder, "student.py", &[b'#'; (1 << 20) + 1]), "refused"),
        ("a_name_with_a_line_end", |folder| file(folder, "student\n::error::x.py", RIGHT), "passed"),
        ("a_name_that_is_an_option", |folder| file(folder, "-c.py", RIGHT), "passed"),
        ("a_name_of_255_bytes", |folder| file(folder, &("a".repeat(252) + ".py"), RIGHT), "passed"),
    ];
    const RIGHT: &[u8] = include_bytes!("../fixtures/students/darts/good/text_only_functions.py");

    fn file(folder: &Path, name: &str, text: &[u8]) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        path
    }

    fn link(folder: &Path, to: &str) -> PathBuf {
        let path = folder.join("student.py");
        symlink(to, &path).expect("a link");
        path
    }

    fn open_to_all(folder: &Path) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("permissions");
    }

    /// A report without what differs from run to run, and the verdict of the first case that is not passed.
    fn graded(output: &Output) -> Result<(String, String), Failed> {
        let report: Result<serde_json::Value, _> = serde_json::from_slice(&output.stdout);
        let Ok(mut report) = report else {
            return Err(format!("no report: {} {}", output.status, String::from_utf8_lossy(&output.stderr)).into());
        };
        let cases = report["cases"].as_array_mut().ok_or("a report without cases")?;
        for case in cases.iter_mut() {
            case["duration_ms"] = 0.into();
        }
        let verdicts: Vec<_> = cases.iter().filter_map(|case| case["verdict"].as_str()).collect();
        let verdict = verdicts.iter().find(|verdict| **verdict != "passed").unwrap_or(&"passed").to_string();
        Ok((report.to_string(), verdict))
    }

    /// Processes that have come to us.
    fn children() -> Vec<Pid> {
        let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let lists = threads.map(|thread| fs::read_to_string(thread.path().join("children")).unwrap_or_default());
        let lists: String = lists.collect();
        lists.split_ascii_whitespace().filter_map(|word| Pid::from_raw(word.parse().ok()?)).collect()
    }

    fn contains(text: &[u8], part: &[u8]) -> bool {
        text.windows(part.len()).any(|window| window == part)
    }

    fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
        let mut replaced = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
            replaced.extend_from_slice(&rest[..at]);
            replaced.extend_from_slice(to);
            rest = &rest[at + from.len()..];
        }
        replaced.extend_from_slice(rest);
        replaced
    }
}
