//! `PythonRandom` against Python's own `random`: vectors that Python made, and, where Python is on the machine, Python
//! itself. `testdata/make_vectors.py` makes both; this file draws the same way and holds the lines against each other.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use num_bigint::{BigInt, BigUint, Sign};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::Rng;
use reference::python_random::PythonRandom;

const VECTORS: &str = include_str!("../testdata/python_random.txt");
const DRAWS: usize = 1000;
const SHOWN: usize = 20;

/// One way of drawing, with the name it has in the vectors. The number counts the draws of a stream from 0.
type Kind = (&'static str, fn(&mut PythonRandom, usize) -> String);

const KINDS: &[Kind] = &[
    ("random", |r, _| fraction(r)),
    ("getrandbits(1..100)", |r, i| r.getrandbits(i as u64 % 100 + 1).to_string()),
    ("randrange(1,7)", |r, _| r.randrange(1, 7).to_string()),
    ("randint(0,9)", |r, _| r.randint(0, 9).to_string()),
    ("randint(1,1..1000)", |r, i| r.randint(1, i as i64 + 1).to_string()),
    ("randint(-20,20)", |r, _| r.randint(-20, 20).to_string()),
    ("randint(1,2**31)", |r, _| r.randint(1, 1 << 31).to_string()),
    ("randrange(2**32)", |r, _| r.randbelow(1 << 32).to_string()),
    ("randint(-2**63,2**63-1)", |r, _| r.randint(i64::MIN, i64::MAX).to_string()),
    ("randrange(10**40)", |r, _| r.randbelow_big(&BigUint::from(10_u32).pow(40)).to_string()),
    ("randrange(-50,50,7)", |r, _| r.randrange_step(-50, 50, 7).to_string()),
    ("randrange(9,-9,-2)", |r, _| r.randrange_step(9, -9, -2).to_string()),
    ("choice of six", |r, _| letter(r)),
    ("sample of 1 from 6", |r, _| word(&r.sample(&[1, 2, 3, 4, 5, 6], 1))),
    ("sample of 5 from 60", |r, _| word(&sample(r, 60, 5))),
    ("sample of 10 from 60", |r, _| word(&sample(r, 60, 10))),
    ("sample of 0..29 from up to 148", |r, i| word(&sample(r, i % 30 + i * 7 % 120, i % 30))),
    ("sample of 5 or 6 around 21 and 85", |r, i| word(&sample(r, [21, 22, 85, 86][i % 4], [5, 5, 6, 6][i % 4]))),
    ("shuffle of 1..60", shuffled),
    ("mixed", |r, i| match i % 6 {
        0 => r.randrange(1, 7).to_string(),
        1 => fraction(r),
        2 => letter(r),
        3 => r.getrandbits(33).to_string(),
        4 => word(&sample(r, 30, 3)),
        _ => shuffled(r, i),
    }),
];

/// The fraction as the whole number of 53 bits that it is made of, which both languages write alike.
fn fraction(random: &mut PythonRandom) -> String {
    ((random.random() * 9_007_199_254_740_992.0) as u64).to_string()
}

fn letter(random: &mut PythonRandom) -> String {
    random.choice(&['a', 'b', 'c', 'd', 'e', 'f']).to_string()
}

fn sample(random: &mut PythonRandom, n: usize, k: usize) -> Vec<usize> {
    random.sample(&Vec::from_iter(0..n), k)
}

fn shuffled(random: &mut PythonRandom, i: usize) -> String {
    let mut deck = Vec::from_iter(1..=i % 60 + 1);
    random.shuffle(&mut deck);
    word(&deck)
}

fn word(numbers: &[impl Display]) -> String {
    Vec::from_iter(numbers.iter().map(ToString::to_string)).join("-")
}

/// CRC-32 as zlib and Python's `binascii.crc32` reckon it.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// The line that `make_vectors.py` prints for this seed and kind.
fn line(seed: &BigInt, (name, draw): Kind, draws: usize) -> String {
    let mut random = PythonRandom::new(seed);
    let drawn = Vec::from_iter((0..draws).map(|i| draw(&mut random, i)));
    format!("{seed:x}\t{name}\t{:08x}\t{}", crc32(drawn.join(" ").as_bytes()), drawn[..SHOWN.min(draws)].join(" "))
}

/// Holds Python's lines against ours, one by one, so that the first difference names its seed and its kind of draw.
fn assert_same_draws(seeds: &[BigInt], draws: usize, python: &str) {
    let mut theirs = python.lines();
    for seed in seeds {
        for &kind in KINDS {
            assert_eq!(Some(&*line(seed, kind, draws)), theirs.next());
        }
    }
    assert_eq!(theirs.next(), None, "Python drew in more ways");
}

#[test]
fn the_digest_is_the_usual_crc32() {
    assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
}

#[test]
fn draws_are_those_of_the_vectors() {
    let ten = BigInt::from(10);
    let seeds = [
        0.into(),
        1.into(),
        4.into(),
        BigInt::from(-4),
        42.into(),
        500.into(),
        BigInt::from(1_u64 << 32),
        BigInt::from((1_u128 << 64) + 1),
        ten.pow(40),
    ];
    assert_same_draws(&seeds, DRAWS, VECTORS);
}

#[test]
fn the_vectors_are_what_python_prints_today() {
    let Some(printed) = make_vectors(&[], "") else {
        return;
    };
    assert!(printed.lines().eq(VECTORS.lines()), "make_vectors.py prints something else than python_random.txt");
}

#[test]
fn draws_are_those_of_python_for_200_random_seeds() {
    let seeds = random_seeds();
    let typed = Vec::from_iter(seeds.iter().map(|seed| format!("{seed:x}"))).join("\n");
    // A tenth of the vectors' draws still uses every kind's state up several times, and Python takes its time.
    let draws = DRAWS / 10;
    let Some(printed) = make_vectors(&[&draws.to_string()], &typed) else {
        return;
    };
    assert_same_draws(&seeds, draws, &printed);
}

/// 200 seeds of either sign: most of up to 12 words, among them many with words that are 0 or full, and a few with about
/// as many words as the generator's state, where the way a key is mixed in changes.
fn random_seeds() -> Vec<BigInt> {
    let mut pcg = Pcg32::new(501, 60);
    let mut seed = |number| {
        let length = match number % 20 {
            0 => 615 + pcg.next_u32() % 20,
            _ => pcg.next_u32() % 13,
        };
        let words = (0..length).map(|_| match pcg.next_u32() % 8 {
            0 => 0,
            1 => u32::MAX,
            _ => pcg.next_u32(),
        });
        let words = Vec::from_iter(words);
        let sign = [Sign::Plus, Sign::Minus][pcg.next_u32() as usize % 2];
        BigInt::new(sign, words)
    };
    Vec::from_iter((0..200).map(&mut seed))
}

/// What `make_vectors.py` prints for these seeds, or nothing, and a word about it, where there is no Python.
fn make_vectors(arguments: &[&str], seeds: &str) -> Option<String> {
    if !has_python() {
        // Past the harness, which would keep the words of a test that passes to itself.
        let skipped = "skipped: there is no python3 (3.8 or later) on this machine";
        let _ = writeln!(std::io::stderr(), "{skipped}");
        return None;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/make_vectors.py");
    let output =
        python(&[&[script.to_str().expect("a path in UTF-8")], arguments].concat(), seeds).expect("python3 starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "make_vectors.py failed:\n{errors}");
    Some(String::from_utf8(output.stdout).expect("ASCII"))
}

/// Whether `python3` runs: on some systems that name is there and only says where Python can be had.
fn has_python() -> bool {
    let question = "import sys; print('yes' if sys.version_info >= (3, 8) else 'no')";
    python(&["-c", question], "").is_ok_and(|answer| answer.stdout.starts_with(b"yes"))
}

fn python(arguments: &[&str], input: &str) -> std::io::Result<Output> {
    let mut child = Command::new("python3")
        .arg("-I")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // A Python that ends without reading is seen by its status, not by the pipe that breaks.
    let _ = child.stdin.take().map(|mut pipe| pipe.write_all(input.as_bytes()));
    child.wait_with_output()
}
