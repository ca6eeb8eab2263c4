//! What a student sees, as pictures.

use super::Desk;

/// Takes a picture of the report on a student program, with what differs from machine to machine replaced.
fn picture(desk: &Desk, arguments: &[&str], columns: usize, is_of_cases: bool) -> String {
    let mut command = desk.command(arguments);
    if is_of_cases {
        // What is asked of the code has pictures of its own.
        command.args(["--no-source", "--no-functions"]);
    }
    command.env("COLUMNS", columns.to_string());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    text.replace('\u{1b}', "␛")
}

/// A snapshot of a student program's report at 80 and at 120 columns.
macro_rules! pictures {
    ($($name:ident: $assignment:literal, $program:literal $(, $argument:literal)*;)*) => {
        $(
            #[test]
            fn $name() {
                let desk = Desk::with_student(concat!($assignment, "/", $program));
                let is_of_cases = $program.starts_with("bad/");
                let picture = |columns| picture(&desk, &[$assignment, "student.py", $($argument),*], columns, is_of_cases);
                insta::with_settings!({
                    filters => vec![
                        // The interpreter that the machine has.
                        (r"(CPython|PyPy) \d+\.\d+\.\d+", "CPython 3.X.Y"),
                        // The layers that its kernel has.
                        (r"(, with limits .* but not)? in a sandbox( \([a-z, ]+\))?\.", " in a sandbox (…)."),
                        // Later versions of Python point with carets at other parts of a line.
                        (r"(?m)^ +[~^]+\n( *File|\w*Error)", "$1"),
                    ],
                    description => concat!("check ", $assignment, " student.py", $(" ", $argument,)* " for ", $program),
                    omit_expression => true,
                }, {
                    insta::assert_snapshot!(concat!(stringify!($name), "_80"), picture(80));
                    insta::assert_snapshot!(concat!(stringify!($name), "_120"), picture(120));
                });
            }
        )*
    };
}

pictures! {
    passed: "darts", "good/keeps_every_sentence_comments_above.py";
    passed_in_colour: "darts", "good/keeps_every_sentence_comments_above.py", "--color", "always";
    one_passed_case: "darts", "good/keeps_every_sentence_comments_above.py", "--case", "model-game";
    a_wrong_number: "darts", "bad/starts_at_101.py";
    a_missing_line: "darts", "bad/no_shot.py";
    an_extra_line: "darts", "bad/twenty_is_announced.py";
    a_missing_empty_line: "darts", "bad/no_empty_line_between_turns.py";
    other_words: "darts", "bad/winner_other_words.py";
    other_words_in_colour: "darts", "bad/winner_other_words.py", "--color", "always";
    spacing: "racko", "bad/one_space_before_the_rack.py";
    a_trailing_space: "darts", "bad/trailing_space_after_double.py";
    a_look_alike: "darts", "bad/double_with_a_foreign_letter.py";
    control_sequences: "darts", "bad/bust_in_red.py";
    a_crash: "darts", "bad/name_error_in_bust.py";
    a_syntax_error: "darts", "bad/missing_colon.py";
    wanted_more_input: "darts", "bad/press_enter_to_exit.py";
    left_input_unread: "doubles", "bad/does_not_wait_for_enter.py";
    out_of_time: "darts", "bad/spins_after_the_winner.py", "--timeout", "0.2";
    a_flood: "darts", "bad/winner_for_ever.py";
    no_comments: "darts", "good/all_input_first.py";
    no_comments_in_colour: "darts", "good/all_input_first.py", "--color", "always";
    strict: "racko", "good/keeps_every_sentence_long_hand.py", "--strict";
    functions_that_are_missing: "racko", "good/functions_with_f_strings.py", "--strict";
    a_function_that_does_not_do_its_part: "racko", "code/get_rack_leaves_the_deck_to_the_caller.py";
    one_check: "racko", "code/get_rack_leaves_the_deck_to_the_caller.py", "--case", "call-get-rack";
    unfair_dice: "doubles", "bad/dice_with_a_fixed_seed.py";
}
