//! Reports: one file a format. They consume a [`Report`](crate::grade::Report) and know no process and no game.

pub mod class_html;
pub mod html;
pub mod json;
mod page;
mod side;
pub mod terminal;
mod visible;
mod words;
