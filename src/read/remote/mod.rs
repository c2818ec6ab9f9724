//! Objects of stores that are not file systems: `s3://`, `gs://`, `az://`, `https://`.
//!
//! [`Stores`] finds what an address names ([`Stores::find`]). Bundles and capture sets are copied to a cache, once per version,
//! and then opened as files; so are the files of histories. Of datasets, only what a query needs is read ([`RemoteFolder`]).
//!
//! Invariant: requests run on the threads of [`Stores`], so that callers may be in any thread or runtime.

mod address;
mod cache;
mod change;
mod error;
mod find;
mod folder;
mod listing;
mod output;
mod repeat;
mod stores;
mod upload;

pub use address::is_address;
pub use change::{ABANDONED, Change, unique};
pub use error::RemoteError;
pub use find::{Found, HISTORY};
pub use folder::{RemoteFile, RemoteFolder, Version};
pub use output::RemoteOutput;
pub use stores::{Stores, Told};
pub use upload::abort_uploads;
