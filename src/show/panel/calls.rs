//! Calls over time: the time of each call, warm-up grey, outliers named.

use model::statistics::{quantile, sorted};
use report::text::{counted, duration};

use super::parts::{Figure, Panel, PanelError};
use super::subject::Subject;
use super::table::{Cell, Table};
use crate::plot::{Axis, Chart, Layer, PlaneChart, Tone, Unit};

const QUERY: &str = "SELECT bundle, invocation, wall_ns, busy_ns, idle_ns, is_warmup \
FROM invocations WHERE wall_ns IS NOT NULL ORDER BY bundle, invocation";

/// Calls beyond this many are drawn as ranges of neighbors.
const POINTS: usize = 1500;
/// How far an outlier lies beyond the quartiles, in distances between them: the outer fence of Tukey's box plot (1977).
const FENCE: f64 = 3.0;
/// How much longer than the median the slowest call is where the axis is logarithmic.
const WIDE: f64 = 10.0;
/// Outliers that are named.
const NAMED: usize = 3;

struct Call {
    bundle: String,
    number: u64,
    ns: f64,
    is_warmup: bool,
}

/// Makes the panel.
pub fn calls(subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    let asked = subject.ask(QUERY)?;
    let calls: Vec<Call> = asked
        .rows()
        .iter()
        .filter_map(|row| {
            Some(Call {
                bundle: row.text("bundle"),
                number: row.count("invocation"),
                ns: row.number("wall_ns")?,
                is_warmup: row.is("is_warmup"),
            })
        })
        .collect();
    if calls.len() < 2 {
        return Ok(None);
    }
    let mut panel = Panel::of("calls", "Calls over time", &["sql", "-c", QUERY]);
    let steady: Vec<f64> = calls.iter().filter(|it| !it.is_warmup).map(|it| it.ns).collect();
    let steady = sorted(&steady);
    let [first, median, third] = [0.25, 0.5, 0.75].map(|share| quantile(&steady, share));
    let (least, most) = (first - FENCE * (third - first), third + FENCE * (third - first));
    let mut outliers: Vec<(usize, &Call)> = calls
        .iter()
        .enumerate()
        .filter(|(_, it)| !it.is_warmup && (it.ns < least || it.ns > most))
        .collect();
    outliers.sort_by(|one, other| other.1.ns.total_cmp(&one.1.ns));
    let warmups = calls.iter().filter(|it| it.is_warmup).count();
    panel.words.push(format!(
        "{} take {} at the median, half of them between {} and {}; {}; {}.",
        counted(steady.len() as u64, "call"),
        duration(median),
        duration(first),
        duration(third),
        if warmups == 1 {
            "1 call is warm-up".to_owned()
        } else {
            format!("{warmups} calls are warm-up")
        },
        counted(outliers.len() as u64, "outlier"),
    ));
    panel.charts.push(figure(&calls, &outliers, subject.has_many()));
    panel.tables.push(table(&calls, &outliers));
    panel.queries.push(QUERY.to_owned());
    Ok(Some(panel))
}

#[expect(clippy::cast_precision_loss, reason = "places on a screen")]
fn figure(calls: &[Call], outliers: &[(usize, &Call)], has_many: bool) -> Figure {
    let places = |is_warmup: bool| -> Vec<(f64, f64)> {
        let chosen = calls.iter().enumerate().filter(|(_, it)| it.is_warmup == is_warmup);
        chosen.map(|(nth, it)| (nth as f64 + 1.0, it.ns)).collect()
    };
    let (warmup, steady) = (places(true), places(false));
    let mut layers = Vec::new();
    let mut caption = "The time of each call".to_owned();
    if steady.len() > POINTS {
        let size = steady.len().div_ceil(POINTS / 3);
        caption = format!("The range of each {size} neighboring calls, with its median");
        let (mut ranges, mut medians) = (Vec::new(), Vec::new());
        for part in steady.chunks(size) {
            let values = sorted(&part.iter().map(|(_, ns)| *ns).collect::<Vec<_>>());
            let middle = part.get(part.len() / 2).map_or(0.0, |(x, _)| *x);
            let [low, median, high] = [0.0, 0.5, 1.0].map(|share| quantile(&values, share));
            ranges.push((middle, low, high));
            medians.push((middle, median));
        }
        layers.push(Layer::Intervals { at: ranges, tone: Tone::Main });
        layers.push(Layer::Line { through: medians, tone: Tone::Second });
    } else {
        layers.push(Layer::Points { at: steady, tone: Tone::Main });
    }
    let shown = warmup.len().div_ceil(POINTS).max(1);
    let warmup: Vec<_> = warmup.into_iter().step_by(shown).collect();
    let has_warmup = !warmup.is_empty();
    layers.push(Layer::Points { at: warmup, tone: Tone::Muted });
    for (nth, call) in outliers.iter().take(NAMED) {
        let name = format!("call {}", call.number);
        layers.push(Layer::Name { at: (*nth as f64 + 1.0, call.ns), name });
    }
    let bounds = calls.windows(2).enumerate();
    for (nth, _) in bounds
        .filter(|(_, pair)| pair.first().map(|it| &it.bundle) != pair.last().map(|it| &it.bundle))
    {
        layers.push(Layer::Vertical { x: nth as f64 + 1.5, tone: Tone::Muted });
    }
    // Few outliers must not hide how the others differ.
    let all = sorted(&calls.iter().map(|it| it.ns).collect::<Vec<_>>());
    let [least, median, most] = [0.0, 0.5, 1.0].map(|share| quantile(&all, share));
    let (is_wide, label_y) = (least > 0.0 && most > WIDE * median, "time of the call");
    let label = if has_many { "call, bundle after bundle" } else { "call" };
    let mut key = vec![(Tone::Main, "calls".to_owned())];
    if has_warmup {
        key.push((Tone::Muted, "warm-up, which is left out elsewhere".to_owned()));
    }
    let chart = Chart::Plane(PlaneChart {
        x: Axis::of_range(label, Unit::Number),
        y: if is_wide { Axis::logarithmic(label_y, Unit::Ns) } else { Axis::of(label_y, Unit::Ns) },
        layers,
        key,
    });
    let titles = if calls.len() <= POINTS {
        let text = |it: &Call| format!("call {}: {}", it.number, duration(it.ns));
        let of = |is_warmup| calls.iter().filter(move |it| it.is_warmup == is_warmup);
        of(false).chain(of(true)).map(text).collect()
    } else {
        Vec::new()
    };
    Figure { titles, ..Figure::new(caption, chart) }
}

/// The outliers or, without any, the slowest calls.
fn table(calls: &[Call], outliers: &[(usize, &Call)]) -> Table {
    let (caption, chosen): (_, Vec<&Call>) = if outliers.is_empty() {
        let mut all: Vec<&Call> = calls.iter().filter(|it| !it.is_warmup).collect();
        all.sort_by(|one, other| other.ns.total_cmp(&one.ns));
        ("The slowest calls", all)
    } else {
        ("Outliers", outliers.iter().map(|(_, it)| *it).collect())
    };
    let mut table = Table::new(caption, &["bundle", "#call", "#time"]);
    for call in chosen.into_iter().take(10) {
        let row = [Cell::text(&call.bundle), Cell::count(call.number), Cell::ns(Some(call.ns))];
        table.rows.push(row.into());
    }
    table
}
