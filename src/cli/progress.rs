//! How far a class has been graded, on standard error.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::grade::Outcome;
use crate::shared::lock;

/// Where there is no terminal, a line is written this often.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// A bar at a terminal, and lines elsewhere.
pub struct Progress {
    bar: ProgressBar,
    lines: bool,
    counts: Mutex<Counts>,
}

struct Counts {
    passed: usize,
    known: usize,
    graded: usize,
    start: Instant,
    last: Instant,
}

impl Progress {
    /// Nothing is done yet of so much; all of it is told if `shown`.
    pub fn new(submissions: usize, shown: bool) -> Progress {
        let is_terminal = io::stderr().is_terminal();
        let target = if shown && is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(submissions as u64), target);
        let style = ProgressStyle::with_template("{bar:20} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let now = Instant::now();
        let counts = Mutex::new(Counts { passed: 0, known: 0, graded: 0, start: now, last: now });
        Progress { bar, lines: shown && !is_terminal, counts }
    }

    /// One more is there; it was graded now, or was known before.
    pub fn count(&self, outcome: Outcome, is_new: bool) {
        let mut counts = lock(&self.counts);
        counts.passed += usize::from(outcome == Outcome::Passed);
        *(if is_new { &mut counts.graded } else { &mut counts.known }) += 1;
        self.bar.set_message(self.words(&counts));
        self.bar.inc(1);
        let is_last = self.bar.length() == Some((counts.known + counts.graded) as u64);
        if counts.last.elapsed() >= LINE_EVERY && !is_last {
            counts.last = Instant::now();
            self.line(&counts);
        }
    }

    /// All is done, or it was ended before.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
        self.line(&lock(&self.counts));
    }

    fn line(&self, counts: &Counts) {
        if self.lines {
            // Where standard error is closed there is nobody to be told.
            let _ = writeln!(io::stderr(), "{}", self.words(counts));
        }
    }

    fn words(&self, counts: &Counts) -> String {
        let (done, all) = (counts.known + counts.graded, self.bar.length().unwrap_or_default());
        let rate = counts.graded as f64 / counts.start.elapsed().as_secs_f64();
        let left = (all as f64 - done as f64) / rate;
        let left = if left >= 1.0 { format!(", {left:.0} s left") } else { String::new() };
        let pace = if counts.graded > 0 { format!(", {rate:.1} a second{left}") } else { String::new() };
        let known = if counts.known > 0 { format!(" ({} known before)", counts.known) } else { String::new() };
        format!("{done} of {all}{known}{pace}, {} passed", counts.passed)
    }
}
