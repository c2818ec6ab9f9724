//! Questions about captures, and the modes that a tool must record to answer them.
//!
//! To add a question, add a [`Question`] to [`QUESTIONS`]. To add a mode of a newer tool, add a [`Mode`] to [`MODES`].

use crate::Clock;

/// A profiling mode: data that IREE's tools record if `--device_profiling_mode` names it.
#[derive(Debug, PartialEq, Eq)]
pub struct Mode {
    pub name: &'static str,
    /// Tables that it fills. The first is its main table, with the measurements; the others describe them.
    pub tables: &'static [&'static str],
    /// Whether it changes the times that other modes record in the same run.
    pub perturbs: bool,
    /// Whether the filters of a capture apply to it.
    pub is_filtered: bool,
    /// Whether its records of all dispatches are too large, so that a capture needs a narrow filter.
    pub is_bulky: bool,
    /// Its bit in the masks of data families that drivers print.
    pub bit: u32,
    /// The phrase for it in messages of drivers that print no mask.
    pub spoken_of_as: Option<&'static str>,
}

impl Mode {
    /// Returns the main table.
    pub fn table(&self) -> &'static str {
        self.tables.first().copied().unwrap_or_default()
    }
}

const fn data(
    bit: u32,
    name: &'static str,
    tables: &'static [&'static str],
    spoken_of_as: Option<&'static str>,
) -> Mode {
    Mode { name, tables, perturbs: false, is_filtered: false, is_bulky: false, bit, spoken_of_as }
}

/// Every mode that `iree-benchmark-module --help` lists.
pub const MODES: &[Mode] = &[
    data(0, "queue-events", &["queue_events"], None),
    data(1, "host-execution", &["host_execution_events"], Some("host execution")),
    data(
        2,
        "device-queue-events",
        &["queue_device_events", "clock_correlations"],
        Some("queue operation"),
    ),
    Mode {
        is_filtered: true,
        ..data(
            3,
            "dispatch-events",
            &["dispatch_events", "clock_correlations"],
            Some("dispatch event"),
        )
    },
    data(7, "memory-events", &["memory_events"], Some("memory event")),
    data(
        8,
        "device-metrics",
        &["device_metric_samples", "device_metric_sources", "device_metric_descriptors"],
        Some("device metric"),
    ),
    data(9, "command-region-events", &["command_region_events"], Some("command region")),
    Mode {
        perturbs: true,
        is_filtered: true,
        ..data(4, "counters", &["counter_samples", "counter_sets", "counters"], None)
    },
    data(
        10,
        "counter-ranges",
        &["counter_samples", "counter_sets", "counters"],
        Some("counter range"),
    ),
    data(
        5,
        "executable-metadata",
        &["executable_functions", "executables", "executable_code_objects"],
        None,
    ),
    Mode {
        perturbs: true,
        is_filtered: true,
        is_bulky: true,
        ..data(6, "executable-traces", &["executable_traces"], Some("executable trace"))
    },
];

/// A way of answering a question.
#[derive(Debug, PartialEq, Eq)]
pub struct Way {
    /// The clock of the times in the answer; `None` if it has none.
    pub clock: Option<Clock>,
    /// Modes that are all required, in one bundle.
    pub needs: &'static [&'static str],
    /// Modes that improve the answer.
    pub helps: &'static [&'static str],
}

/// A question that a capture can answer.
#[derive(Debug, PartialEq, Eq)]
pub struct Question {
    pub name: &'static str,
    /// The question as a sentence.
    pub asks: &'static str,
    /// Ways of answering it, best first.
    pub ways: &'static [Way],
    /// What prints the answer.
    pub answer: Verb,
}

/// What prints the answer to a question, once it is given bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// The report of this name.
    Report(&'static str),
    /// The rows of an SQL relation.
    Relation(&'static str),
    /// The list of instruction traces.
    Traces,
    /// The timeline, as a trace for Perfetto in this file.
    Timeline(&'static str),
}

impl Verb {
    /// Returns the arguments of `ireescope` for it, without the bundles.
    pub fn words(self) -> Vec<String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Report(name) => words(&[name]),
            Self::Relation(name) => words(&["sql", "-c", &format!("SELECT * FROM {name}")]),
            Self::Traces => words(&["att", "--list"]),
            Self::Timeline(file) => words(&["render", "-o", file]),
        }
    }
}

