//! Comparisons: the verdict, and what each function adds to the difference.

use model::compare::{Comparison, Judged, Verdict};
use report::comparison::text::{
    marked_change, shown_function, shown_interval, shown_verdict, sides, sums,
};
use report::comparison::{Terms, float, remarks, signed, text};
use report::text::{counted, duration};

use super::parts::{Figure, Panel};
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, ChartRow, Mark, RowChart, Tone, Unit};

/// Functions that are drawn.
const DRAWN: usize = 20;

/// Returns the verdict, with what it does not say.
pub fn verdict(compared: &Comparison, terms: &Terms) -> Panel {
    let (base, new) = (&compared.base.name, &compared.new.name);
    let name = format!("{base} and {new}: {}", text::verdict(compared));
    let mut panel = Panel::of("verdict", name, &["compare"]);
    panel.words.push(sides(compared));
    panel.words.extend(remarks(compared, terms));
    if let Some(more) = compared.total().further_runs {
        panel.words.push(format!(
            "About {} on each side would decide what is open.",
            counted(more, "further run")
        ));
    }
    panel
}

/// Returns what each function adds to the difference.
pub fn changes(compared: &Comparison) -> Panel {
    let mut panel = Panel::of("waterfall", "From base to new, function by function", &["compare"]);
    let functions = compared.functions();
    panel.words.push(sums(compared));
    let mut chart = RowChart {
        axis: Axis::of("time of an iteration", Unit::Ns),
        key: vec![
            (Tone::Muted, "sides".into()),
            (Tone::Bad, "slower".into()),
            (Tone::Good, "faster".into()),
            (Tone::Second, "not certain".into()),
        ],
        ..RowChart::default()
    };
    let total = compared.total();
    let whole = |name: &str, ns: i64| ChartRow {
        name: name.to_owned(),
        marks: vec![Mark::Bar { from: 0.0, to: float(ns), tone: Tone::Muted }],
    };
    chart.rows.push(whole(&compared.base.name, total.base_ns));
    let mut at = float(total.base_ns);
    for function in functions.iter().take(DRAWN) {
        chart.rows.push(step(function, &mut at));
    }
    let rest = float(total.new_ns) - at;
    if functions.len() > DRAWN && rest != 0.0 {
        let tone = if rest > 0.0 { Tone::Bad } else { Tone::Good };
        let name = counted((functions.len() - DRAWN) as u64, "other function");
        let marks = vec![Mark::Bar { from: at, to: at + rest, tone }];
        chart.rows.push(ChartRow { name, marks });
    }
    chart.rows.push(whole(&compared.new.name, total.new_ns));
    let caption =
        "The time of an iteration of the base, what each function adds or saves, and the new side";
    panel.charts.push(Figure::new(caption, Chart::Rows(chart)));
    panel.tables.push(table(functions));
    panel
}

/// Moves on by what a function adds.
fn step(function: &Judged, at: &mut f64) -> ChartRow {
    let (from, delta) = (*at, float(function.delta_ns()));
    *at += delta;
    let tone = match function.verdict {
        Verdict::Same | Verdict::Ambiguous | Verdict::NotComparable => Tone::Second,
        _ if delta > 0.0 => Tone::Bad,
        _ => Tone::Good,
    };
    let bar = Mark::Bar { from: from.min(*at), to: from.max(*at), tone };
    ChartRow { name: shown_function(function), marks: vec![bar] }
}

fn table(functions: &[Judged]) -> Table {
    let columns =
        ["function", "verdict", "#change", "95 % interval", "#delta", "#base", "#new", "why"];
    let mut table = Table::new("Functions", &columns);
    for it in functions {
        let delta = Cell { text: signed(it.delta_ns()), value: Some(float(it.delta_ns())) };
        let ratio = it.interval.map(|interval| interval.ratio);
        table.rows.push(vec![
            Cell::text(shown_function(it)),
            Cell::text(shown_verdict(it)),
            Cell { text: marked_change(it), value: ratio },
            Cell::text(shown_interval(it)),
            delta,
            Cell { text: duration(float(it.base_ns)), value: Some(float(it.base_ns)) },
            Cell { text: duration(float(it.new_ns)), value: Some(float(it.new_ns)) },
            Cell::text(it.reason.clone().unwrap_or_default()),
        ]);
    }
    table
}
