//! What is known of IREE's drivers and of the modes beside what they record: data that a bundle cannot give.
//!
//! A driver of which it is known what it never records is a [`Driver`] in [`DRIVERS`].

/// A driver, which is also the name of the sessions that it records.
#[derive(Debug, PartialEq, Eq)]
pub struct Driver {
    pub name: &'static str,
    /// Modes that it refuses, or takes and records nothing of, as seen with IREE 3.13. What a bundle holds counts for
    /// more: a mode that a newer version records is recorded.
    pub never_records: &'static [&'static str],
}

/// The drivers that were tried with every mode. Any other may record anything.
pub const DRIVERS: &[Driver] = &[
    Driver {
        name: "local-task",
        never_records: &[
            "device-queue-events",
            "dispatch-events",
            "device-metrics",
            "counters",
            "counter-ranges",
            "executable-traces",
        ],
    },
    Driver {
        name: "local-sync",
        never_records: &[
            "device-queue-events",
            "dispatch-events",
            "device-metrics",
            "command-region-events",
            "counters",
            "counter-ranges",
            "executable-traces",
        ],
    },
    Driver {
        name: "vulkan",
        never_records: &[
            "host-execution",
            "device-metrics",
            "command-region-events",
            "counters",
            "counter-ranges",
            "executable-traces",
        ],
    },
];

/// The driver called `name`.
pub fn driver(name: &str) -> Option<&'static Driver> {
    DRIVERS.iter().find(|driver| driver.name == name)
}

/// Which rows of a mode's first table count, where not all do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    All,
    /// Those of this type or scope, by its raw number.
    Of(u32),
    /// Those of another.
    NotOf(u32),
}

const DEVICE_TIME_RANGE: u32 = 3;
const DISPATCH: u32 = 2;

/// Two modes may fill one table: which of its rows are this mode's.
pub fn rows_of_mode(mode: &str) -> Rows {
    match mode {
        "counters" => Rows::NotOf(DEVICE_TIME_RANGE),
        "counter-ranges" => Rows::Of(DEVICE_TIME_RANGE),
        _ => Rows::All,
    }
}

/// A mode may record more than a question is about: which of its rows answer it.
pub fn rows_for_question(question: &str, mode: &str) -> Rows {
    match (question, mode) {
        ("kernel-time", "host-execution") => Rows::Of(DISPATCH),
        _ => rows_of_mode(mode),
    }
}

/// Whether the bundles of a capture set answer a question together: each run counts what fits into one.
pub fn is_spread_over_runs(question: &str) -> bool {
    question == "counters"
}

/// Flags that a mode needs beside its name.
pub fn flags_of_mode(mode: &str) -> &'static str {
    match mode {
        "counters" | "counter-ranges" => "--device_profiling_counter=NAME",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::{mode, question};

    #[test]
    fn drivers_and_rows_are_of_known_modes() {
        for name in DRIVERS.iter().flat_map(|driver| driver.never_records) {
            assert!(mode(name).is_some(), "no mode {name}");
        }
        assert!(question("kernel-time").is_some());
        for name in ["counters", "counter-ranges", "host-execution"] {
            assert!(mode(name).is_some(), "no mode {name}");
        }
    }
}
