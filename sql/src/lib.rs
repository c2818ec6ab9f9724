//! The SQL of the house: views and reports, one `SELECT` a file, embedded when the program is built.
//!
//! A file is its own documentation: a header of `--` lines says what a row is, `-- @column name [unit]: meaning` names
//! each column in order, and the rest is one query. The file's name is the view's name, its folder the area.
//!
//! Invariant: this crate knows the names of tables and views; it runs nothing.

mod header;

use std::sync::LazyLock;

pub use header::{ColumnDoc, Header};

/// What a file of this crate defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A view in the default schema.
    View,
    /// A report's rows, in the schema `report`.
    Report,
}

/// One documented query.
#[derive(Debug)]
pub struct View {
    pub kind: Kind,
    /// The folder: the topic of a view, the command of a report.
    pub area: &'static str,
    pub name: &'static str,
    pub header: Header,
    /// The query, its header included.
    pub query: &'static str,
}

static FILES: &[(&str, &str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

static VIEWS: LazyLock<Vec<View>> = LazyLock::new(|| FILES.iter().map(view).collect());

fn view(&(kind, area, name, query): &(&str, &'static str, &'static str, &'static str)) -> View {
    let kind = if kind == "reports" { Kind::Report } else { Kind::View };
    View { kind, area, name, header: header::parse(query), query }
}

/// Every view and report.
pub fn all() -> &'static [View] {
    &VIEWS
}

/// The view or report of this kind and name. Only the file that is asked for is looked at.
pub fn find(kind: Kind, name: &str) -> Option<&'static str> {
    let folder = if kind == Kind::Report { "reports" } else { "views" };
    FILES.iter().find(|file| file.0 == folder && file.2 == name).map(|file| file.3)
}

/// The names of all views, or of all reports.
pub fn names(kind: Kind) -> impl Iterator<Item = &'static str> {
    let folder = if kind == Kind::Report { "reports" } else { "views" };
    FILES.iter().filter(move |file| file.0 == folder).map(|file| file.2)
}
