//! What a run may use up.

use std::time::Duration;

/// The limits of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The run's own time.
    pub time: Duration,
    /// The most bytes on standard output, if the assignment says so; else 1 MiB or 20 times what is expected, the larger.
    pub output: Option<u64>,
    /// Memory, in MiB.
    pub memory_mib: u64,
}

impl Limits {
    /// The longest time that an assignment may give, in seconds.
    pub const MOST_SECONDS: u64 = 3600;
    /// The most output that an assignment may allow, in bytes.
    pub const MOST_OUTPUT: u64 = 1 << 30;
    /// The least memory in which an interpreter starts, in MiB.
    pub const LEAST_MEMORY_MIB: u64 = 64;
    /// The most memory that an assignment may give, in MiB.
    pub const MOST_MEMORY_MIB: u64 = 1 << 20;

    /// How many bytes a run may print whose expected piped form has `expected` bytes.
    pub fn output_for(&self, expected: u64) -> u64 {
        self.output.unwrap_or_else(|| expected.saturating_mul(20).max(1 << 20))
    }

    /// The memory in bytes.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_mib << 20
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: Duration::from_secs(5), output: None, memory_mib: 512 }
    }
}
