//! `export`: bundles converted for other tools, a format a file.

mod dataset;
mod ireeperf;
mod table;

use super::args::{Export, Opening};
use super::error::CliError;

/// A format that bundles are converted to.
#[derive(Debug)]
pub struct Format {
    pub name: &'static str,
    /// What it is, in a line of the help.
    what: &'static str,
    /// Nothing can be left out.
    is_whole: bool,
    write: fn(&Export, &Opening) -> Result<(), CliError>,
}

static FORMATS: &[Format] = &[
    Format {
        name: "ireeperf-jsonl",
        what: "what `iree-profile export` prints, byte for byte. Several bundles follow each
\
               other, each from its own `schema` row on; a FILE that ends in .gz is
\
               compressed. In SQL the rows are export.dispatch_event and so on",
        is_whole: true,
        write: ireeperf::write,
    },
    Format {
        name: "parquet",
        what: "a folder for each table and view, partitioned by bundle (Hive style), for
\
               DuckDB, Polars, pandas and Spark. Exporting into a folder that is there adds
\
               bundles, or replaces those of the same label. `ireescope sql` opens it",
        is_whole: false,
        write: dataset::write,
    },
    Format {
        name: "arrow",
        what: "the one table or view of --tables as Arrow IPC: a file, or a stream on `-`",
        is_whole: false,
        write: table::arrow,
    },
    Format {
        name: "csv",
        what: "the one table or view of --tables as comma-separated values",
        is_whole: false,
        write: table::csv,
    },
];

/// Runs the command.
pub fn run(args: &Export, opening: &Opening) -> Result<(), CliError> {
    if args.format.is_whole && (!args.tables.is_empty() || args.condition.is_some()) {
        return Err(CliError::Usage(format!(
            "{} takes neither --tables nor --where: it is of the whole bundle",
            args.format.name
        )));
    }
    (args.format.write)(args, opening)
}

/// The format called `name`.
pub fn format(name: &str) -> Result<&'static Format, String> {
    FORMATS.iter().find(|format| format.name == name).ok_or_else(|| {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        format!("the formats are {}", names.join(", "))
    })
}

/// What the formats are.
pub fn help() -> String {
    let lines = FORMATS.iter().map(|format| {
        let what = format.what.replace('\n', "\n                  ");
        format!("  {:<15} {what}", format.name)
    });
    format!("Formats:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
