//! The Python that runs the programs.

use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
#[cfg(unix)]
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(unix)]
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[cfg(unix)]
use super::Isolation;
use super::harness::Harness;
#[cfg(unix)]
use super::warm::{self, Waiting};
use super::{Busy, Confinement, RunError, Submission, Watch, drive};
#[cfg(unix)]
use crate::shared::lock;

const OLDEST: (u8, u8, u8) = (3, 8, 0);

/// Works in every Python there ever was, so that an old one can say that it is old. One that will do compiles what it
/// is going to load before each program, which takes it longer than to run it.
const QUESTION: &str = "import os, sys
kind = getattr(getattr(sys, 'implementation', None), 'name', 'python')
code = b''
if kind == 'cpython' and sys.version_info >= (3, 8):
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER
    code = marshal.dumps(compile(sys.argv[1], sys.argv[2], 'exec'))
    code = (MAGIC_NUMBER + bytes(12) + code).hex()
places = [sys.executable, sys.prefix, sys.exec_prefix, getattr(sys, 'base_prefix', ''), getattr(sys, 'base_exec_prefix', '')]
places += [path for path in sys.path if 'python' in path and os.path.isabs(path)]
answer = '%d %d %d\\n%s\\n%s\\n%s' % (tuple(sys.version_info[:3]) + (kind, code or '', chr(0).join(places)))
os.write(1, os.fsencode(answer) if hasattr(os, 'fsencode') else answer)
os._exit(0)";

/// A Python that works.
#[derive(Debug, Clone)]
pub struct Interpreter {
    /// The interpreter itself, not a shim in front of it.
    pub path: PathBuf,
    /// Such as 3, 11, 7.
    pub version: (u8, u8, u8),
    /// Such as `CPython`.
    pub implementation: String,
    pub(super) harness: Harness,
    /// Where what it imports is.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "nothing limits there what may be read"))]
    pub(super) reads: Vec<PathBuf>,
    /// One that has been started already.
    #[cfg(unix)]
    waiting: Arc<Mutex<Option<Waiting>>>,
}

/// What is most likely the interpreter, started before it is asked what it is: it can wait for its program then.
#[derive(Debug)]
pub struct Presumed {
    #[cfg(unix)]
    waiting: Option<(PathBuf, Waiting)>,
}

impl Presumed {
    /// Starts what the user named, or what is first on the PATH, for a submission that will have so many runs at a time.
    /// Only where that is no shim, and where runs are forks.
    #[must_use]
    pub fn start(typed: Option<&Path>, submission: &Submission, confinement: &Confinement, workers: usize) -> Presumed {
        #[cfg(unix)]
        {
            let path =
                typed.map(Path::to_owned).or_else(|| candidates().into_iter().next().map(|(path, _)| path.into()));
            let is_forked = confinement.isolation != Isolation::Strong;
            let path = path.filter(|path| is_forked && path.is_absolute() && !is_script(path));
            #[cfg(target_os = "linux")]
            let user = path.as_deref().and_then(|path| super::sandbox::user_of(confinement, path));
            #[cfg(not(target_os = "linux"))]
            let user = None;
            let rooms = warm::rooms_for(workers);
            let start = |path: PathBuf| {
                let waiting = Waiting::start((&path, &Harness::Source), false, submission, user, rooms).ok()?;
                Some((path, waiting))
            };
            Presumed { waiting: path.and_then(start) }
        }
        #[cfg(not(unix))]
        {
            let _ = (typed, submission, confinement, workers);
            Presumed {}
        }
    }
}

/// Whether a file begins as a script does: it only leads to an interpreter.
#[cfg(unix)]
fn is_script(path: &Path) -> bool {
    let mut start = [0; 2];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok_and(|()| start == *b"#!")
}

/// What a waiting interpreter says of itself: its version, its kind, and where what it imports is.
#[cfg(unix)]
pub(super) struct Hello {
    version: (u8, u8, u8),
    kind: String,
    places: Vec<u8>,
}

