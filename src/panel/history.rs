//! Histories: the times of builds, and when they changed.

use super::parts::{Figure, Panel};
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, Layer, PlaneChart, Tone, Unit};
use crate::report::text::{change, counted, duration};
use crate::tracking::Trends;

/// Returns the series of the total, with what changed.
#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
pub fn series(trends: &Trends<'_>) -> Panel {
    let mut panel =
        Panel::of("history", format!("Builds of {}", trends.branch), &["history", "drift"]);
    let clock = trends.clock.name();
    let total = |entry: &&crate::tracking::Entry| entry.totals.get(clock).map(|mean| mean.exp());
    let times: Vec<(f64, f64)> = trends
        .entries
        .iter()
        .enumerate()
        .filter_map(|(nth, entry)| Some((nth as f64 + 1.0, total(entry)?)))
        .collect();
    panel.words.push(format!(
        "{} and {} on the {clock}'s clock; {}.",
        counted(trends.entries.len() as u64, "entry"),
        counted(trends.functions as u64, "function"),
        counted(trends.changes.len() as u64, "change")
    ));
    panel.words.push(
        "A change counts if permutations of the entries show one as large in less than 5 % of cases; of functions, at most 5 % of those that are named are false."
            .to_owned(),
    );
    let mut layers = vec![
        Layer::Line { through: times.clone(), tone: Tone::Muted },
        Layer::Points { at: times, tone: Tone::Main },
    ];
    let columns = ["what", "before", "after", "#before", "#after", "#change", "#p", "#q"];
    let mut table = Table::new("Changes", &columns);
    for it in &trends.changes {
        let [before, after] = it.between;
        if it.function.is_none() {
            let place = trends.entries.iter().position(|entry| entry.id == after.id);
            let x = place.map_or(0.0, |place| place as f64 + 0.5);
            layers.push(Layer::Vertical {
                x,
                tone: if it.ratio > 1.0 { Tone::Bad } else { Tone::Good },
            });
        }
        let ns = |ns: f64| Cell { text: duration(ns), value: Some(ns) };
        table.rows.push(vec![
            Cell::text(it.function.clone().unwrap_or_else(|| "total".to_owned())),
            Cell::text(before.name()),
            Cell::text(after.name()),
            ns(it.ns[0]),
            ns(it.ns[1]),
            Cell { text: change(it.ratio), value: Some(it.ratio) },
            Cell { text: format!("{:.4}", it.p), value: Some(it.p) },
            Cell { text: format!("{:.4}", it.q), value: Some(it.q) },
        ]);
    }
    let chart = Chart::Plane(PlaneChart {
        x: Axis::of_range("entry, by time", Unit::Number),
        y: Axis::of("time of an iteration", Unit::Ns),
        layers,
        key: vec![
            (Tone::Main, "entries".into()),
            (Tone::Bad, "slower from here".into()),
            (Tone::Good, "faster from here".into()),
        ],
    });
    let known = trends.entries.iter().filter(|entry| entry.totals.contains_key(clock));
    let titles = known.map(|entry| entry.name()).collect();
    panel.charts.push(Figure {
        titles,
        ..Figure::new("The total of each entry: the geometric mean of its runs", chart)
    });
    panel.tables.push(table);
    panel
}
