//! The line above every report: whether the capture is whole, and what is missing.

use super::rows::{Row, Rows};
use super::text::counted;

/// One line a bundle.
pub fn lines(health: &Rows) -> Vec<String> {
    health.iter().map(|row| line(&row)).collect()
}

fn line(row: &Row<'_>) -> String {
    let state = if row.is("finished") { "whole capture" } else { "CAPTURE NOT WHOLE" };
    let mut parts = vec![state.to_owned(), counted(row.count("session_count"), "session")];
    let (device, host) = (row.count("device_dispatch_count"), row.count("host_dispatch_count"));
    if device > 0 {
        parts.push(format!("{} timed by the device", counted(device, "dispatch event")));
    }
    if host > 0 {
        parts.push(format!("{} timed by the host", counted(host, "dispatch span")));
    }
    if device + host == 0 {
        parts.push("no dispatch was recorded".into());
    }
    for (column, noun) in [
        ("failed_session_count", "failed session"),
        ("truncated_chunk_count", "truncated chunk"),
        ("dropped_record_count", "dropped record"),
        ("invalid_count", "invalid event"),
        ("clockless_device_count", "device without a clock fit"),
        ("unknown_chunk_count", "chunk of an unknown kind"),
    ] {
        let number = row.count(column);
        if number > 0 {
            parts.push(warning(number, noun));
        }
    }
    format!("{}: {}", row.text("bundle"), parts.join(", "))
}

fn warning(number: u64, noun: &str) -> String {
    // The noun's first word takes the plural: `devices without a clock fit`.
    match noun.split_once(" without").or_else(|| noun.split_once(" of")) {
        Some((head, _)) => {
            let tail = noun.get(head.len()..).unwrap_or_default();
            format!("! {}{tail}", counted(number, head))
        }
        None => format!("! {}", counted(number, noun)),
    }
}
