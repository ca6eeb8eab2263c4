//! The dice game Doubles, as the assignment's text has it, played with dice that are handed in.

use crate::console::{Console, Stop};
use crate::rules::{Rule, doubles as rules};
use crate::rulings::{Answer, AnswerText, Question, Umpire};
use crate::transcript::Segment;

const TOTAL_PRINTED: Answer = Answer { question: "total-after-standing", answer: "printed" };
const REDUCED_PRINTED: Answer = Answer { question: "player-reduced-line", answer: "printed" };
const TIE_THROWS: Answer = Answer { question: "computer-on-a-tie", answer: "throws" };
const TRIPLE_LINE: Answer = Answer { question: "computer-triple-line", answer: "line" };
const TRIPLE_LINE_AND_TOTAL: Answer = Answer { question: "computer-triple-line", answer: "line-and-total" };
const TRIPLE_TOTAL: Answer = Answer { question: "computer-triple-line", answer: "total" };
const SPACE_AFTER_FINISH: Answer = Answer { question: "space-after-finish", answer: "one" };

/// What the text leaves open.
pub const QUESTIONS: &[Question] = &[
    Question {
        id: TOTAL_PRINTED.question,
        text: "You stop after two dice: is your total score printed?",
        answers: &[
            AnswerText { id: TOTAL_PRINTED.answer, text: "it is, as for the computer in the sample" },
            AnswerText { id: "not-printed", text: "it is not: the score stands already there" },
        ],
    },
    Question {
        id: REDUCED_PRINTED.question,
        text: "Your Double is reduced by another third die: does a line say so before the total?",
        answers: &[
            AnswerText { id: "none", text: "no" },
            AnswerText { id: REDUCED_PRINTED.answer, text: "yes: Your score is reduced." },
        ],
    },
    Question {
        id: TIE_THROWS.question,
        text: "The computer's score equals yours: does it throw its third die?",
        answers: &[
            AnswerText { id: "stands", text: "no: it has equalled your score" },
            AnswerText { id: TIE_THROWS.answer, text: "yes: a tie is yours, so it has to beat you" },
        ],
    },
    Question {
        id: TRIPLE_LINE.question,
        text: "The computer throws a Triple: what is printed?",
        answers: &[
            AnswerText { id: TRIPLE_LINE.answer, text: "a line with the word Triple" },
            AnswerText {
                id: TRIPLE_LINE_AND_TOTAL.answer,
                text: "a line with the word Triple, and the computer's total score",
            },
            AnswerText { id: TRIPLE_TOTAL.answer, text: "the computer's total score" },
            AnswerText { id: "none", text: "nothing" },
        ],
    },
    Question {
        id: SPACE_AFTER_FINISH.question,
        text: "Does a space follow the last prompt?",
        answers: &[
            AnswerText { id: "none", text: "no: Press Enter to finish" },
            AnswerText { id: SPACE_AFTER_FINISH.answer, text: "yes, one" },
        ],
    },
];

/// One of the six places where a die is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The player's first die.
    PlayerFirst,
    /// The player's second die.
    PlayerSecond,
    /// The player's third die.
    PlayerThird,
    /// The computer's first die.
    ComputerFirst,
    /// The computer's second die.
    ComputerSecond,
    /// The computer's third die.
    ComputerThird,
}

impl Place {
    /// All six, in the order of a game.
    pub const ALL: [Place; 6] = [
        Place::PlayerFirst,
        Place::PlayerSecond,
        Place::PlayerThird,
        Place::ComputerFirst,
        Place::ComputerSecond,
        Place::ComputerThird,
    ];

    /// What a person calls it.
    pub fn name(self) -> &'static str {
        match self {
            Place::PlayerFirst => "your first die",
            Place::PlayerSecond => "your second die",
            Place::PlayerThird => "your third die",
            Place::ComputerFirst => "the computer's first die",
            Place::ComputerSecond => "the computer's second die",
            Place::ComputerThird => "the computer's third die",
        }
    }
}

/// Who throws, and the lines and rules that differ between the two.
struct Thrower {
    places: [Place; 3],
    double: &'static Rule,
    score: &'static Rule,
    score_line: &'static str,
}

const PLAYER: Thrower = Thrower {
    places: [Place::PlayerFirst, Place::PlayerSecond, Place::PlayerThird],
    double: rules::DOUBLE,
    score: rules::SCORE,
    score_line: "Your score is",
};
const COMPUTER: Thrower = Thrower {
    places: [Place::ComputerFirst, Place::ComputerSecond, Place::ComputerThird],
    double: rules::COMPUTER_DOUBLE,
    score: rules::COMPUTER_SCORE,
    score_line: "Its score is",
};

