//! Declares the sections of the text of each command, in one file per command.

pub mod att;
pub mod cat;
pub mod command;
pub mod counter;
pub mod dispatch;
pub mod executable;
pub mod explain;
mod layout;
pub mod memory;
pub mod queue;
pub mod statistics;
pub mod summary;

pub use layout::{Each, FUNCTIONS, Family, Layout, Names, Note};
