//! Charts.

use std::borrow::Cow;

use ireescope::panel::Figure;
use ireescope::plot::{PlotError, document, png};
use pyo3::prelude::*;

use crate::failure::Failure;

/// A chart.
#[pyclass(frozen, module = "ireescope._native")]
pub struct Plot(Figure);

impl Plot {
    /// A chart with its caption.
    pub const fn of(figure: Figure) -> Self {
        Self(figure)
    }
}

#[pymethods]
impl Plot {
    /// What it shows.
    #[getter]
    fn caption(&self) -> &str {
        &self.0.caption
    }

    /// Returns it as SVG.
    fn svg(&self) -> PyResult<String> {
        Ok(document(&self.0.chart, &self.0.caption).map_err(Failure::from)?)
    }

    /// Returns it as PNG.
    fn png(&self) -> PyResult<Cow<'static, [u8]>> {
        Ok(Cow::Owned(png(&self.svg()?).map_err(Failure::from)?))
    }
}

impl From<PlotError> for Failure {
    fn from(error: PlotError) -> Self {
        Self::Internal(error.to_string())
    }
}
