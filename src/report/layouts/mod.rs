//! What the text of each command shows, section by section; one file a command.

mod cat;
mod command;
mod dispatch;
mod executable;
mod memory;
mod queue;

use super::section::Show::{Count, Said, Text, Time};
use super::section::{Column, Form, Section, Show, column as c};

/// The text of a command.
#[derive(Debug)]
pub struct Layout {
    pub command: &'static str,
    pub sections: &'static [Section],
    /// What to ask next: said last.
    pub next: &'static str,
}

/// The layout of the command called `name`.
pub fn find(name: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.command == name)
}

static LAYOUTS: &[Layout] = &[
    dispatch::LAYOUT,
    executable::LAYOUT,
    command::LAYOUT,
    queue::LAYOUT,
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

/// A time of a report of device times.
const fn time(ns: &'static str, ticks: &'static str) -> Show {
    Time { available: "time_ns_available", ns, ticks }
}

/// How many dispatches matched.
const MATCHED: &[Column] = &[
    c("matching dispatch timed by the device", Count("matched_dispatches")),
    c("invalid", Said("invalid_dispatches")),
    c("matching dispatch timed by the host", Count("matched_host_dispatches")),
    c("invalid", Said("invalid_host_dispatches")),
    c("filter", Text("filter")),
];
