//! How fast `check` is beside a shell loop that does the same, in one run: `cargo bench --bench speed`.
//!
//! Fifty games of Rack-O, the built-in cases again and again, are played by one student program. Every figure is a ratio, since times depend on the
//! machine. The Python is the one that `check` finds, or the one that the variable PYTHON names.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a report for the person who started it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use console_check::assignment::{Assignment, Case};
use console_check::run::Interpreter;
use reference::transcript::Transcript;
use reference::{Game, play_script};

const CASES: usize = 50;
const SUBMISSIONS: u32 = 40;
/// Of each contender, one after the other in turn.
const ROUNDS: usize = 11;
const ROUNDS_OF_CLASSES: usize = 3;

fn main() {
    if !cfg!(target_os = "linux") {
        println!("This benchmark reads /proc, which only Linux has.");
        return;
    }
    let typed = std::env::var_os("PYTHON").map(PathBuf::from);
    let python = Interpreter::find(typed.as_deref()).unwrap();
    println!("{python} ({}), {} cores", python.path.display(), std::thread::available_parallelism().unwrap());
    let desk = tempfile::tempdir().unwrap();
    let program =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/students/racko/good/functions_with_f_strings.py");
    fs::copy(program, desk.path().join("student.py")).unwrap();
    write_games(desk.path(), CASES);
    write_assignment(&desk.path().join("assignment"), CASES);
    for number in 1..=SUBMISSIONS {
        let folder = desk.path().join(if number == 1 { "one" } else { "class" });
        fs::create_dir_all(&folder).unwrap();
        fs::copy(desk.path().join("student.py"), folder.join(format!("student-{number}.py"))).unwrap();
    }
    fs::copy(desk.path().join("student.py"), desk.path().join("class/student-1.py")).unwrap();

    let one = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("PYTHON", &python.path).current_dir(desk.path()).env("CHECK", CHECK);
        command
    };
    let game = r#""$PYTHON" student.py < $f | diff -q - ${f%.in}.out > /dev/null || echo "$f differs""#;
    let shell_loop = format!("for f in *.in; do {game}; done");
    let xargs = format!("ls *.in | xargs -P2 -I@ sh -c 'f=@; {}'", game.replace('"', "\\\"").replace("\\\"", "\""));
    let check = |options: &str| format!(r#""$CHECK" assignment student.py --python "$PYTHON" {options} > out.txt"#);

    let contenders = [
        ("a shell loop", shell_loop),
        ("xargs -P2", xargs),
        ("check", check("")),
        ("check --isolation limits", check("--isolation limits")),
        ("check --runner spawn", check("--runner spawn")),
    ];
    let measured = in_turn(ROUNDS, &contenders.each_ref().map(|(_, line)| line.as_str()), &one);
    println!("\n{CASES} cases of one submission, the median of {ROUNDS} rounds in turn:");
    for (contender, (name, _)) in contenders.iter().enumerate() {
        let rate = CASES as f64 / median(&measured, |round| round[contender].time);
        let cpu = median(&measured, |round| round[contender].cpu) * 1e3 / CASES as f64;
        println!("  {name:<26} {rate:>7.0} cases a second, {cpu:>6.2} ms of CPU a case");
    }
    let faster = |other: usize| median(&measured, |round| round[other].time / round[2].time);
    println!("  check is {:.1} times as fast as the shell loop, {:.1} times as xargs", faster(0), faster(1));
    let cpu = median(&measured, |round| round[2].cpu / round[3].cpu);
    println!("  its CPU a case is {cpu:.2} times that without the sandbox");

    let whole = |options: &str| format!(r#""$CHECK" racko student.py --python "$PYTHON" {options} > out.txt"#);
    let (all, cases) = (whole(""), whole("--no-source --no-functions"));
    let measured = in_turn(2 * ROUNDS, &[r#""$PYTHON" -c pass"#, &all, &cases], &one);
    let [all, cases] = [1, 2].map(|other| median(&measured, |round| round[other].time / round[0].time));
    println!(
        "\ncheck racko student.py takes {all:.1} times as long as python3 -c pass, {cases:.1} times for its cases alone"
    );

    let grade = |folder: &str| {
        format!(r#"rm -rf results; exec "$CHECK" grade ./assignment {folder} --python "$PYTHON" --quiet"#)
    };
    let looped = format!("for n in $(seq 4); do {}; done", contenders[0].1);
    let measured = in_turn(ROUNDS_OF_CLASSES, &[&grade("class"), &looped], &one);
    let faster = median(&measured, |round| round[1].time * f64::from(SUBMISSIONS) / 4.0 / round[0].time);
    println!("{SUBMISSIONS} submissions of {CASES} cases: {faster:.1} times as fast as the shell loop");

    let (few, many) = (peak_memory(&mut one(&grade("one"))), peak_memory(&mut one(&grade("class"))));
    println!("memory of check grade: {few:.1} MB in {CASES} runs, {many:.1} MB in 2,000 runs");
}

const CHECK: &str = env!("CARGO_BIN_EXE_check");

/// What a command took, with all that it started: seconds on the clock, and of CPU.
struct Taken {
    time: f64,
    cpu: f64,
}

/// What each line took in each of so many rounds: one line after the other, since the speed of a machine is not the same
/// from one second to the next.
fn in_turn(rounds: usize, lines: &[&str], command: &dyn Fn(&str) -> Command) -> Vec<Vec<Taken>> {
    (0..rounds).map(|_| lines.iter().map(|line| taken(&mut command(line))).collect()).collect()
}

/// What is true of one round is compared with nothing of another.
fn median(rounds: &[Vec<Taken>], of: impl Fn(&[Taken]) -> f64) -> f64 {
    let mut values: Vec<f64> = rounds.iter().map(|round| of(round)).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Games as a shell loop plays them: what is typed, and what a pipe carries.
fn write_games(folder: &Path, count: usize) {
    for (number, (inputs, transcript)) in games(count).enumerate() {
        let typed: String = inputs.iter().map(|line| format!("{line}\n")).collect();
        fs::write(folder.join(format!("{number}.in")), typed).unwrap();
        fs::write(folder.join(format!("{number}.out")), transcript.piped().to_string()).unwrap();
    }
}

/// The same games as an assignment.
fn write_assignment(folder: &Path, count: usize) {
    fs::create_dir_all(folder.join("cases")).unwrap();
    let mut about = "title: many games\ngame: racko\ncases:\n".to_owned();
    for (number, (inputs, transcript)) in games(count).enumerate() {
        about += &format!("  - game-{number}\n");
        let inputs = serde_json::to_string(&inputs).unwrap();
        fs::write(
            folder.join(format!("cases/game-{number}.yaml")),
            format!("title: game {number}\ninputs: {inputs}\n"),
        )
        .unwrap();
        fs::write(folder.join(format!("cases/game-{number}.transcript")), transcript.to_string()).unwrap();
    }
    fs::write(folder.join("assignment.yaml"), about).unwrap();
}

/// The built-in cases, again and again, save those with what a loop with `diff` can't compare.
fn games(count: usize) -> impl Iterator<Item = (Vec<String>, Transcript)> {
    let assignment = Assignment::built_in("racko").unwrap();
    let rulings = Game::Racko.default_rulings();
    let play = |case: &Case| {
        let played = play_script(Game::Racko, &rulings, case.inputs(), &mut |_| 1).unwrap();
        let piped = played.transcript.piped();
        let is_plain = piped.is_literally(piped.to_string().as_bytes()) && !played.transcript.is_unanswered();
        is_plain.then(|| (case.inputs().to_vec(), played.transcript))
    };
    let plain: Vec<_> = assignment.cases.iter().filter_map(play).collect();
    plain.into_iter().cycle().take(count)
}

fn taken(command: &mut Command) -> Taken {
    let (started, before) = (Instant::now(), cpu_of_children());
    let output = command.stdin(Stdio::null()).output().unwrap();
    let time = started.elapsed().as_secs_f64();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
    Taken { time, cpu: cpu_of_children() - before }
}

fn cpu_of_children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields = stat.rsplit_once(") ").unwrap().1.split(' ');
    fields.skip(13).take(2).map(|ticks| ticks.parse::<f64>().unwrap() / 100.0).sum()
}

/// The most memory that one process had, in MB.
fn peak_memory(command: &mut Command) -> f64 {
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let mut most = 0.0f64;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        most = most.max(peak.unwrap_or(0.0f64) / 1024.0);
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}
