//! What the cases of Doubles try, read off their transcripts, whichever way a program draws its dice.
//!
//! A seed gives other dice to a program that throws three at once, or that turns a fraction into a die. So a case is
//! only a case if its seed gives its situation in all four honest streams. One list says by their ids what the cases
//! are about; what they try together is read off their transcripts.

use super::{EITHER, assert_all_tried, assignment, games, shared_tests};
use console_check::assignment::{Case, Script, Seed, Task};
use reference::doubles::Place;
use reference::python_random::PythonRandom;
use reference::rulings::Rulings;
use reference::transcript::Transcript;
use reference::{Game, play_script};
use std::collections::{BTreeMap, BTreeSet};

shared_tests!(Game::Doubles);

/// How an honest program draws its dice.
#[derive(Debug, Clone, Copy)]
struct Stream {
    /// All three dice of a turn at its start, also a third one that is never shown; else each die when it is thrown.
    three_at_once: bool,
    /// `int(random() * 6) + 1`; else `randrange(1, 7)`, which `randint` and `choice` equal.
    by_fraction: bool,
}

const STREAMS: [Stream; 4] = [
    Stream { three_at_once: false, by_fraction: false },
    Stream { three_at_once: true, by_fraction: false },
    Stream { three_at_once: false, by_fraction: true },
    Stream { three_at_once: true, by_fraction: true },
];

impl Stream {
    fn dice(self, seed: &Seed) -> impl FnMut(Place) -> i64 + use<> {
        let mut random = PythonRandom::new(seed.number());
        let mut die =
            move || if self.by_fraction { (random.random() * 6.0) as i64 + 1 } else { random.randrange(1, 7) };
        let mut thrown = Vec::new();
        move |place| {
            if !self.three_at_once {
                return die();
            }
            if matches!(place, Place::PlayerFirst | Place::ComputerFirst) {
                thrown = vec![die(), die(), die()];
            }
            thrown.remove(0)
        }
    }

    fn play(self, rulings: &Rulings, script: &Script) -> Transcript {
        let mut dice = self.dice(script.seed.as_ref().expect("a seed"));
        play_script(Game::Doubles, rulings, &script.inputs, &mut dice).expect("a script that fits").transcript
    }
}

/// One side's turn, as it is shown.
#[derive(Debug, Clone, Copy)]
struct Turn {
    first: i64,
    second: i64,
    third: Option<i64>,
    /// After two dice.
    score: i64,
    /// At the end; none for a Triple.
    total: Option<i64>,
}

impl Turn {
    fn is_double(&self) -> bool {
        self.first == self.second
    }

    fn is_triple(&self) -> bool {
        self.is_double() && self.third == Some(self.first)
    }

    /// The third die, if it was thrown without a Double.
    fn halved(&self) -> Option<i64> {
        self.third.filter(|_| !self.is_double())
    }

    /// How much the third die is above those of a Double, if it was thrown after one.
    fn above_double(&self) -> Option<i64> {
        self.third.filter(|_| self.is_double()).map(|third| third - self.first)
    }

    fn shows(&self, first: i64, second: i64, third: i64) -> bool {
        (self.first, self.second, self.third) == (first, second, Some(third))
    }
}

/// A game as it is shown under the default rulings.
#[derive(Debug, Clone, Copy)]
struct Seen {
    you: Turn,
    computer: Option<Turn>,
    won: bool,
}

impl Seen {
    fn read(transcript: &Transcript) -> Seen {
        let after = |start: &str| {
            let mut lines = transcript.lines.iter().map(|line| line.text());
            let numbers = lines.find_map(|line| line.strip_prefix(start))?.split(" and ");
            Some(numbers.map(|number| number.parse().expect("a number")).collect::<Vec<i64>>())
        };
        let turn = |roll, third, score, total| {
            let dice = after(roll)?;
            let one = |start| after(start).map(|numbers| numbers[0]);
            let score = one(score).expect("a score after two dice");
            Some(Turn { first: dice[0], second: dice[1], third: one(third), score, total: one(total) })
        };
        let you = turn("You rolled ", "Your third die is ", "Your score is ", "Your total score is ");
        Seen {
            you: you.expect("your turn"),
            computer: turn("The computer rolled ", "It is a ", "Its score is ", "The computer's total score is "),
            won: transcript.to_string().contains("Congratulations"),
        }
    }

