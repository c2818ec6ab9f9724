//! Declares the sections of the text of each command, in one file per command.

mod cat;
mod command;
mod counter;
mod dispatch;
mod executable;
mod explain;
mod layout;
mod memory;
mod queue;
mod statistics;
mod summary;

pub use layout::Layout;

/// Finds the layout of a command.
pub fn find(name: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.command == name)
}

static LAYOUTS: &[Layout] = &[
    summary::LAYOUT,
    statistics::LAYOUT,
    explain::LAYOUT,
    executable::LAYOUT,
    dispatch::LAYOUT,
    command::LAYOUT,
    queue::LAYOUT,
    counter::LAYOUT,
    memory::LAYOUT,
    cat::LAYOUT,
];
