//! The sizes and styles of what is drawn.

use plotters::prelude::TextStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, IntoFont, RGBAColor};

use super::tone::Tone;

/// The sizes of what is drawn, in the pixels of the back end.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    pub width: u32,
    pub font: f64,
    /// Height of a row of a `RowChart`.
    pub row: u32,
    /// Height of a bar in rows.
    pub bar: f64,
    /// Height of a plane without its axis.
    pub(crate) plane: u32,
    /// Height of the labels of the x axis.
    pub below: u32,
    /// Largest width of the labels of the y axis, or of the names of rows.
    pub beside: u32,
    /// Radius of points.
    pub point: u32,
    /// Largest number of characters of the name of a row.
    pub letters: usize,
    /// Whether there are thin lines at ticks.
    pub(crate) has_grid: bool,
    /// What is left free at the right, so that the last label fits.
    pub right: u32,
}

/// Why a chart cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[error("cannot draw the chart: {0}")]
pub struct PlotError(pub String);

/// Returns the style of labels.
pub fn label<'a>(sizes: &Sizes, horizontal: HPos, vertical: VPos) -> TextStyle<'a> {
    let font = (FontFamily::SansSerif, sizes.font, FontStyle::Normal).into_font();
    TextStyle::from(font).color(&const { Tone::Ink.color() }).pos(Pos::new(horizontal, vertical))
}

/// Returns the color of thin lines at ticks.
pub fn grid(sizes: &Sizes) -> RGBAColor {
    Tone::Muted.color().mix(if sizes.has_grid { 0.25 } else { 0.0 })
}
