//! Captures profiles: plans the runs that answer the wanted questions, runs IREE's tools, and plans again when a driver
//! refuses a mode or counter.
//!
//! The result is a capture set ([`read::bundle::set`]): a folder of bundles with a manifest, opened like any other
//! bundles.
//! Invariant: this layer prints nothing and runs no queries. It reports its progress as [`Event`]s.

mod attempt;
pub mod benchmark;
mod cause;
mod conclusion;
mod error;
mod event;
mod facts;
pub mod find;
mod folder;
mod guard;
mod learn;
mod look;
mod machine;
mod never;
mod part;
mod passing;
pub mod plan;
mod preview;
pub mod process;
mod refusal;
mod request;
mod rings;
mod series;
mod session;
mod settings;
mod start;
mod status;
mod stop;
mod tool;
pub mod trust;

pub(crate) use cause::compiler_errors;
pub use cause::why;
pub use conclusion::{Conclusion, Nothing};
pub use error::{CaptureError, chain};
pub use event::Event;
pub use facts::{device, host, inputs, now, values};
pub use folder::{PROBE, absolute, has, lock};
pub use look::modes;
pub use never::{driver_of, unsupported};
pub use passing::{Passes, REPLAYER, passes, recording, replayed};
pub use preview::{Fallback, PreviewedRun, fallbacks, preview};
pub use request::{
    CaptureRequest, check_filters, command, free_folder, last_folder, of_kernel_times,
    undisturbing, working_directory,
};
pub use series::{Series, capture};
pub use session::{Report, contents_of_bundle, contents_of_set};
pub use settings::Settings;
pub use start::Start;
pub use stop::Stop;
pub use tool::{Filters, Spelling, Tool};
