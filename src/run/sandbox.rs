//! The layers of Linux. `check` starts itself as a launcher, which takes its own rights away one after the other and
//! then becomes the submission: no code runs between a fork of the large process and an exec.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, Scope,
};
use rustix::process::{Signal, set_parent_process_death_signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::Ended;
use super::Program;
use super::cgroup::{self, Group};
use super::confinement::{CGROUP, Confinement, Isolation, LANDLOCK, Layer, NAMESPACES, SECCOMP, State, USER};
use super::linux::Allowance;
use super::namespaces;
use super::scratch::Scratch;
use crate::shared::digits;

/// The first argument of a launcher; the plan, the program and its arguments follow.
const LAUNCH: &str = "--launch-confined";
/// Whom a submission runs as if `check` runs as root: the user that owns nothing.
const NOBODY: (u32, u32) = (65534, 65534);
/// The status of a launcher that could not start its program.
const FAILURE: u8 = 126;
const NOT_ASKED_FOR: &str = "not asked for";
const NO_START: &str = "the program can't be started with it";
/// What kernels of today can do, and of older ones as much as they can.
const LANDLOCK_ABI: ABI = ABI::V6;

/// What confines the runs of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sandbox {
    launcher: PathBuf,
    user: Option<(u32, u32)>,
    landlock: bool,
    seccomp: bool,
    network: bool,
    subprocess: bool,
    namespaces: bool,
    cgroup: bool,
}

/// What a launcher does.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Plan {
    stage: Stage,
    allowance: Allowance,
    user: Option<(u32, u32)>,
    files: Option<Paths>,
    seccomp: bool,
    network: bool,
    /// Whether the filter is set that knows its own process.
    own_filter: bool,
    /// Where this process enters its groups.
    groups: Vec<PathBuf>,
}

/// Where in a row of launchers one stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Stage {
    /// The only one: it becomes the program.
    Alone,
    /// Outside of the program's namespaces.
    Outside,
    /// The first inside.
    Inside,
    /// The one that becomes the program.
    Last,
}

/// What may be done with which files. Those that do not exist are left out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Paths {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
    execute: Vec<PathBuf>,
}

impl Sandbox {
    /// The ways to confine a program, the closest first, each with what of it is in force. A way in which the program
    /// can't be started is to be passed over.
    pub fn all(asked: &Confinement, program: &Program<'_>) -> Vec<(Option<Sandbox>, Vec<Layer>)> {
        let launcher = match (&asked.launcher, asked.isolation) {
            (Some(launcher), Isolation::Sandbox | Isolation::Strong) => launcher.clone(),
            _ => return vec![(None, layers_without(State::Off, NOT_ASKED_FOR))],
        };
        let subprocess = asked.allow_subprocess || matches!(program, Program::Command { .. });
        let (user, user_layer) = user(needed(program));
        let landlock = landlock_state(asked.allow_network);
        let seccomp = seccomp_state(asked, subprocess);
        let sandbox = Sandbox {
            launcher,
            user,
            landlock: landlock.state != State::Unavailable,
            seccomp: seccomp.state != State::Unavailable,
            network: asked.allow_network,
            subprocess,
            namespaces: false,
            cgroup: false,
        };
        let off = |name| Layer::new(name, State::Off, NOT_ASKED_FOR);
        let layers = [Layer::limits(), user_layer, landlock, seccomp, off(NAMESPACES), off(CGROUP)];
        let mut ways = if asked.isolation == Isolation::Strong {
            strongly(&sandbox, &layers)
        } else {
            vec![(Some(sandbox), layers.to_vec())]
        };
        for layer in [USER, LANDLOCK, SECCOMP] {
            let Some((Some(last), layers)) = ways.last() else { break };
            let (mut sandbox, mut layers) = (last.clone(), layers.clone());
            match layer {
                USER => sandbox.user = None,
                LANDLOCK => sandbox.landlock = false,
                _ => sandbox.seccomp = false,
            }
            if sandbox != *last {
                set(&mut layers, Layer::new(layer, State::Unavailable, NO_START));
                ways.push((Some(sandbox), layers));
            }
        }
        ways.push((None, layers_without(State::Unavailable, NO_START)));
        ways
    }

