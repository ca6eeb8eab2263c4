//! The tests that use more than one layer, in one binary.

mod cases;
