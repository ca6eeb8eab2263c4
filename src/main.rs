//! The command `check`.

fn main() {}