#[cfg(unix)]
impl Hello {
    pub fn read(line: &str) -> Option<Self> {
        let words: Vec<_> = line.split(' ').collect();
        let [major, minor, patch, kind, places] = words.as_slice() else { return None };
        let version = (major.parse().ok()?, minor.parse().ok()?, patch.parse().ok()?);
        Some(Self { version, kind: (*kind).to_owned(), places: bytes(places.as_bytes())? })
    }
}

impl fmt::Display for Interpreter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor, patch) = self.version;
        write!(f, "{} {major}.{minor}.{patch}", self.implementation)
    }
}

/// Why there is no Python to run programs with.
#[derive(Debug, thiserror::Error)]
pub enum InterpreterError {
    /// None at all.
    #[error("no Python was found: install Python 3.8 or later, or name one with --python PATH")]
    NotFound,
    /// None that is new enough.
    #[error("{} is Python {}.{}.{}: 3.8 or later is needed; name one with --python PATH", path.display(), version.0, version.1, version.2)]
    TooOld {
        /// The newest one found.
        path: PathBuf,
        /// Its version.
        version: (u8, u8, u8),
    },
    /// The one that was named is none.
    #[error("{} does not work as a Python interpreter ({reason}): name another with --python PATH", path.display())]
    Broken {
        /// What was named.
        path: PathBuf,
        /// What came of it.
        reason: String,
    },
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Interpreter {
    /// The interpreter that the user named, or else the first on the PATH that works and is new enough.
    ///
    /// # Errors
    /// If there is none; the texts say what to do.
    pub fn find(typed: Option<&Path>) -> Result<Self, InterpreterError> {
        let _busy = Busy::new();
        if let Some(path) = typed {
            let found = ask(path.as_os_str().to_owned(), &[])?;
            return if found.version < OLDEST { Err(too_old(found)) } else { Ok(found) };
        }
        let mut failure = InterpreterError::NotFound;
        for (program, arguments) in candidates() {
            match ask(program, arguments) {
                Ok(found) if found.version >= OLDEST => return Ok(found),
                Ok(found) => failure = too_old(found),
                Err(InterpreterError::Interrupted) => return Err(InterpreterError::Interrupted),
                Err(broken) if matches!(failure, InterpreterError::NotFound) => failure = broken,
                Err(_) => {}
            }
        }
        Err(failure)
    }

    /// The interpreter that was presumed, if it is one; or else what [`Interpreter::find`] finds.
    ///
    /// # Errors
    /// If there is none.
    pub fn find_presumed(
        typed: Option<&Path>,
        presumed: Presumed,
        confinement: &Confinement,
    ) -> Result<Self, InterpreterError> {
        // It takes the interpreter as long to start.
        #[cfg(target_os = "linux")]
        super::sandbox::prepare(confinement);
        #[cfg(not(target_os = "linux"))]
        let _ = confinement;
        #[cfg(unix)]
        if let Some((path, mut waiting)) = presumed.waiting
            && let Ok(Some(hello)) = waiting.hello()
            && let Some(mut found) = interpreter(hello.version, &hello.kind, Harness::Source, &hello.places)
            && found.version >= OLDEST
            && found.is_cpython()
            && found.path == path
        {
            found.waiting = Arc::new(Mutex::new(Some(waiting)));
            return Ok(found);
        }
        #[cfg(not(unix))]
        let _ = presumed;
        Self::find(typed)
    }

    /// One that was started for this submission, the first time that it is asked for.
    #[cfg(unix)]
    pub(super) fn waiting_for(&self, submission: &Submission) -> Option<Waiting> {
        lock(&self.waiting).take_if(|waiting| waiting.is_for(submission))
    }

    pub(super) fn is_cpython(&self) -> bool {
        self.implementation == "CPython"
    }
}

fn too_old(found: Interpreter) -> InterpreterError {
    InterpreterError::TooOld { path: found.path, version: found.version }
}

fn candidates() -> Vec<(OsString, &'static [&'static str])> {
    if cfg!(windows) {
        return vec![("py".into(), &["-3"]), ("python".into(), &[]), ("python3".into(), &[])];
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let programs = env::split_paths(&path).map(|folder| folder.join("python3")).filter(|program| program.is_file());
    programs.map(|program| (program.into_os_string(), [].as_slice())).collect()
}

/// Asks what may be a shim for the interpreter behind it.
fn ask(program: OsString, arguments: &[&str]) -> Result<Interpreter, InterpreterError> {
    let path = PathBuf::from(&program);
    let broken = |reason: String| InterpreterError::Broken { path: path.clone(), reason };
    let mut command = Command::new(&program);
    command.args(arguments).args(["-E", "-s", "-c", QUESTION, Harness::SOURCE, Harness::NAME]).env_clear();
    // What shims look at to choose a version.
    let shims = ["PATH", "HOME", "USERPROFILE", "LOCALAPPDATA", "SystemRoot"];
    let shim_prefixes = ["PYENV_", "ASDF_", "MISE_", "PY_PYTHON"];
    command.envs(env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        shims.contains(&name.as_ref()) || shim_prefixes.iter().any(|prefix| name.starts_with(prefix))
    }));
    let watch = Watch {
        time: &|| Duration::from_secs(20),
        output: 1 << 20,
        memory: u64::MAX,
        address_space: false,
        stop: &|_| false,
        cancelled: &|| false,
    };
    let ended = drive(command, &[], &watch, None).map_err(|error| match error {
        RunError::Interrupted => InterpreterError::Interrupted,
        RunError::Start { source, .. } => broken(source.to_string()),
        error => broken(error.to_string()),
    })?;
    let said = String::from_utf8_lossy(&ended.stderr_tail);
    // Python says at the end what is wrong, a shell script at the start.
    let by_python = said.contains("Traceback (most recent call last)");
    let mut lines = said.trim().lines();
    let telling = if by_python { lines.next_back() } else { lines.next() };
    let last_words = telling.map_or_else(|| ended.status.to_string(), str::to_owned);
    answer(&ended.stdout).filter(|_| ended.status.success()).ok_or_else(|| broken(last_words))
}

