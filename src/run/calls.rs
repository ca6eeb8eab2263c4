//! Calls functions of a Python program that is loaded without playing.
//!
//! That is done by a program of our own, which is run in the student's place. What it tells stands in the output between
//! what the functions print; who forges it has to know what each function should have done.

use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};

use memchr::memmem;

use super::{Outcome, Purpose, Script, Submission};

/// A program whose functions can be called.
#[derive(Debug)]
pub struct Callable {
    file: String,
    /// Begins each of our own lines. No program can know it before it runs.
    mark: String,
}

/// What was told of calls that were made one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// How far the program came before the first call.
    pub loading: Loading,
    /// What came of each call; none of those that were not reached.
    pub calls: Vec<Option<CallTold>>,
}

/// What came of loading a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loading {
    /// It is loaded, and has said nothing.
    Done,
    /// It says or asks something, or never ends.
    Plays,
    /// It broke: the kind of error and what it says, and where.
    Broke(String, Option<usize>),
    /// Something that it needs is set only when all of it runs: this name.
    Needs(String),
}

/// What came of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTold {
    /// How it ended.
    pub end: CallEnd,
    /// What was printed, prompts among it.
    pub printed: Vec<u8>,
    /// The lists that were given to it, as Python shows them afterwards: which argument, from 0, and the text.
    pub lists: Vec<(usize, String)>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallEnd {
    /// It returned something.
    Returned {
        /// As what it counts; none where it can't be told.
        truth: Option<bool>,
        /// As Python shows it.
        shown: String,
    },
    /// It broke: the kind of error and what it says, and the line of the program in which that was.
    Broke(String, Option<usize>),
    /// It needs a name that is set only when the whole program runs.
    Needs(String),
    /// There is no function of this name.
    Missing,
    /// It did not come to an end.
    Unfinished,
}

impl Callable {
    /// The functions of a submission.
    #[must_use]
    pub fn new(submission: &Submission) -> Callable {
        Callable {
            file: submission.file_name().to_string_lossy().into_owned(),
            mark: format!("{:016x}", RandomState::new().build_hasher().finish()),
        }
    }

    /// What is typed so that these functions are called with these arguments, as Python writes them; `inputs` are for
    /// the functions, and are typed again for each call.
    #[must_use]
    pub fn script(&self, calls: &[(String, Vec<String>)], inputs: &[String]) -> Script {
        let mut order = format!("({:?}, {}, [", self.mark, python_text(&self.file));
        for (function, arguments) in calls {
            // A writer of texts does not fail.
            let _ = write!(order, "({:?}, [{}]), ", function, arguments.join(", "));
        }
        order += "])";
        let inputs = calls.iter().flat_map(|_| inputs.iter().cloned());
        Script { purpose: Purpose::Call, inputs: [order].into_iter().chain(inputs).collect(), seed: None }
    }

    /// What was told in a run of so many calls.
    #[must_use]
    pub fn read(&self, outcome: &Outcome, calls: usize) -> Told {
        let mark = format!("\u{1e}{} ", self.mark);
        let mut told = Told { loading: Loading::Plays, calls: vec![None; calls] };
        for (before, line) in marked(&outcome.stdout, mark.as_bytes()) {
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words.get(at).and_then(|word| word.parse::<usize>().ok());
            let text = |at: usize| line.splitn(at + 1, ' ').nth(at).map(carried).unwrap_or_default();
            let call = number(1).filter(|call| *call < calls);
            let is_printed = !before.is_empty();
            match (words[0], call) {
                ("loaded", _) if !is_printed => told.loading = Loading::Done,
                // Whoever asks when nobody has called anything is playing.
                ("unloaded", _) if text(3) == "EOFError" || text(3).starts_with("EOFError:") => {}
                ("unloaded", _) if !is_printed => {
                    told.loading = Loading::Broke(text(3), number(2).filter(|line| *line > 0));
                }
                ("unset", _) if !is_printed => told.loading = Loading::Needs(text(2)),
                ("calling", Some(call)) => {
                    told.calls[call] = Some(CallTold { end: CallEnd::Unfinished, printed: vec![], lists: vec![] });
                }
                ("missing", Some(call)) => {
                    told.calls[call] = Some(CallTold { end: CallEnd::Missing, printed: vec![], lists: vec![] });
                }
                ("list", Some(call)) => {
                    if let (Some(told), Some(argument)) = (&mut told.calls[call], number(2)) {
                        told.lists.push((argument, text(3)));
                    }
                }
                ("returned" | "raised" | "needs", Some(call)) => {
                    let Some(told) = &mut told.calls[call] else { continue };
                    told.printed = before.to_vec();
                    told.end = match words[0] {
                        "returned" => {
                            let truth =
                                [("yes", true), ("no", false)].into_iter().find(|(word, _)| words.get(2) == Some(word));
                            CallEnd::Returned { truth: truth.map(|(_, truth)| truth), shown: text(3) }
                        }
                        "raised" => CallEnd::Broke(text(3), number(2).filter(|line| *line > 0)),
                        _ => CallEnd::Needs(text(2)),
                    };
                }
                _ => {}
            }
        }
        // What an unfinished call has printed stands after the last of our lines.
        if let Some(last) = told.calls.iter_mut().flatten().find(|told| told.end == CallEnd::Unfinished) {
            let ours = memmem::rfind(&outcome.stdout, mark.as_bytes()).map_or(&[][..], |at| &outcome.stdout[at..]);
            last.printed = ours.iter().position(|byte| *byte == b'\n').map_or(vec![], |end| ours[end + 1..].to_vec());
        }
        told
    }
}

/// Our own lines, each with what was printed before it.
fn marked<'o>(output: &'o [u8], mark: &[u8]) -> Vec<(&'o [u8], String)> {
    let mut found = vec![];
    let mut rest = output;
    while let Some(at) = memmem::find(rest, mark) {
        let line = &rest[at + mark.len()..];
        let Some(end) = line.iter().position(|byte| *byte == b'\n') else { break };
        found.push((&rest[..at], String::from_utf8_lossy(&line[..end]).into_owned()));
        rest = &line[end + 1..];
    }
    found
}

/// A text as it is carried: what is no plain ASCII as `%` and two hexadecimal digits a byte. Where something lies in
/// memory, which no two runs have in common, is left out.
fn carried(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or((part, ""));
        bytes.extend(u8::from_str_radix(digits, 16).ok());
        bytes.extend(rest.bytes());
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut parts = text.split(" at 0x");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    plain.extend(parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit())));
    plain
}

/// A text as Python writes it.
fn python_text(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        ' '..='~' => c.to_string(),
        _ => format!("\\U{:08x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_carried_whole_but_for_places_in_memory() {
        assert_eq!(carried("a b%0a%c3%a9%25"), "a b\né%");
        assert_eq!(carried("<A object at 0x7f00ab>, <B at 0x1>"), "<A object>, <B>");
        assert_eq!(carried(""), "");
    }

    #[test]
    fn a_name_is_written_for_python() {
        assert_eq!(python_text("a\"\\é\n.py"), "\"a\\\"\\\\\\U000000e9\\U0000000a.py\"");
    }
}
