//! Reports: one file a format. They consume a [`Report`](crate::grade::Report) and know no process and no game.

pub mod json;
pub mod terminal;
mod visible;
