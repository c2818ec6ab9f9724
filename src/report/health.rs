//! The lines above every report: whether each capture is complete, and what is missing.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use base::printable;

use super::rows::{Row, rows};
use super::text::counted;

/// Maximum number of bundles that are all listed. If there are more, only those with warnings are.
pub const LISTED: usize = 4;

/// Maximum number of bundles with warnings that are listed.
const WORTH_A_LINE: usize = 10;

/// Writes one line per bundle, or a summary and one line per bundle with warnings.
pub fn draw(out: &mut dyn Write, health: &[RecordBatch]) -> io::Result<()> {
    let rows = rows(health);
    if rows.len() <= LISTED {
        return rows.iter().try_for_each(|row| writeln!(out, "{}", line(row)));
    }
    let (well, sick): (Vec<&Row<'_>>, Vec<&Row<'_>>) = rows.iter().partition(|row| is_well(row));
    let bundles = counted(rows.len() as u64, "bundle");
    writeln!(out, "{bundles}: {} without problems", well.len())?;
    for row in sick.iter().take(WORTH_A_LINE) {
        writeln!(out, "{}", line(row))?;
    }
    if sick.len() > WORTH_A_LINE {
        let left = sick.len() - WORTH_A_LINE;
        writeln!(out, "… and {left} more (see report.capture_health)")?;
    }
    Ok(())
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
    let is_consistent = row.count("contradiction_count") == 0;
    is_consistent && row.is("finished") && WARNINGS.iter().all(|(column, _)| row.count(column) == 0)
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
            parts.push(format!("! {}", counted(number, noun)));
        }
    }
    parts.extend(first_of(row, "early_end", "early_end_count"));
    parts.extend(first_of(row, "contradiction", "contradiction_count"));
    format!("{}: {}", printable(&row.text("bundle")), parts.join(", "))
}

/// Returns the first of several findings, and how many others there are.
fn first_of(row: &Row<'_>, first: &str, count: &str) -> Option<String> {
    let others = row.count(count).checked_sub(1)?;
    let first = printable(&row.text(first));
    Some(match others {
        0 => format!("! {first}"),
        _ => format!("! {first} (doctor has {others} more)"),
    })
}
