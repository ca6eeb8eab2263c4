//! The stored transcript of a case.

use reference::transcript::Transcript;

use super::error::{AssignmentError, FileError, Position};

/// A transcript as it is stored beside its case, for people to read and review. What is expected of a submission is
/// computed; a test proves both the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTranscript {
    /// The name of its file, for messages.
    pub file: String,
    /// What stands in it.
    pub text: String,
}

impl StoredTranscript {
    /// Reads the text form.
    ///
    /// # Errors
    /// With file, line, column and caret, if it is no transcript.
    pub fn parse(&self) -> Result<Transcript, AssignmentError> {
        Transcript::parse(&self.text).map_err(|error| {
            self.error_at(
                Position { line: error.line, column: error.column },
                error.message,
                "what has a meaning in a transcript is made plain by a backslash before it",
            )
        })
    }

    /// An error at a place in this transcript.
    pub fn error_at(&self, position: Position, message: impl Into<String>, help: impl Into<String>) -> AssignmentError {
        FileError::new(&self.file, message, help).at(&self.text, position).into()
    }
}
