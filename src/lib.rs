//! `check`: an autograder for console games.
