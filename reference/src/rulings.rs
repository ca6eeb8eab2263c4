//! The open questions of an assignment and the answers that a program may give.

use std::cell::RefCell;
use std::collections::BTreeMap;

/// A question that the assignment's text leaves open.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    /// A name that never changes, such as `bust-at-one`.
    pub id: &'static str,
    /// The question itself, for a person.
    pub text: &'static str,
    /// The answers; the first is the assignment's default.
    pub answers: &'static [AnswerText],
}

/// One answer to an open question.
#[derive(Debug, PartialEq, Eq)]
pub struct AnswerText {
    /// A name that never changes, such as `at-once`.
    pub id: &'static str,
    /// What a program that answers so does.
    pub text: &'static str,
}

/// A question together with one of its answers, as the games ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The question's id.
    pub question: &'static str,
    /// The answer's id.
    pub answer: &'static str,
}

/// One answer to each open question of a game.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rulings(BTreeMap<&'static str, &'static str>);

/// Rulings, as a game asks for them.
#[derive(Debug)]
pub struct Umpire<'r> {
    rulings: &'r Rulings,
    asked: RefCell<Vec<&'static str>>,
}

impl<'r> Umpire<'r> {
    /// Nothing has been asked.
    pub fn new(rulings: &'r Rulings) -> Umpire<'r> {
        Umpire { rulings, asked: RefCell::default() }
    }

    /// Whether this answer is given.
    pub fn has(&self, answer: Answer) -> bool {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(&answer.question) {
            asked.push(answer.question);
        }
        self.rulings.has(answer)
    }

    /// The questions that were asked: under rulings that answer these alike the game is the same.
    pub fn asked(self) -> Vec<&'static str> {
        self.asked.into_inner()
    }
}

impl Rulings {
    /// The default answers.
    pub fn defaults(questions: &'static [Question]) -> Rulings {
        Rulings(questions.iter().map(|question| (question.id, question.answers[0].id)).collect())
    }

    /// Whether this answer is given.
    pub fn has(&self, answer: Answer) -> bool {
        self.answer(answer.question) == Some(answer.answer)
    }

    /// The answer given to a question.
    pub fn answer(&self, question: &str) -> Option<&'static str> {
        self.0.get(question).copied()
    }

    /// The same rulings with one question answered in this way.
    #[must_use]
    pub fn with(&self, question: &'static str, answer: &'static str) -> Rulings {
        let mut rulings = self.clone();
        rulings.0.insert(question, answer);
        rulings
    }

    /// Questions and answers, ordered by question.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.iter().map(|(&question, &answer)| (question, answer))
    }

    /// Every combination of the answers for which `accepted(question, answer)` holds, the defaults (where accepted) first.
    pub fn combinations(questions: &'static [Question], accepted: impl Fn(&str, &str) -> bool) -> Vec<Rulings> {
        let mut all = vec![Rulings(BTreeMap::new())];
        for question in questions {
            let answers: Vec<_> = question.answers.iter().filter(|answer| accepted(question.id, answer.id)).collect();
            all = all
                .iter()
                .flat_map(|rulings| answers.iter().map(|answer| rulings.with(question.id, answer.id)))
                .collect();
        }
        all
    }
}
