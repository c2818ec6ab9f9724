//! Determines the state of each mode: how much was recorded, and why there is not more. The sources are the bundle
//! and the manifest of its capture set.

use std::collections::HashSet;

use read::bundle::Bundle;
use read::bundle::set::{Absence, Shortfall};
use schemas::drivers::{Rows, driver, rows_of_mode};
use schemas::questions::{MODES, Mode};

use crate::fold::{ByTable, Chunks, Columns, Group, KIND};

/// The state of a mode.
pub struct Recorded {
    pub mode: &'static Mode,
    pub row_count: u64,
    session_count: u64,
    chunks: Chunks,
    pub state: State,
    /// Why it is missing or incomplete.
    pub reason: Option<String>,
    /// Whether the missing part was refused, so that another capture would not record more.
    pub is_final: bool,
    /// Whether the program runs nothing of it that another capture could record.
    pub(crate) has_none: bool,
}

/// How much of a mode was recorded.
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

/// Facts about the capture as a whole.
struct Capture {
    driver: Option<String>,
    session_count: u64,
    is_cut: bool,
    is_failed: bool,
    /// Number of dispatches of several tiles, if one worker ran all tiles and regions may be recorded of several workers.
    alone: Option<u64>,
}

/// Facts about a mode.
struct Facts<'a> {
    mode: &'static str,
    capture: &'a Capture,
    row_count: u64,
    session_count: u64,
    chunks: Chunks,
    /// Whether its table has rows, possibly of another mode.
    is_held: bool,
    is_never_recorded: bool,
    told: Option<Absence>,
    shortfall: Option<Shortfall>,
}

impl Facts<'_> {
    /// Returns the state, and why the mode is missing or incomplete. The first case that applies counts.
    fn judged(&self) -> (State, Option<String>) {
        if self.row_count > 0 {
            return match self.why_partly() {
                None => (State::Recorded, None),
                why => (State::Partly, why),
            };
        }
        let damaged = (self.chunks.damaged > 0)
            .then(|| format!("damaged chunks were skipped ({})", self.chunks.damaged));
        let is_alone = !self.is_held;
        let (state, why) = match &self.told {
            None | Some(Absence::NotAsked | Absence::Nothing(_)) if self.is_of_one_worker() => {
                let count = self.capture.alone.unwrap_or_default();
                let why = format!(
                    "one worker ran all tiles (dispatches with several: {count}), and the only worker of a device records none"
                );
                return (State::Empty, Some(why));
            }
            _ if self.chunks.is_lossy() && is_alone => {
                let why = format!("the producer dropped all records ({})", self.chunks.dropped());
                return (State::Lost, Some(why));
            }
            _ if damaged.is_some() && is_alone => (State::Absent, String::new()),
            Some(Absence::Filtered(_)) => (
                self.state_of_nothing(),
                "filtered out: the filters excluded all of its records".into(),
            ),
            Some(Absence::Refused(said)) => {
                (State::Unsupported, format!("not supported by this driver: {said}"))
            }
            Some(Absence::Nothing(said)) => {
                (State::Unsupported, format!("not recorded by this driver: {said}"))
            }
            _ if self.chunks.count > 0 && is_alone => (
                State::Empty,
                "its chunks are empty: nothing of the kind happened, or a filter excluded everything"
                    .into(),
            ),
            Some(Absence::Elsewhere(run)) => {
                (State::Absent, format!("only recorded in {run}, whose ids do not apply to this bundle"))
            }
            Some(Absence::Lost(run)) => {
                (State::Absent, format!("recorded in {run}, whose bundle is missing"))
            }
            _ if self.is_never_recorded => {
                let driver = self.capture.driver.as_deref().unwrap_or_default();
                (State::Unsupported, format!("not supported by {driver}"))
            }
            Some(Absence::Cut(said)) => (State::Absent, said.clone()),
            Some(Absence::NotAsked) => (State::Absent, "not requested".into()),
            None if self.capture.session_count == 0 => {
                (State::Absent, "there are no sessions".into())
            }
            None => (State::Absent, "not recorded in any session (not requested, or refused)".into()),
        };
        (state, Some(damaged.unwrap_or(why)))
    }

    /// Returns why the records are incomplete; `None` if they are complete.
    fn why_partly(&self) -> Option<String> {
        let Self { capture, chunks, session_count, .. } = self;
        if chunks.is_lossy() {
            return Some(format!("the producer dropped records ({})", chunks.dropped()));
        }
        if chunks.damaged > 0 {
            return Some(format!("damaged chunks were skipped ({})", chunks.damaged));
        }
        if let Some(shortfall) = &self.shortfall {
            return Some(shortfall.why.clone());
        }
        if capture.is_cut {
            return Some("the capture is incomplete".into());
        }
        if capture.is_failed {
            return Some("a session failed before its end".into());
        }
        let all = capture.session_count;
        (*session_count < all).then(|| format!("recorded in {session_count} of {all} sessions"))
    }

    /// Whether it is that of regions, which the only worker of a device does not record, and one worker ran all tiles.
    fn is_of_one_worker(&self) -> bool {
        let is_empty = self.row_count == 0 && self.chunks.count == 0;
        is_empty && self.mode == "command-region-events" && self.capture.alone.is_some()
    }

    /// Returns the state of a mode without records, apart from the capture set.
    const fn state_of_nothing(&self) -> State {
        if self.chunks.count > 0 && !self.is_held {
            State::Empty
        } else if self.is_never_recorded {
            State::Unsupported
        } else {
            State::Absent
        }
    }
}