    /// The command that confines itself and becomes this one.
    pub fn confine(
        &self,
        command: &Command,
        program: &Program<'_>,
        scratch: &Scratch,
        allowance: Allowance,
    ) -> Command {
        let plan = Plan {
            stage: if self.namespaces { Stage::Outside } else { Stage::Alone },
            allowance,
            user: self.user,
            files: self
                .landlock
                .then(|| paths(program, scratch, vec![scratch.room(), scratch.trace()], self.subprocess)),
            seccomp: self.seccomp,
            network: self.network,
            own_filter: !self.subprocess,
            groups: scratch.group().map(Group::doors).unwrap_or_default(),
        };
        let mut confined = Command::new(&self.launcher);
        confined.arg(LAUNCH).arg(serde_json::to_string(&plan).unwrap_or_default());
        confined.arg(command.get_program()).args(command.get_args()).env_clear();
        confined.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(folder) = command.get_current_dir() {
            confined.current_dir(folder);
        }
        confined
    }

    /// Whether each run has namespaces or a group of its own, so that a fork of another can't be one.
    pub fn wants_a_process_a_run(&self) -> bool {
        self.namespaces || self.cgroup
    }

    /// What keeps a process to its files, which writes into these folders: for it to hand to the kernel.
    pub fn rules(&self, program: &Program<'_>, scratch: &Scratch, writes: Vec<PathBuf>) -> io::Result<Option<OwnedFd>> {
        if !self.landlock {
            return Ok(None);
        }
        let paths = paths(program, scratch, writes, self.subprocess);
        Ok(ruleset(&paths, self.network).map_err(io::Error::other)?.into())
    }

    /// Whether each run is in a group of processes.
    pub fn has_group(&self) -> bool {
        self.cgroup
    }

    /// Whom a submission runs as.
    pub fn user(&self) -> Option<(u32, u32)> {
        self.user
    }

    /// What a waiting interpreter is told so that it confines itself, see `sitecustomize.py`: the user and the group, the
    /// filter that each fork of it sets for itself (where its process number belongs, and the program as the kernel takes
    /// it), and the filters that it sets at once.
    pub fn orders(&self) -> io::Result<String> {
        let (user, group) =
            self.user.map_or(("-".to_owned(), "-".to_owned()), |(user, group)| (user.to_string(), group.to_string()));
        let mut own = "-".to_owned();
        let mut filters: &[BpfProgram] = &[];
        if self.seccomp {
            filters = shared_filters(self.network).ok_or_else(no_filter)?.as_slice();
            if !self.subprocess {
                let program = own_filter(PLACEHOLDER).map_err(io::Error::other)?;
                let places = program.iter().enumerate().filter(|(_, step)| step.k == PLACEHOLDER);
                let places: Vec<String> = places.map(|(at, _)| (8 * at + 4).to_string()).collect();
                own = format!("{}:{}", places.join(","), digits_of(&program));
            }
        }
        let filters = filters.iter().map(|program| format!(" {}", digits_of(program))).collect::<String>();
        Ok(format!(" {user} {group} {own}{filters}"))
    }
}

/// A filter as the kernel takes it, in hexadecimal digits.
fn digits_of(program: &BpfProgram) -> String {
    digits(program.iter().flat_map(|step| {
        let ([first, second], [a, b, c, d]) = (step.code.to_ne_bytes(), step.k.to_ne_bytes());
        [first, second, step.jt, step.jf, a, b, c, d]
    }))
}

