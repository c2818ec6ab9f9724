//! What became of each mode: how much of it was recorded, and why there is no more, as far as a bundle and the manifest of its
//! capture set can tell.

use std::collections::HashSet;

use schemas::drivers::{Rows, driver, rows_of_mode};
use schemas::questions::{MODES, Mode};

use crate::bundle::Bundle;
use crate::bundle::set::{Shortfall, Told};
use crate::fold::health::chunks::{ByTable, Chunks};
use crate::fold::shared::columns::Columns;
use crate::fold::shared::record_groups::{Group, KIND};

/// What became of one mode.
pub struct Recorded {
    pub mode: &'static Mode,
    pub row_count: u64,
    session_count: u64,
    chunks: Chunks,
    pub state: State,
    /// Why it is not recorded, or not whole.
    pub reason: Option<String>,
    /// What is missing of it was refused: no other capture records more.
    pub is_final: bool,
}

/// How much of a mode there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Recorded,
    Partly,
    Lost,
    Empty,
    Unsupported,
    Absent,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Partly => "partly",
            Self::Lost => "lost",
            Self::Empty => "empty",
            Self::Unsupported => "unsupported",
            Self::Absent => "absent",
        }
    }
}

/// What is known of the capture as a whole.
struct Capture {
    driver: Option<String>,
    session_count: u64,
    is_cut: bool,
    is_failed: bool,
}

/// What is known of one mode.
struct Facts<'a> {
    capture: &'a Capture,
    row_count: u64,
    session_count: u64,
    chunks: Chunks,
    /// The table has rows, which another mode may have recorded.
    is_held: bool,
    is_never_recorded: bool,
    told: Option<Told>,
    shortfall: Option<Shortfall>,
}

impl Facts<'_> {
    fn state(&self) -> State {
        let capture = self.capture;
        let is_whole = !self.chunks.is_lossy()
            && self.chunks.damaged == 0
            && self.session_count >= capture.session_count
            && !capture.is_cut
            && !capture.is_failed
            && self.shortfall.is_none();
        if self.row_count > 0 {
            return if is_whole { State::Recorded } else { State::Partly };
        }
        match &self.told {
            _ if self.chunks.is_lossy() && !self.is_held => State::Lost,
            _ if self.chunks.damaged > 0 && !self.is_held => State::Absent,
            Some(Told::Refused(_) | Told::Nothing(_)) => State::Unsupported,
            _ if self.chunks.count > 0 && !self.is_held => State::Empty,
            Some(Told::Elsewhere(_) | Told::Lost(_)) => State::Absent,
            _ if self.is_never_recorded => State::Unsupported,
            _ => State::Absent,
        }
    }

    fn reason(&self, state: State) -> Option<String> {
        let capture = self.capture;
        let is_partly = state == State::Partly;
        let said = match &self.told {
            _ if state == State::Recorded => return None,
            _ if self.chunks.is_lossy() && (is_partly || state == State::Lost) => {
                let all = if is_partly { "" } else { "all " };
                format!("the producer dropped {all}records ({})", self.chunks.dropped())
            }
            _ if self.chunks.damaged > 0 => {
                format!("chunks of it are damaged and left out ({})", self.chunks.damaged)
            }
            _ if is_partly => match &self.shortfall {
                Some(shortfall) => shortfall.why.clone(),
                None if capture.is_cut => "the capture was cut before its end".into(),
                None if capture.is_failed => "a session failed before its end".into(),
                None => format!(
                    "recorded in {} of {} sessions",
                    self.session_count, capture.session_count
                ),
            },
            Some(Told::Filtered(_)) => {
                "filtered out: it was recorded of nothing that the filters left".into()
            }
            Some(Told::Refused(said)) => format!("not supported by this driver: {said}"),
            Some(Told::Nothing(said)) => format!("not recorded by this driver: {said}"),
            _ if state == State::Empty => {
                "its chunks hold no record: nothing of it happened, or a filter left all out".into()
            }
            _ if state == State::Unsupported => {
                format!("not supported by {}", capture.driver.as_deref().unwrap_or_default())
            }
            Some(Told::Elsewhere(run)) => {
                format!("only recorded in {run}, whose ids mean nothing here")
            }
            Some(Told::Lost(run)) => format!("recorded in {run}, whose bundle is not there"),
            Some(Told::Cut(said)) => said.clone(),
            Some(Told::NotAsked) => "not asked for".into(),
            None if capture.session_count == 0 => "there is no session".into(),
            None => "no session recorded any (not asked for, or refused)".into(),
        };
        Some(said)
    }
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

/// What became of every mode, in their order.
pub fn modes(bundle: &Bundle, groups: &[Group], chunks: &ByTable) -> Vec<Recorded> {
    let sessions = &bundle.directory.sessions;
    let capture = Capture {
        driver: driver_of(bundle),
        session_count: sessions.len() as u64,
        is_cut: bundle.salvage().is_some(),
        is_failed: sessions.iter().any(|session| session.failure().is_some()),
    };
    let never = capture.driver.as_deref().and_then(driver).map_or(&[][..], |it| it.never_records);
    let recorded = |mode: &'static Mode| {
        let held = || groups.iter().filter(|group| group.table == mode.table());
        let rows = || held().filter(|group| is_of(group, rows_of_mode(mode.name)));
        let sessions: HashSet<u64> = rows().map(|group| group.session_id).collect();
        let facts = Facts {
            capture: &capture,
            row_count: rows().map(|group| group.row_count).sum(),
            session_count: sessions.len() as u64,
            chunks: chunks.get(&Some(mode.table())).copied().unwrap_or_default(),
            is_held: held().next().is_some(),
            is_never_recorded: never.contains(&mode.name),
            told: bundle.told(mode.name),
            shortfall: bundle.shortfall(mode.name),
        };
        let state = facts.state();
        Recorded {
            mode,
            row_count: facts.row_count,
            session_count: facts.session_count,
            chunks: facts.chunks,
            state,
            reason: facts.reason(state),
            is_final: state == State::Partly && facts.shortfall.is_some_and(|it| it.is_final),
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
pub fn columns() -> Columns<Recorded> {
    Columns::<Recorded>::new()
        .position()
        .text("mode", |row| row.mode.name)
        .text("state", |row| row.state.name())
        .number("row_count", |row| row.row_count)
        .number("session_count", |row| row.session_count)
        .number("chunk_count", |row| row.chunks.count)
        .number("truncated_chunk_count", |row| row.chunks.truncated)
        .number("dropped_record_count", |row| row.chunks.dropped())
        .optional_text("reason", |row| row.reason.as_deref())
        .flag("is_final", |row| row.is_final)
}

/// Tables whose events are in ticks of a device.
pub const TICKING: [&str; 2] = ["dispatch_events", "queue_device_events"];
