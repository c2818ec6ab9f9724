//! `--dispatch_events` and `--dispatch-events` are one flag.

use std::ffi::OsString;

/// Writes the names of long flags with dashes; values, what follows `-c`, and everything after `--` stay as they are.
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

/// The flag with dashes, where it is one and not SQL that begins with a comment.
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
}
