//! What kind of difference a difference is.

use serde::{Deserialize, Serialize};

/// What kind of difference it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A line is not there.
    MissingLine,
    /// A line should not be there.
    ExtraLine,
    /// An empty line is not there.
    MissingEmptyLine,
    /// An empty line should not be there.
    ExtraEmptyLine,
    /// A line end is missing, or stands inside of a line.
    LineBreak,
    /// Spaces stand at the end of a line.
    TrailingSpace,
    /// More or fewer spaces than there should be.
    Spacing,
    /// A capital letter for a small one, or the other way round.
    LetterCase,
    /// Punctuation differs.
    Punctuation,
    /// A number differs.
    Number,
    /// A whole number is printed with a decimal point.
    FloatForInt,
    /// The words differ.
    Wording,
    /// The right lines, in another order.
    Order,
    /// An answer is asked for again.
    RepeatedPrompt,
    /// The program ended before it had said all.
    EndedEarly,
    /// The program said more after the end.
    WentOn,
    /// The dice are not those of a fair die.
    DifferentDice,
    /// A character that moves the cursor, colours the text or the like.
    ControlCharacters,
    /// A character of another alphabet, or bytes that are no text.
    Encoding,
}

impl Cause {
    /// Whether something is printed that should not be there at all.
    pub fn is_too_much(self) -> bool {
        matches!(self, Cause::ExtraLine | Cause::ExtraEmptyLine | Cause::RepeatedPrompt | Cause::WentOn)
    }

    /// The name in reports.
    pub fn id(self) -> &'static str {
        match self {
            Cause::MissingLine => "missing_line",
            Cause::ExtraLine => "extra_line",
            Cause::MissingEmptyLine => "missing_empty_line",
            Cause::ExtraEmptyLine => "extra_empty_line",
            Cause::LineBreak => "line_break",
            Cause::TrailingSpace => "trailing_space",
            Cause::Spacing => "spacing",
            Cause::LetterCase => "letter_case",
            Cause::Punctuation => "punctuation",
            Cause::Number => "number",
            Cause::FloatForInt => "float_for_int",
            Cause::Wording => "wording",
            Cause::Order => "order",
            Cause::RepeatedPrompt => "repeated_prompt",
            Cause::EndedEarly => "ended_early",
            Cause::WentOn => "went_on",
            Cause::DifferentDice => "different_dice",
            Cause::ControlCharacters => "control_characters",
            Cause::Encoding => "encoding",
        }
    }
}
