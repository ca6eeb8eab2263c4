//! Types a script into a program, and knows how much of it was read.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::{ioctl_fionbio, ioctl_fionread};

/// How lines are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typing {
    /// The next line only when the last has been read, so a program can't have read more lines than we have seen go,
    /// however it reads and whatever it says.
    LineByLine,
    /// All that the pipe holds, each line as a packet: whoever reads gets one at most, as from a person who types. A
    /// program that does not have the room for a whole one loses the rest, so this is for programs of which it is known
    /// afterwards that they read whole lines. It spares two changes of process a line.
    Ahead,
}

/// What is typed into a program. After the last line the pipe is closed.
pub(super) struct Feed<'a> {
    lines: &'a [String],
    typing: Typing,
    /// How many lines are in the pipe, or were.
    typed: usize,
    /// The line that comes next, and how much of it was written.
    line: Vec<u8>,
    written: usize,
    pipe: Option<PipeWriter>,
    /// The program's own end, to ask what is left in it.
    gauge: PipeReader,
    wakes_us: bool,
    done: bool,
}

impl<'a> Feed<'a> {
    /// Another way of typing is chosen where the system does not have the one that is asked for.
    pub fn new(lines: &'a [String], typing: Typing, pipe: PipeWriter, gauge: PipeReader) -> io::Result<Self> {
        ioctl_fionbio(&pipe, true)?;
        let ahead = typing == Typing::Ahead && takes_packets(&pipe, lines.len());
        let typing = if ahead { Typing::Ahead } else { Typing::LineByLine };
        let wakes_us = ahead || one_page(&pipe);
        let line = Vec::new();
        Ok(Self { lines, typing, typed: 0, line, written: 0, pipe: Some(pipe), gauge, wakes_us, done: false })
    }

    /// Writes what can be written now.
    pub fn step(&mut self) -> io::Result<()> {
        while let Some(pipe) = &mut self.pipe {
            if self.written < self.line.len() {
                match pipe.write(&self.line[self.written..]) {
                    Ok(count) => self.written += count,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            } else if self.typing == Typing::LineByLine && ioctl_fionread(&self.gauge)? > 0 {
                return Ok(());
            } else {
                self.typed += usize::from(!self.line.is_empty());
                self.written = 0;
                self.line.clear();
                match self.lines.get(self.typed) {
                    Some(line) => self.line.extend(line.bytes().chain(*b"\n")),
                    None => self.pipe = None,
                }
            }
        }
        self.done = self.done || ioctl_fionread(&self.gauge)? == 0;
        Ok(())
    }

    /// Whether all lines have been read.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Whether [`Feed::awaited`] becomes writable exactly when something can be typed.
    pub fn wakes_us(&self) -> bool {
        self.wakes_us
    }

    /// What a line is waiting for.
    pub fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// How many lines were read. A line counts without its line end, which some readers leave.
    pub fn lines_read(&self) -> io::Result<usize> {
        let whole = self.typed + usize::from(self.written > 0 && self.written == self.line.len());
        let of_the_next = if whole == self.typed { self.written as u64 } else { 0 };
        let mut left = ioctl_fionread(&self.gauge)?.saturating_sub(of_the_next);
        let mut read = whole;
        for line in self.lines[..whole].iter().rev() {
            if left == 0 || left == 1 && !line.is_empty() {
                break;
            }
            left = left.saturating_sub(line.len() as u64 + 1);
            read -= 1;
        }
        Ok(read)
    }
}

/// A pipe of one page is full as long as anything is in it.
#[cfg(target_os = "linux")]
fn one_page(pipe: &PipeWriter) -> bool {
    let page = rustix::param::page_size();
    rustix::pipe::fcntl_setpipe_size(pipe, page).is_ok_and(|size| size == page)
}

#[cfg(not(target_os = "linux"))]
fn one_page(_: &PipeWriter) -> bool {
    false
}

/// Makes a pipe one of packets, with room for so many if the system allows it.
#[cfg(target_os = "linux")]
fn takes_packets(pipe: &PipeWriter, count: usize) -> bool {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    // A packet takes a page, whatever is in it; 16 there are anyway.
    if count > 16 {
        let size = count.min(MOST_PACKETS) * rustix::param::page_size();
        let _ = rustix::pipe::fcntl_setpipe_size(pipe, size);
    }
    fcntl_getfl(pipe).and_then(|flags| fcntl_setfl(pipe, flags | OFlags::DIRECT)).is_ok()
}

/// The pages of the largest pipe that every user may make.
#[cfg(target_os = "linux")]
const MOST_PACKETS: usize = 256;

#[cfg(not(target_os = "linux"))]
fn takes_packets(_: &PipeWriter, _: usize) -> bool {
    false
}