/// The first two dice of a throw.
struct Pair {
    die: i64,
    is_double: bool,
    score: i64,
}

impl Pair {
    /// The total after a third die that makes no Triple, and how it comes about.
    fn total(&self, third: i64) -> (i64, String) {
        let total = if self.is_double { self.score - third } else { self.score + third.div_euclid(2) };
        let account = if self.is_double {
            format!("{} - {third} = {total}: the third die is taken off", self.score)
        } else {
            format!("{} + half of {third}, without a fraction = {total}", self.score)
        };
        (total, account)
    }

    fn is_triple(&self, third: i64) -> bool {
        self.is_double && third == self.die
    }
}

/// How the two turns went.
enum Ending {
    PlayerTriple,
    ComputerTriple,
    Scores { player: i64, computer: i64 },
}

/// Plays one game with the dice that `throw` hands out, place by place.
///
/// # Errors
/// When the script ends first, or the answer to the question is neither y nor n.
pub fn play(console: &mut Console<'_>, rulings: &Umpire<'_>, throw: &mut dyn FnMut(Place) -> i64) -> Result<(), Stop> {
    console.now("your turn");
    console.say("Welcome to Doubles!  You play first:", rules::WELCOME, "the game opens");
    let ending = match play_player(console, rulings, throw)? {
        None => Ending::PlayerTriple,
        Some(player) => {
            console.now("the computer's turn");
            match play_computer(console, rulings, throw, player) {
                None => Ending::ComputerTriple,
                Some(computer) => Ending::Scores { player, computer },
            }
        }
    };
    console.now("the end");
    show_result(console, &ending);
    let prompt = if rulings.has(SPACE_AFTER_FINISH) { "Press Enter to finish " } else { "Press Enter to finish" };
    console.ask(prompt, rules::FINISH, "the game is over, and the program waits for Enter")?;
    console.silent(rules::FINISH, "Enter was pressed: the program ends");
    Ok(())
}

/// The player's turn: the total score, or nothing for a Triple.
fn play_player(
    console: &mut Console<'_>,
    rulings: &Umpire<'_>,
    throw: &mut dyn FnMut(Place) -> i64,
) -> Result<Option<i64>, Stop> {
    let pair = throw_pair(console, &PLAYER, throw, "You rolled", rules::ROLL);
    let answer = console.ask(
        "Do you want to throw the third die (y or n)?: ",
        rules::ASK,
        "two dice are thrown, and you may throw a third",
    )?;
    match answer.as_str() {
        "y" => {}
        "n" => {
            if rulings.has(TOTAL_PRINTED) {
                console.say(
                    format!("Your total score is {}", pair.score),
                    rules::STAND,
                    format!("you stopped after two dice with {}", pair.score),
                );
            } else {
                console.silent(rules::STAND, "you stopped after two dice, so no third die is thrown");
            }
            return Ok(Some(pair.score));
        }
        _ => return Err(console.unfit(answer, "y or n")),
    }
    let third = throw(Place::PlayerThird);
    console.say(
        format!("Your third die is {third}"),
        rules::THIRD,
        format!("you answered y, and the third die shows {third}"),
    );
    if pair.is_triple(third) {
        console.say("You threw a Triple!", rules::TRIPLE, format!("all three dice show {third}"));
        console.silent(rules::TRIPLE, "you threw a Triple, so the game ends at once");
        return Ok(None);
    }
    let (total, account) = pair.total(third);
    if pair.is_double && rulings.has(REDUCED_PRINTED) {
        let said = vec![Segment::Text("Your ".into()), Segment::Any, Segment::Text("score is reduced.".into())];
        console.say_open(said, rules::PENALTY, format!("your Double was followed by {third}"));
    } else if !pair.is_double {
        console.silent(rules::HALF, "you have no Double, so nothing is said before the total");
    }
    let rule = if pair.is_double { rules::PENALTY } else { rules::HALF };
    console.say(format!("Your total score is {total}"), rule, account);
    Ok(Some(total))
}

