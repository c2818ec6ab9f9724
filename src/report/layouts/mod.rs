//! Declares the sections of the text of each command, in one file per command.

mod cat;
mod command;
mod counter;
mod dispatch;
mod executable;
mod explain;
mod memory;
mod queue;
mod statistics;
mod summary;

use super::section::Show::{Count, Said, Text, Time};
use super::section::{Column, Form, Section, Show, column as c};

/// The layout of the text of a command.
#[derive(Debug)]
pub struct Layout {
    pub command: &'static str,
    pub sections: &'static [Section],
    /// A suggestion for the next command, printed last.
    pub next: &'static str,
}

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

const fn section(
    report: &'static str,
    title: &'static str,
    form: Form,
    columns: &'static [Column],
) -> Section {
    Section { report, title, form, columns }
}

/// A time in a report of device times.
const fn time(ns: &'static str, ticks: &'static str) -> Show {
    Time { available: "time_ns_available", ns, ticks }
}

/// The numbers of matching dispatches.
const MATCHED: &[Column] = &[
    c("matching dispatch timed by the device", Count("matched_dispatches")),
    c("invalid", Said("invalid_dispatches")),
    c("matching dispatch timed by the host", Count("matched_host_dispatches")),
    c("invalid", Said("invalid_host_dispatches")),
    c("filter", Text("filter")),
];
