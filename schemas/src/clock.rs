//! The clocks that time dispatches.

use std::fmt;

/// Whose clock timed a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clock {
    Device,
    Host,
}

impl Clock {
    /// All clocks, best first.
    pub const ALL: [Self; 2] = [Self::Device, Self::Host];

    /// Returns the name, as the column `timing_source` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Host => "host",
        }
    }

    /// Returns the clock of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|clock| clock.name() == name)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
