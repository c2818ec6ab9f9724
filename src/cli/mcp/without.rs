//! What a program says that was built without servers.

use super::args::Mcp;
use crate::cli::error::CliError;
use crate::cli::open::Opening;

pub fn run(_: &Mcp, _: &Opening) -> Result<(), CliError> {
    Err(CliError::without("servers", "servers"))
}
