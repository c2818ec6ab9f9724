//! What each command takes and prints.

use super::super::args::Profile;
use super::super::error::CliError;

/// Reports whose lines are printed together, in the order of their hidden columns; mostly one.
pub type Reports = &'static [&'static str];

/// A command of `iree-profile`.
#[derive(Debug)]
pub struct Command {
    pub name: &'static str,
    /// What `--id` is the id of, for the commands that are about dispatches.
    pub by: &'static str,
    takes: &'static [Takes],
    /// The reports in the order in which they are printed as JSON lines.
    pub lines: fn(&Profile) -> &'static [Reports],
}

/// A flag that not every command takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Filter,
    Id,
    DispatchEvents,
    CounterSamples,
}

/// Every event in file order, then how many there were.
const EVENTS: &[Reports] = &[&["dispatch_event", "host_dispatch_event"], &["dispatch_summary"]];

const PROJECTION: &[Takes] = &[Takes::Filter, Takes::Id, Takes::DispatchEvents];

static COMMANDS: &[Command] = &[
    Command {
        name: "dispatch",
        by: "dispatch",
        takes: PROJECTION,
        lines: |args| {
            const GROUPS: &[Reports] =
                &[&["dispatch_summary"], &["dispatch_group"], &["host_dispatch_group"]];
            if args.dispatch_events { EVENTS } else { GROUPS }
        },
    },
    Command {
        name: "executable",
        by: "executable",
        takes: PROJECTION,
        lines: |args| {
            const CATALOG: &[Reports] = &[
                &["executable_summary"],
                &[
                    "executable",
                    "executable_function",
                    "executable_function_dispatch_group",
                    "executable_function_host_dispatch_group",
                ],
            ];
            if args.dispatch_events { EVENTS } else { CATALOG }
        },
    },
    Command {
        name: "command",
        by: "command",
        takes: PROJECTION,
        lines: |args| {
            const BUFFERS: &[Reports] = &[
                &["command_summary"],
                &["command_buffer"],
                &["command_operation"],
                &["command_execution"],
                &["command_host_execution"],
            ];
            if args.dispatch_events { EVENTS } else { BUFFERS }
        },
    },
    Command {
        name: "queue",
        by: "queue",
        takes: PROJECTION,
        lines: |args| {
            const QUEUES: &[Reports] = &[
                &["queue_summary"],
                &["queue"],
                &["queue_submission"],
                &["queue_device_event"],
                &["host_execution_event"],
                &["queue_event"],
            ];
            if args.dispatch_events { EVENTS } else { QUEUES }
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

/// The command called `name`.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

impl Command {
    /// Refuses flags that the command does not take.
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
                    "`{}` does not take {name}; these do: {}",
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
