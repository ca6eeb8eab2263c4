//! Judging: from an expected transcript and what a run printed to a verdict and the first difference. Pure.

pub mod compare;
pub mod text;
