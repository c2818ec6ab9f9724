//! What a user should know of an operation that goes on all the same.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use read::bundle::LOST;

use super::error::OpenError;

/// A warning.
#[derive(Debug)]
pub enum Notice {
    /// Records of a bundle are missing.
    Salvaged { path: PathBuf, problem: String },
    /// A capture set lists a bundle whose file is missing.
    Lost { path: PathBuf },
    /// Objects are being copied, which takes long.
    Copying { address: String, done: u64, total: u64 },
    /// Objects whose keys cannot be written as paths, by their addresses.
    LeftOut(Vec<String>),
    /// A view of a folder could not be defined.
    View(OpenError),
}

impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Salvaged { path, problem } => write!(out, "{}: {problem}", path.display()),
            Self::Lost { path } => write!(out, "{}: {LOST}", path.display()),
            Self::Copying { address, done, total } => {
                let size = |bytes: &u64| bytesize::ByteSize::b(*bytes).display().si().to_string();
                write!(out, "copying {address}: {} of {}", size(done), size(total))
            }
            Self::LeftOut(addresses) => {
                let first = addresses.first().map_or("", String::as_str);
                let more = match addresses.len() {
                    0 | 1 => String::new(),
                    many => format!(" and {} more like it", many - 1),
                };
                write!(
                    out,
                    "left out {first}{more}: keys with an empty part, `.`, `..` or a control character cannot be opened"
                )
            }
            Self::View(error) => error.fmt(out),
        }
    }
}

/// Takes notices as they come; by default, they are dropped.
#[derive(Clone, Default)]
pub struct Listener(Option<Arc<dyn Fn(Notice) + Send + Sync>>);

impl Listener {
    /// Creates a listener that calls `take` for each notice.
    pub fn new(take: impl Fn(Notice) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(take)))
    }

    pub(super) fn tell(&self, notice: Notice) {
        if let Some(take) = &self.0 {
            take(notice);
        }
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Listener").field(&self.0.is_some()).finish()
    }
}
