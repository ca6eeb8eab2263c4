//! The reference of `check`: the three console games, pure, with the rule behind every line that they print.

pub mod python_random;
pub mod rules;
