//! What of ours is beside a program in its interpreter: what that loads first, and what calls the program's functions.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// A file for Python.
struct Module {
    name: &'static str,
    source: &'static str,
    /// By the Python that was there when this was built; nothing if there was none.
    compiled: &'static [u8],
}

macro_rules! module {
    ($name:literal) => {
        Module {
            name: $name,
            source: include_str!(concat!("python/", $name, ".py")),
            compiled: include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".pyc")),
        }
    };
}

const SITE: Module = module!("sitecustomize");
const CALLS: Module = module!("calls");

impl Module {
    /// Writes it, with the compiled one where Python itself keeps those: an interpreter of the same version takes that,
    /// any other one compiles the source.
    fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let file = folder.join(self.name).with_extension("py");
        fs::write(&file, self.source)?;
        if !self.compiled.is_empty() {
            let cache = folder.join("__pycache__");
            fs::create_dir_all(&cache)?;
            fs::write(cache.join(format!("{}.{}.pyc", self.name, env!("PYTHON_CACHE_TAG"))), self.compiled)?;
        }
        Ok(file)
    }
}

/// What an interpreter loads before each program: `sitecustomize.py`, or `sitecustomize.pyc`.
#[derive(Clone)]
pub(super) enum Harness {
    Source,
    /// By the very interpreter that is going to load it.
    Compiled(Vec<u8>),
}

impl Harness {
    pub const SOURCE: &str = SITE.source;
    /// The file that tracebacks name where the compiled one is in them.
    pub const NAME: &str = "check/sitecustomize.py";

    pub fn write(&self, folder: &Path) -> io::Result<()> {
        match self {
            Self::Source => SITE.write(folder).map(drop),
            Self::Compiled(code) => fs::write(folder.join("sitecustomize.pyc"), code),
        }
    }
}

impl fmt::Debug for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Source => "Source",
            Self::Compiled(_) => "Compiled",
        })
    }
}

/// Writes what calls functions of a program.
pub(super) fn write_caller(folder: &Path) -> io::Result<PathBuf> {
    CALLS.write(folder)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::run::Interpreter;

    /// What an interpreter loads our modules from: a file each.
    fn loaded_from(folder: &Path) -> (String, Vec<String>) {
        let interpreter = Interpreter::find(None).unwrap();
        let program = "import sys; print(sys.implementation.cache_tag); sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    try: __import__(name)
    except KeyError: pass";
        let mut command = Command::new(interpreter.path);
        command.args(["-I", "-S", "-B", "-v", "-c", program]).arg(folder).args([SITE.name, CALLS.name]);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let (tag, told) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr).into_owned());
        let inside = folder.to_str().unwrap();
        let files = told.lines().filter(|line| line.starts_with("# code object from ") && line.contains(inside));
        let name = |line: &str| line.rsplit('/').next().unwrap_or_default().trim_end_matches('\'').to_owned();
        (tag.trim().to_owned(), files.map(name).collect())
    }

    #[test]
    fn an_interpreter_compiles_what_was_not_compiled_for_its_version() {
        let folder = tempfile::tempdir().unwrap();
        Harness::Source.write(folder.path()).unwrap();
        write_caller(folder.path()).unwrap();
        let (tag, files) = loaded_from(folder.path());
        let is_compiled = tag == env!("PYTHON_CACHE_TAG");
        let end = if is_compiled { format!("{tag}.pyc") } else { "py".to_owned() };
        assert_eq!(files, [format!("sitecustomize.{end}"), format!("calls.{end}")]);

        // As if it were another version's.
        for module in [SITE, CALLS].iter().filter(|_| is_compiled) {
            let file = folder.path().join("__pycache__").join(format!("{}.{tag}.pyc", module.name));
            let mut code = fs::read(&file).unwrap();
            code[0] ^= 1;
            fs::write(&file, code).unwrap();
        }
        assert_eq!(loaded_from(folder.path()).1, ["sitecustomize.py", "calls.py"]);
    }
}
