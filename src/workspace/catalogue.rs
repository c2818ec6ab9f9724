//! Declares the reports of each command of `iree-profile`, and the parameters that it accepts.

use base::different;
use report::layouts::{self, Layout};

/// Reports whose lines are merged by their hidden columns; usually only one.
pub type Reports = &'static [&'static str];

/// A command of `iree-profile`.
#[derive(Debug)]
pub struct Command {
    pub name: &'static str,
    accepts: &'static [Accepts],
    /// The reports in the order of their JSON lines.
    lines: &'static [Reports],
    pub layout: &'static Layout,
}

/// A parameter that only some commands accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepts {
    Filter,
    Id,
    DispatchEvents,
    CounterSamples,
    Warmup,
}

/// Every dispatch in file order, then the summary: the rows with [`Accepts::DispatchEvents`].
const EVENTS: &[Reports] = &[&["dispatch_event", "host_dispatch_event"], &["dispatch_summary"]];

/// Every counter sample: the first rows with [`Accepts::CounterSamples`].
const SAMPLES: &[Reports] = &[&["counter_sample"]];

const NAMED: &[Accepts] = &[Accepts::Filter, Accepts::Id];
const PROJECTION: &[Accepts] = &[Accepts::Filter, Accepts::Id, Accepts::DispatchEvents];

static COMMANDS: &[Command] = &[
    Command {
        name: "summary",
        accepts: &[],
        lines: &[&["summary"], &["device_summary"]],
        layout: &layouts::summary::LAYOUT,
    },
    Command {
        name: "explain",
        accepts: &[Accepts::Filter, Accepts::Id, Accepts::Warmup],
        lines: &[
            &["explain_summary"],
            &["explain_device"],
            &["explain_queue"],
            &["explain_top_function"],
            &["explain_top_dispatch"],
            &["explain_queue_operations"],
            &["explain_memory_pressure"],
            &["explain_hint"],
        ],
        layout: &layouts::explain::LAYOUT,
    },
    Command {
        name: "dispatch",
        accepts: PROJECTION,
        lines: &[&["dispatch_summary"], &["dispatch_group"], &["host_dispatch_group"]],
        layout: &layouts::dispatch::LAYOUT,
    },
    Command {
        name: "executable",
        accepts: PROJECTION,
        lines: &[
            &["executable_summary"],
            &[
                "executable",
                "executable_function",
                "executable_function_dispatch_group",
                "executable_function_host_dispatch_group",
            ],
        ],
        layout: &layouts::executable::LAYOUT,
    },
    Command {
        name: "command",
        accepts: PROJECTION,
        lines: &[
            &["command_summary"],
            &["command_buffer"],
            &["command_operation"],
            &["command_execution"],
            &["command_host_execution"],
        ],
        layout: &layouts::command::LAYOUT,
    },
    Command {
        name: "queue",
        accepts: PROJECTION,
        lines: &[
            &["queue_summary"],
            &["queue"],
            &["queue_submission"],
            &["queue_device_event"],
            &["host_execution_event"],
            &["queue_event"],
        ],
        layout: &layouts::queue::LAYOUT,
    },
    Command {
        name: "memory",
        accepts: NAMED,
        lines: &[
            &["memory_event"],
            &["memory_summary"],
            &["memory_device"],
            &["memory_pool"],
            &["memory_allocation"],
        ],
        layout: &layouts::memory::LAYOUT,
    },
    Command {
        name: "counter",
        accepts: &[Accepts::Filter, Accepts::Id, Accepts::CounterSamples],
        lines: &[&["counter_summary"], &["counter_set"], &["counter"], &["counter_group"]],
        layout: &layouts::counter::LAYOUT,
    },
    Command {
        name: "statistics",
        accepts: &[],
        lines: &[&["statistics_summary"], &["statistics_row"]],
        layout: &layouts::statistics::LAYOUT,
    },
    Command {
        name: "att",
        accepts: NAMED,
        lines: &[&["att_trace", "att_instruction"]],
        layout: &layouts::att::LAYOUT,
    },
    Command {
        name: "cat",
        accepts: &[],
        lines: &[&["file"], &["record"]],
        layout: &layouts::cat::LAYOUT,
    },
];

impl Command {
    /// Returns all commands.
    pub fn all() -> &'static [Self] {
        COMMANDS
    }

    /// Returns the command of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        COMMANDS.iter().find(|command| command.name == name)
    }

    /// Returns the kind of object that an id refers to.
    pub fn by(&self) -> &'static str {
        let has_own = matches!(self.name, "executable" | "command" | "queue");
        if has_own { self.name } else { "dispatch" }
    }

    /// Whether the command accepts a parameter.
    pub fn accepts(&self, parameter: Accepts) -> bool {
        self.accepts.contains(&parameter)
    }

    /// Returns the accepted parameters.
    pub fn accepted(&self) -> &'static [Accepts] {
        self.accepts
    }

    /// Returns the reports in the order of their JSON lines, grouped as they are merged.
    pub(super) fn lines(&self, dispatch_events: bool, counter_samples: bool) -> Vec<Reports> {
        match (dispatch_events, counter_samples) {
            (true, _) => EVENTS.to_vec(),
            (false, true) => [SAMPLES, self.lines].concat(),
            (false, false) => self.lines.to_vec(),
        }
    }

    /// Returns the types of all rows that the command can return, with any parameters.
    pub fn reports(&self) -> Vec<&'static str> {
        let more = [(Accepts::DispatchEvents, EVENTS), (Accepts::CounterSamples, SAMPLES)];
        let more = more.iter().filter(|(parameter, _)| self.accepts(*parameter));
        let more = more.map(|(_, lines)| *lines);
        different([self.lines].into_iter().chain(more).flatten().copied().flatten().copied())
    }
}
