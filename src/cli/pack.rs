//! `check pack`.

use std::path::Path;
use std::{env, fs};

use super::args::{PackArgs, Service};
use super::{CliError, Exit, print};
use crate::assignment::Assignment;
use crate::grade::Plan;
use crate::pack::{LinuxProgram, gradescope};

/// The C library of Ubuntu 22.04, which Gradescope's containers are made of unless the instructor chooses another.
const GLIBC: (u32, u32) = (2, 35);

pub fn pack(args: &PackArgs) -> Result<Exit, CliError> {
    let Service::Gradescope = args.service;
    let assignment = Assignment::find(&args.assignment.assignment, args.assignment.fixtures.as_deref())?;
    Plan::new(&assignment, None)?;
    let program = program(args.binary.as_deref())?;
    let zip = gradescope(&assignment.source, &program)?;
    let output = &args.output;
    fs::write(output, &zip).map_err(|source| CliError::File { path: output.display().to_string(), source })?;
    let mut text = format!("{}: {} for Gradescope, to be uploaded as it is.\n", output.display(), assignment.title);
    if let Some(needed) = program.oldest_glibc() {
        let version = |(major, minor): (u32, u32)| format!("glibc {major}.{minor}");
        text += &format!("Its binary runs on 64-bit x86 Linux with {} or later; ", version(needed));
        text += &if needed <= GLIBC {
            format!("Ubuntu 22.04 has {}.\n", version(GLIBC))
        } else {
            format!(
                "Ubuntu 22.04 has {} only: choose a newer base image, or name\nan older binary with --binary.\n",
                version(GLIBC)
            )
        };
    }
    print(text.as_bytes())?;
    Ok(Exit::Success)
}

/// The `check` that is packed: the one that was named, or else this one.
fn program(named: Option<&Path>) -> Result<LinuxProgram, CliError> {
    let fault = |path: &str, source| CliError::File { path: path.to_owned(), source };
    let path = match named {
        Some(path) => path.to_owned(),
        None => env::current_exe().map_err(|source| fault("the running check", source))?,
    };
    let bytes = fs::read(&path).map_err(|source| fault(&path.display().to_string(), source))?;
    LinuxProgram::new(bytes).ok_or_else(|| {
        let what = named.map_or("this check".to_owned(), |path| format!("--binary {}", path.display()));
        CliError::Usage(format!(
            "{what} is no program for 64-bit x86 Linux, which Gradescope runs: name one with --binary PATH, a check that \
             was built on such a machine"
        ))
    })
}
