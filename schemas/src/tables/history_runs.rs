//! Runs that a history keeps.

use crate::fields::derived;
use crate::spec::{Kind, Source, Table, Unit};

/// The declaration of the table `history_runs`.
pub static TABLE: Table = Table {
    name: "history_runs",
    row: "One run that `ireescope history add` has added to a folder, and one clock that measured it.",
    source: Source::History,
    repeated: &[],
    fields: &[
        derived("entry", Kind::Text, "Id of the entry: what was added together, the runs of one build."),
        derived("time", Kind::Text, "When the build was measured (RFC 3339)."),
        derived("addition", Kind::U64, "Which addition to the history it was, counted from 1; it orders entries of one time. NULL in older files."),
        derived("branch", Kind::Text, "Its branch."),
        derived("commit", Kind::Text, "Its commit; NULL if none was given."),
        derived("labels", Kind::Text, "Its labels as `key=value`, comma-separated, sorted; NULL if there are none."),
        derived("run", Kind::Text, "Label of the bundle that recorded the run."),
        derived("driver", Kind::Text, "Driver that recorded it."),
        derived("devices", Kind::Text, "UUIDs of its physical devices, or their ordinals."),
        derived("has_counters", Kind::Bool, "Hardware counters were read, which makes dispatches slower."),
        derived("is_throttled", Kind::Bool, "A device reported that it throttled its clocks."),
        derived("is_cut", Kind::Bool, "Records are missing."),
        derived("contradiction", Kind::Text, "What its records say that cannot be true; NULL if nothing."),
        derived("tick_ns", Kind::F64, "Length of the longest tick of its devices' clocks; NULL without a clock fit.").unit(Unit::Ns),
        derived("inputs", Kind::Text, "`--function` and `--input` of the command that recorded it; NULL if they are not known."),
        derived("results", Kind::Text, "Sizes in bytes of its results: the buffers that it allocated more than once and did not free; NULL if none was recorded."),
        derived("calls_confidence", Kind::F64, "How certain the number of its invocations is, from 0 to 1; NULL if it has none, and in older files."),
        derived("call_dispatches", Kind::F64, "Dispatches of an invocation, at the mean; NULL if it has none, and in older files."),
        derived("untimed_functions", Kind::U64, "Number of functions that ran and of which no dispatch was timed, as if a filter left them out; NULL in older files."),
        derived("sequence", Kind::Text, "Functions of the dispatches of a call, in order, one a line; of each kind of calls one after the other. NULL if it has no invocations, and in older files."),
        derived("timing_source", Kind::Text, "Clock of the times: `device` or `host`."),
        derived("source", Kind::Text, "Path of the bundle when it was added."),
        derived("source_sha256", Kind::Text, "Digest of its uncompressed bytes."),
        derived("iteration_count", Kind::U64, "Number of invocations without warm-up; 1 if it has none, so that the run is one."),
        derived("dispatch_count", Kind::U64, "Number of dispatches in them."),
        derived("total_ns", Kind::F64, "Total duration of these dispatches.").unit(Unit::Ns),
        derived("min_ns", Kind::F64, "Time of an iteration, the sum of its dispatches: the minimum.").unit(Unit::Ns),
        derived("median_ns", Kind::F64, "The median.").unit(Unit::Ns),
        derived("mean_ns", Kind::F64, "The mean.").unit(Unit::Ns),
        derived("p95_ns", Kind::F64, "The 95th percentile.").unit(Unit::Ns),
    ],
};
