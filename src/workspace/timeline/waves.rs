//! The waves of instruction traces in a timeline: below their device, a track for each slot of a SIMD.

use engine::{Engine, EngineError, Parameters};
use exporters::perfetto::{Rows, Sequence};
use futures::StreamExt;

use super::error::TimelineError;
use super::feed::{POSITION, drop_column};
use super::spec::TraceDetail;

/// The reports whose rows are drawn: tracks, then slices. The last one only with [`TraceDetail::Instructions`].
const REPORTS: [&str; 4] = [TRACKS, "wave_slice", "wave_state_slice", "execution_slice"];

const TRACKS: &str = "wave_track";

/// Feeds the waves of all decoded traces to `sequence`, whatever their names are. The report without `_slice` is the category
/// of its slices.
pub async fn feed(
    engine: &Engine,
    detail: TraceDetail,
    sequence: &mut Sequence,
) -> Result<(), TimelineError> {
    sequence.keep_all_names();
    let is_all = detail == TraceDetail::Instructions;
    let count = if is_all { REPORTS.len() } else { REPORTS.len() - 1 };
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
                    let category = report.strip_suffix("_slice").unwrap_or(report);
                    sequence.rows(Rows::Slices, category, &batch)?;
                }
            }
        }
    }
    Ok(())
}
