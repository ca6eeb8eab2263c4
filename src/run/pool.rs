//! Many runs of one program, on several cores.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::{Ending, Limits, Outcome, RunError, Script, Session, Worker};
use crate::shared::lock;

/// A program that has timed out this often gets little time for the rest.
const PATIENCE: usize = 3;
const SHORT: Duration = Duration::from_millis(500);

/// One of many runs.
pub struct Job<'a> {
    /// What is typed.
    pub script: &'a Script,
    /// What it may use.
    pub limits: Limits,
    /// When the output is enough, see [`Session::run`].
    pub stop: &'a (dyn Fn(&[u8]) -> bool + Sync),
}

/// What came of many runs.
#[derive(Debug)]
pub struct Results<T> {
    /// In the order of the jobs.
    pub all: Vec<T>,
    /// The first job that got half a second instead of its time, since three before it had timed out; so did all
    /// that follow it.
    pub short_from: Option<usize>,
}

/// In which order jobs are begun. The first tell whether the program ends at all; of the others those with the most to
/// type come first, so that at the end no worker has to wait for a long one.
fn order(jobs: &[Job<'_>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order[PATIENCE.min(jobs.len())..].sort_by_key(|&index| Reverse(jobs[index].script.inputs.len()));
    order
}

impl Session<'_> {
    /// Runs all jobs, and calls `finish` on each outcome, in the worker that has it and in no fixed order.
    ///
    /// The results do not depend on the number of workers: a job has half a second if three before it, in their order,
    /// have timed out; one that turns out to have had too much is run again.
    ///
    /// # Errors
    /// The first fault of ours; the other runs are given up then.
    pub fn run_all<T: Send>(
        &self,
        jobs: &[Job<'_>],
        workers: usize,
        finish: &(dyn Fn(usize, Outcome) -> T + Sync),
    ) -> Result<Results<T>, RunError> {
        let timed_out: Vec<_> = jobs.iter().map(|_| AtomicBool::new(false)).collect();
        let is_short =
            |index: usize| timed_out[..index].iter().filter(|out| out.load(Ordering::SeqCst)).count() >= PATIENCE;
        let given_up = AtomicBool::new(false);
        let run = |worker: &mut Worker<'_>, index: usize| {
            let job = &jobs[index];
            let time = || {
                if is_short(index) { job.limits.time.min(SHORT) } else { job.limits.time }
            };
            let cancelled = || given_up.load(Ordering::Relaxed);
            let outcome = worker.run(job.script, &job.limits, job.stop, &time, &cancelled)?;
            timed_out[index].store(outcome.ending == Ending::TimedOut, Ordering::SeqCst);
            let duration = outcome.duration;
            Ok((finish(index, outcome), duration))
        };

        let order = order(jobs);
        let next = AtomicUsize::new(0);
        let error = Mutex::new(None);
        let finished: Vec<_> = jobs.iter().map(|_| Mutex::new(None)).collect();
        let work = || {
            let mut worker = self.worker();
            while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed))
                && !given_up.load(Ordering::Relaxed)
            {
                match run(&mut worker, index) {
                    Ok(result) => *lock(&finished[index]) = Some(result),
                    Err(fault) => {
                        lock(&error).get_or_insert(fault);
                        given_up.store(true, Ordering::Relaxed);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..workers.min(jobs.len()) {
                scope.spawn(work);
            }
            work();
        });
        if let Some(error) = error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }

        let mut all = Vec::with_capacity(jobs.len());
        let mut worker = self.worker();
        for (index, result) in finished.into_iter().enumerate() {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            let (value, _) = match result {
                Some((_, duration))
                    if duration > SHORT && is_short(index) && !timed_out[index].load(Ordering::SeqCst) =>
                {
                    run(&mut worker, index)?
                }
                Some(result) => result,
                None => run(&mut worker, index)?,
            };
            all.push(value);
        }
        let short_from = (0..jobs.len()).find(|&index| is_short(index));
        Ok(Results { all, short_from })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_jobs_come_after_the_first_three() {
        let scripts =
            [1, 2, 1, 5, 9, 5, 0].map(|lines| Script { inputs: vec![String::new(); lines], ..Script::default() });
        let job = |script| Job { script, limits: Limits::default(), stop: &|_| false };
        let jobs: Vec<_> = scripts.iter().map(job).collect();
        assert_eq!(order(&jobs), [0, 1, 2, 4, 3, 5, 6]);
        assert_eq!(order(&jobs[..2]), [0, 1]);
    }
}