    /// You stopped after two dice.
    fn stopped(&self) -> bool {
        self.you.third.is_none()
    }

    /// How much the computer's two dice are above your total, if it came to that.
    fn above_you(&self) -> Option<i64> {
        Some(self.computer?.score - self.you.total?)
    }

    /// How much the computer's total is above yours, if both have one.
    fn total_above_you(&self) -> Option<i64> {
        Some(self.computer?.total? - self.you.total?)
    }

    /// The computer threw this third die, without a Double, when its two dice were so much above you.
    fn computer_halves(&self, third: i64, above_you: i64) -> bool {
        self.computer.is_some_and(|computer| computer.halved() == Some(third)) && self.above_you() == Some(above_you)
    }

    /// The computer stopped after two dice.
    fn computer_stood(&self) -> bool {
        self.computer.is_some_and(|computer| computer.third.is_none())
    }
}

/// What has to happen in a game.
type Situation = fn(&Seen) -> bool;

/// What each case is about, by its id: all that its title says.
#[rustfmt::skip]
const SITUATIONS: [(&str, Situation); 38] = [
    ("first-sample", |game| game.you.shows(6, 3, 5) && game.computer.is_some_and(|it| it.shows(2, 2, 3))),
    // No seed gives a first die of 4 in all streams: where the dice are others, the game goes as in the sample.
    ("second-sample", |game| game.you.halved() == Some(4) && double(game) && game.above_you() > Some(0) && game.computer_stood()),
    ("third-sample", |game| game.you.shows(1, 1, 1) && game.computer.is_none() && game.won),
    ("text-half", |game| game.you.shows(6, 4, 5) && game.you.total == Some(12)),
    ("half-of-one", |game| game.you.halved() == Some(1) && game.you.total == Some(game.you.score)),
    ("half-of-two", |game| game.you.halved() == Some(2) && game.you.total == Some(game.you.score + 1)),
    ("half-of-three", |game| game.you.halved() == Some(3) && game.you.total == Some(game.you.score + 1)),
    ("half-of-six", |game| game.you.halved() == Some(6) && game.you.total == Some(game.you.score + 3)),
    ("stop-computer-wins-by-one", |game| game.stopped() && game.computer_stood() && game.total_above_you() == Some(1)),
    ("stop-on-double-six", |game| game.stopped() && (game.you.first, game.you.second) == (6, 6) && game.won),
    ("stop-two-doubles", |game| game.stopped() && game.you.is_double() && double(game) && game.above_you() > Some(0)),
    ("stop-and-tie", |game| game.stopped() && !game.computer_stood() && game.total_above_you() == Some(0) && game.won),
    ("computer-stands-one-above", |game| game.computer_stood() && !double(game) && game.total_above_you() == Some(1)),
    ("computer-half-of-one", |game| game.computer_halves(1, -1) && game.total_above_you() == Some(-1) && game.won),
    ("computer-half-of-two", |game| game.computer_halves(2, -1) && game.total_above_you() == Some(0) && game.won),
    ("computer-half-of-three", |game| game.computer_halves(3, -1) && game.total_above_you() == Some(0) && game.won),
    ("computer-half-of-four", |game| game.computer_halves(4, -1) && game.total_above_you() == Some(1) && !game.won),
    ("computer-half-of-five", |game| game.computer_halves(5, -2) && game.total_above_you() == Some(0) && game.won),
    ("computer-half-of-six", |game| game.computer_halves(6, -2) && game.total_above_you() == Some(1) && !game.won),
    ("third-die-lifts-you", |game| lifted(game) && !game.computer_stood()),
    ("third-die-like-the-first", |game| both(game, |turn| !turn.is_double() && turn.third == Some(turn.first))),
    ("third-die-like-the-second", |game| both(game, |turn| !turn.is_double() && turn.third == Some(turn.second))),
    ("computer-double-one-above", |game| double(game) && game.computer_stood() && game.total_above_you() == Some(1)),
    ("computer-double-one-below", |game| double(game) && game.above_you() == Some(-1) && game.total_above_you() < Some(-1)),
    ("computer-double-one-less", |game| game.computer.is_some_and(|it| it.above_double() == Some(-1))),
    ("computer-below-zero", |game| game.computer.is_some_and(|it| it.shows(1, 1, 5) && it.total == Some(-1))),
    ("text-penalty", |game| game.you.shows(5, 5, 4) && game.you.total == Some(16)),
    ("penalty-one-more", |game| game.you.above_double() == Some(1)),
    ("penalty-lets-the-computer-stand", |game| lowered(game) && game.computer_stood()),
    ("score-of-zero", |game| game.you.total == Some(0)),
    ("score-below-zero", |game| game.you.total < Some(0)),
    ("tie-at-two-dice", |game| !double(game) && game.above_you() == Some(0)),
    ("tie-with-a-double", |game| double(game) && game.above_you() == Some(0)),
    ("tie-at-twelve", |game| double(game) && game.above_you() == Some(0) && game.you.total == Some(12)),
    ("triple-of-sixes", |game| game.you.shows(6, 6, 6) && game.computer.is_none() && game.won),
    ("computer-triple", |game| !game.stopped() && game.computer.is_some_and(|it| it.is_triple()) && !game.won),
    ("stop-computer-triple", |game| game.stopped() && game.computer.is_some_and(|it| it.is_triple()) && !game.won),
    ("computer-triple-beats-a-double", |game| {
        game.you.above_double().is_some_and(|above| above != 0)
            && game.computer.is_some_and(|it| it.is_triple() && it.first >= 4) && !game.won
    }),
];

