//! `mcp`: answers coding agents.

mod args;
#[cfg(feature = "servers")]
mod process;
#[cfg(not(feature = "servers"))]
mod without;

pub use args::Mcp;
#[cfg(feature = "servers")]
pub use process::run;
#[cfg(not(feature = "servers"))]
pub use without::run;
