//! Ctrl-C and its kin set a flag; whoever waits for a process looks at it.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use crate::shared::lock;
use signal_hook::consts::{SIGINT, SIGTERM};

/// How many there are that have something to tidy up.
static BUSY: Mutex<usize> = Mutex::new(0);
/// Whether there are none: then a signal ends this process at once.
static IDLE: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| Arc::new(AtomicBool::new(true)));
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

/// There is something to tidy up, until this is dropped: a signal does not end this process at once meanwhile.
#[derive(Debug)]
pub struct Busy(());

impl Busy {
    /// From now on.
    #[must_use]
    pub fn new() -> Busy {
        let mut busy = lock(&BUSY);
        *busy += 1;
        IDLE.store(false, Ordering::SeqCst);
        Busy(())
    }
}

impl Default for Busy {
    fn default() -> Busy {
        Busy::new()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let mut busy = lock(&BUSY);
        *busy -= 1;
        IDLE.store(*busy == 0, Ordering::SeqCst);
    }
}

/// Whether one of these signals has come.
#[must_use]
pub fn interrupted() -> bool {
    FLAG.load(Ordering::Relaxed)
}
