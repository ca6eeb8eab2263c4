//! `check`: an autograder for console games.

pub mod assignment;
pub mod judge;
pub mod run;
