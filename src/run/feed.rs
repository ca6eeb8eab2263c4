//! Types a script into a program, one line at a time, and knows how much of it was read.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::io::{ioctl_fionbio, ioctl_fionread};

/// The next line is written only when the last has left the pipe, so a program can't have read more lines than we
/// have seen go, however it reads and whatever it says. After the last line the pipe is closed.
pub(super) struct Feed<'a> {
    lines: std::slice::Iter<'a, String>,
    /// The line in the pipe, how much of it was written, and how many came before it.
    line: Vec<u8>,
    written: usize,
    before: usize,
    pipe: Option<PipeWriter>,
    /// The program's own end, to ask what is left in it.
    gauge: PipeReader,
    wakes_us: bool,
}

impl<'a> Feed<'a> {
    pub fn new(lines: &'a [String], pipe: PipeWriter, gauge: PipeReader) -> io::Result<Self> {
        ioctl_fionbio(&pipe, true)?;
        let wakes_us = one_page(&pipe);
        Ok(Self { lines: lines.iter(), line: Vec::new(), written: 0, before: 0, pipe: Some(pipe), gauge, wakes_us })
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
            } else if ioctl_fionread(&self.gauge)? > 0 {
                return Ok(());
            } else {
                self.before += usize::from(!self.line.is_empty());
                self.written = 0;
                self.line.clear();
                match self.lines.next() {
                    Some(line) => self.line.extend(line.bytes().chain(*b"\n")),
                    None => self.pipe = None,
                }
            }
        }
        Ok(())
    }

    /// Whether all lines have been read.
    pub fn is_done(&self) -> bool {
        self.pipe.is_none()
    }

    /// Whether [`Feed::awaited`] becomes writable exactly when the line has left the pipe.
    pub fn wakes_us(&self) -> bool {
        self.wakes_us
    }

    /// What a line is waiting for.
    pub fn awaited(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// How many lines were read. A line counts without its line end, which some readers leave.
    pub fn lines_read(&self) -> io::Result<usize> {
        let left = ioctl_fionread(&self.gauge)?;
        let read = self.written == self.line.len() && (left == 0 || left == 1 && self.line.len() > 1);
        Ok(self.before + usize::from(read && !self.line.is_empty()))
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
