//! The command `check`.

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if let Some(exit) = console_check::run::launch_confined() {
        return exit;
    }
    console_check::cli::run().into()
}
