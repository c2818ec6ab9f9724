//! Follows the performance of a program over its builds: adds their runs to a history, compares them with a baseline, and
//! finds when times changed.
//!
//! [`read::history`] knows the files of a history; what its rows say is here.
//!
//! Invariant: nothing here prints or names a flag.

mod accept;
mod addition;
mod change_rows;
mod check;
mod entries;
mod error;
mod list;
mod rows;
mod trends;
mod values;

pub use accept::{AcceptRequest, Acceptance, accept};
pub use addition::{AddRequest, Added, Addition};
pub use change_rows::batch;
pub use check::{Baseline, Check, CheckRequest};
pub use entries::{Entries, Entry, Labels, listed};
pub use error::TrackingError;
pub use list::{ListRequest, Listed, list};
pub use trends::{Change, DriftRequest, Trends};
pub use values::{LabelError, TimeError, label, now, time};
