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
    assert_eq!(desk.check(&["darts", "student.py", "--require-isolation", "limits"]).status, 0);
}
