//! `check pack`: the upload, and what it does in the folders that Gradescope documents.

use std::fs;

use super::Desk;

fn packed(desk: &Desk, arguments: &[&str]) -> Vec<u8> {
    let said = desk.check(&[&["pack", "gradescope"], arguments, &["--output", "autograder.zip"]].concat());
    assert_eq!((said.status, said.err.as_str()), (0, ""), "{said:?}");
    assert!(said.out.starts_with("autograder.zip: ") && said.out.contains(" glibc "), "{said:?}");
    fs::read(desk.path().join("autograder.zip")).unwrap()
}

/// A file that has the head of a program for Linux and is quickly packed.
fn small_program(desk: &Desk) {
    let head = [b"\x7fELF\x02\x01".as_slice(), &[0; 12], &[62, 0], b"\0GLIBC_2.34\0"].concat();
    fs::write(desk.path().join("program"), head).unwrap();
}

/// An assignment of the desk's own, whose single case is hidden.
fn own_assignment(desk: &Desk) {
    desk.write("our darts/assignment.yaml", "title: Ours\ngame: darts\ncases: [secret]\n");
    desk.write("our darts/solution.py", "print('not for the upload')\n");
    desk.write(
        "our darts/cases/secret.yaml",
        "title: a secret\npoints: 3\nvisibility: hidden\ninputs: [\"60\", \"60\", \"20\"]\n",
    );
    let transcript = desk.check(&["transcript", "darts", "--inputs", "60,60,20"]).out;
    desk.write("our darts/cases/secret.transcript", &transcript);
}

#[test]
fn the_same_upload_every_time_and_root_alone_may_read_it() {
    let desk = Desk::new();
    own_assignment(&desk);
    small_program(&desk);
    let arguments = ["our darts", "--binary", "program"];
    let zip = packed(&desk, &arguments);
    assert_eq!(packed(&desk, &arguments), zip);
    // Read by another program than the one that wrote it.
    let listing = "import sys, zipfile\nfor file in zipfile.ZipFile(sys.argv[1]).infolist():\n    print(f'{file.external_attr >> 16:o} {file.date_time[0]} {file.filename}')\n";
    desk.write("list.py", listing);
    let output = desk.python(&["list.py", "autograder.zip"]);
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r"
    100700 1980 setup.sh
    100700 1980 run_autograder
    100700 1980 check
    100600 1980 assignment/our darts/assignment.yaml
    100600 1980 assignment/our darts/cases/secret.transcript
    100600 1980 assignment/our darts/cases/secret.yaml
    ");
}