/// The ways with what `--isolation strong` adds, as much as can be had of it.
fn strongly(sandbox: &Sandbox, layers: &[Layer]) -> Vec<(Option<Sandbox>, Vec<Layer>)> {
    let group = cgroup::layer();
    let mut ways = Vec::new();
    for (namespaces, in_group) in [(true, true), (true, false), (false, true), (false, false)] {
        if in_group && group.state == State::Unavailable {
            continue;
        }
        let mut layers = layers.to_vec();
        set(
            &mut layers,
            match namespaces {
                true => Layer::new(NAMESPACES, State::Enforced, ""),
                false => Layer::new(NAMESPACES, State::Unavailable, "this system does not let a user make them"),
            },
        );
        set(
            &mut layers,
            match group.state {
                State::Unavailable => group.clone(),
                _ if in_group => group.clone(),
                _ => Layer::new(CGROUP, State::Unavailable, NO_START),
            },
        );
        ways.push((Some(Sandbox { namespaces, cgroup: in_group, ..sandbox.clone() }), layers));
    }
    ways
}

/// Puts what is known of a layer in the place of what was.
fn set(layers: &mut [Layer], known: Layer) {
    for layer in layers.iter_mut().filter(|layer| layer.name == known.name) {
        layer.clone_from(&known);
    }
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> String {
    format!("can't confine the program: {what}: {error}")
}

impl Plan {
    /// Limits this process and makes it another user's.
    fn limit(&self) -> Result<(), String> {
        for group in &self.groups {
            // Whoever writes this is meant.
            fs::write(group, "0").map_err(|error| failed("the group of processes", &error))?;
        }
        // Before the change of user: from outside nobody may limit another user's process without a right of its own.
        for (resource, most) in self.allowance.limits() {
            setrlimit(resource, most).map_err(|error| failed("a limit", &error))?;
        }
        if let Some((user, group)) = self.user {
            become_user(user, group).map_err(|error| failed("the user", &error))?;
        }
        Ok(())
    }

    /// Confines this process for good.
    fn enter(&self) -> Result<(), String> {
        end_with_parent()?;
        rustix::thread::set_no_new_privs(true).map_err(|error| failed("no new rights", &error))?;
        if let Some(paths) = &self.files {
            let restricted = ruleset(paths, self.network).and_then(RulesetCreated::restrict_self);
            restricted.map_err(|error| failed("landlock", &error))?;
        }
        if self.seccomp {
            let mut filters = shared_filters(self.network).ok_or_else(|| failed("seccomp", &no_filter()))?.clone();
            if self.own_filter {
                filters.push(own_filter(std::process::id()).map_err(|error| failed("seccomp", &error))?);
            }
            for filter in filters {
                seccompiler::apply_filter(&filter).map_err(|error| failed("seccomp", &error))?;
            }
        }
        Ok(())
    }
}

/// If this process was started as a launcher, confines it and becomes the program; else nothing. Has to be the first
/// thing that `main` does.
pub fn launch_confined() -> Option<ExitCode> {
    let mut arguments = env::args_os().skip(1);
    if arguments.next().is_none_or(|first| first != LAUNCH) {
        return None;
    }
    let message = match launch(arguments) {
        Ok(code) => return Some(code),
        Err(message) => message,
    };
    // The reader is `check` itself, or a program that shows it if nothing else came of the run.
    let _ = io::Write::write_all(&mut io::stderr(), format!("check: {message}\n").as_bytes());
    Some(ExitCode::from(FAILURE))
}

/// What a launcher said that could not start its program.
pub(super) fn failure(ended: &Ended) -> Option<String> {
    let said = ended.stderr_tail.strip_prefix(b"check: ").filter(|_| ended.status.code() == Some(FAILURE.into()))?;
    Some(String::from_utf8_lossy(said).trim_end().to_owned())
}

fn launch(mut arguments: impl Iterator<Item = OsString>) -> Result<ExitCode, String> {
    let plan = arguments.next().and_then(|plan| plan.into_string().ok()).unwrap_or_default();
    let plan: Plan = serde_json::from_str(&plan).map_err(|error| format!("{LAUNCH} is not for people: {error}"))?;
    let program = arguments.next().ok_or("no program to launch")?;
    let arguments: Vec<OsString> = arguments.collect();
    let next = |stage| {
        let plan = Plan { stage, ..plan.clone() };
        let mut command = Command::new("/proc/self/exe");
        command.arg(LAUNCH).arg(serde_json::to_string(&plan).unwrap_or_default()).arg(&program).args(&arguments);
        command
    };
    let namespaces = |error: io::Error| failed("namespaces", &error);
    match plan.stage {
        Stage::Alone | Stage::Last => {
            if plan.stage == Stage::Alone {
                plan.limit()?;
            }
            plan.enter()?;
            Err(format!("can't start {}: {}", program.display(), Command::new(&program).args(&arguments).exec()))
        }
        Stage::Outside => {
            plan.limit()?;
            namespaces::enter().map_err(namespaces)?;
            end_with_parent()?;
            next(Stage::Inside).status().map(namespaces::end_like).map_err(namespaces)
        }
        Stage::Inside => {
            // Its end is the end of all in here.
            end_with_parent()?;
            namespaces::keep_house(&mut next(Stage::Last)).map_err(namespaces)
        }
    }
}

/// Set after a change of user or of namespaces, which takes it back.
fn end_with_parent() -> Result<(), String> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(|error| failed("the parent's end", &error))
}

