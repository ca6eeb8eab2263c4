//! The tests that use more than one layer, in one binary.
#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod cases;
mod cli;
mod formats;
mod laws;
mod pages;
mod support;
