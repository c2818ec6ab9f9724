//! What a panel is made of.

use engine::EngineError;
use workspace::OpenError;

use super::table::Table;
use crate::plot::Chart;

/// A panel.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// The name for links and for plots alone.
    pub name: &'static str,
    pub title: String,
    /// What it says, in sentences.
    pub words: Vec<String>,
    pub charts: Vec<Figure>,
    /// The numbers.
    pub tables: Vec<Table>,
    /// The queries that return the numbers.
    pub queries: Vec<String>,
    /// The arguments of `ireescope` that print the same, without the bundles.
    pub command: Vec<String>,
}

/// A chart with what it shows in words.
#[derive(Debug, Clone)]
pub struct Figure {
    pub caption: String,
    pub chart: Chart,
    /// What its points or bars are, in the order in which they are drawn.
    pub(crate) titles: Vec<String>,
}

/// Why a panel cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PanelError {
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Findings could not be read.
    #[error(transparent)]
    Open(#[from] OpenError),
}

impl Figure {
    /// A chart with a caption.
    pub fn new(caption: impl Into<String>, chart: Chart) -> Self {
        Self { caption: caption.into(), chart, titles: Vec::new() }
    }
}

impl Panel {
    /// An empty panel, with the command that prints the same.
    pub(super) fn of(name: &'static str, title: impl Into<String>, command: &[&str]) -> Self {
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        Self { name, title: title.into(), command, ..Self::default() }
    }
}
