//! What is compared, and the reports that have it.

/// The report with the facts about each run.
pub const RUNS: &str = "compared_run";

/// A quantity of iterations.
#[derive(Debug, PartialEq, Eq)]
pub struct Measure {
    pub name: &'static str,
    /// The report with its times.
    pub report: &'static str,
    /// What is measured, in words; empty for the default.
    pub quantity: &'static str,
    /// The modes that record it.
    pub modes: &'static [&'static str],
}

const DISPATCHES: &[&str] = &["dispatch-events", "host-execution"];
const QUEUES: &[&str] = &["queue-events", "device-queue-events", "host-execution"];

/// The default: the times of functions.
pub static KERNEL_TIME: Measure =
    Measure { name: "kernel-time", report: "compared_function", quantity: "", modes: DISPATCHES };

/// All measures.
pub static MEASURES: [&Measure; 4] = [
    &KERNEL_TIME,
    &Measure {
        name: "queue-time",
        report: "compared_queue",
        quantity: "time in queues",
        modes: QUEUES,
    },
    &Measure {
        name: "iteration-time",
        report: "compared_iteration",
        quantity: "time of iterations",
        modes: DISPATCHES,
    },
    &Measure {
        name: "wall",
        report: "compared_wall",
        quantity: "from iteration to iteration",
        modes: DISPATCHES,
    },
];

impl Measure {
    /// Returns the measure with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        MEASURES.into_iter().find(|measure| measure.name == name)
    }
}