/// The computer has a Double.
fn double(game: &Seen) -> bool {
    game.computer.is_some_and(|computer| computer.is_double())
}

/// What holds for your turn and for the computer's.
fn both(game: &Seen, holds: fn(&Turn) -> bool) -> bool {
    holds(&game.you) && game.computer.is_some_and(|computer| holds(&computer))
}

/// The computer's two dice are above your score, but not above your total.
fn lifted(game: &Seen) -> bool {
    game.computer.is_some_and(|computer| computer.score > game.you.score) && game.above_you() < Some(0)
}

/// The computer's two dice are below your score, but above your total.
fn lowered(game: &Seen) -> bool {
    game.computer.is_some_and(|computer| computer.score < game.you.score) && game.above_you() > Some(0)
}

/// The cases that are a game.
fn scripts() -> Vec<(Case, Script)> {
    games(Game::Doubles)
        .into_iter()
        .filter_map(|(case, _)| case.script().cloned().map(|script| (case, script)))
        .collect()
}

/// Holds a law against all games of each stream.
fn for_each_stream(law: impl Fn(Stream, Vec<Seen>)) {
    let rulings = Game::Doubles.default_rulings();
    let scripts = scripts();
    for stream in STREAMS {
        law(stream, scripts.iter().map(|(_, script)| Seen::read(&stream.play(&rulings, script))).collect());
    }
}

#[test]
fn titles_name_what_is_open() {
    // Every game ends with the prompt that a space may follow.
    super::check_titles_name_what_is_open(Game::Doubles, &["space-after-finish"]);
}

#[test]
fn each_seed_gives_its_situation_in_all_four_streams() {
    let situations = BTreeMap::from(SITUATIONS);
    let scripts = scripts();
    for (case, script) in &scripts {
        let situation = situations.get(case.id.as_str()).unwrap_or_else(|| panic!("what is {} about?", case.id));
        for stream in STREAMS {
            let seen = Seen::read(&stream.play(&Game::Doubles.default_rulings(), script));
            assert!(situation(&seen), "{}: `{}` is not what happens in {stream:?}: {seen:?}", case.file, case.title);
        }
    }
    assert_eq!(situations.len(), scripts.len(), "each situation has its case");
}

#[test]
fn an_open_question_is_met_in_all_four_streams_or_in_none() {
    let assignment = assignment(Game::Doubles);
    for (case, script) in scripts() {
        for question in Game::Doubles.questions() {
            let is_met = STREAMS.map(|stream| {
                let answers = question.answers.iter().filter(|answer| assignment.accepts(question.id, answer.id));
                let rulings = answers.map(|answer| Game::Doubles.default_rulings().with(question.id, answer.id));
                let texts: BTreeSet<_> = rulings.map(|rulings| stream.play(&rulings, &script).to_string()).collect();
                texts.len() > 1
            });
            assert!(is_met.iter().all(|met| *met == is_met[0]), "{}: {}: {is_met:?}", case.file, question.id);
            let is_tail = question.id == "space-after-finish";
            assert!(is_tail || !is_met[0] || case.title.ends_with(EITHER), "{}: {}", case.file, question.id);
        }
    }
}

