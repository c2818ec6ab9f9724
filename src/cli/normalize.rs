//! `--dispatch_events` and `--dispatch-events` are one flag.

use std::ffi::OsString;

/// Writes the names of long flags with dashes; values, and everything after `--`, stay as they are.
pub fn flags(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut done = false;
    arguments
        .map(|argument| {
            done |= argument == "--";
            match argument.to_str() {
                Some(text) if !done && text.starts_with("--") => dashed(text).into(),
                _ => argument,
            }
        })
        .collect()
}

fn dashed(flag: &str) -> String {
    match flag.split_once('=') {
        Some((name, value)) => format!("{}={value}", name.replace('_', "-")),
        None => flag.replace('_', "-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_flags_change() {
        let given = ["x", "a_b", "--dispatch_events", "--a_b=c_d", "-o", "e_f", "--", "--g_h"];
        let normal = flags(given.iter().map(OsString::from));
        assert_eq!(
            normal,
            ["x", "a_b", "--dispatch-events", "--a-b=c_d", "-o", "e_f", "--", "--g_h"]
        );
    }
}
