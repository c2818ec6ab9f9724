//! What a layout is made of, and the parts that several commands share.

use crate::next::Next;
use crate::section::Show::{Count, Id, Said, Text, Time};
use crate::section::{Column, Form, Section, Show};

/// The layout of the text of a command.
#[derive(Debug)]
pub struct Layout {
    /// Draws the sections once for each of these, instead of once for all.
    pub each: Option<Each>,
    pub sections: &'static [Section],
    /// What a filter selects from.
    pub names: Option<Names<'static>>,
    /// What an id selects from.
    pub ids: Option<Names<'static>>,
    /// What there is nothing to show without.
    pub family: Option<Family>,
    /// What limits what is shown.
    pub notes: &'static [Note],
    /// Suggestions for the next command, printed last.
    pub next: &'static [Next],
}

/// What a filter or an id selects from: what it is called, and the reports that have a row if something matches, each with the
/// column of its name or id.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    pub noun: &'a str,
    pub of: &'a [(&'a str, &'a str)],
}

/// Records that a mode of capturing records: what they are called, and the report and its columns that count them.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    pub nouns: &'static str,
    pub mode: &'static str,
    pub report: &'static str,
    pub columns: &'static [&'static str],
}

/// A line that is printed if a column of a report is not 0 in a row.
#[derive(Debug, Clone, Copy)]
pub struct Note {
    pub report: &'static str,
    pub column: &'static str,
    pub text: &'static str,
}

/// The functions of dispatches.
pub const FUNCTIONS: Names<'static> =
    Names { noun: "function", of: &[("dispatch_group", "key"), ("host_dispatch_group", "key")] };

/// The events of dispatches.
pub const DISPATCHES: Names<'static> = Names {
    noun: "dispatch",
    of: &[("dispatch_event", "event_id"), ("host_dispatch_event", "event_id")],
};

/// The rows for each of which the sections are drawn. Rows of all reports belong together if they have the same `bundle`
/// and the same number in a column.
#[derive(Debug, Clone, Copy)]
pub struct Each {
    pub report: &'static str,
    pub column: &'static str,
    /// What a row is, for the number of those that are not drawn.
    pub noun: &'static str,
}

/// One line of facts per row.
pub const fn facts(report: &'static str, columns: &'static [Column]) -> Section {
    Section { report, form: Form::Facts, columns }
}

/// A table in the order of the report.
pub const fn table(
    report: &'static str,
    title: &'static str,
    columns: &'static [Column],
) -> Section {
    Section { report, form: Form::Table(title), columns }
}

/// A table of the rows that have a nonzero number other than an id.
pub const fn used(
    report: &'static str,
    title: &'static str,
    columns: &'static [Column],
) -> Section {
    Section { report, form: Form::Used(title), columns }
}

/// A table of the rows of all bundles together, sorted by the columns `by` in descending order: of times, nanoseconds before
/// ticks, as ticks of several devices cannot be compared.
pub const fn ranked(
    report: &'static str,
    title: &'static str,
    by: &'static [&'static str],
    columns: &'static [Column],
) -> Section {
    Section { report, form: Form::Ranked(title, by), columns }
}

/// A time in a report of device times.
pub const fn time(ns: &'static str, ticks: &'static str) -> Show {
    Time("time_ns_available", ns, ticks)
}

/// The numbers of matching dispatches.
pub(crate) const MATCHED: &[Column] = &[
    ("matching dispatch timed by the device", Count("matched_dispatches")),
    ("invalid", Said("invalid_dispatches")),
    ("matching dispatch timed by the host", Count("matched_host_dispatches")),
    ("invalid", Said("invalid_host_dispatches")),
    ("filter", Text("filter")),
];

/// The spans of the dispatches of executions of command buffers, timed by the device.
pub(crate) const EXECUTIONS: &[Column] = &[
    ("command buffer", Id("command_buffer_id")),
    ("dispatches", Count("dispatches")),
    ("invalid", Count("invalid")),
    ("span", Time("clock_fit_available", "span_ns", "span_ticks")),
    (
        "dispatch time",
        Time("total_dispatch_time_ns_available", "total_dispatch_ns", "total_dispatch_ticks"),
    ),
    ("device", Id("physical_device_ordinal")),
    ("queue", Id("queue_ordinal")),
    ("stream", Id("stream_id")),
    ("submission", Id("submission_id")),
];

/// The same of submissions, which have no command buffer.
pub const SUBMISSIONS: &[Column] = EXECUTIONS.split_at(1).1;
