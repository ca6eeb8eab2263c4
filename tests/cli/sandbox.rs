//! What a submission is kept from, and how that is told.

use landlock::{ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, Scope};

use super::Desk;

/// What `check doctor` says of a layer: its state, and what was tried.
fn examined(said: &str, layer: &str) -> (String, Vec<String>) {
    let mut lines = said.lines().skip_while(|line| line.split_whitespace().next() != Some(layer));
    let state = lines.next().unwrap_or_default().split_whitespace().nth(1).unwrap_or_default().to_owned();
    (state, lines.take_while(|line| line.starts_with("    ")).map(str::to_owned).collect())
}

/// Takes a layer out of the sandbox and this fails, on a machine that has it.
#[test]
fn whatever_this_kernel_has_is_in_force() {
    let said = Desk::new().check(&["doctor"]);
    assert_eq!(said.status, 0, "{said:?}");
    let has_landlock = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V6))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(ABI::V6)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .is_ok();
    let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    let of_all =
        said.out.lines().any(|line| line.starts_with("python") && (line.contains("(/usr/") || line.contains("(/bin/")));
    let expected = [
        ("limits", true),
        ("user", rustix::process::geteuid().is_root() && of_all),
        ("landlock", has_landlock),
        ("seccomp", actions.contains("errno")),
    ];
    for (layer, is_there) in expected {
        let (state, tried) = examined(&said.out, layer);
        if is_there {
            assert_eq!(state, "enforced", "{layer}: {}", said.out);
            assert!(!tried.is_empty() && tried.iter().all(|line| line.ends_with("refused")), "{layer}: {tried:?}");
        }
    }
}

/// Whether this system lets a program have namespaces of its own, by the word of another tool.
fn has_namespaces() -> bool {
    let arguments = ["--user", "--pid", "--net", "--mount", "--ipc", "--uts", "--fork", "true"];
    std::process::Command::new("unshare").args(arguments).output().is_ok_and(|output| output.status.success())
}

#[test]
fn namespaces_are_there_where_they_are_asked_for() {
    let desk = Desk::with(
        "import os\nprint(os.getpid(), os.getppid(), os.environ.get('CHECK_RUN'))\nos.kill(os.getpid(), 11)\n",
    );
    let of = |isolation: &str| {
        let said = desk.check(&["darts", "student.py", "--format", "json", "--isolation", isolation]);
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let layers = report["confinement"].as_array().unwrap();
        let state = layers.iter().find(|layer| layer["layer"] == "namespaces").unwrap()["state"].clone();
        let case = &report["cases"][0];
        (state, case["difference"]["actual"].clone(), case["ending"].clone(), case["ending_detail"].clone())
    };
    let (state, numbers, ending, signal) = of("strong");
    assert_eq!((ending, signal), ("crashed".into(), "SIGSEGV".into()));
    if has_namespaces() {
        assert_eq!((state, numbers), ("enforced".into(), "2 1 None".into()));
        let doctor = desk.check(&["doctor", "--isolation", "strong"]);
        assert_eq!(examined(&doctor.out, "namespaces").0, "enforced", "{doctor:?}");
    } else {
        assert_eq!(state, "unavailable");
    }
    let (state, numbers, ..) = of("sandbox");
    assert_eq!(state, "off");
    assert_ne!(numbers, "2 1 None");
}

#[test]
fn good_programs_pass_in_namespaces_too() {
    let desk = Desk::with_student("darts/good/player_classes.py");
    let said = desk.check(&["darts", "student.py", "--isolation", "strong"]);
    assert_eq!(said.status, 0, "{said:?}");
}

#[test]
fn what_is_allowed_is_possible_and_told() {
    let desk = Desk::with("import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\nprint('forked')\n");
    let actual = |arguments: &[&str]| {
        let said = desk.check(&[&["darts", "student.py", "--format", "json"], arguments].concat());
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let layers = report["confinement"].as_array().unwrap();
        let seccomp = layers.iter().find(|layer| layer["layer"] == "seccomp").unwrap()["state"].clone();
        (report["cases"][0]["difference"]["actual"].clone(), seccomp)
    };
    let (printed, state) = actual(&[]);
    if state == "enforced" {
        assert_ne!(printed, "forked");
    }
    assert_eq!(actual(&["--allow", "subprocess"]), ("forked".into(), "partly".into()));
    assert_eq!(actual(&["--isolation", "limits"]), ("forked".into(), "off".into()));
}

#[test]
fn less_than_required_is_refused() {
    let desk = Desk::with_student("darts/good/text_only_functions.py");
    let said = desk.check(&["darts", "student.py", "--isolation", "limits", "--require-isolation", "sandbox"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""), "{said:?}");
    assert!(said.err.contains("landlock: off (not asked for)") && said.err.contains("check doctor"), "{said:?}");
    let said = desk.check(&["darts", "student.py", "--require-isolation", "strong"]);
    assert!(said.status == 2 && !said.err.contains("darts"), "{said:?}");
    assert_eq!(desk.check(&["darts", "student.py", "--require-isolation", "limits"]).status, 0);
}

/// Whether this user can make a group of processes, by the word of the system. Only of a tree for processes alone is that
/// known beforehand: in a tree for everything, who may bound what is a matter of how the system was started.
fn has_groups() -> bool {
    let mounts = std::fs::read_to_string("/proc/mounts").unwrap_or_default();
    mounts.lines().any(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let is_it = words[2] == "cgroup" && words[3].split(',').any(|option| option == "pids");
        is_it && tempfile::tempdir_in(words[1]).is_ok()
    })
}

#[test]
fn a_group_of_processes_is_there_where_it_is_asked_for() {
    let desk = Desk::new();
    let said = desk.check(&["doctor", "--isolation", "strong"]);
    let (state, tried) = examined(&said.out, "cgroup");
    assert_eq!(tried.len(), 1, "{said:?}");
    if has_groups() {
        assert_ne!(state, "unavailable:", "{said:?}");
    }
    if state == "enforced" {
        assert!(tried[0].ends_with("refused"), "{said:?}");
    }
    let said = desk.check(&["doctor"]);
    let (state, tried) = examined(&said.out, "cgroup");
    assert_eq!(state, "off:", "{said:?}");
    assert!(tried[0].ends_with("possible"), "nothing else is to refuse it: {said:?}");
}
