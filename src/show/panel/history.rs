//! Histories: the times of builds, and when they changed.

use report::text::{change, counted, duration};
use workspace::tracking::{Change, Trends};

use super::parts::{Figure, Panel};
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, Layer, PlaneChart, Tone, Unit};

/// Functions that are drawn: those whose changes add or save most.
const DRAWN: usize = 8;

/// Returns the series of the total, with what changed.
#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
pub fn series(trends: &Trends<'_>) -> Panel {
    let mut panel =
        Panel::of("history", format!("Builds of {}", trends.branch), &["history", "drift"]);
    let clock = trends.clock.name();
    let total =
        |entry: &&workspace::tracking::Entry| entry.totals.get(clock).map(|mean| mean.exp());
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
    let columns = ["what", "before", "after", "#before", "#after", "#change", "#p", "#q"];
    let mut table = Table::new("Changes", &columns);
    for it in &trends.changes {
        let [before, after] = it.between;
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
    let caption = "The total of each entry: the geometric mean of its runs";
    panel.charts.push(figure(trends, caption, &times, None));
    let mut drawn: Vec<&str> = Vec::new();
    for name in trends.changes.iter().filter_map(|it| it.function.as_deref()) {
        if drawn.len() < DRAWN && !drawn.contains(&name) {
            drawn.push(name);
        }
    }
    for name in drawn {
        let Some(series) = trends.moved.iter().find(|it| it.name == name) else { continue };
        let at = |(nth, logarithm): &(usize, f64)| (*nth as f64 + 1.0, logarithm.exp());
        let times: Vec<(f64, f64)> = series.values.iter().map(at).collect();
        panel.charts.push(figure(trends, &format!("{name} in each entry"), &times, Some(name)));
    }
    panel.tables.push(table);
    panel
}

/// Draws a series with its changes: of a function, or of the total.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "places on a screen"
)]
fn figure(
    trends: &Trends<'_>,
    caption: &str,
    times: &[(f64, f64)],
    function: Option<&str>,
) -> Figure {
    let mut layers = vec![
        Layer::Line { through: times.to_vec(), tone: Tone::Muted },
        Layer::Points { at: times.to_vec(), tone: Tone::Main },
    ];
    let is_own = |it: &&Change<'_>| it.function.as_deref() == function;
    for it in trends.changes.iter().filter(is_own) {
        let place = trends.entries.iter().position(|entry| entry.id == it.between[1].id);
        let x = place.map_or(0.0, |place| place as f64 + 0.5);
        let tone = if it.ratio > 1.0 { Tone::Bad } else { Tone::Good };
        layers.push(Layer::Vertical { x, tone });
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
    let entry_at = |(x, _): &(f64, f64)| trends.entries.get(*x as usize - 1);
    let titles = times.iter().filter_map(entry_at).map(|entry| entry.name()).collect();
    Figure { titles, ..Figure::new(caption, chart) }
}
