//! The command `check`.

use std::process::ExitCode;

fn main() -> ExitCode {
    console_check::cli::run().into()
}
