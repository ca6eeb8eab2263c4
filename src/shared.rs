//! Small things that more than one layer needs, and that belong to none.

use std::fmt::Display;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

/// What is in a mutex, whatever became of the thread that had it before.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread has come to; its panic is ours.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Bytes in hexadecimal digits.
pub fn digits(bytes: impl IntoIterator<Item = u8>) -> String {
    let mut text = String::new();
    for byte in bytes {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])));
    }
    text
}

/// The first of a list, and how many more there are.
pub fn first_of<T: Display>(all: &[T], most: usize) -> String {
    let (shown, rest) = all.split_at(all.len().min(most));
    let shown: Vec<String> = shown.iter().map(T::to_string).collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    shown.join(", ") + &more
}

/// Whether a file is named as a Python program.
pub fn is_python_name(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("py"))
}

#[cfg(test)]
mod tests {
    use super::first_of;

    #[test]
    fn a_long_list_is_cut() {
        let none: [&str; 0] = [];
        assert_eq!(first_of(&none, 2), "");
        assert_eq!(first_of(&["a", "b"], 2), "a, b");
        assert_eq!(first_of(&[1, 2, 3, 4], 2), "1, 2 and 2 more");
    }
}
