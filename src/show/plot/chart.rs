//! What charts show, as data.

use super::axis::Axis;
use super::tone::Tone;

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub enum Chart {
    Rows(RowChart),
    Plane(PlaneChart),
}

/// Rows with names, each with marks along one axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowChart {
    pub axis: Axis,
    pub rows: Vec<ChartRow>,
    /// What tones mean, if there are several.
    pub key: Vec<(Tone, String)>,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChartRow {
    pub name: String,
    pub marks: Vec<Mark>,
}

/// A mark in a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// A bar.
    Bar { from: f64, to: f64, tone: Tone },
    /// The quartiles of a distribution, and how far it reaches.
    Box { low: f64, quartiles: [f64; 3], high: f64, tone: Tone },
    /// An interval of confidence.
    Interval { low: f64, high: f64 },
}

/// A plane with two axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlaneChart {
    pub x: Axis,
    pub y: Axis,
    /// Drawn one above the other.
    pub layers: Vec<Layer>,
    /// What tones mean, if there are several.
    pub key: Vec<(Tone, String)>,
}

/// What is drawn in a plane.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    Points {
        at: Vec<(f64, f64)>,
        tone: Tone,
    },
    Line {
        through: Vec<(f64, f64)>,
        tone: Tone,
    },
    /// A value that holds until the next one, filled down to 0.
    Steps {
        at: Vec<(f64, f64)>,
        until: f64,
        tone: Tone,
    },
    /// A mark at a place of the x axis.
    Vertical {
        x: f64,
        tone: Tone,
    },
    /// A name beside a point.
    Name {
        at: (f64, f64),
        name: String,
    },
    /// Intervals of confidence, each at a place of the x axis.
    Intervals {
        at: Vec<(f64, f64, f64)>,
        tone: Tone,
    },
}

impl Chart {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Rows(chart) => chart.rows.iter().all(|row| row.marks.is_empty()),
            Self::Plane(chart) => chart.layers.iter().flat_map(Layer::places).next().is_none(),
        }
    }

    /// Returns what tones mean.
    pub fn key(&self) -> &[(Tone, String)] {
        match self {
            Self::Rows(chart) => &chart.key,
            Self::Plane(chart) => &chart.key,
        }
    }
}

impl Mark {
    /// Returns the ends.
    pub(super) const fn ends(self) -> [f64; 2] {
        match self {
            Self::Bar { from, to, .. } => [from, to],
            Self::Box { low, high, .. } | Self::Interval { low, high } => [low, high],
        }
    }
}

impl Layer {
    /// Returns the layer with all values of y times a factor.
    pub(super) fn scaled(&self, factor: f64) -> Self {
        let all = |at: &[(f64, f64)]| at.iter().map(|(x, y)| (*x, y * factor)).collect();
        match self {
            Self::Points { at, tone } => Self::Points { at: all(at), tone: *tone },
            Self::Line { through, tone } => Self::Line { through: all(through), tone: *tone },
            Self::Steps { at, until, tone } => {
                Self::Steps { at: all(at), until: *until, tone: *tone }
            }
            Self::Vertical { x, tone } => Self::Vertical { x: *x, tone: *tone },
            Self::Name { at: (x, y), name } => {
                Self::Name { at: (*x, y * factor), name: name.clone() }
            }
            Self::Intervals { at, tone } => {
                let at = at.iter().map(|(x, low, high)| (*x, low * factor, high * factor));
                Self::Intervals { at: at.collect(), tone: *tone }
            }
        }
    }

    /// Returns the points that the axes have to include.
    pub(super) fn places(&self) -> Vec<(f64, f64)> {
        match self {
            Self::Points { at, .. } | Self::Line { through: at, .. } => at.clone(),
            Self::Steps { at, until, .. } => {
                let last = at.last().map(|(_, y)| (*until, *y));
                at.iter().copied().chain(last).collect()
            }
            Self::Vertical { .. } => Vec::new(),
            Self::Name { at, .. } => vec![*at],
            Self::Intervals { at, .. } => {
                at.iter().flat_map(|(x, low, high)| [(*x, *low), (*x, *high)]).collect()
            }
        }
    }
}
