//! One call of median length as a timeline: its dispatches by queue, transfers, waits, and why nothing runs in between.

use std::collections::BTreeMap;

use base::words::literal;
use report::Row;
use report::names::{shortened, without_beginning};
use report::text::{bytes, counted, duration, percent};

use super::median::MedianCall;
use super::parts::{Figure, Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};
use super::waits::Waits;
use crate::plot::{Axis, Chart, ChartRow, Mark, RowChart, Tone, Unit};

/// The largest number of marks of a lane that are drawn.
const SPANS: usize = 3000;

/// The largest number of letters of a name in the key of the chart.
const KEY: usize = 28;

/// What a lane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Dispatches,
    Transfers,
    /// The rows of waits that overlap.
    Waits(usize),
    Idle,
}

/// The device, the queue, and what it shows.
type Lane = (u64, u64, Kind);
/// Bars with titles, by lane.
type Lanes = BTreeMap<Lane, Vec<(Mark, String)>>;

impl MedianCall {
    /// Returns a query for marks, with times since the call began: what of a relation overlaps it.
    fn overlapping(&self, what: &str, [from, to]: [&str; 2], source: &str) -> String {
        let (start, wall) = (&self.start_ns, self.wall_ns);
        let bundle = literal(&self.bundle);
        format!(
            "SELECT physical_device_ordinal AS device, queue_ordinal AS queue, {what}, \
             greatest({from} - {start}, 0) AS from_ns, least({to} - {start}, {wall:.0}) AS to_ns \
             FROM {source} AND bundle = {bundle} AND {to} >= {start} AND {from} <= {start} + {wall:.0} \
             ORDER BY from_ns, to_ns"
        )
    }
}

/// Makes the panel.
pub fn timeline(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let Some(call) = subject.median()? else { return Ok(None) };
    let spans = call.dispatches();
    let Some(first) = spans.first() else { return Ok(None) };
    let command = ["render", "-o", "timeline.pftrace"];
    let mut panel = Panel::of("timeline", "A call of median length", &command);
    panel.words.push(format!(
        "Call {} of {} takes {}. At least one dispatch runs for {} of it, {}.",
        call.number,
        call.bundle,
        duration(call.wall_ns),
        duration(call.busy_ns),
        percent(call.busy_ns / call.wall_ns)
    ));
    panel.queries.push(call.query.clone());
    let mut lanes = Lanes::new();
    let key = dispatches(&spans, &mut lanes);
    others(subject, call, &first.text("time_domain"), &mut lanes, &mut panel)?;
    let titles = lanes.values().flatten().map(|(_, title)| title.clone()).collect();
    let rows = lanes.into_iter().map(|((device, queue, kind), marks)| ChartRow {
        name: match kind {
            Kind::Dispatches => format!("device {device}, queue {queue}"),
            Kind::Transfers => "transfers".to_owned(),
            Kind::Waits(0) => "operations that wait".to_owned(),
            Kind::Waits(_) => String::new(),
            Kind::Idle => "idle".to_owned(),
        },
        marks: marks.into_iter().map(|(mark, _)| mark).collect(),
    });
    let axis = Axis::of("time since the call began", Unit::Ns);
    let chart = Chart::Rows(RowChart { axis, rows: rows.collect(), key });
    let caption = if spans.len() > SPANS {
        format!("The dispatches of the call, by queue: the first {SPANS} of each")
    } else {
        "The dispatches of the call, by queue".to_owned()
    };
    panel.charts.push(Figure { titles, ..Figure::new(caption, chart) });
    Ok(Some(panel))
}