/// The computer's turn: its total score, or nothing for a Triple.
fn play_computer(
    console: &mut Console<'_>,
    rulings: &Umpire<'_>,
    throw: &mut dyn FnMut(Place) -> i64,
    to_beat: i64,
) -> Option<i64> {
    console.gap(rules::COMPUTER, "an empty line stands before the computer's turn");
    console.say("The computer plays next:", rules::COMPUTER, "your turn is over, without a Triple");
    let pair = throw_pair(console, &COMPUTER, throw, "The computer rolled", rules::COMPUTER_ROLL);
    let Pair { score, .. } = pair;
    if score > to_beat || (score == to_beat && !rulings.has(TIE_THROWS)) {
        let beats = if score == to_beat { "equals" } else { "beats" };
        console.silent(
            rules::COMPUTER_STANDS,
            format!("the computer's {score} {beats} your {to_beat}, so it throws no third die"),
        );
        console.say(
            format!("The computer's total score is {score}"),
            rules::COMPUTER_TOTAL,
            format!("the computer stopped after two dice with {score}"),
        );
        return Some(score);
    }
    let relation = if score == to_beat { "only equals" } else { "is below" };
    console.say(
        "The computer will throw a third die.",
        rules::COMPUTER_THROWS,
        format!("the computer's {score} {relation} your {to_beat}"),
    );
    let third = throw(Place::ComputerThird);
    console.say(format!("It is a {third}"), rules::COMPUTER_THIRD, format!("the computer's third die shows {third}"));
    if pair.is_triple(third) {
        show_computer_triple(console, rulings, third);
        return None;
    }
    let (total, account) = pair.total(third);
    let rule = if pair.is_double { rules::COMPUTER_PENALTY } else { rules::COMPUTER_HALF };
    if pair.is_double {
        console.say(
            "The computer's score is reduced.",
            rules::COMPUTER_PENALTY,
            format!("the computer's Double was followed by {third}"),
        );
    } else {
        console.silent(rules::COMPUTER_HALF, "the computer has no Double, so its score is not reduced");
    }
    console.say(format!("The computer's total score is {total}"), (rules::COMPUTER_TOTAL, rule), account);
    Some(total)
}

/// Two dice and the score that they make.
fn throw_pair(
    console: &mut Console<'_>,
    thrower: &Thrower,
    throw: &mut dyn FnMut(Place) -> i64,
    opening: &str,
    roll: &'static Rule,
) -> Pair {
    let [first, second] = [throw(thrower.places[0]), throw(thrower.places[1])];
    console.say(format!("{opening} {first} and {second}"), roll, format!("the dice show {first} and {second}"));
    let is_double = first == second;
    let sum = first + second;
    let (score, account) = if is_double {
        console.say("A Double!", thrower.double, format!("both dice show {first}"));
        (2 * sum, format!("({first} + {second}) * 2 = {} for a Double", 2 * sum))
    } else {
        console.silent(thrower.double, format!("{first} and {second} differ, so there is no Double"));
        (sum, format!("{first} + {second} = {sum}"))
    };
    console.say(format!("{} {score}", thrower.score_line), thrower.score, account);
    Pair { die: first, is_double, score }
}

/// What stands there for the computer's Triple, for which the text has no wording.
fn show_computer_triple(console: &mut Console<'_>, rulings: &Umpire<'_>, third: i64) {
    let facts = format!("all three of the computer's dice show {third}");
    if rulings.has(TRIPLE_LINE) || rulings.has(TRIPLE_LINE_AND_TOTAL) {
        let said = vec![Segment::Any, Segment::Text("riple".into()), Segment::Any];
        console.say_open(said, rules::COMPUTER_TRIPLE, facts.clone());
    }
    if rulings.has(TRIPLE_TOTAL) || rulings.has(TRIPLE_LINE_AND_TOTAL) {
        // Which number a Triple leaves is as open as its wording.
        let said = vec![Segment::Text("The computer's total score is ".into()), Segment::Number];
        console.say_open(said, rules::COMPUTER_TRIPLE, facts.clone());
    }
    console.silent(rules::COMPUTER_TRIPLE, facts);
}

fn show_result(console: &mut Console<'_>, ending: &Ending) {
    let (won, rule, facts) = match *ending {
        Ending::PlayerTriple => (true, rules::TRIPLE, "you threw a Triple".to_owned()),
        Ending::ComputerTriple => (false, rules::COMPUTER_TRIPLE, "the computer threw a Triple".to_owned()),
        Ending::Scores { player, computer } if player == computer => {
            (true, rules::TIE, format!("both have {player}, and a tie is yours"))
        }
        Ending::Scores { player, computer } => {
            let relation = if player > computer { "more" } else { "less" };
            (player > computer, rules::RESULT, format!("you have {player}, {relation} than the computer's {computer}"))
        }
    };
    console.gap(rules::RESULT, "an empty line stands before the result");
    console.say(if won { "Congratulations --- you won!" } else { "Sorry --- the computer won." }, rule, facts);
}
