//! Reports as pages, and charts.

use std::path::PathBuf;

use ireescope::page::{PageError, html, markdown, of_captures, of_comparison, of_history};
use ireescope::panel::PanelError;
use ireescope::report::comparison::Terms;
use pyo3::prelude::*;

use crate::database::Opening;
use crate::failure::Failure;
use crate::waiting::{Stopping, wait};

/// Functions of reports.
#[pymodule(submodule, name = "pages")]
pub mod module {
    #[pymodule_export]
    use super::report;
    #[pymodule_export]
    use crate::charts::Plot;
}

/// Returns a report: of a history, of a comparison of two sides, or of captures.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn report(
    py: Python<'_>,
    bundles: Vec<String>,
    sides: Option<(String, String)>,
    history: Option<PathBuf>,
    is_markdown: bool,
    opening: Opening,
) -> PyResult<String> {
    let (options, warnings) = opening.options();
    let text = wait(py, &Stopping::Abandoned, None, move |_| {
        let page = match (history, sides) {
            (Some(folder), _) => of_history(&folder, &options)?,
            (None, Some((base, new))) => of_comparison([&base, &new], &options, &Terms::default())?,
            (None, None) => of_captures(&bundles, &options)?,
        };
        options.files.whole()?;
        Ok(if is_markdown { markdown(&page) } else { html(&page)? })
    })?;
    warnings.issue(py)?;
    Ok(text)
}

impl From<PanelError> for Failure {
    fn from(error: PanelError) -> Self {
        match error {
            PanelError::Engine(error) => error.into(),
            PanelError::Open(error) => error.into(),
        }
    }
}

impl From<PageError> for Failure {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Open(error) => error.into(),
            PageError::Panel(error) => error.into(),
            PageError::Compare(error) => error.into(),
            PageError::History(error) => error.into(),
            PageError::Tracking(error) => error.into(),
        }
    }
}
