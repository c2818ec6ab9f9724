//! Charts: what they show as data, and how it is drawn: as SVG, as PNG, or with characters on a terminal.
//!
//! A chart has rows with marks ([`RowChart`]: bars, boxes, spans of time) or lies in a plane ([`PlaneChart`]: points, lines,
//! steps). [`draw`] draws both on any back end of plotters, so that all outputs show the same.
//!
//! Invariant: nothing here knows what the numbers mean, and nothing prints.

mod axis;
mod chart;
mod draw;
mod naming;
mod plane;
mod png;
mod rows;
mod sizes;
mod svg;
mod terminal;
mod tone;

pub use axis::{Axis, Unit};
pub use chart::{Chart, ChartRow, Layer, Mark, PlaneChart, RowChart};
pub use png::png;
pub use sizes::PlotError;
pub use svg::{document, embedded, escaped};
pub use terminal::characters;
pub use tone::Tone;
