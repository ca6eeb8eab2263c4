//! `check`: an autograder for console games.

pub mod run;
