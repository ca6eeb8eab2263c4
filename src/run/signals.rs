//! Ctrl-C and its kin set a flag; whoever waits for a process looks at it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};

/// Whether there is nothing to tidy up: then a signal ends this process at once.
static IDLE: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
static FLAG: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on SIGINT and SIGTERM (SIGHUP too, on Unix) end every run as [`RunError::Interrupted`](super::RunError),
/// with nothing left behind, and no longer end this process: the caller does, with status 130.
///
/// # Errors
/// If the system refuses the handlers.
pub fn stop_on_signals() -> io::Result<()> {
    #[cfg(unix)]
    let signals = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
    #[cfg(not(unix))]
    let signals = [SIGINT, SIGTERM];
    for signal in signals {
        // What is judged after the runs is nothing that has to be waited for.
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&IDLE))?;
        signal_hook::flag::register(signal, Arc::clone(&FLAG))?;
    }
    Ok(())
}

/// From now on there is something to tidy up, or no more.
pub(super) fn set_idle(idle: bool) {
    IDLE.store(idle, Ordering::SeqCst);
}

/// Whether one of these signals has come.
#[must_use]
pub fn interrupted() -> bool {
    FLAG.load(Ordering::Relaxed)
}