fn become_user(user: u32, group: u32) -> io::Result<()> {
    use rustix::thread::{set_thread_gid, set_thread_groups, set_thread_uid};
    // This process has one thread.
    set_thread_groups(&[])?;
    set_thread_gid(rustix::process::Gid::from_raw(group))?;
    set_thread_uid(rustix::process::Uid::from_raw(user))?;
    Ok(())
}

/// Another user to run as, if there can be one.
fn user(mut needed: Vec<PathBuf>) -> (Option<(u32, u32)>, Layer) {
    let none = |why: String| (None, Layer::new(USER, State::Unavailable, why));
    if !rustix::process::geteuid().is_root() {
        return none("check does not run as root, so the program runs as the same user".to_owned());
    }
    needed.push(env::temp_dir());
    match needed.iter().find(|path| !is_open_to_all(path)) {
        Some(path) => none(format!("another user can't get at {}; the program runs as root", path.display())),
        None => (Some(NOBODY), Layer::new(USER, State::Enforced, "")),
    }
}

/// What that user has to get at.
fn needed(program: &Program<'_>) -> Vec<PathBuf> {
    match program {
        Program::Python { interpreter, .. } => vec![interpreter.path.clone()],
        Program::Command { line, .. } => named_in(line),
    }
}

/// Whom a program will run as that is run by this interpreter.
pub(super) fn user_of(asked: &Confinement, interpreter: &Path) -> Option<(u32, u32)> {
    let is_confined = asked.launcher.is_some() && asked.isolation != Isolation::Limits;
    if is_confined { user(vec![interpreter.to_owned()]).0 } else { None }
}

/// Whether a user who owns nothing can get there.
fn is_open_to_all(path: &Path) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    path.ancestors().all(|part| fs::metadata(part).is_ok_and(|about| about.permissions().mode() & 0o001 != 0))
}

fn layers_without(state: State, why: &str) -> Vec<Layer> {
    let layers = [USER, LANDLOCK, SECCOMP, NAMESPACES, CGROUP].map(|name| Layer::new(name, state, why));
    [Layer::limits()].into_iter().chain(layers).collect()
}

fn landlock_state(network: bool) -> Layer {
    let (state, why) = match landlock_abi() {
        Some(LANDLOCK_ABI) if network => (State::Partly, "the network is allowed"),
        Some(LANDLOCK_ABI) => (State::Enforced, ""),
        Some(_) => (State::Partly, "this kernel keeps to the files; signals or the network need Linux 6.12"),
        None => (State::Unavailable, "this kernel does not offer it: Linux 5.13 or later does"),
    };
    Layer::new(LANDLOCK, state, why)
}

