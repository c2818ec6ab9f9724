//! Opens bundles, capture sets, datasets, histories and folders of results, and answers questions about them.
//!
//! [`Workspace`] is what programs use: it owns an engine and the threads that run its queries.
//!
//! Invariant: nothing here prints, reads standard input, or names a flag. What the user should know goes to a [`Listener`].

mod answers;
mod bench_folder;
mod definitions;
mod error;
mod known;
mod labels;
mod notice;
mod open;
mod options;
mod tune_folder;
mod user_folders;

pub use answers::{DEEP_STACK, STACK, Workspace};
pub use definitions::{define, initialize};
pub use error::OpenError;
pub use known::peaks_file;
pub use labels::prefixed;
pub use notice::{Listener, Notice};
pub use open::{bundles_only, open_bundles};
pub use options::WorkspaceOptions;
pub use user_folders::{cache, config, state};
