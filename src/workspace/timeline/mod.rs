//! Draws timelines of bundles: traces for Perfetto, from the views `timeline_*` and from queries of the caller.
//!
//! Invariant: nothing here prints or names a flag. The caller gives the output, and its listener gets the [`Event`]s.

mod draw;
mod empty;
mod error;
mod event;
mod feed;
mod spec;
mod waves;
mod window;

pub use draw::{Drawn, DrawnBundle, draw, open};
pub use error::TimelineError;
pub use event::{EmptyQuery, EmptyTimeline, Event};
pub use exporters::perfetto::TraceClock;
pub use spec::{TimelineSpec, TraceDetail};
pub use window::Window;
