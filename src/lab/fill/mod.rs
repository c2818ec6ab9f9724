//! Fills the gaps of captures: finds what is missing for questions, and prepares the capture of it with the command of the
//! earlier capture.
//!
//! Invariant: nothing here prints or asks. What the user should know goes to the caller's listener, and what the user must
//! allow is part of the plan.

mod command;
mod error;
mod known;
mod notice;
mod prepare;
mod request;
mod subject;

pub use error::FillError;
pub use notice::Notice;
pub use prepare::{Consent, FillPlan, prepare};
pub use request::{DEFAULT, FillRequest};
