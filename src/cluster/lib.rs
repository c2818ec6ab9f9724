//! A cluster answers SQL over datasets: workers run the stages of a plan and pass rows to each other, by datafusion-distributed.
//!
//! A client plans a statement as it does without a cluster, divides the plan into stages ([`client`]), and sends the stages to the workers that
//! answer. There is no other process, and workers keep no rows of a statement that has ended. This crate adds how scans of datasets are divided
//! ([`scans`]) and written into a plan ([`codec`]), the connections ([`connections`]), who answers ([`connected`]), EXPLAIN ([`explained`]),
//! and what errors say ([`errors`]).
//!
//! It knows no bundles, flags, or how anything is printed.

mod client;
mod codec;
mod connected;
mod connections;
mod errors;
mod explained;
mod running;
mod scans;
mod tls;
mod worker;

pub use client::Cluster;
pub use errors::ClusterError;
pub use tls::Certificates;
pub use worker::{WorkerOptions, work};
