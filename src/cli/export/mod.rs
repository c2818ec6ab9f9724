//! `export`: bundles converted for other tools, a format a file.

mod dataset;
mod ireeperf;

use super::args::{Export, Opening};
use super::error::CliError;

/// A format that bundles are converted to.
#[derive(Debug)]
pub struct Format {
    pub name: &'static str,
    /// What it is, in a line of the help.
    what: &'static str,
    write: fn(&Export, &Opening) -> Result<(), CliError>,
}

static FORMATS: &[Format] = &[
    Format {
        name: "ireeperf-jsonl",
        what: "IREE's interchange of decoded profiles: what `iree-profile export` prints, byte for byte.\n\
               Several bundles follow each other, each from its own `schema` row on; a FILE that ends\n\
               in .gz is compressed. The rows are relations, too: SELECT * FROM export.dispatch_event",
        write: ireeperf::write,
    },
    Format {
        name: "parquet",
        what: "A folder for each table and view, partitioned by bundle (Hive style), for DuckDB, Polars,\n\
               pandas and Spark. Exporting to a folder that is there adds bundles to it or replaces\n\
               those of the same label. `ireescope sql` opens it like bundles",
        write: dataset::write,
    },
];

/// Runs the command.
pub fn run(args: &Export, opening: &Opening) -> Result<(), CliError> {
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
