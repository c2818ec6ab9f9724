//! What a layout is made of, and the parts that several commands share.

use crate::report::section::Show::{Count, Said, Text, Time};
use crate::report::section::{Column, Form, Section, Show, column as c};

/// The layout of the text of a command.
#[derive(Debug)]
pub struct Layout {
    pub command: &'static str,
    pub sections: &'static [Section],
    /// A suggestion for the next command, printed last.
    pub next: &'static str,
}

/// A section of the text.
pub const fn section(
    report: &'static str,
    title: &'static str,
    form: Form,
    columns: &'static [Column],
) -> Section {
    Section { report, title, form, columns }
}

/// A time in a report of device times.
pub const fn time(ns: &'static str, ticks: &'static str) -> Show {
    Time { available: "time_ns_available", ns, ticks }
}

/// The numbers of matching dispatches.
pub const MATCHED: &[Column] = &[
    c("matching dispatch timed by the device", Count("matched_dispatches")),
    c("invalid", Said("invalid_dispatches")),
    c("matching dispatch timed by the host", Count("matched_host_dispatches")),
    c("invalid", Said("invalid_host_dispatches")),
    c("filter", Text("filter")),
];
