//! The SQL of the project: views, reports and the rows of exports, one `SELECT` a file, embedded at build time.
//!
//! A file documents itself: a header of `--` lines says what a row is, `-- @column name [unit]: meaning` documents each
//! column in order, and the rest is one query. A report may say how columns are printed as JSON lines (`-- @print
//! name …: 9 digits`, `: optional` where NULL leaves the key out, `: hidden` for columns that only order the rows), and
//! takes the parameters `$filter`, `$id`, `$by` and `$events`. The file's name is the view's name, its folder the area.
//!
//! Invariant: this crate knows the names of tables and views; it parses and runs nothing.

mod header;

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

pub use header::{ColumnDoc, Header, Print};

/// What a file of this crate defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A view in the default schema.
    View,
    /// A report's rows, in the schema `report`.
    Report,
    /// The rows of one type of an export, in the schema `export`.
    Export,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::View, Self::Report, Self::Export];

    /// The schema that SQL finds them in; `None` for the default one.
    pub const fn schema(self) -> Option<&'static str> {
        match self {
            Self::View => None,
            Self::Report => Some("report"),
            Self::Export => Some("export"),
        }
    }

    /// What one is called in words.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Report => "report",
            Self::Export => "export",
        }
    }

    const fn folder(self) -> &'static str {
        match self {
            Self::View => "views",
            Self::Report => "reports",
            Self::Export => "exports",
        }
    }
}

/// One documented query.
#[derive(Debug)]
pub struct View {
    pub kind: Kind,
    /// The folder: the topic of a view, the command of a report, the format of an export.
    pub area: &'static str,
    pub name: &'static str,
    /// The query, its header included.
    pub query: &'static str,
    header: OnceLock<Header>,
}

impl View {
    /// What the file says about itself; read when first asked for, as few of the files are.
    pub fn header(&self) -> &Header {
        self.header.get_or_init(|| header::parse(self.query))
    }

    /// Whether each row is of one bundle, which its first column names.
    pub fn is_by_bundle(&self) -> bool {
        self.header().columns.first().is_some_and(|column| column.name == "bundle")
    }

    /// The name by which SQL finds it.
    pub fn qualified(&self) -> String {
        match self.kind.schema() {
            Some(schema) => format!("{schema}.{}", self.name),
            None => self.name.to_owned(),
        }
    }
}

/// Folder, area, name and text of each embedded file.
static EMBEDDED: &[(&str, &str, &str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

static VIEWS: LazyLock<Vec<View>> = LazyLock::new(|| match std::env::var_os("IREESCOPE_SQL") {
    Some(folder) => from_folder(Path::new(&folder)),
    None => EMBEDDED.iter().filter_map(|file| view(*file)).collect(),
});

/// The files of `folder` in place of the embedded ones: for trying SQL out without building.
fn from_folder(folder: &Path) -> Vec<View> {
    let mut views = Vec::new();
    for kind in Kind::ALL.map(Kind::folder) {
        for area in listed(&folder.join(kind)) {
            for path in listed(&area) {
                if let (Some(area), Some(name), Ok(text)) =
                    (stem(&area), stem(&path), std::fs::read_to_string(&path))
                {
                    views.extend(view((kind, area, name, text.leak())));
                }
            }
        }
    }
    views
}

fn listed(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> Option<&'static str> {
    Some(&*path.file_stem()?.to_str()?.to_owned().leak())
}

fn view(
    (folder, area, name, query): (&str, &'static str, &'static str, &'static str),
) -> Option<View> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.folder() == folder)?;
    Some(View { kind, area, name, query, header: OnceLock::new() })
}

/// Every view and report.
pub fn all() -> &'static [View] {
    &VIEWS
}

/// The query of this kind and name.
pub fn find(kind: Kind, name: &str) -> Option<&'static View> {
    all().iter().find(|view| view.kind == kind && view.name == name)
}

/// The report of this name.
pub fn report(name: &str) -> Option<&'static View> {
    find(Kind::Report, name)
}

/// The row types of an export's format.
pub fn exports(format: &str) -> impl Iterator<Item = &'static View> {
    all().iter().filter(move |view| view.kind == Kind::Export && view.area == format)
}

/// The names of all queries of a kind.
pub fn names(kind: Kind) -> impl Iterator<Item = &'static str> {
    all().iter().filter(move |view| view.kind == kind).map(|view| view.name)
}
