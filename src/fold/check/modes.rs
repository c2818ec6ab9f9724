//! What became of each mode: how much of it was recorded, and what is known of why there is no more.

use std::collections::{BTreeMap, HashSet};

use arrow::datatypes::DataType::{Boolean, UInt64, Utf8View};
use schemas::drivers::{Rows, driver, rows_of_mode};
use schemas::questions::{MODES, Mode};

use super::super::arrays::{flags, numbers, optional_texts, positions, texts};
use super::super::{Column, Columns};
use super::chunks::{ByTable, Chunks};
use super::groups::{DEVICE, Group, KIND};
use crate::bundle::Bundle;
use crate::bundle::set::{Shortfall, Told};

/// The columns of `mode_records`.
pub const COLUMNS: &[Column] = &[
    ("position", UInt64),
    ("mode", Utf8View),
    ("sessions", UInt64),
    ("driver", Utf8View),
    ("is_never_recorded", Boolean),
    ("is_cut", Boolean),
    ("is_failed", Boolean),
    ("row_count", UInt64),
    ("session_count", UInt64),
    ("chunk_count", UInt64),
    ("damaged_chunk_count", UInt64),
    ("truncated_chunk_count", UInt64),
    ("dropped_record_count", UInt64),
    ("is_held", Boolean),
    ("told", Utf8View),
    ("told_reason", Utf8View),
    ("shortfall", Utf8View),
    ("is_shortfall_final", Boolean),
];

/// What became of one mode.
pub struct Recorded {
    mode: &'static Mode,
    row_count: u64,
    session_count: u64,
    chunks: Chunks,
    /// The table has rows, which another mode may have recorded.
    is_held: bool,
}

/// The table of a mode's measurement.
pub fn table(mode: &Mode) -> &'static str {
    mode.tables.first().copied().unwrap_or_default()
}

/// Whether a group is of these rows.
pub fn is_of(group: &Group, rows: Rows) -> bool {
    let kind = group.keys.get(KIND).copied().flatten();
    match rows {
        Rows::All => true,
        Rows::Of(wanted) => kind == Some(wanted.into()),
        Rows::NotOf(other) => kind != Some(other.into()),
    }
}

/// What became of every mode.
pub fn modes(groups: &[Group], chunks: &ByTable) -> Vec<Recorded> {
    let recorded = |mode: &'static Mode| {
        let held = || groups.iter().filter(|group| group.table == table(mode));
        let rows = || held().filter(|group| is_of(group, rows_of_mode(mode.name)));
        let sessions: HashSet<u64> = rows().map(|group| group.session_id).collect();
        Recorded {
            mode,
            row_count: rows().map(|group| group.row_count).sum(),
            session_count: sessions.len() as u64,
            chunks: chunks.get(&Some(table(mode))).copied().unwrap_or_default(),
            is_held: held().next().is_some(),
        }
    };
    MODES.iter().map(recorded).collect()
}

/// The driver of a bundle, where all its sessions are of one.
pub fn driver_of(bundle: &Bundle) -> Option<String> {
    let (first, others) = bundle.directory.sessions.split_first()?;
    let is_same = others.iter().all(|other| other.name == first.name);
    is_same.then(|| schemas::escape::escaped(&first.name).into_owned())
}

/// The rows of `mode_records`.
pub fn columns(modes: &[Recorded], bundle: &Bundle) -> Columns {
    let driver_name = driver_of(bundle);
    let never = driver_name.as_deref().and_then(driver).map_or(&[][..], |it| it.never_records);
    let sessions = &bundle.directory.sessions;
    let is_failed =
        sessions.iter().any(|session| session.status_code.is_some_and(|code| code != 0));
    let is_cut = bundle.salvage().is_some();
    let told: Vec<Option<Told>> = modes.iter().map(|row| bundle.told(row.mode.name)).collect();
    let shortfalls: Vec<Option<Shortfall>> =
        modes.iter().map(|row| bundle.shortfall(row.mode.name)).collect();
    let each = || modes.iter();
    vec![
        positions(modes.len()),
        texts(each().map(|row| row.mode.name)),
        numbers(each().map(|_| sessions.len() as u64)),
        optional_texts(each().map(|_| driver_name.as_ref())),
        flags(each().map(|row| never.contains(&row.mode.name))),
        flags(each().map(|_| is_cut)),
        flags(each().map(|_| is_failed)),
        numbers(each().map(|row| row.row_count)),
        numbers(each().map(|row| row.session_count)),
        numbers(each().map(|row| row.chunks.count)),
        numbers(each().map(|row| row.chunks.damaged)),
        numbers(each().map(|row| row.chunks.truncated)),
        numbers(each().map(|row| u64::try_from(row.chunks.dropped).unwrap_or(u64::MAX))),
        flags(each().map(|row| row.is_held)),
        optional_texts(told.iter().map(|told| told.as_ref().map(Told::name))),
        optional_texts(told.iter().map(|told| told.as_ref().and_then(Told::reason))),
        optional_texts(shortfalls.iter().map(|it| it.as_ref().map(|it| it.why.as_str()))),
        flags(shortfalls.iter().map(|it| it.as_ref().is_some_and(|it| it.is_final))),
    ]
}

/// Devices whose events of a table stay in ticks, by table.
pub fn clockless(groups: &[Group], has_clock: impl Fn(u64) -> bool) -> BTreeMap<&'static str, u64> {
    let mut devices: BTreeMap<&'static str, HashSet<Option<u64>>> = BTreeMap::new();
    for group in groups.iter().filter(|group| TICKING.contains(&group.table)) {
        let device = group.keys.get(DEVICE).copied().flatten();
        if !device.is_some_and(&has_clock) {
            devices.entry(group.table).or_default().insert(device);
        }
    }
    devices.into_iter().map(|(table, devices)| (table, devices.len() as u64)).collect()
}

/// Tables whose events are in ticks of a device.
pub const TICKING: [&str; 2] = ["dispatch_events", "queue_device_events"];
