//! Rebuilds when a file of a built-in assignment is changed, added or removed: they are embedded in the binary.
#![allow(clippy::print_stdout, reason = "cargo reads the standard output of a build script")]

use std::io;
use std::path::Path;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    for assignment in ["darts", "doubles", "racko"] {
        watch(&Path::new("fixtures").join(assignment))?;
    }
    Ok(())
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