/// How much of it the kernel offers: all that is wanted, or the files.
fn landlock_abi() -> Option<ABI> {
    static KNOWN: LazyLock<Option<ABI>> = LazyLock::new(|| {
        [LANDLOCK_ABI, ABI::V1].into_iter().find(|&abi| {
            let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
            let ruleset = ruleset.handle_access(AccessFs::from_all(abi));
            let ruleset = match (ruleset, abi) {
                (Ok(ruleset), ABI::V6) => ruleset
                    .handle_access(AccessNet::from_all(abi))
                    .and_then(|ruleset| ruleset.scope(Scope::from_all(abi))),
                (ruleset, _) => ruleset,
            };
            ruleset.and_then(Ruleset::create).is_ok()
        })
    });
    *KNOWN
}

fn seccomp_state(asked: &Confinement, subprocess: bool) -> Layer {
    let known = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    if !known.contains("errno") || shared_filters(asked.allow_network).is_none() {
        return Layer::new(SECCOMP, State::Unavailable, "this kernel does not offer it");
    }
    let allowed: Vec<_> = [(subprocess, "processes"), (asked.allow_network, "the network")]
        .into_iter()
        .filter_map(|(allowed, what)| allowed.then_some(what))
        .collect();
    match allowed.as_slice() {
        [] => Layer::new(SECCOMP, State::Enforced, ""),
        allowed => Layer::new(SECCOMP, State::Partly, format!("allowed: {}", allowed.join(" and "))),
    }
}

/// What a program of this kind needs of the disk.
fn paths(program: &Program<'_>, scratch: &Scratch, mut write: Vec<PathBuf>, subprocess: bool) -> Paths {
    let system = ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib"];
    let data = ["/etc/ld.so.cache", "/etc/localtime", "/etc/locale.alias", "/usr/share/zoneinfo", "/usr/share/locale"];
    let devices = ["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"];
    let mut read: Vec<PathBuf> = system.iter().chain(&data).chain(&devices).map(PathBuf::from).collect();
    let mut execute = Vec::new();
    read.push(scratch.harness().to_owned());
    let tools = ["/bin", "/sbin", "/usr", "/opt", "/etc", "/nix/store", "/proc", "/sys"];
    match program {
        Program::Python { interpreter, .. } => {
            read.extend(interpreter.reads.iter().cloned());
            read.push(interpreter.path.clone());
            execute.push(interpreter.path.clone());
            execute.extend_from_slice(loaders());
            if subprocess {
                read.extend(tools.map(PathBuf::from));
                execute.push(PathBuf::from("/"));
            }
        }
        Program::Command { line, .. } => {
            read.extend(tools.map(PathBuf::from));
            read.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
            let named = named_in(line);
            // Beside a program are the files that it needs: `java` has its own two folders up.
            read.extend(named.first().and_then(|program| program.ancestors().nth(2)).map(Path::to_path_buf));
            read.extend(named);
            execute.push(PathBuf::from("/"));
        }
    }
    write.push(PathBuf::from("/dev/null"));
    Paths { read, write, execute }
}

/// The program of a command line, and the files and folders that are named in it by their whole paths.
fn named_in(line: &str) -> Vec<PathBuf> {
    let words = shell_words::split(line).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else { return Vec::new() };
    let path = env::var_os("PATH").unwrap_or_default();
    let places = if program.contains('/') { vec![PathBuf::new()] } else { env::split_paths(&path).collect() };
    let program = places.iter().find_map(|folder| folder.join(program).canonicalize().ok());
    let parts = arguments.iter().flat_map(|word| word.split([':', '=', ',']));
    let named = parts.map(Path::new).filter(|path| path.is_absolute() && path.exists());
    program.into_iter().chain(named.map(Path::to_path_buf)).collect()
}

