//! Makes reports: of captures, of a comparison, of a history.

use std::path::Path;

use base::in_order;
use engine::dataset::Dataset;
use read::history::{HistoryError, Kept};
use report::comparison::Terms;
use workspace::comparison::{CompareError, CompareRequest, compare};
use workspace::tracking::{DriftRequest, Entries, TrackingError};
use workspace::{OpenError, Workspace, WorkspaceOptions, open_history};

use super::contents::Page;
use crate::panel::{
    Make, OF_CAPTURES, Panel, PanelError, Subject, changes, named, overview, series, verdict,
};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The captures could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A panel could not be made.
    #[error(transparent)]
    Panel(#[from] PanelError),
    /// The sides cannot be compared.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// The history could not be read.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// Changes in the history could not be looked for.
    #[error(transparent)]
    Tracking(#[from] TrackingError),
}

/// Makes the report of captures. Damaged parts are left out, which it says.
pub fn of_captures(bundles: &[String], options: &WorkspaceOptions) -> Result<Page, PageError> {
    let is_dataset = |path: &String| Dataset::is_one(Path::new(path));
    let workspace = match bundles {
        [folder] if is_dataset(folder) => Workspace::open(bundles, options)?,
        _ => Workspace::salvage(bundles, options)?,
    };
    let subject = Subject::of(&workspace, None);
    let panels = made(&subject, &[&[("overview", overview as Make)], OF_CAPTURES].concat())?;
    let labels: Vec<&str> =
        workspace.engine.bundles().iter().map(|bundle| bundle.label.as_str()).collect();
    Ok(Page { subject: labels.join(", "), panels, bundles: bundles.to_vec() })
}

/// Makes one panel of captures; `None` if they have nothing of its subject.
pub fn one(
    name: &str,
    function: Option<String>,
    bundles: &[String],
    options: &WorkspaceOptions,
) -> Result<Option<Panel>, PageError> {
    let workspace = Workspace::open(bundles, options)?;
    let subject = Subject::of(&workspace, function);
    Ok(named(name, &subject)?)
}

/// Makes the report of a comparison of two sides, with the panels of the new one.
pub fn of_comparison(
    sides: [&str; 2],
    options: &WorkspaceOptions,
    terms: &Terms,
) -> Result<Page, PageError> {
    let request =
        CompareRequest { sides: sides.map(str::to_owned).into(), ..CompareRequest::default() };
    let mut panels = Vec::new();
    for compared in compare(&request, options)? {
        panels.extend([verdict(&compared, terms), changes(&compared)]);
    }
    let workspace = Workspace::salvage(&[sides[1]], options)?;
    panels.extend(made(&Subject::of(&workspace, None), OF_CAPTURES)?);
    let bundles = sides.map(str::to_owned).into();
    Ok(Page { subject: "Comparison".to_owned(), panels, bundles })
}

/// Makes the report of a history.
pub fn of_history(folder: &Path, options: &WorkspaceOptions) -> Result<Page, PageError> {
    let history = open_history(folder, Kept::Times, options)?;
    let entries = Entries::read(&history, &[])?;
    let trends = entries.drift(&DriftRequest::default())?;
    let folder = folder.display().to_string();
    Ok(Page { subject: folder.clone(), panels: vec![series(&trends)], bundles: vec![folder] })
}

/// Makes the panels that have something to show, several at once.
fn made(subject: &Subject<'_>, panels: &[(&'static str, Make)]) -> Result<Vec<Panel>, PanelError> {
    let engine = &subject.workspace.engine;
    let threads = if engine.has_scarce_memory() { 1 } else { engine.threads() };
    // Those that take longest are at the end.
    let last_first: Vec<Make> = panels.iter().rev().map(|(_, make)| *make).collect();
    let made = in_order(&last_first, threads, |make| make(subject));
    let made = made.into_iter().rev().collect::<Result<Vec<_>, _>>()?;
    Ok(made.into_iter().flatten().collect())
}
