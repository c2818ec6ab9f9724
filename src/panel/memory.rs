//! Memory over time, and what is alive at the peak.

use super::parts::{Figure, Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, Layer, PlaneChart, Tone, Unit};
use crate::report::text::{bytes, counted};
use crate::rules::words::literal;

/// The kind of memory with the highest peak of a bundle.
const PEAK: &str = "SELECT bundle, kind, peak_bytes, is_upper_bound, live_count, pool_peak_bytes FROM memory_peaks \
WHERE pool_id IS NULL AND rank = 1 ORDER BY peak_bytes DESC, bundle, kind LIMIT 1";
/// Steps that are drawn; more are the highest of neighbors.
const STEPS: u64 = 600;

/// Makes the panel.
pub fn memory(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let asked = subject.ask(PEAK)?;
    let peaks = asked.rows();
    let Some(peak) = peaks.first() else { return Ok(None) };
    let (bundle, kind) = (peak.text("bundle"), peak.text("kind"));
    let most = peak.number("peak_bytes").unwrap_or(0.0);
    let place = format!("bundle = {} AND kind = {}", literal(&bundle), literal(&kind));
    // The live bytes of all pools and devices, of which each row changes one.
    let query = format!(
        "WITH sums AS (SELECT host_time_ns - min(host_time_ns) OVER () AS ns, \
         sum(delta_bytes) OVER (ORDER BY host_time_ns, event_id ROWS UNBOUNDED PRECEDING) AS live, \
         row_number() OVER (ORDER BY host_time_ns, event_id) AS nth, count(*) OVER () AS events \
         FROM memory_live WHERE {place}) \
         SELECT min(ns) AS ns, max(ns) AS until_ns, max(live) AS live FROM sums \
         GROUP BY CASE WHEN events <= {STEPS} THEN nth ELSE floor(nth * {STEPS} / events) END ORDER BY 1"
    );
    let alive = format!(
        "SELECT allocation_id, bytes, share, start_ns, end_ns, start_submission_id FROM memory_peaks \
         WHERE {place} AND pool_id IS NULL ORDER BY rank LIMIT 10"
    );
    let mut panel = Panel::of("memory", "Memory", &["memory"]);
    let kind_words = kind.replace('_', " ");
    let bound = if peak.is("is_upper_bound") { "at most " } else { "" };
    panel.words.push(format!(
        "Memory of the kind {kind_words} has its peak at {bound}{} in {} of {bundle}.",
        bytes(most),
        counted(peak.count("live_count"), "allocation"),
    ));
    if let Some(pool) = peak.number("pool_peak_bytes") {
        panel.words.push(format!("Its pool has reserved {} at most.", bytes(pool)));
    }
    let steps = subject.ask(&query)?;
    let rows = steps.rows();
    let at: Vec<(f64, f64)> =
        rows.iter().filter_map(|row| Some((row.number("ns")?, row.number("live")?))).collect();
    let until = rows.last().and_then(|row| row.number("until_ns")).unwrap_or(0.0);
    let chart = Chart::Plane(PlaneChart {
        x: Axis::of("time since the first allocation", Unit::Ns),
        y: Axis::of("live bytes", Unit::Bytes),
        layers: vec![Layer::Steps { at, until, tone: Tone::Main }],
        key: Vec::new(),
    });
    panel
        .charts
        .push(Figure::new(format!("Live bytes of the kind {kind_words}, over all pools"), chart));
    let asked = subject.ask(&alive)?;
    let mut table =
        Table::new("Alive at the peak", &["#allocation", "#size", "#share", "#submission"]);
    for row in asked.rows() {
        table.rows.push(vec![
            Cell::count(row.count("allocation_id")),
            Cell::bytes(row.number("bytes")),
            Cell::share(row.number("share")),
            row.whole("start_submission_id").map_or_else(|| Cell::text("–"), Cell::count),
        ]);
    }
    panel.tables.push(table);
    panel.queries.extend([query, alive]);
    Ok(Some(panel))
}
