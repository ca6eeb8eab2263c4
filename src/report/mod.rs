//! Reports: one file a format. They consume a [`Report`](crate::grade::Report) and know no process and no game.

pub mod class_html;
pub mod class_json;
pub mod csv;
pub mod github;
pub mod gradescope;
pub mod html;
pub mod json;
pub mod junit;
mod page;
mod side;
pub mod terminal;
mod told;
pub(crate) mod visible;
mod words;
