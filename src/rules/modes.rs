//! What became of each mode: how much of it was recorded, and why there is no more, as far as a bundle and the manifest of its
//! capture set can tell.

use std::collections::HashSet;

use schemas::drivers::{Rows, driver, rows_of_mode};
use schemas::questions::{MODES, Mode};

use crate::bundle::Bundle;
use crate::bundle::set::{Shortfall, Told};
use crate::fold::{ByTable, Chunks, Columns, Group, KIND};

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
    /// What became of the mode, and why there is no more of it: the first case that applies.
    fn judged(&self) -> (State, Option<String>) {
        if self.row_count > 0 {
            return match self.why_partly() {
                None => (State::Recorded, None),
                why => (State::Partly, why),
            };
        }
        let damaged = (self.chunks.damaged > 0)
            .then(|| format!("chunks of it are damaged and left out ({})", self.chunks.damaged));
        let is_alone = !self.is_held;
        let (state, why) = match &self.told {
            _ if self.chunks.is_lossy() && is_alone => {
                let why = format!("the producer dropped all records ({})", self.chunks.dropped());
                return (State::Lost, Some(why));
            }
            _ if damaged.is_some() && is_alone => (State::Absent, String::new()),
            Some(Told::Filtered(_)) => (
                self.state_of_nothing(),
                "filtered out: it was recorded of nothing that the filters left".into(),
            ),
            Some(Told::Refused(said)) => {
                (State::Unsupported, format!("not supported by this driver: {said}"))
            }
            Some(Told::Nothing(said)) => {
                (State::Unsupported, format!("not recorded by this driver: {said}"))
            }
            _ if self.chunks.count > 0 && is_alone => (
                State::Empty,
                "its chunks hold no record: nothing of it happened, or a filter left all out"
                    .into(),
            ),
            Some(Told::Elsewhere(run)) => {
                (State::Absent, format!("only recorded in {run}, whose ids mean nothing here"))
            }
            Some(Told::Lost(run)) => {
                (State::Absent, format!("recorded in {run}, whose bundle is not there"))
            }
            _ if self.is_never_recorded => {
                let driver = self.capture.driver.as_deref().unwrap_or_default();
                (State::Unsupported, format!("not supported by {driver}"))
            }
            Some(Told::Cut(said)) => (State::Absent, said.clone()),
            Some(Told::NotAsked) => (State::Absent, "not asked for".into()),
            None if self.capture.session_count == 0 => {
                (State::Absent, "there is no session".into())
            }
            None => (State::Absent, "no session recorded any (not asked for, or refused)".into()),
        };
        (state, Some(damaged.unwrap_or(why)))
    }

    /// Why not all of it was recorded; none where all was.
    fn why_partly(&self) -> Option<String> {
        let Self { capture, chunks, session_count, .. } = self;
        if chunks.is_lossy() {
            return Some(format!("the producer dropped records ({})", chunks.dropped()));
        }
        if chunks.damaged > 0 {
            return Some(format!("chunks of it are damaged and left out ({})", chunks.damaged));
        }
        if let Some(shortfall) = &self.shortfall {
            return Some(shortfall.why.clone());
        }
        if capture.is_cut {
            return Some("the capture was cut before its end".into());
        }
        if capture.is_failed {
            return Some("a session failed before its end".into());
        }
        let all = capture.session_count;
        (*session_count < all).then(|| format!("recorded in {session_count} of {all} sessions"))
    }

    /// What a mode without records is, whatever the capture set tells.
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

/// Whether a group is of these rows.
pub fn is_of(group: &Group, rows: Rows) -> bool {
    let kind = group.key(KIND);
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
        let (state, reason) = facts.judged();
        Recorded {
            mode,
            row_count: facts.row_count,
            session_count: facts.session_count,
            chunks: facts.chunks,
            state,
            reason,
            is_final: state == State::Partly && facts.shortfall.is_some_and(|it| it.is_final),
        }
    };
    MODES.iter().map(recorded).collect()
}

/// The driver of a bundle, where all its sessions are of one.
fn driver_of(bundle: &Bundle) -> Option<String> {
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
