//! A cluster answers SQL over datasets: Apache DataFusion Ballista's scheduler and executors, with our functions and tables.
//!
//! The session of a client plans a statement and sends the plan to the scheduler ([`client`]), which splits it into stages; workers run them.
//! Of ours are only the functions, which all have, and how a relation of a dataset is written into a plan ([`codec`]): by the folder or address
//! of the dataset, and the version of its manifest, which every process opens by itself.
//!
//! It knows no bundles, flags, or how anything is printed.

mod client;
mod codec;
mod error;
mod leaves;
mod losses;
mod scheduler;
mod tls;
mod told;
mod worker;

pub use client::Cluster;
pub use error::ClusterError;
pub use scheduler::{SchedulerOptions, schedule};
pub use tls::Certificates;
pub use worker::{WorkerOptions, work};
