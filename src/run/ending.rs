//! How a run ended, told from what was seen outside and what the program's own trace says.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::{Cut, Ended};

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself; a Python program may choose any status.
    Exited {
        /// The exit status.
        status: i32,
    },
    /// It broke.
    Crashed(Crash),
    /// A Python program asked for more than the script has. This is an EOFError that nobody caught, and also another
    /// exception after an empty string was read at the end of the input: `int("")` is what `readline` makes of it.
    WantedMoreInput,
    /// It took longer than its limit.
    TimedOut,
    /// It printed more than its limit.
    TooMuchOutput,
    /// It took more memory than its limit.
    TooMuchMemory,
    /// The output was enough, whatever it did afterwards. This is no fault.
    Stopped,
}

/// What broke a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Crash {
    /// An exception that nobody caught, by the name of its class.
    Exception(String),
    /// A signal, by its name.
    Signal(String),
    /// A command's exit status that is not 0.
    Status(i32),
}

/// What the program's own process noted, in the lines that `sitecustomize.py` describes. A program can write here
/// what it likes: nothing better than [`Ending::Exited`] may come of it.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub started: bool,
    pub places: Vec<usize>,
    pub past_the_end: bool,
    pub uncaught: Option<String>,
}

impl Trace {
    /// Reads a trace by its path, where the program may have put anything: a trace that is no file says nothing.
    pub fn read(path: &Path, lines: usize) -> Self {
        if !fs::symlink_metadata(path).is_ok_and(|about| about.is_file()) {
            return Self::default();
        }
        File::open(path).map_or_else(|_| Self::default(), |file| Self::read_from(file, lines))
    }

    pub fn read_from(file: File, lines: usize) -> Self {
        let mut text = Vec::with_capacity(1 << 12);
        let most = 4096 + 64 * lines as u64;
        let _ = file.take(most).read_to_end(&mut text);
        let mut trace = Self::default();
        // What doesn't end was cut off.
        let text = String::from_utf8_lossy(&text);
        for line in text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let mut words = line.split(' ');
            match words.next() {
                Some("s") => trace.started = true,
                Some("e") => trace.past_the_end = true,
                Some("x") => trace.uncaught = words.next().map(str::to_owned),
                Some("r") => {
                    let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
                    let (count, place): (usize, usize) = (number(), number());
                    let count = count.min(lines - trace.places.len());
                    trace.places.extend(std::iter::repeat_n(place, count));
                }
                _ => {}
            }
        }
        trace
    }
}

pub(super) fn ending(ended: &Ended, trace: Option<&Trace>, all_read: bool) -> Ending {
    match ended.cut {
        Some(Cut::Stopped) => return Ending::Stopped,
        Some(Cut::Time) => return Ending::TimedOut,
        Some(Cut::Output) => return Ending::TooMuchOutput,
        Some(Cut::Memory) => return Ending::TooMuchMemory,
        None => {}
    }
    let Some(status) = ended.status.code() else {
        let name = signal(ended);
        // The limit of time on all cores together.
        return if name == "SIGXCPU" { Ending::TimedOut } else { Ending::Crashed(Crash::Signal(name)) };
    };
    let Some(trace) = trace else {
        return if status == 0 { Ending::Exited { status } } else { Ending::Crashed(Crash::Status(status)) };
    };
    if status != 1 {
        return Ending::Exited { status };
    }
    match trace.uncaught.clone().or_else(|| last_exception(&ended.stderr_tail)) {
        None => Ending::Exited { status },
        Some(name) if name == "MemoryError" => Ending::TooMuchMemory,
        Some(name) if name == "EOFError" || trace.past_the_end && all_read => Ending::WantedMoreInput,
        Some(name) => Ending::Crashed(Crash::Exception(name)),
    }
}

/// The exception's name if a traceback is the last thing on standard error: so a crash shows even if the program has
/// closed its trace.
fn last_exception(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    let (_, traceback) = text.rsplit_once("Traceback (most recent call last):\n")?;
    let mut rest = traceback.lines().skip_while(|line| line.starts_with(' '));
    let name = rest.next()?.split(':').next()?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    (is_name && rest.next().is_none()).then(|| name.rsplit('.').next().unwrap_or(name).to_owned())
}

#[cfg(unix)]
fn signal(ended: &Ended) -> String {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let number = ended.status.signal().unwrap_or(0);
    let names = [
        (Signal::ABORT, "SIGABRT"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::HUP, "SIGHUP"),
        (Signal::ILL, "SIGILL"),
        (Signal::INT, "SIGINT"),
        (Signal::KILL, "SIGKILL"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::SYS, "SIGSYS"),
        (Signal::TERM, "SIGTERM"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
    ];
    let name = names.iter().find(|(signal, _)| signal.as_raw() == number);
    name.map_or_else(|| format!("signal {number}"), |(_, name)| (*name).to_owned())
}

#[cfg(not(unix))]
fn signal(_: &Ended) -> String {
    "an unknown signal".to_owned()
}
