//! One call of median length as a timeline: its dispatches by queue, and why nothing runs in between.

use std::collections::BTreeMap;

use super::parts::{Figure, Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, ChartRow, Mark, RowChart, Tone, Unit};
use crate::report::text::{counted, duration, percent};
use crate::rules::words::literal;

/// The call in the middle of those that are no warm-up, by length.
const MEDIAN: &str = "WITH ranked AS (SELECT bundle, invocation, start_ns, wall_ns, busy_ns, \
row_number() OVER (ORDER BY wall_ns, bundle, invocation) AS nth, count(*) OVER () AS calls \
FROM invocations WHERE wall_ns IS NOT NULL AND NOT is_warmup) \
SELECT bundle, invocation, start_ns, wall_ns, busy_ns FROM ranked WHERE nth = floor((calls + 1) / 2)";

/// The largest number of dispatches that are drawn one by one.
const SPANS: usize = 3000;

/// Makes the panel.
pub fn timeline(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let asked = subject.ask(MEDIAN)?;
    let calls = asked.rows();
    let Some(call) = calls.first() else { return Ok(None) };
    let (bundle, number) = (call.text("bundle"), call.count("invocation"));
    let (start, wall) =
        (call.number("start_ns").unwrap_or(0.0), call.number("wall_ns").unwrap_or(0.0));
    let busy = call.number("busy_ns").unwrap_or(0.0);
    let place = format!("bundle = {} AND invocation = {number}", literal(&bundle));
    let query = format!(
        "SELECT physical_device_ordinal AS device, queue_ordinal AS queue, key, start_ns - {start:.0} AS from_ns, \
         end_ns - {start:.0} AS to_ns FROM dispatches WHERE {place} AND is_valid AND is_best_clock \
         AND start_ns IS NOT NULL ORDER BY start_ns"
    );
    let gaps = format!(
        "SELECT cause, count(*) AS gaps, sum(gap_ns) AS ns, max(gap_ns) AS longest_ns FROM idle_gaps \
         WHERE bundle = {} AND before_invocation = {number} AND after_invocation = {number} \
         GROUP BY cause ORDER BY ns DESC",
        literal(&bundle)
    );
    let asked = subject.ask(&query)?;
    let spans = asked.rows();
    if spans.is_empty() {
        return Ok(None);
    }
    let mut panel =
        Panel::of("timeline", "A call of median length", &["render", "-o", "timeline.pftrace"]);
    panel.words.push(format!(
        "Call {number} of {bundle} takes {}. At least one dispatch runs for {} of it, {}.",
        duration(wall),
        duration(busy),
        percent(busy / wall)
    ));
    // Functions that take longest have a color of their own.
    let mut totals: BTreeMap<String, f64> = BTreeMap::new();
    for span in &spans {
        let length = span.number("to_ns").unwrap_or(0.0) - span.number("from_ns").unwrap_or(0.0);
        *totals.entry(span.text("key")).or_default() += length;
    }
    let mut ranked: Vec<(&String, &f64)> = totals.iter().collect();
    ranked.sort_by(|one, other| other.1.total_cmp(one.1));
    let tones = [Tone::Main, Tone::Second, Tone::Third];
    let key: Vec<(Tone, String)> =
        tones.into_iter().zip(&ranked).map(|(tone, (name, _))| (tone, short(name))).collect();
    let tone_of = |name: &str| {
        let place = ranked.iter().position(|(known, _)| known.as_str() == name);
        place.and_then(|place| tones.get(place).copied()).unwrap_or(Tone::Muted)
    };
    let mut lanes: BTreeMap<(u64, u64), Vec<(Mark, String)>> = BTreeMap::new();
    for span in spans.iter().take(SPANS) {
        let lane = (span.count("device"), span.count("queue"));
        let (from, to) =
            (span.number("from_ns").unwrap_or(0.0), span.number("to_ns").unwrap_or(0.0));
        let name = span.text("key");
        let mark = Mark::Bar { from, to, tone: tone_of(&name) };
        let title = format!("{name}: {}", duration(to - from));
        lanes.entry(lane).or_default().push((mark, title));
    }
    let titles = lanes.values().flatten().map(|(_, title)| title.clone()).collect();
    let rows = lanes.into_iter().map(|((device, queue), marks)| ChartRow {
        name: format!("device {device}, queue {queue}"),
        marks: marks.into_iter().map(|(mark, _)| mark).collect(),
    });
    let axis = Axis::of("time since the call began", Unit::Ns);
    let chart = Chart::Rows(RowChart { axis, rows: rows.collect(), key });
    let caption = if spans.len() > SPANS {
        format!("The first {SPANS} of {} dispatches of the call, by queue", spans.len())
    } else {
        "The dispatches of the call, by queue".to_owned()
    };
    panel.charts.push(Figure { titles, ..Figure::new(caption, chart) });
    causes(subject, &gaps, &mut panel)?;
    panel.queries.extend([query, gaps]);
    Ok(Some(panel))
}

/// Adds why nothing ran within the call.
fn causes(subject: &Subject<'_>, query: &str, panel: &mut Panel) -> Result<(), PanelError> {
    let asked = subject.ask(query)?;
    let rows = asked.rows();
    let Some(first) = rows.first() else { return Ok(()) };
    let count: u64 = rows.iter().map(|row| row.count("gaps")).sum();
    let total: f64 = rows.iter().filter_map(|row| row.number("ns")).sum();
    panel.words.push(format!(
        "Its queues idle for {} in {}, most of it with the cause: {}.",
        duration(total),
        counted(count, "gap"),
        first.text("cause")
    ));
    let mut table =
        Table::new("Idle gaps within the call", &["cause", "#gaps", "#total", "#longest"]);
    for row in &rows {
        table.rows.push(vec![
            Cell::text(row.text("cause")),
            Cell::count(row.count("gaps")),
            Cell::ns(row.number("ns")),
            Cell::ns(row.number("longest_ns")),
        ]);
    }
    panel.tables.push(table);
    Ok(())
}

/// Shortens a name for a key.
fn short(name: &str) -> String {
    crate::report::text::shorten(name, 28)
}