/// Every question that `gaps`, `capture` and `fill` know.
pub const QUESTIONS: &[Question] = &[
    Question {
        name: "kernel-time",
        asks: "How long did each function run, according to the device clock or the host clock?",
        ways: &[
            way(Some(Clock::Device), &["dispatch-events"], &["executable-metadata"]),
            way(Some(Clock::Host), &["host-execution"], &["executable-metadata"]),
        ],
        answer: Verb::Report("top"),
    },
    Question {
        name: "device-time",
        asks: "How long did each function run, according to the device clock?",
        ways: &[way(Some(Clock::Device), &["dispatch-events"], &["executable-metadata"])],
        answer: Verb::Report("dispatch"),
    },
    Question {
        name: "queue-wait",
        asks: "How long did work wait in queues before it started?",
        ways: &[
            way(Some(Clock::Device), &["queue-events", "device-queue-events"], &[]),
            way(Some(Clock::Host), &["queue-events", "host-execution"], &[]),
        ],
        answer: Verb::Report("queue"),
    },
    Question {
        name: "queue-time",
        asks: "How long did each operation occupy its queue?",
        ways: &[
            way(Some(Clock::Device), &["device-queue-events"], &["queue-events"]),
            way(Some(Clock::Host), &["host-execution"], &["queue-events"]),
        ],
        answer: Verb::Report("queue"),
    },
    Question {
        name: "transfers",
        asks: "Which transfers ran (copy, fill, update), of how many bytes, and at which rate?",
        ways: &[
            way(Some(Clock::Device), &["queue-events", "device-queue-events"], &[]),
            way(Some(Clock::Host), &["queue-events", "host-execution"], &[]),
        ],
        answer: Verb::Relation("transfers"),
    },
    Question {
        name: "memory",
        asks: "Which memory was allocated, for how long, and what was the peak?",
        ways: &[way(Some(Clock::Host), &["memory-events"], &["queue-events"])],
        answer: Verb::Report("memory"),
    },
    Question {
        name: "scheduling",
        asks: "How were regions of command buffers distributed over workers?",
        ways: &[way(Some(Clock::Host), &["command-region-events"], &["host-execution"])],
        answer: Verb::Relation("command_region_events"),
    },
    Question {
        name: "clocks-power",
        asks: "What were the frequency, power and temperature of the device?",
        ways: &[way(None, &["device-metrics"], &[])],
        answer: Verb::Relation("device_metric_values"),
    },
    Question {
        name: "counters",
        asks: "What are the values of the hardware counters?",
        ways: &[
            way(None, &["counters"], &["executable-metadata"]),
            way(None, &["counter-ranges"], &[]),
        ],
        answer: Verb::Report("counter"),
    },
    Question {
        name: "kernel-code",
        asks: "Which code did the device run?",
        ways: &[way(None, &["executable-metadata"], &[])],
        answer: Verb::Report("executable"),
    },
    Question {
        name: "instructions",
        asks: "Which instructions did the waves execute, and when?",
        ways: &[way(
            Some(Clock::Device),
            &["executable-traces"],
            &["dispatch-events", "executable-metadata"],
        )],
        answer: Verb::Traces,
    },
    Question {
        name: "timeline",
        asks: "What happened when on the host and the device?",
        ways: &[
            way(
                Some(Clock::Device),
                &["queue-events", "dispatch-events"],
                &["device-queue-events", "memory-events", "executable-metadata"],
            ),
            way(
                Some(Clock::Host),
                &["queue-events", "host-execution"],
                &["memory-events", "executable-metadata"],
            ),
        ],
        answer: Verb::Timeline("timeline.pftrace"),
    },
];

const fn way(
    clock: Option<Clock>,
    needs: &'static [&'static str],
    helps: &'static [&'static str],
) -> Way {
    Way { clock, needs, helps }
}

impl Way {
    /// Returns the clock as relations spell it.
    pub fn clock_name(&self) -> &'static str {
        self.clock.map_or("none", Clock::name)
    }
}

/// Whether a mode records too much without a narrow filter.
pub fn is_bulky(name: &str) -> bool {
    mode(name).is_some_and(|mode| mode.is_bulky)
}

/// Returns the question called `name`, or `None`.
pub fn question(name: &str) -> Option<&'static Question> {
    QUESTIONS.iter().find(|question| question.name == name)
}

/// Returns the mode called `name`, or `None`.
pub fn mode(name: &str) -> Option<&'static Mode> {
    MODES.iter().find(|mode| mode.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_and_tables_are_known() {
        for question in QUESTIONS {
            assert!(!question.ways.is_empty(), "{}", question.name);
            for name in question.ways.iter().flat_map(|way| way.needs.iter().chain(way.helps)) {
                assert!(mode(name).is_some(), "{}: no mode {name}", question.name);
            }
        }
        for (nth, mode) in MODES.iter().enumerate() {
            assert!(MODES.iter().skip(nth + 1).all(|other| other.bit != mode.bit), "{}", mode.name);
        }
        for table in MODES.iter().flat_map(|mode| mode.tables) {
            assert!(crate::find(table).is_some(), "no table {table}");
        }
    }
}
