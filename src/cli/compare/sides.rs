//! Opens a side of a comparison with the flags of opening.

use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::compare::Runs;
use crate::comparison::Selection;
use crate::engine::comparison::Measure;
use crate::engine::{Parameters, Warmup};

pub use crate::comparison::SideSource as Given;

/// Opens a side and reads its times.
pub fn open(
    given: &Given,
    measure: &'static Measure,
    parameters: &Parameters,
    opening: &Opening,
) -> Result<Runs, CliError> {
    let warmup = match u32::try_from(parameters.warmup) {
        Err(_) => Warmup::Auto,
        Ok(0) => Warmup::Keep,
        Ok(count) => Warmup::First(count),
    };
    let filter = parameters.filter.clone();
    Ok(given.open(&Selection { measure, warmup, filter }, &opening.options())?)
}