/// The programs that load programs; looked for once.
fn loaders() -> &'static [PathBuf] {
    static LOADERS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
        let folders = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].map(PathBuf::from).into_iter();
        let with_inner = folders.flat_map(|folder| {
            let inner = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let inner: Vec<_> = inner.filter(|path| path.to_string_lossy().contains("-linux-")).collect();
            inner.into_iter().chain([folder])
        });
        let is_loader = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("ld-linux")
                || name.starts_with("ld-musl")
                || name.starts_with("ld-2")
                || name == "ld64.so.2"
        };
        let entries = with_inner.flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
        entries.map(|entry| entry.path()).filter(is_loader).filter_map(|path| path.canonicalize().ok()).collect()
    });
    &LOADERS
}

fn ruleset(paths: &Paths, network: bool) -> Result<RulesetCreated, landlock::RulesetError> {
    let all = AccessFs::from_all(LANDLOCK_ABI);
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(all)?;
    if !network {
        ruleset = ruleset.handle_access(AccessNet::from_all(LANDLOCK_ABI))?;
    }
    let mut ruleset = ruleset.scope(Scope::from_all(LANDLOCK_ABI))?.create()?;
    let reading = AccessFs::ReadFile | AccessFs::ReadDir;
    let rules =
        [(&paths.read, reading), (&paths.write, all & !AccessFs::Execute), (&paths.execute, AccessFs::Execute.into())];
    for (paths, access) in rules {
        for path in paths {
            // What does not exist needs no rule.
            if let (Ok(file), Ok(about)) = (PathFd::new(path), fs::metadata(path)) {
                let access = if about.is_dir() { access } else { access & AccessFs::from_file(LANDLOCK_ABI) };
                ruleset = ruleset.add_rule(PathBeneath::new(file, access))?;
            }
        }
    }
    Ok(ruleset)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
const PLACEHOLDER: u32 = 0x7ace_c0de;

fn program(rules: Rules, refusal: i32) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = env::consts::ARCH.try_into()?;
    let refuse = SeccompAction::Errno(refusal.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

/// What can be known before it is known what is to be run: to find it out takes some milliseconds.
pub(super) fn prepare(asked: &Confinement) {
    if asked.isolation == Isolation::Limits {
        return;
    }
    loaders();
    landlock_abi();
    shared_filters(asked.allow_network);
}

/// What no submission needs, whichever process it is in; made once.
fn shared_filters(network: bool) -> Option<&'static Vec<BpfProgram>> {
    static WITHOUT_NETWORK: LazyLock<Option<Vec<BpfProgram>>> = LazyLock::new(|| make_shared_filters(false).ok());
    static WITH_NETWORK: LazyLock<Option<Vec<BpfProgram>>> = LazyLock::new(|| make_shared_filters(true).ok());
    if network { WITH_NETWORK.as_ref() } else { WITHOUT_NETWORK.as_ref() }
}

fn no_filter() -> io::Error {
    io::Error::other("there is no filter for this architecture")
}

fn make_shared_filters(network: bool) -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let mut never = vec![
        // Other processes.
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_process_madvise,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_kcmp,
        libc::SYS_move_pages,
        libc::SYS_migrate_pages,
        // Whatever outlives a run.
        libc::SYS_shmget,
        libc::SYS_shmat,
        libc::SYS_msgget,
        libc::SYS_semget,
        libc::SYS_mq_open,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        // What files are like, which no path limits.
        libc::SYS_fchmod,
        libc::SYS_fchmodat,
        libc::SYS_fchown,
        libc::SYS_fchownat,
        libc::SYS_utimensat,
        libc::SYS_setxattr,
        libc::SYS_lsetxattr,
        libc::SYS_fsetxattr,
        libc::SYS_removexattr,
        libc::SYS_lremovexattr,
        libc::SYS_fremovexattr,
        libc::SYS_mknodat,
        // The system.
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsmount,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_inotify_init1,
        libc::SYS_fanotify_init,
        libc::SYS_acct,
        libc::SYS_quotactl,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_reboot,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_open_by_handle_at,
        libc::SYS_syslog,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_sethostname,
        libc::SYS_setdomainname,
    ];
    #[cfg(target_arch = "x86_64")]
    never.extend([
        libc::SYS_chmod,
        libc::SYS_chown,
        libc::SYS_lchown,
        libc::SYS_utime,
        libc::SYS_utimes,
        libc::SYS_futimesat,
        libc::SYS_mknod,
        libc::SYS_inotify_init,
        libc::SYS_kexec_file_load,
        libc::SYS_ioperm,
        libc::SYS_iopl,
    ]);
    if !network {
        never.push(libc::SYS_socket);
    }
    let mut rules: Rules = never.into_iter().map(|number| (number, vec![])).collect();
    // fchmodat2, which the table of numbers does not have on every architecture.
    rules.insert(452, vec![]);
    let namespaces = [
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWNS,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWCGROUP,
    ];
    let namespace = namespaces.map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        SeccompRule::new(vec![condition(0, SeccompCmpOp::MaskedEq(flag), flag)?])
    });
    rules.insert(libc::SYS_clone, namespace.into_iter().collect::<Result<_, _>>()?);
    let mut first = program(rules, libc::EPERM)?;
    refuse_foreign_numbers(&mut first);
    // Its flags are in memory, where no filter sees them; whoever hears that it does not exist takes clone.
    let unknown = program([(libc::SYS_clone3, vec![])].into(), libc::ENOSYS)?;
    Ok(vec![first, unknown])
}