/// Whether a group is among these rows.
pub fn is_of(group: &Group, rows: Rows) -> bool {
    let kind = group.key(KIND);
    match rows {
        Rows::All => true,
        Rows::Of(wanted) => kind == Some(wanted.into()),
        Rows::NotOf(other) => kind != Some(other.into()),
    }
}

/// Determines the state of every mode, in the order of [`MODES`]. `alone` is the number of dispatches of several tiles if one
/// worker ran all tiles.
pub fn modes(
    bundle: &Bundle,
    groups: &[Group],
    chunks: &ByTable,
    alone: Option<u64>,
) -> Vec<Recorded> {
    let sessions = &bundle.directory.sessions;
    let capture = Capture {
        driver: driver_of(bundle),
        session_count: sessions.len() as u64,
        is_cut: bundle.salvage().is_some(),
        is_failed: sessions.iter().any(|session| session.failure().is_some()),
        alone,
    };
    let never = capture.driver.as_deref().and_then(driver).map_or(&[][..], |it| it.never_records);
    let recorded = |mode: &'static Mode| {
        let held = || groups.iter().filter(|group| group.table == mode.table());
        let rows = || held().filter(|group| is_of(group, rows_of_mode(mode.name)));
        let sessions: HashSet<u64> = rows().map(|group| group.session_id).collect();
        let facts = Facts {
            mode: mode.name,
            capture: &capture,
            row_count: rows().map(|group| group.row_count).sum(),
            session_count: sessions.len() as u64,
            chunks: chunks.get(&Some(mode.table())).copied().unwrap_or_default(),
            is_held: held().next().is_some(),
            is_never_recorded: never.contains(&mode.name),
            told: bundle.told(mode.name),
            shortfall: bundle.shortfall(mode.name),
        };
        let (state, reason) = facts.judged();
        Recorded {
            mode,
            row_count: facts.row_count,
            session_count: facts.session_count,
            chunks: facts.chunks,
            state,
            reason,
            has_none: facts.is_of_one_worker() && state == State::Empty,
            is_final: state == State::Partly && facts.shortfall.is_some_and(|it| it.is_final),
        }
    };
    MODES.iter().map(recorded).collect()
}

/// Returns the driver of a bundle; `None` if its sessions have several.
fn driver_of(bundle: &Bundle) -> Option<String> {
    let (first, others) = bundle.directory.sessions.split_first()?;
    let is_same = others.iter().all(|other| other.name == first.name);
    is_same.then(|| schemas::escape::escaped(&first.name).into_owned())
}

/// The columns of `mode_records`.
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
