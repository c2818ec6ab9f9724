//! Objects of stores that are not file systems: `s3://`, `gs://`, `az://`, `https://`.
//!
//! [`Stores`] finds what an address names. Bundles, capture sets and histories are copied to a cache, once per version, and
//! then opened as files ([`Stores::find`]); of datasets, only what a query needs is read ([`RemoteFolder`]).
//!
//! Invariant: requests run on the threads of [`Stores`], so that callers may be in any thread or runtime.

mod address;
mod cache;
mod error;
mod find;
mod folder;
mod repeat;
mod stores;

pub use address::is_address;
pub use error::RemoteError;
pub use find::Found;
pub use folder::{RemoteFile, RemoteFolder, Version};
pub use stores::{Stores, Transfer};