/// Adds the dispatches, and returns what their tones mean: those of the functions that take longest.
fn dispatches(spans: &[Row<'_>], lanes: &mut Lanes) -> Vec<(Tone, String)> {
    let mut totals: BTreeMap<String, f64> = BTreeMap::new();
    for span in spans {
        let [from, to] = ends(span);
        *totals.entry(span.text("key")).or_default() += to - from;
    }
    let mut ranked: Vec<(&String, &f64)> = totals.iter().collect();
    ranked.sort_by(|one, other| other.1.total_cmp(one.1));
    let tones = [Tone::Main, Tone::Second, Tone::Third];
    let of_longest: BTreeMap<&str, Tone> =
        ranked.iter().zip(tones).map(|((name, _), tone)| (name.as_str(), tone)).collect();
    for span in spans {
        let name = span.text("key");
        let tone = of_longest.get(name.as_str()).copied().unwrap_or(Tone::Muted);
        add(lanes, span, Kind::Dispatches, tone, &name);
    }
    let mut names: Vec<String> = ranked.iter().map(|(name, _)| (*name).clone()).collect();
    names.truncate(tones.len());
    if names.iter().any(|name| name.chars().count() > KEY) {
        without_beginning(&mut names);
    }
    tones.into_iter().zip(shortened(&names, KEY)).collect()
}

/// Adds transfers, waits and idle gaps, as far as their clock is that of the dispatches, or can be related to it.
fn others(
    subject: &Subject<'_>,
    call: &MedianCall,
    clock: &str,
    lanes: &mut Lanes,
    panel: &mut Panel,
) -> Result<(), PanelError> {
    let clock_is = format!("time_domain = {}", literal(clock));
    let timed = ["start_ns", "(start_ns + duration_ns)"];
    let source = format!("transfers WHERE is_valid AND duration_ns IS NOT NULL AND {clock_is}");
    let query = call.overlapping("type, payload_bytes", timed, &source);
    for row in &subject.ask(&query)?.rows() {
        let size = row.number("payload_bytes").map(|size| format!(" of {}", bytes(size)));
        let name = format!("{}{}", row.text("type"), size.unwrap_or_default());
        add(lanes, row, Kind::Transfers, Tone::Main, &name);
    }
    panel.queries.push(query);
    let waits = Waits::of(subject, call, clock)?;
    for wait in waits.drawn {
        let lane = (wait.device, wait.queue, Kind::Waits(wait.row));
        mark(lanes, lane, wait.drawn, Tone::Muted, wait.title);
    }
    panel.words.extend(waits.words);
    panel.queries.extend(waits.queries);
    let number = call.number;
    let source = format!(
        "idle_gaps WHERE before_invocation = {number} AND after_invocation = {number} AND {clock_is}"
    );
    let query = call.overlapping("cause", ["start_ns", "end_ns"], &source);
    let asked = subject.ask(&query)?;
    let gaps = asked.rows();
    for row in &gaps {
        add(lanes, row, Kind::Idle, Tone::Bad, &format!("idle, cause {}", row.text("cause")));
    }
    causes(&gaps, panel);
    panel.queries.push(query);
    Ok(())
}

fn ends(row: &Row<'_>) -> [f64; 2] {
    ["from_ns", "to_ns"].map(|name| row.number(name).unwrap_or(0.0))
}

fn add(lanes: &mut Lanes, row: &Row<'_>, kind: Kind, tone: Tone, name: &str) {
    let [from, to] = ends(row);
    let title = format!("{name}: {}", duration(to - from));
    mark(lanes, (row.count("device"), row.count("queue"), kind), [from, to], tone, title);
}

fn mark(lanes: &mut Lanes, lane: Lane, [from, to]: [f64; 2], tone: Tone, title: String) {
    let marks = lanes.entry(lane).or_default();
    if marks.len() < SPANS {
        marks.push((Mark::Bar { from, to, tone }, title));
    }
}

/// Adds why nothing ran within the call.
fn causes(gaps: &[Row<'_>], panel: &mut Panel) {
    let mut causes: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for gap in gaps {
        let [from, to] = ends(gap);
        causes.entry(gap.text("cause")).or_default().push(to - from);
    }
    let sum = |lengths: &Vec<f64>| lengths.iter().sum::<f64>();
    let mut causes: Vec<(String, Vec<f64>)> = causes.into_iter().collect();
    causes.sort_by(|one, other| sum(&other.1).total_cmp(&sum(&one.1)));
    let Some((foremost, _)) = causes.first() else { return };
    panel.words.push(format!(
        "Its queues idle for {} in {}, most of it with the cause: {foremost}.",
        duration(causes.iter().map(|(_, lengths)| sum(lengths)).sum()),
        counted(gaps.len() as u64, "gap"),
    ));
    let columns = ["cause", "#gaps", "#total", "#longest"];
    let mut table = Table::new("Idle gaps within the call", &columns);
    for (cause, lengths) in &causes {
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        table.rows.push(vec![
            Cell::text(cause),
            Cell::count(lengths.len() as u64),
            Cell::ns(Some(sum(lengths))),
            Cell::ns(Some(longest)),
        ]);
    }
    panel.tables.push(table);
}
