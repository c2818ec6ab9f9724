//! Panels: what a report or a plot shows of captures, each with its query, its chart and its words in one file.
//!
//! A panel is data: sentences, charts and a table, which [`crate::page`] lays out as HTML or Markdown, and a front end may draw alone. To
//! add one, write a file with a function that makes it of a [`Subject`], and its line in [`OF_CAPTURES`].

mod asked;
mod calls;
mod comparison;
mod file;
mod findings;
mod functions;
mod history;
mod median;
mod memory;
mod operations;
mod overview;
mod parts;
mod roofline;
mod subject;
mod table;
mod timeline;
mod waits;

pub use comparison::{changes, verdict};
use engine::EngineError;
pub use history::series;
pub use overview::overview;
pub use parts::{Figure, Panel, PanelError};
pub use subject::Subject;
pub use table::{Cell, Column, Table};

/// Makes a panel of captures; `None` if they have nothing of its subject.
pub type Make = fn(&Subject<'_>) -> Result<Option<Panel>, PanelError>;

/// The panels of captures, in the order of a report.
pub(crate) const OF_CAPTURES: &[(&str, Make)] = &[
    ("calls", calls::calls),
    ("operations", operations::operations),
    ("functions", functions::functions),
    ("roofline", roofline::roofline),
    ("timeline", timeline::timeline),
    ("memory", memory::memory),
    ("findings", findings::findings),
];

/// Makes the panel of this name; `None` if the captures have nothing of its subject. Fails for other names.
pub fn named(name: &str, subject: &Subject<'_>) -> Result<Option<Panel>, PanelError> {
    if let Some((_, make)) = OF_CAPTURES.iter().find(|(known, _)| *known == name) {
        return make(subject);
    }
    let known: Vec<&str> = OF_CAPTURES.iter().map(|(name, _)| *name).collect();
    let text = format!("there is no chart `{name}`; there are {}", known.join(", "));
    Err(EngineError::Query(text).into())
}
