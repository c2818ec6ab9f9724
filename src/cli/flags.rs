//! How the command line spells the options that texts of the library name.

use crate::base::words::OptionStyle;
use crate::workspace::Accepts;

/// The spelling of options as flags.
pub const FLAGS: OptionStyle = OptionStyle(flag);

/// The flags whose options the texts of the library name.
const KNOWN: &[&str] = &[
    "all",
    "calls",
    "cluster",
    "compile-timeout",
    "counter",
    "dispatch",
    "filter",
    "filter-function",
    "flush-interval-ms",
    "format",
    "generated-dir",
    "iree-bin-dir",
    "keep",
    "limit",
    "memory-limit",
    "metrics",
    "password-file",
    "read-only-sql",
    // As `iree-profile` spells it.
    "rocm_library_path",
    "run-timeout",
    "space",
    "spill-dir",
    "strict",
    "time-limit",
    "tls",
    "tls-cert",
    "tls-key",
    "top",
    "vulkan-target",
    "warmup",
];

/// Returns the flag of an option, which may have a value.
fn flag(option: &str) -> Option<String> {
    let (name, value) = option.split_at(option.find(['=', ' ']).unwrap_or(option.len()));
    let known = KNOWN.iter().find(|known| known.replace('-', "_") == name)?;
    Some(format!("--{known}{value}"))
}

/// Returns the flag of a parameter.
pub const fn of_parameter(parameter: Accepts) -> &'static str {
    match parameter {
        Accepts::Filter => "--filter",
        Accepts::Id => "--id",
        Accepts::DispatchEvents => "--dispatch-events",
        Accepts::CounterSamples => "--counter-samples",
        Accepts::Warmup => "--warmup",
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::*;
    use crate::cli::args::Cli;

    fn is_flag(command: &Command, name: &str) -> bool {
        command.get_arguments().any(|argument| argument.get_long() == Some(name))
            || command.get_subcommands().any(|command| is_flag(command, name))
    }

    #[test]
    fn options_are_flags() {
        for known in KNOWN {
            assert!(is_flag(&Cli::command(), &known.replace('_', "-")), "there is a flag {known}");
        }
        let text = "raise option `memory_limit`, or add option `keep raw`";
        assert_eq!(FLAGS.spell(text), "raise --memory-limit, or add --keep raw");
    }
}
