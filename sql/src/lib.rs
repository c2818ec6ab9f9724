//! The SQL of the house: views, reports and rows of exports, one `SELECT` a file, parsed and embedded when the program is
//! built.
//!
//! A file is its own documentation: a header of `--` lines says what a row is, `-- @column name [unit]: meaning` names
//! each column in order, and the rest is one query. A report may say how columns are printed as JSON lines (`-- @print
//! name …: 9 digits`, `: optional` where NULL leaves the key out, `: hidden` for what only orders the rows), and takes the
//! parameters `$filter`, `$id`, `$by` and `$events`. The file's name is the view's name, its folder the area.
//!
//! Invariant: this crate knows the names of tables and views; it runs nothing.

mod header;
mod parse;

use std::path::{Path, PathBuf};
use std::sync::{LazyLock, OnceLock};

use sqlparser::ast::Statement;

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

/// One SQL file, with its tree where the build parsed it.
#[derive(Debug, Clone, Copy)]
pub struct File {
    folder: &'static str,
    area: &'static str,
    name: &'static str,
    /// The query, its header included.
    pub query: &'static str,
    /// What the build made of it; none where the program reads the file itself.
    parsed: Option<&'static [u8]>,
}

impl File {
    /// The query as a tree, or which file holds none and why.
    pub fn statement(&self) -> Result<Statement, String> {
        let tree = match self.parsed {
            Some(parsed) => postcard::from_bytes(parsed).map_err(|error| error.to_string()),
            None => parse::parse(self.query).map_err(|error| error.to_string()),
        };
        let Self { folder, area, name, .. } = self;
        tree.map_err(|error| format!("{folder}/{area}/{name}.sql: {error}"))
    }
}

static EMBEDDED: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| match std::env::var_os("IREESCOPE_SQL") {
    Some(folder) => from_folder(Path::new(&folder)),
    None => EMBEDDED.to_vec(),
});

static VIEWS: LazyLock<Vec<View>> = LazyLock::new(|| FILES.iter().map(view).collect());

/// The embedded files as they stand in `folder`, and what is new there: for trying SQL out without building.
fn from_folder(folder: &Path) -> Vec<File> {
    let mut files = Vec::new();
    for kind in Kind::ALL.map(Kind::folder) {
        for area in listed(&folder.join(kind)) {
            for path in listed(&area) {
                if let (Some(area), Some(name), Ok(text)) =
                    (stem(&area), stem(&path), std::fs::read_to_string(&path))
                {
                    let query = text.leak();
                    files.push(File { folder: kind, area, name, query, parsed: None });
                }
            }
        }
    }
    files
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

fn view(&File { folder, area, name, query, .. }: &File) -> View {
    let kind = Kind::ALL.into_iter().find(|kind| kind.folder() == folder).unwrap_or(Kind::View);
    View { kind, area, name, query, header: OnceLock::new() }
}

/// Every view and report.
pub fn all() -> &'static [View] {
    &VIEWS
}

/// The file of this kind and name. Only the file that is asked for is looked at.
pub fn find(kind: Kind, name: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.folder == kind.folder() && file.name == name)
}

/// The documented query of this kind and name.
pub fn documented(kind: Kind, name: &str) -> Option<&'static View> {
    all().iter().find(|view| view.kind == kind && view.name == name)
}

/// The report of this name.
pub fn report(name: &str) -> Option<&'static View> {
    documented(Kind::Report, name)
}

/// The row types of an export's format.
pub fn exports(format: &str) -> impl Iterator<Item = &'static View> {
    all().iter().filter(move |view| view.kind == Kind::Export && view.area == format)
}

/// The names of all of a kind.
pub fn names(kind: Kind) -> impl Iterator<Item = &'static str> {
    FILES.iter().filter(move |file| file.folder == kind.folder()).map(|file| file.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_select_says_so() {
        let file = |query, parsed| File { folder: "views", area: "core", name: "x", query, parsed };
        let said = |file: File| file.statement().unwrap_err();
        let wrong = said(file("SELEC 1", None));
        assert!(wrong.starts_with("views/core/x.sql: sql parser error: Expected"), "{wrong}");
        for query in ["", "SELECT 1; SELECT 2", "DROP TABLE t"] {
            let wrong = said(file(query, None));
            assert_eq!(wrong, "views/core/x.sql: sql parser error: a file is one SELECT");
        }
        let wrong = said(file("SELECT 1", Some(b"")));
        assert!(wrong.starts_with("views/core/x.sql: "), "{wrong}");
        assert!(file("SELECT 1", None).statement().is_ok());
    }
}
