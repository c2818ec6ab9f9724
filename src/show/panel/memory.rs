//! Memory over time, and what is alive at the peak.

use base::words::literal;
use report::Row;
use report::text::{bytes, counted};

use super::parts::{Figure, Panel, PanelError};
use super::subject::{PEAKS, Subject};
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, Layer, PlaneChart, Tone, Unit};

/// Events that are drawn one by one; of more, the highest in each of as many equal spans of time.
const STEPS: u32 = 600;

/// Makes the panel.
pub fn memory(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let peaks = subject.peaks()?.rows();
    let Some(peak) = peaks.first() else { return Ok(None) };
    let (bundle, kind) = (peak.text("bundle"), peak.text("kind"));
    let place = format!("bundle = {} AND kind = {}", literal(&bundle), literal(&kind));
    let call = subject.median()?.filter(|call| call.bundle == bundle);
    let within = call.map(|call| call.host_times(subject.workspace)).transpose()?.flatten();
    // Without a call, no event is in it.
    let (from, length) = within.unwrap_or_else(|| ("0".to_owned(), -1.0));
    let Some([extent, query]) = queries(subject, &place, &from, length)? else {
        return Ok(None);
    };
    let mut panel = Panel::of("memory", "Memory", &["memory"]);
    let kind_words = kind.replace('_', " ");
    panel.words.extend(words(peak, &bundle, &kind_words));
    let steps = subject.ask(&query)?;
    let rows = steps.rows();
    let until = rows.last().and_then(|row| row.number("until_ns")).unwrap_or(0.0);
    let caption =
        format!("Live bytes of the kind {kind_words} that the capture allocated, over all pools");
    panel.charts.push(figure(
        caption,
        "time since the first allocation",
        points(&rows, "ns"),
        until,
    ));
    let of_call: Vec<Row<'_>> = rows.into_iter().filter(|row| row.is("is_in_call")).collect();
    if let (Some(call), [_, _, ..]) = (call, of_call.as_slice()) {
        let caption = format!("The same within call {}, which has the median length", call.number);
        // What lives when it begins.
        let before = of_call.first().and_then(|row| row.number("before")).unwrap_or(0.0);
        let mut at = vec![(0.0, before)];
        at.extend(points(&of_call, "call_ns"));
        panel.charts.push(figure(caption, "time since the call was submitted", at, length));
    }
    let mut table =
        Table::new("Alive at the peak", &["#allocation", "#size", "#share", "#submission"]);
    let place = |row: &Row<'_>| {
        let texts = ["bundle", "kind"].map(|name| row.text(name));
        (texts, ["session_id", "device"].map(|name| row.whole(name)))
    };
    let of_peak = |row: &&Row<'_>| place(row) == place(peak);
    for row in peaks.iter().filter(of_peak) {
        table.rows.push(vec![
            Cell::count(row.count("allocation_id")),
            Cell::bytes(row.number("bytes")),
            Cell::share(row.number("share")),
            row.whole("start_submission_id").map_or_else(|| Cell::text("–"), Cell::count),
        ]);
    }
    panel.tables.push(table);
    panel.queries.extend([extent, query, PEAKS.to_owned()]);
    Ok(Some(panel))
}

/// Returns the most bytes at one time of a row of [`PEAKS`], and a note: what pools tell, or what the capture allocated at most.
pub(super) fn most(peak: &Row<'_>) -> Option<(f64, String, &'static str)> {
    if let Some(told) = peak.number("pool_peak_bytes") {
        return Some((told, bytes(told), "as pools tell, with memory of before the capture"));
    }
    let most = peak.number("peak_bytes")?;
    let bound = if peak.is("is_upper_bound") { "at most " } else { "" };
    let note = "of what the capture allocated; the highest of the kinds of memory, which contain each other";
    Some((most, format!("{bound}{}", bytes(most)), note))
}

/// Says how high a peak is.
fn words(peak: &Row<'_>, bundle: &str, kind: &str) -> Vec<String> {
    let bound = if peak.is("is_upper_bound") { "at most " } else { "" };
    let allocated = bytes(peak.number("peak_bytes").unwrap_or(0.0));
    let count = counted(peak.count("live_count"), "allocation");
    let Some(told) = peak.number("pool_peak_bytes") else {
        return vec![
            format!(
                "Memory of the kind {kind} has a peak of {bound}{allocated} in {count} of {bundle}."
            ),
            "Memory of before the capture, such as weights, is not counted.".to_owned(),
        ];
    };
    let before = peak.number("pool_before_bytes").filter(|before| *before > 0.0);
    let before = before.map_or_else(String::new, |before| {
        format!(", with {} of before the capture, such as weights", bytes(before))
    });
    vec![
        format!(
            "Pools of {bundle} have reserved {} at their peak, as they tell{before}.",
            bytes(told)
        ),
        format!(
            "Of what the capture allocated, the kind {kind} has a peak of {bound}{allocated} in {count}."
        ),
    ]
}

/// Returns the queries for the extent of the events at a place, and for the live bytes, with each event within a call that is submitted
/// at a host time.
fn queries(
    subject: &Subject<'_>,
    place: &str,
    from: &str,
    length: f64,
) -> Result<Option<[String; 2]>, PanelError> {
    let extent = format!(
        "SELECT count(*) AS events, min(host_time_ns) AS first_ns, max(host_time_ns) - min(host_time_ns) AS span_ns \
         FROM memory_live WHERE {place}"
    );
    let asked = subject.ask(&extent)?;
    let rows = asked.rows();
    let Some(all) = rows.first() else { return Ok(None) };
    let first = all.text("first_ns");
    let step = if all.count("events") <= u64::from(STEPS) {
        "nth".to_owned()
    } else {
        format!(
            "floor(ns / {:.1})",
            all.number("span_ns").unwrap_or(0.0).max(1.0) / f64::from(STEPS)
        )
    };
    // The live bytes of all pools and devices, of which each row changes one: the highest of a step, but each event within the call.
    let query = format!(
        "WITH sums AS (SELECT host_time_ns - {first} AS ns, host_time_ns - {from} AS call_ns, \
         host_time_ns BETWEEN {from} AND {from} + {length:.0} AS is_in_call, \
         row_number() OVER (ORDER BY host_time_ns, event_id) AS nth, sum(CAST(delta_bytes AS DOUBLE)) \
         OVER (ORDER BY host_time_ns, event_id ROWS UNBOUNDED PRECEDING) AS live, CAST(delta_bytes AS DOUBLE) AS delta FROM memory_live WHERE {place}) \
         SELECT is_in_call, min(ns) AS ns, max(ns) AS until_ns, min(call_ns) AS call_ns, max(live) AS live, min(live - delta) AS before FROM sums \
         GROUP BY is_in_call, CASE WHEN is_in_call THEN nth END, CASE WHEN NOT is_in_call THEN {step} END ORDER BY ns"
    );
    Ok(Some([extent, query]))
}

/// Returns the live bytes by a time.
fn points(rows: &[Row<'_>], time: &str) -> Vec<(f64, f64)> {
    rows.iter().filter_map(|row| Some((row.number(time)?, row.number("live")?))).collect()
}

fn figure(caption: String, time: &str, at: Vec<(f64, f64)>, until: f64) -> Figure {
    let chart = Chart::Plane(PlaneChart {
        x: Axis::of(time, Unit::Ns),
        y: Axis::of("live bytes", Unit::Bytes),
        layers: vec![Layer::Steps { at, until, tone: Tone::Main }],
        key: Vec::new(),
    });
    Figure::new(caption, chart)
}
