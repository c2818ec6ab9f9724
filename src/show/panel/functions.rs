//! The functions that take most of the time, with the distributions of their dispatches.

use std::collections::BTreeMap;

use base::words::literal;
use report::Row;
use report::text::{counted, percent};

use super::parts::{Figure, Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, ChartRow, Mark, RowChart, Tone, Unit};

/// The share of the time that the functions of the panel take.
const COVER: f64 = 0.95;
/// The largest number of functions.
const MOST: usize = 30;

/// Makes the panel.
pub fn functions(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let only = subject.function.as_ref();
    let only =
        only.map(|it| format!(" AND matches_pattern(key, {})", literal(it))).unwrap_or_default();
    let query = format!(
        "SELECT timing_source, key, count(*) AS dispatches, sum(duration_ns) AS total_ns, \
         quantiles(duration_ns, 0, 0.25, 0.5, 0.75, 0.99, 1) AS quartiles, \
         sum(duration_ns) / sum(sum(duration_ns)) OVER (PARTITION BY timing_source) AS share, \
         count(DISTINCT workgroup_count_x * 1000003 + workgroup_count_y * 1009 + workgroup_count_z) AS shapes \
         FROM dispatches WHERE is_valid AND NOT is_warmup AND is_best_clock AND duration_ns IS NOT NULL{only} \
         GROUP BY timing_source, key ORDER BY timing_source, total_ns DESC"
    );
    let asked = subject.ask(&query)?;
    let all = asked.rows();
    let Some(first) = all.first() else { return Ok(None) };
    let clock = first.text("timing_source");
    let mut covered = 0.0;
    let mut chart =
        RowChart { axis: Axis::of("time of a dispatch", Unit::Ns), ..RowChart::default() };
    let reached = reached(subject)?;
    let columns = [
        "function",
        "#share",
        "#total",
        "#dispatches",
        "#shapes",
        "#least",
        "#median",
        "#99 %",
        "#most",
        "#of the roof",
    ];
    // Without peaks of the device, there is no roof.
    let columns = if reached.is_empty() { &columns[..9] } else { &columns };
    let mut table = Table::new("Functions", columns);
    let mut left = 0;
    for row in &all {
        let share = row.number("share").unwrap_or(0.0);
        let is_chosen = subject.function.is_some() || covered < COVER;
        if row.text("timing_source") != clock || !is_chosen || table.rows.len() >= MOST {
            left += 1;
            continue;
        }
        covered += share;
        let quartiles = row.floats("quartiles");
        let &[low, first, median, third, high, most] = quartiles.as_slice() else { continue };
        let mark = Mark::Box { low, quartiles: [first, median, third], high, tone: Tone::Main };
        chart.rows.push(ChartRow { name: row.text("key"), marks: vec![mark] });
        let mut cells = cells(row, [low, median, high, most]);
        if !reached.is_empty() {
            cells.push(Cell::share(reached.get(&row.text("key")).copied()));
        }
        table.rows.push(cells);
    }
    let mut panel = Panel::of("functions", "Functions", &["top"]);
    panel.words.push(format!(
        "{}: {} of the time of dispatches on the {clock}'s clock{}.",
        counted(table.rows.len() as u64, "function"),
        percent(covered.min(1.0)),
        match left {
            0 => String::new(),
            1 => "; another takes the rest".to_owned(),
            _ => format!("; {left} others take the rest"),
        }
    ));
    let caption = "The time of a dispatch: least, quartiles with the median, 99 %; without warm-up";
    panel.charts.push(Figure::new(caption, Chart::Rows(chart)));
    panel.tables.push(table);
    panel.queries.push(query);
    Ok(Some(panel))
}

/// Returns the cells of a function, with its least, median, almost longest and longest time.
fn cells(row: &Row<'_>, times: [f64; 4]) -> Vec<Cell> {
    let own = [
        Cell::text(row.text("key")),
        Cell::share(row.number("share")),
        Cell::ns(row.number("total_ns")),
        Cell::count(row.count("dispatches")),
        Cell::count(row.count("shapes")),
    ];
    own.into_iter().chain(times.map(|time| Cell::ns(Some(time)))).collect()
}

/// Returns what functions reach of what the device can do, over their shapes by time.
fn reached(subject: &Subject<'_>) -> Result<BTreeMap<String, f64>, PanelError> {
    let mut sums: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for row in subject.roofline()?.rows() {
        let known = [row.number("total_ns"), row.number("fraction")];
        if let [Some(total), Some(fraction)] = known {
            let sum = sums.entry(row.text("key")).or_default();
            *sum = [sum[0] + total, sum[1] + total * fraction];
        }
    }
    Ok(sums.into_iter().map(|(key, [total, reached])| (key, reached / total)).collect())
}
