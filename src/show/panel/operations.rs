//! Time by operation.

use report::text::percent;
use workspace::{GroupBy, TopRequest};

use super::parts::{Figure, Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, ChartRow, Mark, RowChart, Tone, Unit};

/// Makes the panel.
pub fn operations(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let request = TopRequest { by: GroupBy::Op, ..TopRequest::default() };
    let answer = subject.workspace.top_functions(&request)?;
    let groups = report::rows(&answer.batches);
    let groups: Vec<_> =
        groups.iter().filter(|row| row.number("total_ns").unwrap_or(0.0) > 0.0).collect();
    let Some(first) = groups.first() else { return Ok(None) };
    let mut panel = Panel::of("operations", "Time by operation", &["top", "--by=op"]);
    panel.words.push(format!(
        "{} takes {} of the time of dispatches on the {}'s clock.",
        first.text("key"),
        percent(first.number("share").unwrap_or(0.0)),
        first.text("timing_source")
    ));
    let clock = first.text("timing_source");
    let mut chart = RowChart { axis: Axis::of("total time", Unit::Ns), ..RowChart::default() };
    let mut table =
        Table::new("Operations", &["clock", "operation", "#share", "#total", "#dispatches"]);
    for row in groups {
        let total = row.number("total_ns");
        // Times of two clocks must not be added or compared.
        if row.text("timing_source") == clock {
            let to = total.unwrap_or(0.0);
            let mark = Mark::Bar { from: 0.0, to, tone: Tone::Main };
            chart.rows.push(ChartRow { name: row.text("key"), marks: vec![mark] });
        }
        table.rows.push(vec![
            Cell::text(row.text("timing_source")),
            Cell::text(row.text("key")),
            Cell::share(row.number("share")),
            Cell::ns(total),
            Cell::count(row.count("dispatch_count")),
        ]);
    }
    panel
        .charts
        .push(Figure::new("Total time by kind of operation, without warm-up", Chart::Rows(chart)));
    panel.tables.push(table);
    panel.queries.push("SELECT * FROM top_functions".to_owned());
    Ok(Some(panel))
}
