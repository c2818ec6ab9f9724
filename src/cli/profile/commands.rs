//! Declares the flags and reports of each command.

use super::super::error::CliError;
use super::args::Profile;
use crate::cli::names::different;
use crate::report::layouts::{self, Layout};

/// Reports whose lines are merged by their hidden columns; usually only one.
pub type Reports = &'static [&'static str];

/// A command of `iree-profile`.
#[derive(Debug)]
pub struct Command {
    pub name: &'static str,
    takes: &'static [Takes],
    /// The reports in the order of their JSON lines.
    lines: &'static [Reports],
    pub layout: &'static Layout,
}

/// A flag that only some commands accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Filter,
    Id,
    DispatchEvents,
    CounterSamples,
    Warmup,
}

/// Every dispatch in file order, then the summary: the lines with `--dispatch-events`.
const EVENTS: &[Reports] = &[&["dispatch_event", "host_dispatch_event"], &["dispatch_summary"]];

/// Every counter sample: the first lines with `--counter-samples`.
const SAMPLES: &[Reports] = &[&["counter_sample"]];

const NAMED: &[Takes] = &[Takes::Filter, Takes::Id];
const PROJECTION: &[Takes] = &[Takes::Filter, Takes::Id, Takes::DispatchEvents];

static COMMANDS: &[Command] = &[
    Command {
        name: "summary",
        takes: &[],
        lines: &[&["summary"], &["device_summary"]],
        layout: &layouts::summary::LAYOUT,
    },
    Command {
        name: "explain",
        takes: &[Takes::Filter, Takes::Id, Takes::Warmup],
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
        takes: PROJECTION,
        lines: &[&["dispatch_summary"], &["dispatch_group"], &["host_dispatch_group"]],
        layout: &layouts::dispatch::LAYOUT,
    },
    Command {
        name: "executable",
        takes: PROJECTION,
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
        takes: PROJECTION,
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
        takes: PROJECTION,
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
        takes: NAMED,
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
        takes: &[Takes::Filter, Takes::Id, Takes::CounterSamples],
        lines: &[&["counter_summary"], &["counter_set"], &["counter"], &["counter_group"]],
        layout: &layouts::counter::LAYOUT,
    },
    Command {
        name: "statistics",
        takes: &[],
        lines: &[&["statistics_summary"], &["statistics_row"]],
        layout: &layouts::statistics::LAYOUT,
    },
    Command {
        name: "att",
        takes: NAMED,
        lines: &[&["att_trace", "att_instruction"]],
        layout: &layouts::att::LAYOUT,
    },
    Command {
        name: "cat",
        takes: &[],
        lines: &[&["file"], &["record"]],
        layout: &layouts::cat::LAYOUT,
    },
];

/// Returns all commands.
pub fn all() -> &'static [Command] {
    COMMANDS
}

impl Command {
    /// Returns the kind of object that `--id` refers to.
    pub fn by(&self) -> &'static str {
        let has_own = matches!(self.name, "executable" | "command" | "queue");
        if has_own { self.name } else { "dispatch" }
    }

    /// Returns the selected reports in the order of their JSON lines, grouped as they are merged. Fails if a type of
    /// `--rows` is unknown.
    pub fn lines(&self, args: &Profile) -> Result<Vec<Vec<&'static str>>, CliError> {
        let all = match (args.dispatch_events, args.counter_samples) {
            (true, _) => EVENTS.to_vec(),
            (false, true) => [SAMPLES, self.lines].concat(),
            (false, false) => self.lines.to_vec(),
        };
        let known = all.concat();
        if let Some(other) = args.rows.iter().find(|name| !known.contains(&name.as_str())) {
            return Err(CliError::Usage(format!(
                "`{}` prints no rows `{other}`; its types are {}",
                self.name,
                known.join(", ")
            )));
        }
        let is_wanted = |report: &&'static str| {
            args.rows.is_empty() || args.rows.iter().any(|name| name == report)
        };
        let wanted = |reports: &Reports| reports.iter().copied().filter(is_wanted).collect();
        Ok(all.iter().map(wanted).collect())
    }

    /// Returns the types of all lines that the command can print, with any combination of flags.
    pub fn reports(&self) -> Vec<&'static str> {
        let more = [(Takes::DispatchEvents, EVENTS), (Takes::CounterSamples, SAMPLES)];
        let more =
            more.iter().filter(|(flag, _)| self.takes.contains(flag)).map(|(_, lines)| *lines);
        different([self.lines].into_iter().chain(more).flatten().copied().flatten().copied())
    }

    /// Returns the accepted flags, formatted for the Markdown guide.
    pub fn flags(&self) -> String {
        let names: Vec<String> =
            self.takes.iter().map(|flag| format!("`{}`", flag.name())).collect();
        names.join(", ")
    }

    /// Whether the command can leave out invocations at the start of a run.
    pub fn takes_warmup(&self) -> bool {
        self.takes.contains(&Takes::Warmup)
    }

    /// Fails if a flag is given that the command does not accept.
    pub fn check(&self, args: &Profile) -> Result<(), CliError> {
        let given = [
            (Takes::Filter, !matches!(args.filter.as_str(), "" | "*")),
            (Takes::Id, args.id >= 0),
            (Takes::DispatchEvents, args.dispatch_events),
            (Takes::CounterSamples, args.counter_samples),
            (Takes::Warmup, args.warmup.is_some()),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given).map(|(flag, _)| flag);
        if let Some(flag) = given.clone().find(|flag| !self.takes.contains(flag)) {
            let takers = COMMANDS.iter().filter(|command| command.takes.contains(&flag));
            let takers: Vec<&str> = takers.map(|command| command.name).collect();
            return Err(CliError::Usage(format!(
                "`{}` does not accept {}; commands that do: {}",
                self.name,
                flag.name(),
                takers.join(", ")
            )));
        }
        let is_events =
            |flag: &Takes| matches!(flag, Takes::DispatchEvents | Takes::CounterSamples);
        if args.printing.of_report().is_some() {
            return Ok(());
        }
        if let Some(flag) = given.clone().find(is_events) {
            return Err(CliError::Usage(format!(
                "{} prints JSON lines; add --format=jsonl",
                flag.name()
            )));
        }
        if !args.rows.is_empty() {
            return Err(CliError::Usage(
                "text has rows of all types; for --rows, choose another --format".into(),
            ));
        }
        Ok(())
    }
}

impl Takes {
    const fn name(self) -> &'static str {
        match self {
            Self::Filter => "--filter",
            Self::Id => "--id",
            Self::DispatchEvents => "--dispatch-events",
            Self::CounterSamples => "--counter-samples",
            Self::Warmup => "--warmup",
        }
    }
}
