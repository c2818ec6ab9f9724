//! How far functions are from what the device can do, where its peaks and their operations are known.

use report::Row;
use report::text::{counted, percent};

use super::parts::{Figure, Panel, PanelError};
use super::subject::{ROOFLINE, Subject};
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, Layer, PlaneChart, Tone, Unit};

/// The largest number of functions.
const MOST: usize = 100;

/// Makes the panel.
pub fn roofline(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let rows = subject.roofline()?.rows();
    let has_operations = |row: &Row<'_>| row.number("intensity").is_some_and(|it| it > 0.0);
    let rows: Vec<Row<'_>> = rows.into_iter().filter(has_operations).take(MOST).collect();
    let Some(first) = rows.first() else { return Ok(None) };
    let mut panel = Panel::of("roofline", "Distance to the roofline", &["sql", "-c", ROOFLINE]);
    panel.words.push(format!(
        "{} can be compared with the peaks of {}; {} reaches {} of what is possible.",
        counted(rows.len() as u64, "function"),
        first.text("device"),
        first.text("key"),
        percent(first.number("fraction").unwrap_or(0.0))
    ));
    let at: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.number("intensity")?, row.number("flops_per_s")?)))
        .collect();
    let mut layers = Vec::new();
    if let (Some(flops), Some(bytes)) =
        (first.number("peak_flops_per_s"), first.number("peak_bytes_per_s"))
    {
        let ridge = flops / bytes;
        let least = at.iter().map(|(x, _)| *x).fold(ridge, f64::min) / 2.0;
        let most = at.iter().map(|(x, _)| *x).fold(ridge, f64::max) * 2.0;
        let through = vec![(least, least * bytes), (ridge, flops), (most, flops)];
        layers.push(Layer::Line { through, tone: Tone::Bad });
    }
    let titles = rows.iter().map(|row| row.text("key")).collect();
    layers.push(Layer::Points { at, tone: Tone::Main });
    let chart = Chart::Plane(PlaneChart {
        x: Axis::logarithmic("operations for each byte", Unit::OpsPerByte),
        y: Axis::logarithmic("operations a second", Unit::OpsPerSecond),
        layers,
        key: vec![
            (Tone::Main, "functions".to_owned()),
            (Tone::Bad, "what the device can do".to_owned()),
        ],
    });
    panel
        .charts
        .push(Figure { titles, ..Figure::new("Functions below the roof of the device", chart) });
    let columns = ["function", "operation", "bound", "#reached", "#mean", "#total"];
    let mut table = Table::new("Functions", &columns);
    for row in &rows {
        table.rows.push(vec![
            Cell::text(row.text("key")),
            Cell::text(row.text("op_kind")),
            Cell::text(row.text("bound")),
            Cell::share(row.number("fraction")),
            Cell::ns(row.number("mean_ns")),
            Cell::ns(row.number("total_ns")),
        ]);
    }
    panel.tables.push(table);
    panel.queries.push(ROOFLINE.to_owned());
    Ok(Some(panel))
}
