//! The waves of instruction traces in a timeline: below their device, a track for each slot of a SIMD.

use std::sync::PoisonError;

use exporters::perfetto::{Rows, Sequence};
use futures::StreamExt;

use super::drawing::Waves;
use super::feed::{POSITION, drop_column};
use crate::att::{Selection, Settings};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::engine::{Engine, EngineError, Parameters};
use crate::fold::Pattern;

/// The reports whose rows are drawn as slices; the last one only with [`Waves::Instructions`].
const SLICES: [&str; 3] = ["wave_slice", "wave_state_slice", "execution_slice"];

/// Returns how bundles are opened so that only traces of functions that match a pattern are decoded.
pub fn opening(opening: &Opening, filter: Option<&String>) -> Opening {
    let filter = Pattern::new(filter.map_or("*", String::as_str));
    let selection = Selection { filter, id: None };
    Opening { traces: Settings { selection, ..Settings::default() }, ..opening.clone() }
}

/// Feeds the waves of all decoded traces to `sequence`, whatever their names are.
pub async fn feed(engine: &Engine, waves: Waves, sequence: &mut Sequence) -> Result<(), CliError> {
    sequence.keep_all_names();
    let every = Parameters::default();
    for batch in engine.report("wave_track", &every).await?.batches {
        sequence.tracks(&batch)?;
    }
    let is_drawn = |name: &&str| *name != "execution_slice" || waves == Waves::Instructions;
    for report in SLICES.iter().filter(|name| is_drawn(name)) {
        let prepared = engine.prepare(sql::Kind::Report, report, &every).await?;
        for mut batches in prepared.partitions()? {
            while let Some(batch) = batches.next().await {
                let mut batch = batch.map_err(EngineError::from)?;
                drop_column(&mut batch, POSITION);
                sequence.rows(Rows::Slices, &batch)?;
            }
        }
    }
    Ok(())
}

/// Fails if traces could not be decoded, or there were none. All else is drawn by then.
pub fn check(opening: &Opening) -> Result<(), CliError> {
    let outcome = opening.traces.outcome.lock().unwrap_or_else(PoisonError::into_inner);
    if outcome.traces == 0 {
        return Err(CliError::No(
            "no instruction traces of functions that --filter selects were recorded, so that --att draws nothing; `ireescope att --list` lists traces"
                .into(),
        ));
    }
    if outcome.problems.is_empty() {
        Ok(())
    } else {
        Err(CliError::Undecoded(outcome.problems.clone()))
    }
}
