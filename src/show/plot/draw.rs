//! Draws charts on the back ends of plotters.

use plotters::coord::Shift;
use plotters::prelude::{DrawingArea, DrawingBackend};

use super::chart::Chart;
use super::sizes::{PlotError, Sizes};
use super::{plane, rows};

/// Returns the height that a chart needs.
pub fn height(chart: &Chart, sizes: &Sizes) -> u32 {
    let rows = match chart {
        Chart::Rows(chart) => sizes.row * u32::try_from(chart.rows.len().max(1)).unwrap_or(1),
        Chart::Plane(_) => sizes.plane,
    };
    rows + sizes.below
}

/// Draws a chart.
pub fn draw<B: DrawingBackend>(
    chart: &Chart,
    area: &DrawingArea<B, Shift>,
    sizes: &Sizes,
) -> Result<(), PlotError> {
    let drawn = match chart {
        Chart::Rows(chart) => rows::draw(chart, area, sizes),
        Chart::Plane(chart) => plane::draw(chart, area, sizes),
    };
    drawn.and_then(|()| area.present()).map_err(|error| PlotError(error.to_string()))
}
