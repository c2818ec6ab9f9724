//! What a user should know of filling gaps.

use std::fmt;
use std::path::PathBuf;

/// What a user should know while a capture is prepared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The bundle is part of a capture set, which is filled instead.
    InSet { bundle: String, set: PathBuf },
    /// An environment variable had another value in the earlier capture.
    Changed { name: String, now: String, before: String },
    /// An environment variable is set as in the earlier capture.
    Restored { name: String, value: String },
}

impl Notice {
    /// Whether it is a warning.
    pub const fn is_warning(&self) -> bool {
        matches!(self, Self::Changed { .. })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InSet { bundle, set } => {
                write!(
                    out,
                    "{bundle} belongs to the capture set {}, which is filled",
                    set.display()
                )
            }
            Self::Changed { name, now, before } => {
                write!(out, "{name} is {now}, but was {before} in the earlier capture")
            }
            Self::Restored { name, value } => {
                write!(out, "using {name}={value} of the earlier capture")
            }
        }
    }
}