#[test]
fn a_program_for_another_system_is_refused() {
    let desk = Desk::with("print(1)\n");
    let said = desk.check(&["pack", "gradescope", "racko", "--binary", "student.py", "-o", "a.zip"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("--binary student.py is no program for 64-bit x86 Linux"), "{said:?}");
    assert!(!desk.path().join("a.zip").exists());
}

#[test]
fn an_assignment_with_a_fault_is_not_packed() {
    let desk = Desk::new();
    own_assignment(&desk);
    small_program(&desk);
    desk.write("our darts/cases/secret.transcript", "Player 2\n");
    let said = desk.check(&["pack", "gradescope", "our darts", "--binary", "program", "-o", "a.zip"]);
    assert!(said.status == 2 && said.err.contains("secret.transcript:1:8"), "{said:?}");
    assert!(!desk.path().join("a.zip").exists());
}

#[test]
fn a_binary_that_is_too_new_is_told() {
    let desk = Desk::new();
    small_program(&desk);
    let program = fs::read(desk.path().join("program")).unwrap();
    fs::write(desk.path().join("program"), [program, b"GLIBC_2.39\0".to_vec()].concat()).unwrap();
    let said = desk.check(&["pack", "gradescope", "racko", "--binary", "program", "-o", "a.zip"]);
    assert!(said.status == 0 && said.out.contains("glibc 2.39 or later; Ubuntu 22.04 has glibc 2.35 only"), "{said:?}");
}

#[cfg(target_os = "linux")]
mod in_place {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::{Command, Output};

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
    use serde_json::Value;
    use tempfile::TempDir;

    use super::super::{fixtures, skipped};
    use super::*;

    /// Whom submissions run as.
    const NOBODY: u32 = 65534;

    /// The folders of a container, with an image that was made of an upload.
    struct Container {
        folder: TempDir,
    }

    impl Container {
        /// None, with a word about it, where these tests can't be made.
        fn with(assignment: &str) -> Option<Container> {
            if !rustix::process::geteuid().is_root() {
                skipped("only root can run submissions as another user, as Gradescope does");
                return None;
            }
            let desk = Desk::new();
            own_assignment(&desk);
            packed(&desk, &[assignment]);
            let container = Container { folder: tempfile::tempdir().unwrap() };
            // What keeps others out has to be the upload's own doing, not that of a temporary folder.
            fs::set_permissions(container.folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
            for folder in ["source", "results", "submission"] {
                fs::create_dir(container.path(folder)).unwrap();
                fs::set_permissions(container.path(folder), fs::Permissions::from_mode(0o777)).unwrap();
            }
            fs::write(container.path("submission_metadata.json"), "{\"previous_submissions\": []}").unwrap();
            // This one forgets the modes that stand in the zip.
            let zip = desk.path().join("autograder.zip");
            let unpacked = desk.python(&[
                "-m",
                "zipfile",
                "-e",
                zip.to_str().unwrap(),
                container.path("source").to_str().unwrap(),
            ]);
            assert!(unpacked.status.success(), "{unpacked:?}");
            fs::copy(container.path("source/run_autograder"), container.path("run_autograder")).unwrap();
            fs::set_permissions(container.path("run_autograder"), fs::Permissions::from_mode(0o755)).unwrap();
            let set_up = container.command("bash").arg(container.path("source/setup.sh")).output().unwrap();
            assert!(set_up.status.success(), "{set_up:?}");
            Some(container)
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
            let mut command = Command::new(program);
            command.env("CHECK_AUTOGRADER_ROOT", self.folder.path());
            command
        }

        fn submit(&self, name: &str, text: &str) {
            fs::write(self.path("submission").join(name), text).unwrap();
        }

        fn run(&self) -> Output {
            self.command(self.path("run_autograder")).output().unwrap()
        }

        /// What Gradescope would read.
        fn result(&self) -> Value {
            serde_json::from_str(&fs::read_to_string(self.path("results/results.json")).unwrap()).unwrap()
        }

        /// Whether the result and all else is the grader's own.
        #[track_caller]
        fn has_only_its_marks(&self) {
            let result = self.result();
            let [test] = result["tests"].as_array().unwrap().as_slice() else { panic!("{result}") };
            assert_eq!((&result["score"], &test["max_score"]), (&3.0.into(), &3.0.into()), "{result}");
            assert_eq!(test["visibility"], "hidden", "{result}");
            let mut left: Vec<_> =
                fs::read_dir(self.path("results")).unwrap().map(|file| file.unwrap().file_name()).collect();
            assert!(left.pop().unwrap() == "results.json" && left.is_empty(), "{left:?}");
            assert!(!self.path("other").exists() && !self.path("away").exists());
            for (name, mode) in [("results", 0o700), ("submission", 0o700), ("submission_metadata.json", 0o600)] {
                assert_eq!(fs::metadata(self.path(name)).unwrap().mode() & 0o777, mode, "{name}");
            }
        }

        /// Runs the autograder where no grade can come of it, and gives what the student reads and the instructor.
        fn nothing_graded(&self) -> (String, String) {
            self.run();
            let result = self.result();
            assert_eq!((&result["score"], &result["stdout_visibility"]), (&0.into(), &"hidden".into()), "{result}");
            let [test] = result["tests"].as_array().unwrap().as_slice() else { panic!("{result}") };
            assert_eq!((&test["visibility"], &test["max_score"]), (&"hidden".into(), &0.into()), "{result}");
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&result["output"]), text(&test["output"]))
        }
    }

    fn student(path: &str) -> String {
        fs::read_to_string(fixtures().join("students").join(path)).unwrap()
    }

    #[test]
    fn right_and_wrong_submissions_get_their_marks() {
        let Some(container) = Container::with("darts") else { return };
        container.submit("player_classes.py", &student("darts/good/player_classes.py"));
        let output = container.run();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(container.result()["score"], 38.0);
        container.submit("player_classes.py", &student("darts/bad/no_shot.py"));
        container.run();
        let alone = Desk::with_student("darts/bad/no_shot.py").check(&["darts", "student.py", "--format", "json"]);
        let alone: Value = serde_json::from_str(&alone.out).unwrap();
        let score = &container.result()["score"];
        assert!(*score == alone["score"] && *score != 38.0, "{score}");
    }

    #[test]
    fn what_is_no_single_program_is_told() {
        let Some(container) = Container::with("darts") else { return };
        let (student, _) = container.nothing_graded();
        assert!(student.contains("submission is a folder without a .py file"), "{student}");
        container.submit("one.py", "print(1)\n");
        container.submit("tw\"o\\\n\u{202e}::error::.py", "print(1)\n");
        let (student, _) = container.nothing_graded();
        assert!(student.contains("2 .py files (one.py, tw\"o\\\n?::error::.py)"), "{student:?}");
    }

    #[test]
    fn a_fault_is_told_to_the_instructor_and_leaves_no_other_result() {
        let Some(container) = Container::with("our darts") else { return };
        container.submit("student.py", &student("darts/good/player_classes.py"));
        fs::write(container.path("results/results.json"), "{\"score\": 1000}").unwrap();
        fs::write(container.path("source/assignment/our darts/cases/secret.yaml"), "title: [\n").unwrap();
        let (student, instructor) = container.nothing_graded();
        assert!(student.contains("no fault of your program") && !student.contains("secret"), "{student}");
        assert!(instructor.contains("secret.yaml:"), "{instructor}");
        // A binary that can't run is a fault like any other.
        fs::write(container.path("source/check"), "\x7fELF").unwrap();
        let (student, instructor) = container.nothing_graded();
        assert!(student.contains("Nothing was graded") && instructor.contains("status 126"), "{instructor}");
    }

    #[test]
    fn without_another_user_nothing_is_run() {
        let Some(container) = Container::with("our darts") else { return };
        container.submit("student.py", &format!("open('{}', 'w')\n", container.path("ran").display()));
        // A container that does not run as root: everything in it is that user's.
        let owned = Command::new("chown").args(["-R", &NOBODY.to_string()]).arg(container.folder.path()).status();
        assert!(owned.unwrap().success());
        let output = container.command(container.path("run_autograder")).uid(NOBODY).gid(NOBODY).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let result = container.result();
        let instructor = result["tests"][0]["output"].as_str().unwrap();
        assert!(instructor.contains("user: unavailable (check does not run as root"), "{instructor}");
        assert!(!container.path("ran").exists());
    }

    /// Tries everything that is known of attacks there, tells on standard error what came of it, and plays on rightly.
    fn hostile(container: &Container, trial: &str) -> String {
        let root = container.folder.path().display();
        let right = student("darts/good/player_classes.py");
        format!(
            r#"
import os, subprocess, sys
root = {root:?}
said = []
def attempt(what, how):
    try:
        how()
        said.append(what)
    except BaseException:
        pass
def read(name):
    return lambda: open(os.path.join(root, name), 'rb').read()
def write(name):
    return lambda: open(os.path.join(root, name), 'w').write('{{"score": 1000}}')
for name in ['source/check', 'source/run_autograder', 'source/setup.sh', 'source/assignment/our darts/cases/secret.yaml',
             'source/assignment/our darts/cases/secret.transcript', 'submission_metadata.json', 'submission/student.py',
             'results/results.json', 'results/new.json']:
    attempt('read ' + name, read(name))
for name in ['results/results.json', 'results/new.json', 'results/other', 'run_autograder', 'source/check', 'source/other',
             'submission_metadata.json', 'submission/student.py', 'other']:
    attempt('write ' + name, write(name))
for name in ['source', 'source/assignment', 'results', 'submission']:
    attempt('list ' + name, lambda: os.listdir(os.path.join(root, name)))
    attempt('rename ' + name, lambda: os.rename(os.path.join(root, name), os.path.join(root, 'away')))
    attempt('open up ' + name, lambda: os.chmod(os.path.join(root, name), 0o777))
attempt('become root', lambda: os.setuid(0))
attempt('execute check', lambda: subprocess.run([os.path.join(root, 'source/check'), 'darts']))
{trial}
sys.stderr.write('POSSIBLE ' + repr(said) + '\n')
del said
{right}
"#
        )
    }

    /// Starts a process that outlives its program, shows that it lives, and goes on trying to write the results.
    const LEAVE_A_PROCESS: &str = "
import select, time
def leave():
    if os.fork() == 0:
        os.setsid()
        until = time.time() + 20
        while time.time() < until:
            open(os.path.join(root, 'tmp/alive'), 'a').write('.')
            attempt('', write('results/results.json'))
            select.select([], [], [], 0.05)
        os._exit(0)
    while not os.path.exists(os.path.join(root, 'tmp/alive')):
        select.select([], [], [], 0.05)
attempt('leave a process', leave)";

    /// Runs a command where the kernel seems to have neither Landlock nor seccomp, and gives what it printed; none, with
    /// a word about it, where that can't be had.
    fn without_layers(container: &Container, command: &[&std::ffi::OsStr]) -> Option<String> {
        let hidden =
            "mount -t tmpfs none /proc/sys/kernel/seccomp && touch /proc/sys/kernel/seccomp/hidden && exec \"$@\"";
        let mut unshare = container.command("unshare");
        unshare.args(["--mount", "sh", "-c", hidden, "sh"]).args(command);
        unshare.env("PATH", "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        // A filter holds for the thread that sets it, and for what that starts.
        let output = std::thread::spawn(move || {
            let rules = [(libc::SYS_landlock_create_ruleset, vec![])].into();
            let absent = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
            let arch = std::env::consts::ARCH.try_into().unwrap();
            let filter = SeccompFilter::new(rules, SeccompAction::Allow, absent, arch).unwrap();
            seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
            unshare.output().unwrap()
        });
        let output = output.join().unwrap();
        if !output.status.success() {
            skipped(&format!("no mounts of one's own here: {}", String::from_utf8_lossy(&output.stderr)));
            return None;
        }
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn a_hostile_submission_gets_its_marks_and_nothing_else() {
        let Some(container) = Container::with("our darts") else { return };
        let modes = [
            ("source", 0o700),
            ("source/check", 0o700),
            ("source/assignment/our darts/cases", 0o700),
            ("source/assignment/our darts/cases/secret.yaml", 0o600),
        ];
        for (name, mode) in modes {
            let about = fs::metadata(container.path(name)).unwrap();
            assert_eq!((about.mode() & 0o7777, about.uid()), (mode, 0), "{name}");
        }
        fs::create_dir(container.path("tmp")).unwrap();
        fs::set_permissions(container.path("tmp"), fs::Permissions::from_mode(0o777)).unwrap();
        container.submit("student.py", &hostile(&container, LEAVE_A_PROCESS));
        // Links that would hand a case to the program.
        let case = "../source/assignment/our darts/cases/secret.yaml";
        std::os::unix::fs::symlink(case, container.path("submission/helper.py")).unwrap();
        container.run();
        container.has_only_its_marks();
        assert!(!container.path("tmp/alive").exists(), "another process was started");

        // The same where the kernel has no Landlock and no seccomp, so that there is the other user alone.
        let check = container.path("source/check");
        let Some(doctor) = without_layers(&container, &[check.as_os_str(), "doctor".as_ref()]) else { return };
        for layer in ["user         enforced\n", "landlock     unavailable", "seccomp      unavailable"] {
            assert!(doctor.contains(layer), "{doctor}");
        }
        without_layers(&container, &[container.path("run_autograder").as_os_str()]);
        container.has_only_its_marks();
        let alive = || fs::read_to_string(container.path("tmp/alive")).unwrap().len();
        let then = alive();
        std::thread::sleep(std::time::Duration::from_secs(1));
        assert_eq!(alive(), then, "a process is left");

        // The modes alone: the same program, run as that user without `check`.
        let program = container.folder.path().join("attack.py");
        fs::write(&program, hostile(&container, "")).unwrap();
        let mut attack = Command::new("/usr/bin/python3");
        let output = attack.arg(&program).uid(NOBODY).gid(NOBODY).stdin(std::process::Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("POSSIBLE []\n"), "{said}");
    }
}
