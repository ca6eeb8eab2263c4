//! Rebuilds when a file of a built-in assignment is changed, added or removed: they are embedded in the binary, and so is
//! what interpreters load of ours, compiled.
#![allow(clippy::print_stdout, reason = "cargo reads the standard output of a build script")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const MODULES: [&str; 2] = ["sitecustomize", "calls"];

/// Compiles modules from one folder into another, so that Python takes them without a look at the source.
const COMPILE: &str = "import os, py_compile, sys
source, target, *names = sys.argv[1:]
for name in names:
    py_compile.compile(
        os.path.join(source, name + '.py'), os.path.join(target, name + '.pyc'), 'check/' + name + '.py', doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
print(sys.implementation.cache_tag)";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    for assignment in ["darts", "doubles", "racko"] {
        watch(&Path::new("fixtures").join(assignment))?;
    }
    let (source, target) = (Path::new("src/run/python"), PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()));
    watch(source)?;
    let tag = ["python3", "python"].into_iter().find_map(|python| compile(python, source, &target));
    if tag.is_none() {
        // Every interpreter compiles them itself then.
        MODULES.iter().try_for_each(|name| fs::write(target.join(format!("{name}.pyc")), []))?;
    }
    println!("cargo:rustc-env=PYTHON_CACHE_TAG={}", tag.unwrap_or_default());
    Ok(())
}

/// Has a Python compile the modules; how it marks such files as those of its version.
fn compile(python: &str, source: &Path, target: &Path) -> Option<String> {
    let command = Command::new(python).args(["-I", "-c", COMPILE]).args([source, target]).args(MODULES).output();
    let output = command.ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|tag| tag.trim().to_owned())
}

/// A folder, for files that come and go, and everything in it.
fn watch(path: &Path) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", path.display());
    if path.is_dir() {
        for entry in path.read_dir()? {
            watch(&entry?.path())?;
        }
    }
    Ok(())
}