fn answer(stdout: &[u8]) -> Option<Interpreter> {
    let mut lines = stdout.splitn(4, |&byte| byte == b'\n');
    let version = str::from_utf8(lines.next()?).ok()?;
    let kind = str::from_utf8(lines.next()?).ok()?;
    let harness = match lines.next()? {
        [] => Harness::Source,
        digits => Harness::Compiled(bytes(digits)?),
    };
    let mut numbers = version.split(' ').map(|number| number.parse().ok());
    let version = (numbers.next()??, numbers.next()??, numbers.next()??);
    interpreter(version, kind, harness, lines.next()?)
}

/// An interpreter that has told of itself: its own path first among the places, and NULs between them.
fn interpreter(version: (u8, u8, u8), kind: &str, harness: Harness, places: &[u8]) -> Option<Interpreter> {
    let mut places = places.split(|&byte| byte == 0).map(path);
    let path = places.next()??;
    let mut reads: Vec<PathBuf> = places.flatten().filter(|place| place.parent().is_some()).collect();
    reads.sort();
    reads.dedup();
    let implementation = match kind {
        "cpython" => "CPython".to_owned(),
        "pypy" => "PyPy".to_owned(),
        other => other.to_owned(),
    };
    (!path.as_os_str().is_empty()).then(|| Interpreter {
        path,
        version,
        implementation,
        harness,
        reads,
        #[cfg(unix)]
        waiting: Arc::default(),
    })
}

fn bytes(digits: &[u8]) -> Option<Vec<u8>> {
    let byte = |pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(bytes)))
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> Option<PathBuf> {
    str::from_utf8(bytes).ok().map(PathBuf::from)
}
