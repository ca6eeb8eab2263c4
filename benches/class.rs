//! What a large class costs: `cargo bench --bench class`, or with another number of submissions `CHECK_CLASS=1000`.
//!
//! Ten thousand submissions are graded, five in a hundred of them hostile. Memory, open files and the rate are read from
//! outside while it goes on.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a report for the person who started it")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CHECK: &str = env!("CARGO_BIN_EXE_check");
const CASES: [&str; 3] = ["taken-last-slot", "drawn-first-slot", "rack-of-5"];

/// One look at it.
struct Sample {
    time: Duration,
    graded: usize,
    memory: f64,
    files: usize,
}

fn main() {
    if !cfg!(target_os = "linux") {
        println!("This benchmark reads /proc, which only Linux has.");
        return;
    }
    let size = std::env::var("CHECK_CLASS").map_or(10_000, |size| size.parse().unwrap());
    let python = std::env::var_os("PYTHON").unwrap_or("python3".into());
    let desk = tempfile::tempdir().unwrap();
    write_assignment(&desk.path().join("racko"));
    let hostile = write_submissions(&desk.path().join("submissions"), size);
    println!("{size} submissions, {hostile} of them hostile, {} cases each", CASES.len());

    let mut command = Command::new(CHECK);
    command.args(["grade", "./racko", "submissions", "--timeout", "1", "--python"]).arg(python);
    let mut child = command.current_dir(desk.path()).stdout(Stdio::inherit()).stderr(Stdio::null()).spawn().unwrap();
    let samples = watch(child.id(), &desk.path().join("results/journal.jsonl"));
    assert!(child.wait().unwrap().success());

    let at = |graded: usize| samples.iter().find(|sample| sample.graded >= graded).unwrap();
    let last = samples.last().unwrap();
    let early = at(size.min(500));
    println!("memory: {:.1} MB at submission {}, {:.1} MB at the last", early.memory, early.graded, last.memory);
    println!("most memory from there on: {:.1} MB", most(&samples, early.graded, |sample| sample.memory));
    println!(
        "open files: {} at submission {}, {} at most after it",
        early.files,
        early.graded,
        most(&samples, early.graded, |sample| sample.files as f64)
    );
    let thousand = (size / 10).clamp(1, 1_000);
    let rate = |from: usize, to: usize| {
        let (from, to) = (at(from), at(to));
        (to.graded - from.graded) as f64 / (to.time - from.time).as_secs_f64()
    };
    let (first, end) = (rate(0, thousand), rate(size - thousand, size));
    println!("rate: {first:.1} a second over the first {thousand}, {end:.1} over the last: {:.2} times", end / first);
}

/// The class's folder is the built-in assignment with fewer cases.
fn write_assignment(folder: &Path) {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/racko/cases");
    fs::create_dir_all(folder.join("cases")).unwrap();
    for name in CASES.iter().flat_map(|case| [format!("{case}.yaml"), format!("{case}.transcript")]) {
        fs::copy(fixtures.join(&name), folder.join("cases").join(&name)).unwrap();
    }
    let about = format!("title: Rack-O in short\ngame: racko\ncases: [{}]\n", CASES.join(", "));
    fs::write(folder.join("assignment.yaml"), about).unwrap();
}

/// Good and bad programs in turn, and every twentieth a hostile one. The kinds are spread evenly, so that the first and
/// the last thousand are alike.
fn write_submissions(folder: &Path, size: usize) -> usize {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let students = [programs(&fixtures.join("students/racko/good")), programs(&fixtures.join("students/racko/bad"))];
    let hostile = programs(&fixtures.join("hostile"));
    fs::create_dir(folder).unwrap();
    for student in 0..size {
        let source = if student % 20 == 7 {
            &hostile[student / 20 % hostile.len()]
        } else {
            let kind = &students[student % 2];
            &kind[student / 2 % kind.len()]
        };
        fs::copy(source, folder.join(format!("student-{student:05}.py"))).unwrap();
    }
    (0..size).filter(|student| student % 20 == 7).count()
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|end| end == "py"));
    found.sort();
    found
}

/// Looks at the process until it ends.
fn watch(process: u32, journal: &Path) -> Vec<Sample> {
    let start = Instant::now();
    let mut samples: Vec<Sample> = vec![];
    let (mut reader, mut graded) = (None, 0);
    loop {
        let running = memory(process);
        if reader.is_none() {
            reader = fs::File::open(journal).ok().map(BufReader::new);
        }
        let mut line = vec![];
        while let Some(reader) = &mut reader
            && reader.read_until(b'\n', &mut line).unwrap() > 0
        {
            // The first line is the journal's head, and one that is being written comes in parts.
            graded += usize::from(line.ends_with(b"\n") && !line.starts_with(b"{\"schema\""));
            line.clear();
        }
        let files = fs::read_dir(format!("/proc/{process}/fd")).map_or(0, Iterator::count);
        let last = samples.last().map_or(0.0, |last| last.memory);
        samples.push(Sample { time: start.elapsed(), graded, memory: running.unwrap_or(last), files });
        if running.is_none() {
            return samples;
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Resident megabytes; none when it has ended.
fn memory(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn most(samples: &[Sample], from: usize, of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().filter(|sample| sample.graded >= from).map(of).fold(0.0, f64::max)
}
