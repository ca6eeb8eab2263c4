//! Submissions get no file descriptors but their three pipes.

use std::fs;
use std::os::fd::BorrowedFd;
use std::sync::Once;

use rustix::io::{FdFlags, fcntl_setfd};

/// What Rust opens is closed in every process that it starts. What this process itself was given when it was started,
/// by a shell or a build server, is not, and is closed there too from now on.
pub(super) fn keep_ours() {
    static KEEP: Once = Once::new();
    KEEP.call_once(|| {
        let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
        let names = fs::read_dir(folder).into_iter().flatten().flatten();
        let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        for number in numbers.filter(|number| *number > 2) {
            #[expect(
                unsafe_code,
                reason = "an inherited descriptor is nobody's, so no safe type stands for it; one that was closed \
                          meanwhile (the folder's own) is refused by the call"
            )]
            let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
            let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
        }
    });
}