/// The sample runs as the assignment's text prints them.
const SAMPLES: [(&str, &str); 3] = [
    (
        "first-sample",
        "Welcome to Doubles!  You play first:
You rolled 6 and 3
Your score is 9
Do you want to throw the third die (y or n)?: y
Your third die is 5
Your total score is 11

The computer plays next:
The computer rolled 2 and 2
A Double!
Its score is 8
The computer will throw a third die.
It is a 3
The computer's score is reduced.
The computer's total score is 5

Congratulations --- you won!
Press Enter to finish
",
    ),
    (
        "second-sample",
        "Welcome to Doubles!  You play first:
You rolled 4 and 2
Your score is 6
Do you want to throw the third die (y or n)?: y
Your third die is 4
Your total score is 8

The computer plays next:
The computer rolled 5 and 5
A Double!
Its score is 20
The computer's total score is 20

Sorry --- the computer won.
Press Enter to finish
",
    ),
    (
        "third-sample",
        "Welcome to Doubles!  You play first:
You rolled 1 and 1
A Double!
Your score is 4
Do you want to throw the third die (y or n)?: y
Your third die is 1
You threw a Triple!

Congratulations --- you won!
Press Enter to finish
",
    ),
];

#[test]
fn the_samples_are_played_word_for_word() {
    let scripts = scripts();
    for ((id, sample), (case, script)) in SAMPLES.into_iter().zip(&scripts) {
        assert_eq!(case.id.as_str(), id, "the samples are the first cases, in the order of the text");
        for stream in STREAMS.into_iter().filter(|stream| id != "second-sample" || !stream.by_fraction) {
            let played = stream.play(&Game::Doubles.default_rulings(), script).to_string();
            assert_eq!(played.replace(['«', '»'], ""), sample, "{id} in {stream:?}");
        }
    }
}

/// Every turn, with its side, and whether it has a Double.
fn turns(games: &[Seen]) -> impl Iterator<Item = (&'static str, Turn)> {
    let yours = games.iter().map(|game| ("you", game.you));
    yours.chain(games.iter().filter_map(|game| Some(("computer", game.computer?))))
}

const SIDES: [&str; 2] = ["you", "computer"];

fn each<A: Copy, B: Copy>(some: &[A], others: &[B]) -> Vec<(A, B)> {
    some.iter().flat_map(|one| others.iter().map(|other| (*one, *other))).collect()
}

#[test]
fn each_side_adds_half_of_each_third_die() {
    for_each_stream(|_, games| {
        let tried = turns(&games).filter_map(|(side, turn)| Some((side, turn.halved()?))).collect();
        assert_all_tried("a third die without a Double", each(&SIDES, &[1, 2, 3, 4, 5, 6]), &tried);
    });
}

#[test]
fn each_side_throws_two_dice_in_each_order_with_and_without_a_third() {
    for_each_stream(|_, games| {
        let tried =
            turns(&games).map(|(side, turn)| (side, (turn.first.cmp(&turn.second), turn.third.is_some()))).collect();
        use std::cmp::Ordering::{Equal, Greater, Less};
        let wanted = each(&SIDES, &each(&[Less, Equal, Greater], &[true, false]));
        assert_all_tried("the order of two dice, with a third", wanted, &tried);
    });
}

#[test]
fn each_side_throws_a_triple_and_misses_one_by_one_each_way() {
    for_each_stream(|_, games| {
        let tried = turns(&games).filter_map(|(side, turn)| Some((side, turn.above_double()?))).collect();
        assert_all_tried("a third die after a Double, how much above it", each(&SIDES, &[-1, 0, 1]), &tried);
        let mut tried = BTreeSet::new();
        for (side, turn) in turns(&games).filter(|(_, turn)| turn.halved().is_some()) {
            let rises = turn.first < turn.second;
            tried.extend((turn.third == Some(turn.first)).then_some((side, (rises, "the first"))));
            tried.extend((turn.third == Some(turn.second)).then_some((side, (rises, "the second"))));
        }
        let wanted = each(&SIDES, &each(&[true, false], &["the first", "the second"]));
        assert_all_tried("a third die like one of two that differ (the second is higher)", wanted, &tried);
    });
}

