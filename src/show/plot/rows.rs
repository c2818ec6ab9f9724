//! Draws rows with marks.
#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "places on a screen are small"
)]

use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::{DrawingArea, DrawingBackend};
use plotters::style::text_anchor::{HPos, VPos};
use plotters::style::{Color, ShapeStyle};
use report::names::{shortened, without_beginning};

use super::chart::{Mark, RowChart};
use super::sizes::{Sizes, grid, label};
use super::tone::Tone;

type Failed<B> = DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>;

/// Draws rows, the first at the top.
pub fn draw<B: DrawingBackend>(
    chart: &RowChart,
    area: &DrawingArea<B, Shift>,
    sizes: &Sizes,
) -> Result<(), Failed<B>> {
    let ends = chart.rows.iter().flat_map(|row| row.marks.iter().flat_map(|mark| mark.ends()));
    let Some((low, high)) = chart.axis.range(ends) else { return Ok(()) };
    let count = chart.rows.len() as f64;
    let (texts, beginning) = names(chart, sizes);
    let names = names_width(&texts, sizes);
    // Places on the y axis count from the top.
    let mut context = ChartBuilder::on(area)
        .margin_right(sizes.right)
        .x_label_area_size(sizes.below)
        .y_label_area_size(names)
        .build_cartesian_2d(low..high, count..0.0)?;
    let axis = chart.axis.clone();
    let letters = f64::from(sizes.width.saturating_sub(names)) / (sizes.font * 8.0);
    context
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .light_line_style(grid(sizes).mix(0.0))
        .bold_line_style(grid(sizes))
        .axis_style(Tone::Ink.color())
        .label_style(label(sizes, HPos::Left, VPos::Top))
        .x_desc(match beginning {
            Some(beginning) => format!("{} (… is {beginning})", chart.axis.label),
            None => chart.axis.label.clone(),
        })
        .x_labels((letters as usize).clamp(2, 8))
        .x_label_formatter(&move |value: &f64| axis.text(*value))
        .draw()?;
    let plotting = context.plotting_area();
    let (columns, rows) = plotting.get_pixel_range();
    let pixel = (high - low) / f64::from(columns.end - columns.start).max(1.0);
    let (top, height) = (rows.start, f64::from(rows.end - rows.start) / count);
    for (nth, (row, text)) in chart.rows.iter().zip(texts).enumerate() {
        let middle = top + ((nth as f64 + 0.5) * height) as i32;
        let style = label(sizes, HPos::Right, VPos::Center);
        let right = i32::try_from(names).unwrap_or(0) - sizes.font as i32 / 2;
        area.draw(&Text::new(text, (right, middle - top_of(area)), style))?;
        for mark in &row.marks {
            marked(mark, (nth as f64, pixel, sizes.bar / 2.0), |element| match element {
                Element::Filled(corners, style) => plotting.draw(&Rectangle::new(corners, style)),
                Element::Path(points, style) => plotting.draw(&PathElement::new(points, style)),
            })?;
        }
    }
    Ok(())
}

/// Returns where an area begins.
fn top_of<B: DrawingBackend>(area: &DrawingArea<B, Shift>) -> i32 {
    area.get_pixel_range().1.start
}

/// Returns the names of rows as they are drawn and, if one is too long, what most of them begin with, which is left out.
fn names(chart: &RowChart, sizes: &Sizes) -> (Vec<String>, Option<String>) {
    let mut names: Vec<String> = chart.rows.iter().map(|row| row.name.clone()).collect();
    let is_long = names.iter().any(|name| name.chars().count() > sizes.letters);
    let beginning = if is_long { without_beginning(&mut names) } else { None };
    (shortened(&names, sizes.letters), beginning)
}

/// Returns the width of the names of rows.
fn names_width(names: &[String], sizes: &Sizes) -> u32 {
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let width = (longest as f64 + 2.0) * sizes.font * 0.62;
    (width as u32).min(sizes.beside)
}

enum Element {
    Filled([(f64, f64); 2], ShapeStyle),
    Path(Vec<(f64, f64)>, ShapeStyle),
}

/// Draws a mark into the row of this number, where a pixel is so long, and half a bar so high.
fn marked<E>(
    mark: &Mark,
    (row, pixel, half): (f64, f64, f64),
    mut put: impl FnMut(Element) -> Result<(), E>,
) -> Result<(), E> {
    let middle = row + 0.5;
    match *mark {
        Mark::Bar { from, to, tone } => {
            // What is there can be seen, however short it is.
            let to = if from < to { to.max(from + pixel) } else { to };
            put(Element::Filled(
                [(from, middle - half), (to, middle + half)],
                tone.color().filled(),
            ))
        }
        Mark::Box { low, quartiles: [first, median, third], high, tone } => {
            let line = ShapeStyle::from(&tone.color()).stroke_width(1);
            let thick = ShapeStyle::from(&tone.color()).stroke_width(2);
            put(Element::Path(vec![(low, middle), (high, middle)], line))?;
            for end in [low, high] {
                put(Element::Path(vec![(end, row + 0.3), (end, row + 0.7)], line))?;
            }
            let inside = tone.color().mix(0.45).filled();
            put(Element::Filled([(first, row + 0.2), (third, row + 0.8)], inside))?;
            put(Element::Path(vec![(median, row + 0.12), (median, row + 0.88)], thick))
        }
        Mark::Interval { low, high } => {
            let line = ShapeStyle::from(&Tone::Ink.color()).stroke_width(1);
            put(Element::Path(vec![(low, middle), (high, middle)], line))?;
            put(Element::Path(vec![(low, row + 0.35), (low, row + 0.65)], line))?;
            put(Element::Path(vec![(high, row + 0.35), (high, row + 0.65)], line))
        }
    }
}
