//! One process from start to end where there is no `poll`: threads type and listen.
//!
//! How many lines were read can't be told here, and of what the process starts nothing is ended but itself.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::scratch::Scratch;
use super::{Cut, Ended, RunError, STDERR_LIMIT, STDERR_TAIL, Watch, signals};
use crate::shared::lock;

const GRACE: Duration = Duration::from_millis(100);
const TICK: Duration = Duration::from_millis(2);

/// What was printed so far.
#[derive(Default)]
struct Heard {
    bytes: Vec<u8>,
    total: u64,
}

/// Runs `command` with `lines` typed.
pub(super) fn drive(
    mut command: Command,
    lines: &[String],
    watch: &Watch<'_>,
    _: Option<&Scratch>,
) -> Result<Ended, RunError> {
    let started = Instant::now();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|source| RunError::Start { program: command.get_program().to_string_lossy().into_owned(), source })?;
    let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
    if let Some(mut stdin) = child.stdin.take() {
        // It ends when the program does; a program that does not read is no fault.
        thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    }
    let (stdout, stdout_thread) = listen(child.stdout.take(), watch.output, usize::MAX);
    let (stderr, stderr_thread) = listen(child.stderr.take(), STDERR_LIMIT, STDERR_TAIL);

    let mut exited: Option<(Instant, std::process::ExitStatus)> = None;
    let mut seen = None;
    let cut = loop {
        if exited.is_none() {
            exited = child.try_wait()?.map(|status| (Instant::now(), status));
        }
        let total = lock(&stdout).total;
        if total > watch.output || lock(&stderr).total > STDERR_LIMIT {
            break Some(Cut::Output);
        }
        if seen != Some(total) {
            seen = Some(total);
            if (watch.stop)(&lock(&stdout).bytes) {
                break Some(Cut::Stopped);
            }
        }
        if let Some((when, _)) = exited
            && (stdout_thread.is_finished() && stderr_thread.is_finished() || when.elapsed() >= GRACE)
        {
            break None;
        }
        if signals::interrupted() || (watch.cancelled)() {
            let _ = child.kill();
            let _ = child.wait();
            return Err(RunError::Interrupted);
        }
        if started.elapsed() >= (watch.time)() {
            break Some(Cut::Time);
        }
        thread::sleep(TICK);
    };
    let duration = exited.map_or_else(Instant::now, |(when, _)| when).duration_since(started);
    // It may have ended already.
    let _ = child.kill();
    let status = child.wait()?;
    let take = |heard: &Mutex<Heard>| std::mem::take(&mut lock(heard).bytes);
    let mut stdout = take(&stdout);
    stdout.truncate(usize::try_from(watch.output).unwrap_or(usize::MAX));
    Ok(Ended { stdout, stderr_tail: take(&stderr), cut, status, lines_read: None, duration })
}

/// Reads a pipe up to `most` bytes and keeps the last `kept` of them.
fn listen(pipe: Option<impl Read + Send + 'static>, most: u64, kept: usize) -> (Arc<Mutex<Heard>>, JoinHandle<()>) {
    let heard = Arc::new(Mutex::new(Heard::default()));
    let ours = Arc::clone(&heard);
    let thread = thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        let Some(mut pipe) = pipe else { return };
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let mut heard = lock(&ours);
            heard.total += count as u64;
            heard.bytes.extend_from_slice(&buffer[..count]);
            let surplus = heard.bytes.len().saturating_sub(kept);
            heard.bytes.drain(..surplus);
            if heard.total > most {
                return;
            }
        }
    });
    (heard, thread)
}
