//! `check`: an autograder for console games.

pub mod assignment;
pub mod cli;
pub mod code;
pub mod grade;
pub mod judge;
pub mod pack;
pub mod report;
pub mod run;
mod shared;