/// Numbers of the x32 kind stand beside those of x86-64, and a filter for the latter does not see them.
fn refuse_foreign_numbers(program: &mut BpfProgram) {
    if cfg!(target_arch = "x86_64") {
        let step = |code, jt, jf, k| seccompiler::sock_filter { code, jt, jf, k };
        // Load the number; below 0x4000_0000 go on; else it does not exist.
        let head = [step(0x20, 0, 0, 0), step(0x35, 0, 1, 0x4000_0000), step(0x06, 0, 0, 0x0005_0000 | 38)];
        program.splice(0..0, head);
    }
}

/// What a program may do only to its own process; new processes are refused.
fn own_filter(own: u32) -> Result<BpfProgram, seccompiler::BackendError> {
    let others = |argument| -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
        let conditions = [0, u64::from(own)].map(|value| condition(argument, SeccompCmpOp::Ne, value));
        Ok(vec![SeccompRule::new(conditions.into_iter().collect::<Result<_, _>>()?)?])
    };
    let thread = u64::from(libc::CLONE_THREAD.unsigned_abs());
    let no_thread = SeccompRule::new(vec![condition(0, SeccompCmpOp::MaskedEq(thread), 0)?])?;
    let mut rules: Rules = [
        (libc::SYS_clone, vec![no_thread]),
        (libc::SYS_kill, others(0)?),
        (libc::SYS_tgkill, others(0)?),
        (libc::SYS_tkill, others(0)?),
        (libc::SYS_rt_sigqueueinfo, others(0)?),
        (libc::SYS_rt_tgsigqueueinfo, others(0)?),
        (libc::SYS_pidfd_open, others(0)?),
        (libc::SYS_prlimit64, others(0)?),
        (libc::SYS_setpriority, others(1)?),
        (libc::SYS_ioprio_set, others(1)?),
        (libc::SYS_sched_setaffinity, others(0)?),
        (libc::SYS_sched_setscheduler, others(0)?),
        (libc::SYS_sched_setparam, others(0)?),
        (libc::SYS_sched_setattr, others(0)?),
    ]
    .into();
    #[cfg(target_arch = "x86_64")]
    rules.extend([(libc::SYS_fork, vec![]), (libc::SYS_vfork, vec![])]);
    program(rules, libc::EPERM)
}
