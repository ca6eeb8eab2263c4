//! The rules of the three assignments: the sentence that a student reads when a line breaks one, and the place in the
//! assignment's text where it stands. The sentences are this project's own words.

/// One rule of an assignment.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// A name that never changes, such as `racko.turn.discard`. Reports carry it.
    pub id: &'static str,
    /// What the rule asks, in one plain sentence.
    pub sentence: &'static str,
    /// Where the assignment's text says so, such as `darts: play_game 5`.
    pub place: &'static str,
}

impl Rule {
    /// The rule of this id, of whichever game.
    pub fn find(id: &str) -> Option<&'static Rule> {
        let all = [darts::ALL, darts::CODE, doubles::ALL, doubles::CODE, racko::ALL, racko::CODE];
        all.into_iter().flatten().copied().find(|rule| rule.id == id)
    }
}

macro_rules! rules {
    ($(#[$doc:meta])* $table:ident: $($name:ident = $id:literal, $place:literal, $sentence:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "` (", $place, "): ", $sentence)]
            pub const $name: &Rule = &Rule { id: $id, sentence: $sentence, place: $place };
        )*
        $(#[$doc])*
        pub const $table: &[&Rule] = &[$($name),*];
    };
}

/// The rules of Darts 501.
pub mod darts {
    use super::Rule;
    rules! {
        /// All rules of the game, in the order in which it meets them.
        ALL:
        START = "darts.start", "darts: main program 1", "Both players start with 501 points.";
        ANNOUNCE = "darts.turn.announce", "darts: play_game 1", "Each turn starts with whose turn it is and what that player still has to score.";
        UPDATE = "darts.score.update", "darts: play_game 4", "A turn's total is taken off that player's score when more than one point is left.";
        GAP = "darts.turn.gap", "darts: typical inputs and outputs", "An empty line stands between two turns, and none before the first.";
        ALTERNATE = "darts.turn.alternate", "darts: introduction, last paragraph", "After a turn it is the other player's turn.";
        DART = "darts.dart.number", "darts: play_game 2", "Before each throw stands which dart of the turn it is, 1 to 3.";
        PROMPT = "darts.dart.prompt", "darts: typical inputs and outputs", "A dart is asked for with `Enter score: `, with a space at the end.";
        PLAIN = "darts.dart.plain", "darts: is_dart_valid 2 and 6", "A dart of 0 to 20 is valid and is not announced.";
        SHOT = "darts.dart.shot", "darts: is_dart_valid 3 and 6", "A dart of 25 or 50 is announced with `Shot!`.";
        DOUBLE = "darts.dart.double", "darts: is_dart_valid 4 and 6", "An even dart from 22 to 40 is announced as a double: `Double` and half of it.";
        TREBLE = "darts.dart.treble", "darts: is_dart_valid 5 and 6", "A dart up to 60 that three divides, and that is neither plain nor a double, is announced as a treble: `Treble` and a third of it.";
        INVALID = "darts.dart.invalid", "darts: play_game 2", "A score that no dart can make gets `Invalid dart.`, and the same dart is thrown again.";
        THREE = "darts.turn.three", "darts: introduction, first paragraph", "A turn has at most three darts.";
        BUST = "darts.bust", "darts: play_game 5", "A turn that would leave exactly one point or less than zero is a bust: `Bust!`.";
        NO_DOUBLE = "darts.bust.no-double", "darts: introduction, second paragraph", "Reaching zero without a double as the last dart is a bust.";
        KEEPS_SCORE = "darts.bust.keeps-score", "darts: play_game 5", "After a bust the player's score is what it was before the turn.";
        SCORED = "darts.scored", "darts: play_game 6", "Every turn, the winning one too, ends with its total and `scored.`; a bust scores 0.";
        WIN = "darts.win", "darts: play_game 3", "A dart that is a double and leaves exactly zero wins at once; no more darts are thrown.";
        WINNER = "darts.winner", "darts: play_game 8", "The last line names the winner: `Player N wins the leg.`, and nothing follows it.";
    }

    rules! {
        /// What is asked of the program's code.
        CODE:
        IS_DART_VALID = "darts.code.is-dart-valid", "darts: is_dart_valid", "A subprogram `is_dart_valid` takes one dart, and the program calls it.";
        PLAY_GAME = "darts.code.play-game", "darts: main program 2", "A subprogram `play_game` takes nothing, and the program calls it.";
        SCORE_LIST = "darts.code.score", "darts: main program 1", "The scores of the two players are stored in a list called `score`, and both start at 501.";
        COMMENT_SUBPROGRAMS = "darts.code.comments.subprograms", "darts: success criteria", "A comment at each subprogram explains its purpose.";
        COMMENT_SELECTIONS = "darts.code.comments.selections", "darts: success criteria", "A comment at each selection (`if`) explains its purpose.";
        COMMENT_ITERATIONS = "darts.code.comments.iterations", "darts: success criteria", "A comment at each iteration (`for`, `while`) explains its purpose.";
        CALL_IS_DART_VALID = "darts.call.is-dart-valid", "darts: is_dart_valid 1 to 6", "`is_dart_valid` returns True for a dart that can be thrown and False for any other, and prints the type of a shot, a double or a treble.";
    }
}

/// The rules of the dice game Doubles.
pub mod doubles {
    use super::Rule;
    rules! {
        /// All rules of the game, in the order in which it meets them.
        ALL:
        WELCOME = "doubles.welcome", "doubles: sample behaviors", "The game opens with `Welcome to Doubles!  You play first:` (two spaces in the middle).";
        ROLL = "doubles.roll", "doubles: how to play 1", "You start by throwing two dice, and both are shown.";
        DOUBLE = "doubles.double", "doubles: how to play 1", "Two dice that show the same number are announced with `A Double!`; other dice are not.";
        SCORE = "doubles.score", "doubles: how to play 1", "The score of two dice is their sum, and twice their sum for a Double.";
        ASK = "doubles.ask", "doubles: sample behaviors", "You are asked whether to throw the third die.";
        STAND = "doubles.stand", "doubles: how to play 1", "With n you stop, and no third die is thrown.";
        THIRD = "doubles.third", "doubles: how to play 1", "With y a third die is thrown, and it is shown.";
        TRIPLE = "doubles.triple", "doubles: how to play 2", "A third die equal to your Double is a Triple: you win, and the game ends at once.";
        PENALTY = "doubles.penalty", "doubles: how to play 2", "After a Double, another third die is taken off the score.";
        HALF = "doubles.half", "doubles: how to play 3", "Without a Double, half of the third die is added to the score, and a fraction is dropped.";
        COMPUTER = "doubles.computer", "doubles: how to play 4", "Unless you threw a Triple, the computer plays next, after an empty line.";
        COMPUTER_ROLL = "doubles.computer.roll", "doubles: how to play 4", "The computer throws two dice, and both are shown.";
        COMPUTER_DOUBLE = "doubles.computer.double", "doubles: how to play 4", "The computer's two dice are announced with `A Double!` when they show the same number, and only then.";
        COMPUTER_SCORE = "doubles.computer.score", "doubles: how to play 4", "The computer's score is the sum of its two dice, and twice the sum for a Double.";
        COMPUTER_THROWS = "doubles.computer.throws", "doubles: how to play 4", "The computer throws a third die when its score is below yours, and says so first.";
        COMPUTER_STANDS = "doubles.computer.stands", "doubles: how to play 4", "The computer stops when it has at least equalled your score.";
        COMPUTER_THIRD = "doubles.computer.third", "doubles: sample behaviors", "The computer's third die is shown.";
        COMPUTER_TRIPLE = "doubles.computer.triple", "doubles: how to play 2 and 4", "When the computer throws a Triple it wins at once.";
        COMPUTER_PENALTY = "doubles.computer.penalty", "doubles: how to play 2 and 4", "After the computer's Double, another third die is taken off its score, and a line says that it is reduced.";
        COMPUTER_HALF = "doubles.computer.half", "doubles: how to play 3 and 4", "Without a Double, half of the computer's third die is added to its score, and a fraction is dropped.";
        COMPUTER_TOTAL = "doubles.computer.total", "doubles: sample behaviors", "The computer's turn ends with its total score.";
        RESULT = "doubles.result", "doubles: how to play 5", "The player with the higher score wins.";
        TIE = "doubles.tie", "doubles: how to play 5", "When both have the same score, you win.";
        FINISH = "doubles.finish", "doubles: sample behaviors", "The game ends with `Press Enter to finish`, and waits for Enter.";
        FAIR_DICE = "doubles.fair-dice", "doubles: designing and building the program", "A die is thrown with `random.randrange(1,7)`: it shows 1 to 6, each of them now and then.";
    }

    rules! {
        /// What is asked of the program's code.
        CODE:
        FILE_NAME = "doubles.code.file-name", "doubles: submit", "The program is in a file named `Doubles.py`.";
        RANDRANGE = "doubles.code.randrange", "doubles: designing and building the program", "A die is thrown with `random.randrange(1,7)`.";
        DOCUMENT_NAME = "doubles.code.comments.name", "doubles: designing and building the program, at its end", "Comments document the program's name.";
        DOCUMENT_PURPOSE = "doubles.code.comments.purpose", "doubles: designing and building the program, at its end", "Comments document the program's purpose.";
        DOCUMENT_INPUT = "doubles.code.comments.input", "doubles: designing and building the program, at its end", "Comments document the input that the program expects.";
        DOCUMENT_OUTPUT = "doubles.code.comments.output", "doubles: designing and building the program, at its end", "Comments document the output that the program produces.";
    }
}

/// The rules of Rack-O.
pub mod racko {
    use super::Rule;
    rules! {
        /// All rules of the game, in the order in which it meets them.
        ALL:
        WELCOME = "racko.welcome", "racko: sample runs", "The program opens with its welcome line.";
        ASK_INSTRUCTIONS = "racko.instructions.ask", "racko: sample runs", "The program asks whether to show the instructions.";
        INSTRUCTIONS = "racko.instructions", "racko: sample runs", "With y an empty line and the provided file's instructions follow; with any other answer they do not.";
        SEED = "racko.seed", "racko: sample runs", "After an empty line the program asks for the seed of its random numbers.";
        SIZE = "racko.size", "racko: explanation of game play, paragraph 3", "A rack has 5 to 10 cards, and the program asks how many.";
        SIZE_WRONG = "racko.size.wrong", "racko: sample runs", "A size below 5 or above 10 is named as not valid, and the question comes again.";
        DEAL = "racko.deal", "racko: explanation of game play, paragraph 4", "The deck 1 to 60 is shuffled, all cards of player 1's rack are dealt, then all of player 2's, in the order of the deck.";
        FIRST_DISCARD = "racko.discard.first", "racko: explanation of game play, paragraph 5", "After the deal the next card of the deck starts the discard pile.";
        PLAYER = "racko.turn.player", "racko: explanation of game play, paragraph 6", "The players take turns, player 1 first, and each turn names its player.";
        RACK = "racko.turn.rack", "racko: sample runs", "A turn shows the player's rack, after two spaces.";
        DISCARD = "racko.turn.discard", "racko: sample runs", "A turn shows the top card of the discard pile, after two spaces.";
        PILE = "racko.discard.top", "racko: explanation of game play, turn 1 and 2", "The card that leaves a rack, or a drawn card that is not used, goes on top of the discard pile.";
        CHOICE = "racko.turn.choice", "racko: sample runs", "The player is asked whether to draw a card or to take the top of the discard pile, and an empty line follows the answer.";
        DRAW = "racko.draw", "racko: explanation of game play, turn 2", "With d the player draws the top card of the deck, and it is shown.";
        DRAW_CHOICE = "racko.draw.choice", "racko: explanation of game play, turn 2", "After drawing, the player is asked whether to place the card or to discard it.";
        TAKE = "racko.take", "racko: explanation of game play, turn 1", "With any answer but d the player takes the top card of the discard pile and has to place it.";
        REPLACE = "racko.replace", "racko: explanation of game play, turn 1 and 2", "The player is asked which card of the rack the new card replaces.";
        REPLACE_WRONG = "racko.replace.wrong", "racko: sample runs", "A card that is not in the rack is named as such, and the question comes again.";
        PLACE = "racko.place", "racko: explanation of game play, turn 1 and 2", "The new card stands in the slot of the card that it replaces; the turn ends with the rack as it is then.";
        THROW_AWAY = "racko.throw-away", "racko: explanation of game play, turn 2", "A drawn card that is not used leaves the rack as it was; the turn ends with the rack all the same.";
        TURN_GAP = "racko.turn.gap", "racko: sample runs", "An empty line ends each turn.";
        RESHUFFLE = "racko.reshuffle", "racko: explanation of game play, last paragraph", "When the last card of the deck has been drawn, the program says at the end of that turn that the discard pile is shuffled.";
        NEW_DECK = "racko.reshuffle.deck", "racko: explanation of game play, last paragraph", "The whole discard pile, shuffled once, becomes the deck, and its first card starts the new pile.";
        WIN = "racko.win", "racko: explanation of game play, after the turns", "A player whose rack is in ascending order after the own turn wins, and the game is over.";
        WINNER = "racko.winner", "racko: sample runs", "The last line is `Player N wins!`, and nothing follows it.";
    }

    rules! {
        /// What is asked of the program's code.
        CODE:
        PREP_GAME = "racko.code.prep-game", "racko: the provided file", "The function `prep_game()` has this name and these parameters, and the program calls it.";
        CODE_INSTRUCTIONS = "racko.code.instructions", "racko: the provided file", "The function `instructions()` has this name and these parameters, and the program calls it.";
        TAKE_TURN = "racko.code.take-turn", "racko: the provided file", "The function `take_turn(deck, discard, player_rack)` has this name and these parameters, and the program calls it.";
        PLACE_CARD = "racko.code.place-card", "racko: the provided file", "The function `place_card(player_rack, new_card, discard)` has this name and these parameters, and the program calls it.";
        IS_SORTED = "racko.code.is-sorted", "racko: the provided file", "The function `is_sorted(rack)` has this name and these parameters, and the program calls it.";
        GET_RACK = "racko.code.get-rack", "racko: the provided file", "The function `get_rack(deck, rack_size)` has this name and these parameters, and the program calls it.";
        MAIN = "racko.code.main", "racko: the provided file", "The function `main()` has this name and these parameters, and the program calls it.";
        NO_SORTED = "racko.code.is-sorted.no-sorted", "racko: limitations", "`is_sorted` finds out by itself: it calls neither `sorted` nor `.sort`.";
        NO_NEW_LIST = "racko.code.is-sorted.no-new-list", "racko: limitations", "`is_sorted` makes no new list.";
        HEADER = "racko.code.header", "racko: last line", "The comment at the top of the file is there, and something is filled in after each of its labels.";
        CHAPTERS = "racko.code.chapters", "racko: limitations", "The program does with what the first seven chapters cover: no classes, dictionaries, sets, `try`, `lambda` or comprehensions.";
        IMPORTS = "racko.code.imports", "racko: limitations", "The program imports no module but `random`.";
        CALL_IS_SORTED = "racko.call.is-sorted", "racko: explanation of game play, after the turns", "`is_sorted` tells whether the cards of a rack are in ascending order, and leaves the rack as it is.";
        CALL_GET_RACK = "racko.call.get-rack", "racko: explanation of game play, paragraph 4", "`get_rack` takes cards from the top of the deck, in their order, and returns them as a rack; the deck has them no longer.";
        CALL_PLACE_CARD = "racko.call.place-card", "racko: explanation of game play, turn 1", "`place_card` puts the new card in the slot of the card that it replaces, and that card on top of the discard pile.";
        CALL_TAKE_TURN = "racko.call.take-turn", "racko: explanation of game play, turn 1 and 2", "`take_turn` lets a player take or draw a card and place it, or throw a drawn card away, and changes the rack, the deck and the pile accordingly.";
    }
}
