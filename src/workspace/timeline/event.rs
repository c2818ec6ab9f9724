//! What a caller learns while a timeline is drawn.

use exporters::perfetto::Rows;

use crate::Progress;

/// What happens while a timeline is drawn.
#[derive(Debug)]
pub enum Event {
    /// How much of a bundle is drawn. The bundles are drawn one after the other, each from the beginning.
    Progress(Progress),
    /// Nothing of the default timeline of a bundle is drawn.
    EmptyTimeline { bundle: String, reason: EmptyTimeline },
    /// Nothing of a bundle is drawn, because it has no host times, and these were to place it in time.
    Unplaced { bundle: String },
    /// Nothing of a query for these rows is drawn.
    EmptyQuery { rows: Rows, reason: EmptyQuery },
}

/// Why nothing of the default timeline of a bundle is drawn.
#[derive(Debug)]
pub enum EmptyTimeline {
    /// The filter matches none of these names of slices.
    Unmatched(Vec<String>),
    /// No event lies within the window.
    OutsideWindow,
    /// The bundle has no events with a time.
    NoEvents,
}

/// Why nothing of a query is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyQuery {
    /// Its result has no rows.
    NoRows,
    /// Rows lack a time or a value, or end before they start.
    Incomplete,
    /// No row lies within the window.
    OutsideWindow,
    /// The filter matches the name of no row.
    Unmatched,
}
