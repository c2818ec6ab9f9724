//! The lines above every report: whether each capture is complete, and what is missing.

use exporters::printable;

use super::rows::{Row, Rows};
use super::text::counted;

/// Maximum number of bundles that are all listed. If there are more, only those with warnings are.
const LISTED: usize = 4;

/// Maximum number of bundles with warnings that are listed.
const WORTH_A_LINE: usize = 10;

/// Returns one line per bundle, or a summary and one line per bundle with warnings.
pub fn lines(health: &Rows) -> Vec<String> {
    let count = health.iter().count();
    if count <= LISTED {
        return health.iter().map(|row| line(&row)).collect();
    }
    let sick: Vec<Row<'_>> = health.iter().filter(|row| !is_well(row)).collect();
    let mut lines = vec![format!(
        "{}: {} without problems",
        counted(count as u64, "bundle"),
        count - sick.len()
    )];
    lines.extend(sick.iter().take(WORTH_A_LINE).map(line));
    if sick.len() > WORTH_A_LINE {
        lines.push(format!("… and {} more (see report.capture_health)", sick.len() - WORTH_A_LINE));
    }
    lines
}

/// Columns of the report that count problems, with the nouns for them.
const WARNINGS: [(&str, &str); 6] = [
    ("failed_session_count", "failed session"),
    ("truncated_chunk_count", "truncated chunk"),
    ("dropped_record_count", "dropped record"),
    ("invalid_count", "invalid event"),
    ("clockless_device_count", "device without a clock fit"),
    ("unknown_chunk_count", "chunk of an unknown kind"),
];

fn is_well(row: &Row<'_>) -> bool {
    row.is("finished") && WARNINGS.iter().all(|(column, _)| row.count(column) == 0)
}

fn line(row: &Row<'_>) -> String {
    let state = if row.is("finished") { "complete capture" } else { "INCOMPLETE CAPTURE" };
    let mut parts = vec![state.to_owned(), counted(row.count("session_count"), "session")];
    let (device, host) = (row.count("device_dispatch_count"), row.count("host_dispatch_count"));
    if device > 0 {
        parts.push(format!("{} timed by the device", counted(device, "dispatch event")));
    }
    if host > 0 {
        parts.push(format!("{} timed by the host", counted(host, "dispatch span")));
    }
    if device + host == 0 {
        parts.push("no dispatches recorded".into());
    }
    for (column, noun) in WARNINGS {
        let number = row.count(column);
        if number > 0 {
            parts.push(warning(number, noun));
        }
    }
    format!("{}: {}", printable(&row.text("bundle")), parts.join(", "))
}

fn warning(number: u64, noun: &str) -> String {
    // The plural goes before `without` or `of`: `devices without a clock fit`.
    match noun.split_once(" without").or_else(|| noun.split_once(" of")) {
        Some((head, _)) => {
            let tail = noun.get(head.len()..).unwrap_or_default();
            format!("! {}{tail}", counted(number, head))
        }
        None => format!("! {}", counted(number, noun)),
    }
}
