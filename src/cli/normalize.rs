//! Normalizes the command line before clap parses it: accepts underscores in the names of flags (`--dispatch_events`),
//! and flags before the command.

use std::ffi::OsString;
use std::path::Path;

use clap::{ArgAction, Command};

/// Moves the command in front of the flags that precede it. A file or folder instead of a command means `top`, which is
/// then inserted.
pub fn command_first(mut arguments: Vec<OsString>, known: &Command) -> Vec<OsString> {
    let mut is_value = false;
    for (position, argument) in arguments.iter().enumerate().skip(1) {
        let Some(text) = argument.to_str() else { return arguments };
        if std::mem::take(&mut is_value) {
            continue;
        }
        if text.starts_with('-') && text.len() > 1 {
            is_value = takes_value(text, known);
        } else {
            if known.find_subcommand(text).is_some() {
                arguments.get_mut(1..=position).unwrap_or_default().rotate_right(1);
            } else if is_bundle(text) {
                arguments.insert(1, DEFAULT.into());
            }
            return arguments;
        }
    }
    arguments
}

/// The command for a bundle without a command.
pub const DEFAULT: &str = "top";

/// Whether a word that is no command is a bundle.
fn is_bundle(word: &str) -> bool {
    let path = word.split_once('=').map_or(word, |(_, path)| path);
    Path::new(path).exists() || path.contains(".ireeprof")
}

/// True if a flag of any command has this name and takes the next argument as its value.
fn takes_value(flag: &str, known: &Command) -> bool {
    let commands = std::iter::once(known).chain(known.get_subcommands());
    let mut flags = commands.flat_map(Command::get_arguments);
    flags.any(|argument| {
        let long = argument.get_long().is_some_and(|name| flag.strip_prefix("--") == Some(name));
        let short = argument.get_short().is_some_and(|letter| flag == format!("-{letter}"));
        let takes = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
        (long || short) && takes && !argument.is_require_equals_set()
    })
}

/// Replaces underscores by dashes in the names of long flags. Leaves values alone, as well as the argument after `-c`
/// and everything after `--`.
pub fn flags(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let (mut done, mut value) = (false, false);
    arguments
        .map(|argument| {
            done |= argument == "--";
            let is_value =
                std::mem::replace(&mut value, argument == "-c" || argument == "--command");
            match argument.to_str().and_then(|text| text.strip_prefix("--")) {
                Some(flag) if !done && !is_value => dashed(flag).map_or(argument, OsString::from),
                _ => argument,
            }
        })
        .collect()
}

/// Returns the flag with dashes, or `None` if it is not a flag, such as SQL that begins with a comment.
fn dashed(flag: &str) -> Option<String> {
    let (name, value) = flag.split_at(flag.find('=').unwrap_or(flag.len()));
    let is_name =
        name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    is_name.then(|| format!("--{}{value}", name.replace('_', "-")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_flags_change() {
        let given = [
            "x",
            "a_b",
            "--dispatch_events",
            "--a_b=c_d",
            "-o",
            "e_f",
            "-c",
            "--x_y",
            "-- a_b",
            "--",
            "--g_h",
        ];
        let normal = flags(given.iter().map(OsString::from));
        let wanted = [
            "x",
            "a_b",
            "--dispatch-events",
            "--a-b=c_d",
            "-o",
            "e_f",
            "-c",
            "--x_y",
            "-- a_b",
            "--",
            "--g_h",
        ];
        assert_eq!(normal, wanted);
    }

    #[test]
    fn the_command_comes_first() {
        let known = Command::new("x")
            .arg(clap::Arg::new("format").long("format"))
            .subcommand(Command::new("top").arg(clap::Arg::new("out").short('o')));
        for (given, wanted) in [
            ("x --format=a top b", "x top --format=a b"),
            ("x --format top top b", "x top --format top b"),
            ("x -o top top", "x top -o top"),
            ("x --other top", "x top --other"),
            ("x --format a help top", "x --format a help top"),
            ("x b top", "x b top"),
            ("x --format a m.ireeprof", "x top --format a m.ireeprof"),
            ("x name=m.ireeprof", "x top name=m.ireeprof"),
            ("x", "x"),
        ] {
            let arguments = given.split(' ').map(OsString::from).collect();
            let ordered: Vec<String> = command_first(arguments, &known)
                .into_iter()
                .map(|argument| argument.into_string().unwrap())
                .collect();
            assert_eq!(ordered.join(" "), wanted);
        }
    }
}
