//! Draws planes.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "places on a screen are small"
)]

use plotters::chart::{ChartBuilder, ChartContext};
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::prelude::{DrawingArea, DrawingBackend};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, ShapeStyle};

use super::axis::Axis;
use super::chart::{Layer, PlaneChart};
use super::naming::Naming;
use super::sizes::{Sizes, grid, label};
use super::tone::Tone;

type Failed<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;

/// Draws a plane.
pub fn draw<B: DrawingBackend>(
    chart: &PlaneChart,
    area: &DrawingArea<B, Shift>,
    sizes: &Sizes,
) -> Result<(), Failed<B>> {
    let places: Vec<(f64, f64)> = chart.layers.iter().flat_map(Layer::places).collect();
    let x = chart.x.range(places.iter().map(|(x, _)| *x));
    let y = chart.y.range(places.iter().map(|(_, y)| *y));
    let (Some(x), Some(y)) = (x, y) else { return Ok(()) };
    let size = chart.y.size(y.1);
    let (x, y) = (x.0..x.1, y.0 / size..y.1 / size);
    match (chart.x.is_logarithmic, chart.y.is_logarithmic) {
        (false, false) => on(chart, area, sizes, size, x, y),
        (true, true) => on::<B, LogCoord<f64>, LogCoord<f64>>(
            chart,
            area,
            sizes,
            size,
            x.log_scale(),
            y.log_scale(),
        ),
        (false, true) => {
            on::<B, RangedCoordf64, LogCoord<f64>>(chart, area, sizes, size, x, y.log_scale())
        }
        (true, false) => {
            on::<B, LogCoord<f64>, RangedCoordf64>(chart, area, sizes, size, x.log_scale(), y)
        }
    }
}

/// Draws a plane with these coordinates.
fn on<B, X, Y>(
    chart: &PlaneChart,
    area: &DrawingArea<B, Shift>,
    sizes: &Sizes,
    size: f64,
    x: impl AsRangedCoord<CoordDescType = X, Value = f64>,
    y: impl AsRangedCoord<CoordDescType = Y, Value = f64>,
) -> Result<(), Failed<B>>
where
    B: DrawingBackend,
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let mut context = ChartBuilder::on(area)
        .margin_top(sizes.font as u32 * 3 / 2)
        .margin_right(sizes.right)
        .x_label_area_size(sizes.below)
        .y_label_area_size(sizes.beside)
        .build_cartesian_2d(x, y)?;
    let text = |axis: &Axis, size: f64| {
        let axis = axis.clone();
        move |value: &f64| axis.text(*value * size)
    };
    context
        .configure_mesh()
        .light_line_style(grid(sizes).mix(0.0))
        .bold_line_style(grid(sizes))
        .axis_style(Tone::Ink.color())
        .label_style(label(sizes, HPos::Left, VPos::Top))
        .x_desc(chart.x.label.clone())
        .x_labels(ticks(sizes.width, sizes, 8.0, &chart.x))
        .y_labels(ticks(sizes.plane, sizes, 2.5, &chart.y))
        .x_label_formatter(&text(&chart.x, 1.0))
        .y_label_formatter(&text(&chart.y, size))
        .draw()?;
    // Above the axis, it needs no turned text.
    let style = label(sizes, HPos::Left, VPos::Top);
    let corner = (sizes.font as i32 / 2, 0);
    area.draw(&Text::new(chart.y.label.clone(), corner, style))?;
    let mut naming = Naming::beside(&chart.y.label, corner, sizes);
    let layers = chart.layers.iter().map(|layer| layer.scaled(1.0 / size));
    layers.into_iter().try_for_each(|layer| draw_layer(&layer, &mut context, sizes, &mut naming))
}

/// Returns how many ticks fit beside each other, with labels as wide as so many letters.
fn ticks(length: u32, sizes: &Sizes, letters: f64, axis: &Axis) -> usize {
    if !axis.names.is_empty() {
        return axis.names.len().clamp(2, 12);
    }
    ((f64::from(length) / (sizes.font * letters)) as usize).clamp(2, 8)
}

fn draw_layer<B, X, Y>(
    layer: &Layer,
    context: &mut ChartContext<'_, B, Cartesian2d<X, Y>>,
    sizes: &Sizes,
    naming: &mut Naming,
) -> Result<(), Failed<B>>
where
    B: DrawingBackend,
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let line = |tone: &Tone| ShapeStyle::from(&tone.color()).stroke_width(2);
    let area = context.plotting_area();
    match layer {
        Layer::Points { at, tone } => {
            let style = tone.color().mix(0.75).filled();
            at.iter().try_for_each(|at| area.draw(&Circle::new(*at, sizes.point, style)))
        }
        Layer::Line { through, tone } => area.draw(&PathElement::new(through.clone(), line(tone))),
        Layer::Steps { at, until, tone } => {
            let corners = stairs(at, *until);
            let ends = corners.first().zip(corners.last());
            let Some((first, last)) = ends.map(|(first, last)| (first.0, last.0)) else {
                return Ok(());
            };
            let closed = [&[(first, 0.0)][..], &corners, &[(last, 0.0)]].concat();
            area.draw(&Polygon::new(closed, tone.color().mix(0.2).filled()))?;
            area.draw(&PathElement::new(corners, line(tone)))
        }
        Layer::Vertical { x, tone } => {
            let range = area.get_y_range();
            let through = vec![(*x, range.start), (*x, range.end)];
            area.draw(&PathElement::new(through, line(tone)))
        }
        Layer::Name { at, name } => {
            let (across, _) = area.get_pixel_range();
            let across = (across.start, across.end + sizes.right as i32);
            let place = naming.place(context.backend_coord(at), name, sizes, across);
            let Some((horizontal, vertical)) = place else { return Ok(()) };
            area.draw(&Text::new(name.clone(), *at, label(sizes, horizontal, vertical)))
        }
        Layer::Intervals { at, tone } => at.iter().try_for_each(|(x, low, high)| {
            area.draw(&PathElement::new(vec![(*x, *low), (*x, *high)], line(tone)))
        }),
    }
}

/// Returns the corners of steps.
fn stairs(at: &[(f64, f64)], until: f64) -> Vec<(f64, f64)> {
    let ends = at.iter().skip(1).map(|(x, _)| *x).chain([until]);
    at.iter().zip(ends).flat_map(|((x, y), end)| [(*x, *y), (end, *y)]).collect()
}
