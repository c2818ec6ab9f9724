//! The waves of instruction traces in a timeline: below their device, a track for each slot of a SIMD.

use exporters::perfetto::{Rows, Sequence};
use futures::StreamExt;

use super::drawing::Waves;
use super::feed::{POSITION, drop_column};
use crate::att::{Outcome, Selection, Settings};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::engine::{Engine, EngineError, Parameters};
use crate::fold::Pattern;

/// The reports whose rows are drawn: tracks, then slices. The last one only with [`Waves::Instructions`].
const REPORTS: [&str; 4] = [TRACKS, "wave_slice", "wave_state_slice", "execution_slice"];

const TRACKS: &str = "wave_track";

/// Returns how bundles are opened so that only traces of functions that match a pattern are decoded.
pub fn opening(opening: &Opening, filter: Option<&String>) -> Opening {
    let filter = Pattern::new(filter.map_or("*", String::as_str));
    let selection = Selection { filter, id: None };
    Opening { traces: Settings { selection, ..Settings::default() }, ..opening.clone() }
}

/// Feeds the waves of all decoded traces to `sequence`, whatever their names are.
pub async fn feed(engine: &Engine, waves: Waves, sequence: &mut Sequence) -> Result<(), CliError> {
    sequence.keep_all_names();
    let count = if waves == Waves::Instructions { REPORTS.len() } else { REPORTS.len() - 1 };
    // All are planned before the first one runs, so that traces are decoded once.
    let mut prepared = Vec::new();
    for report in REPORTS.iter().take(count) {
        let every = Parameters::default();
        prepared.push((*report, engine.prepare(sql::Kind::Report, report, &every).await?));
    }
    for (report, prepared) in prepared {
        for mut batches in prepared.partitions()? {
            while let Some(batch) = batches.next().await {
                let mut batch = batch.map_err(EngineError::from)?;
                if report == TRACKS {
                    sequence.tracks(&batch)?;
                } else {
                    drop_column(&mut batch, POSITION);
                    sequence.rows(Rows::Slices, &batch)?;
                }
            }
        }
    }
    Ok(())
}

/// Fails if traces could not be decoded, or if there were none to draw. All else is drawn by then.
pub fn check(opening: &Opening, waves: Option<Waves>) -> Result<(), CliError> {
    let Outcome { traces, problems } = opening.traces.take_outcome();
    if waves.is_some() && traces == 0 {
        return Err(CliError::No(
            "no instruction traces of functions that --filter selects were recorded, so that --att draws nothing; `ireescope att --list` lists traces"
                .into(),
        ));
    }
    if problems.is_empty() { Ok(()) } else { Err(CliError::Undecoded(problems)) }
}
