//! Declares the flags and reports of each command.

use super::super::error::CliError;
use super::args::Profile;

/// Reports whose lines are merged by their hidden columns; usually only one.
pub type Reports = &'static [&'static str];

/// A command of `iree-profile`.
#[derive(Debug)]
pub struct Command {
    pub name: &'static str,
    /// The kind of object that `--id` refers to.
    pub by: &'static str,
    takes: &'static [Takes],
    /// Returns the reports in the order of their JSON lines.
    pub lines: fn(Flags) -> &'static [Reports],
}

/// The flags that change the reports.
#[derive(Debug, Clone, Copy)]
pub struct Flags {
    pub dispatch_events: bool,
    pub counter_samples: bool,
}

/// A flag that only some commands accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Filter,
    Id,
    DispatchEvents,
    CounterSamples,
}

/// Every dispatch in file order, then the summary.
const EVENTS: &[Reports] = &[&["dispatch_event", "host_dispatch_event"], &["dispatch_summary"]];

const PROJECTION: &[Takes] = &[Takes::Filter, Takes::Id, Takes::DispatchEvents];

static COMMANDS: &[Command] = &[
    Command {
        name: "summary",
        by: "dispatch",
        takes: &[],
        lines: |_| &[&["summary"], &["device_summary"]],
    },
    Command {
        name: "explain",
        by: "dispatch",
        takes: &[Takes::Filter, Takes::Id],
        lines: |_| {
            &[
                &["explain_summary"],
                &["explain_device"],
                &["explain_queue"],
                &["explain_top_function"],
                &["explain_top_dispatch"],
                &["explain_queue_operations"],
                &["explain_memory_pressure"],
                &["explain_hint"],
            ]
        },
    },
    Command {
        name: "dispatch",
        by: "dispatch",
        takes: PROJECTION,
        lines: |flags| {
            const GROUPS: &[Reports] =
                &[&["dispatch_summary"], &["dispatch_group"], &["host_dispatch_group"]];
            if flags.dispatch_events { EVENTS } else { GROUPS }
        },
    },
    Command {
        name: "executable",
        by: "executable",
        takes: PROJECTION,
        lines: |flags| {
            const CATALOG: &[Reports] = &[
                &["executable_summary"],
                &[
                    "executable",
                    "executable_function",
                    "executable_function_dispatch_group",
                    "executable_function_host_dispatch_group",
                ],
            ];
            if flags.dispatch_events { EVENTS } else { CATALOG }
        },
    },
    Command {
        name: "command",
        by: "command",
        takes: PROJECTION,
        lines: |flags| {
            const BUFFERS: &[Reports] = &[
                &["command_summary"],
                &["command_buffer"],
                &["command_operation"],
                &["command_execution"],
                &["command_host_execution"],
            ];
            if flags.dispatch_events { EVENTS } else { BUFFERS }
        },
    },
    Command {
        name: "queue",
        by: "queue",
        takes: PROJECTION,
        lines: |flags| {
            const QUEUES: &[Reports] = &[
                &["queue_summary"],
                &["queue"],
                &["queue_submission"],
                &["queue_device_event"],
                &["host_execution_event"],
                &["queue_event"],
            ];
            if flags.dispatch_events { EVENTS } else { QUEUES }
        },
    },
    Command {
        name: "memory",
        by: "dispatch",
        takes: &[Takes::Filter, Takes::Id],
        lines: |_| {
            &[
                &["memory_event"],
                &["memory_summary"],
                &["memory_device"],
                &["memory_pool"],
                &["memory_allocation"],
            ]
        },
    },
    Command {
        name: "counter",
        by: "dispatch",
        takes: &[Takes::Filter, Takes::Id, Takes::CounterSamples],
        lines: |args| {
            const GROUPS: &[Reports] =
                &[&["counter_summary"], &["counter_set"], &["counter"], &["counter_group"]];
            const SAMPLES: &[Reports] = &[
                &["counter_sample"],
                &["counter_summary"],
                &["counter_set"],
                &["counter"],
                &["counter_group"],
            ];
            if args.counter_samples { SAMPLES } else { GROUPS }
        },
    },
    Command {
        name: "statistics",
        by: "dispatch",
        takes: &[],
        lines: |_| &[&["statistics_summary"], &["statistics_row"]],
    },
    Command { name: "cat", by: "dispatch", takes: &[], lines: |_| &[&["file"], &["record"]] },
];

/// Returns all commands.
pub fn all() -> &'static [Command] {
    COMMANDS
}

/// Finds a command by its name.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

impl Command {
    /// Returns the types of all lines that the command can print, with any combination of flags.
    pub fn reports(&self) -> Vec<&'static str> {
        let mut reports: Vec<&str> = Vec::new();
        for (dispatch_events, counter_samples) in [(false, false), (true, false), (false, true)] {
            let flags = Flags { dispatch_events, counter_samples };
            for report in (self.lines)(flags).iter().flat_map(|reports| reports.iter()) {
                let is_taken = !dispatch_events || self.takes.contains(&Takes::DispatchEvents);
                if is_taken && !reports.contains(report) {
                    reports.push(report);
                }
            }
        }
        reports
    }

    /// Returns the accepted flags, formatted for the Markdown guide.
    pub fn flags(&self) -> String {
        let names = self.takes.iter().map(|takes| match takes {
            Takes::Filter => "`--filter`",
            Takes::Id => "`--id`",
            Takes::DispatchEvents => "`--dispatch-events`",
            Takes::CounterSamples => "`--counter-samples`",
        });
        names.collect::<Vec<_>>().join(", ")
    }

    /// Fails if a flag is given that the command does not accept.
    pub fn check(&self, args: &Profile) -> Result<(), CliError> {
        let given = [
            (Takes::Filter, "--filter", !matches!(args.filter.as_str(), "" | "*")),
            (Takes::Id, "--id", args.id >= 0),
            (Takes::DispatchEvents, "--dispatch-events", args.dispatch_events),
            (Takes::CounterSamples, "--counter-samples", args.counter_samples),
        ];
        for (flag, name, is_given) in given {
            if is_given && !self.takes.contains(&flag) {
                let takers: Vec<&str> = COMMANDS
                    .iter()
                    .filter(|command| command.takes.contains(&flag))
                    .map(|command| command.name)
                    .collect();
                return Err(CliError::Usage(format!(
                    "`{}` does not accept {name}; commands that do: {}",
                    self.name,
                    takers.join(", ")
                )));
            }
        }
        let events = [
            ("--dispatch-events", args.dispatch_events),
            ("--counter-samples", args.counter_samples),
        ];
        match events.iter().find(|(_, is_given)| *is_given && !args.format.is_jsonl()) {
            Some((name, _)) => {
                Err(CliError::Usage(format!("{name} prints JSON lines; add --format=jsonl")))
            }
            None => Ok(()),
        }
    }
}
