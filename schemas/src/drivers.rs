//! Facts about IREE's drivers and modes that cannot be read from a bundle.
//!
//! To declare which modes a driver never records, add a [`Driver`] to [`DRIVERS`].

/// A driver. The sessions that it records have its name.
#[derive(Debug, PartialEq, Eq)]
pub struct Driver {
    pub name: &'static str,
    /// Modes that it refuses, or accepts and records nothing for, as tested with IREE 3.13. Records in a bundle take
    /// precedence, because a newer version may record such a mode.
    pub never_records: &'static [&'static str],
}

/// The drivers that were tested with every mode. Other drivers may record any mode.
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

/// A driver that keeps events in rings until they are flushed, and the number of events that a ring holds. A full one fails
/// what is submitted next, or loses its records.
const RINGS: [(&str, u64); 1] = [("amdgpu", 65_536)];

/// Returns the number of events that the rings of a driver hold; `None` if it flushes by itself, or is not known.
pub fn ring(driver: &str) -> Option<u64> {
    RINGS.iter().find(|(name, _)| *name == driver).map(|(_, records)| *records)
}

/// Returns the driver called `name`, or `None`.
pub fn driver(name: &str) -> Option<&'static Driver> {
    DRIVERS.iter().find(|driver| driver.name == name)
}

/// Whether a driver records how its workers share the tiles of dispatches, if a device has several workers.
pub fn has_workers(driver_name: &str) -> bool {
    let records = |driver: &Driver| !driver.never_records.contains(&"command-region-events");
    driver(driver_name).is_some_and(records)
}

/// A filter on the rows of a mode's main table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    All,
    /// Rows with this type or scope, as its raw number.
    Of(u32),
    /// Rows with any other type or scope.
    NotOf(u32),
}

const DEVICE_TIME_RANGE: u32 = 3;
const DISPATCH: u32 = 2;

/// Returns which rows of its main table belong to a mode. The two counter modes share a table.
pub fn rows_of_mode(mode: &str) -> Rows {
    match mode {
        "counters" => Rows::NotOf(DEVICE_TIME_RANGE),
        "counter-ranges" => Rows::Of(DEVICE_TIME_RANGE),
        _ => Rows::All,
    }
}

/// Returns which rows of a mode's main table answer a question.
pub fn rows_for_question(question: &str, mode: &str) -> Rows {
    match (question, mode) {
        ("kernel-time", "host-execution") => Rows::Of(DISPATCH),
        _ => rows_of_mode(mode),
    }
}

/// Whether the bundles of a capture set answer a question together, as each run records only the counters that fit.
pub fn is_spread_over_runs(question: &str) -> bool {
    question == "counters"
}

/// Returns the flags that a mode needs besides its name.
pub fn flags_of_mode(mode: &str) -> &'static str {
    match mode {
        "counters" | "counter-ranges" => "--device_profiling_counter=NAME",
        "executable-traces" => "--device_profiling_filter_function=PATTERN",
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