#[test]
fn the_computer_s_two_dice_are_one_either_side_of_your_total_and_equal_to_it() {
    for_each_stream(|_, games| {
        let tried = games.iter().filter_map(|game| Some((game.above_you()?, double(game)))).collect();
        assert_all_tried("two dice above your total, as a Double", each(&[-1, 0, 1], &[true, false]), &tried);
        assert!(games.iter().any(lifted) && games.iter().any(lowered), "your third die decides what the computer does");
    });
}

#[test]
fn totals_are_one_either_side_of_a_tie_and_equal() {
    for_each_stream(|_, games| {
        for game in &games {
            let above = game.total_above_you();
            assert_eq!(game.won, game.you.is_triple() || above.is_some_and(|above| above <= 0), "{game:?}");
        }
        let tried = games
            .iter()
            .filter_map(|game| Some((game.total_above_you()?, game.computer_stood())))
            .filter(|(above, _)| above.abs() <= 1)
            .collect();
        let wanted = [(-1, false), (0, false), (1, false), (0, true), (1, true)];
        assert_all_tried("the computer's total above yours, after two dice", wanted, &tried);
    });
}

#[test]
fn each_side_goes_below_zero_and_you_to_zero() {
    for_each_stream(|_, games| {
        let tried = turns(&games).filter_map(|(side, turn)| Some((side, turn.total?.signum()))).collect();
        let wanted = [("you", -1), ("you", 0), ("you", 1), ("computer", -1), ("computer", 1)];
        assert_all_tried("the sign of a total", wanted, &tried);
    });
}

#[test]
fn after_each_answer_the_computer_stops_and_throws_and_throws_a_triple() {
    for_each_stream(|_, games| {
        let does = |turn: &Turn| match turn {
            _ if turn.is_triple() => "throws a Triple",
            Turn { third: Some(_), .. } => "throws",
            _ => "stops",
        };
        let tried = games.iter().filter_map(|game| Some((game.stopped(), does(game.computer.as_ref()?)))).collect();
        let wanted = each(&[true, false], &["throws a Triple", "throws", "stops"]);
        assert_all_tried("what the computer does, after you stopped", wanted, &tried);
        let tried = games.iter().map(|game| (game.stopped(), (game.you.is_double(), game.won))).collect();
        let wanted = each(&[true, false], &each(&[true, false], &[true, false]));
        assert_all_tried("the answer n, your Double, your win", wanted, &tried);
        let both = games.iter().filter(|game| both(game, Turn::is_double)).count();
        assert!(both > 0, "both have a Double");
    });
}

/// Dice of which each face is seen even if some games end in a crash: what is judged begins at 60.
const ENOUGH_DICE: usize = 75;

#[test]
fn fair_dice_show_each_face_at_each_place_whatever_the_stream() {
    let assignment = assignment(Game::Doubles);
    let last = assignment.cases.last().expect("cases");
    let Task::Dice(runs) = &last.task else { panic!("{} does not judge the dice", last.file) };
    assert_eq!(last.id.as_str(), "fair-dice");
    // The dice are judged over all runs, those of the other cases too.
    let mut all: Vec<(Seed, Vec<String>)> = runs.seeds().map(|seed| (seed, runs.inputs.clone())).collect();
    all.extend(scripts().into_iter().map(|(_, script)| (script.seed.expect("a seed"), script.inputs)));
    for stream in STREAMS {
        for rulings in assignment.combinations() {
            let mut shown: BTreeMap<Place, Vec<i64>> = BTreeMap::new();
            for (seed, inputs) in &all {
                let mut dice = stream.dice(seed);
                let mut throw = |place| {
                    let die = dice(place);
                    shown.entry(place).or_default().push(die);
                    die
                };
                let played = play_script(Game::Doubles, &rulings, inputs, &mut throw).expect("inputs that fit");
                assert!(played.transcript.lines.iter().any(|line| line.text().contains(" won")), "seed {seed}");
            }
            for place in Place::ALL {
                let dice = &shown[&place];
                assert!(dice.len() >= ENOUGH_DICE, "{stream:?}: {} dice for {}", dice.len(), place.name());
                let faces = dice.iter().copied().collect();
                assert_all_tried(place.name(), 1..=6, &faces);
            }
        }
    }
}
