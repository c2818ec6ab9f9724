//! `export`: converts bundles for other tools. The submodules implement the formats.

mod dataset;
mod ireeperf;
mod table;
mod what;

use clap::Args;

use super::drawing::Drawing;
use super::error::CliError;
use super::names;
use super::open::Opening;
use what::What;

#[derive(Debug, Args)]
#[command(after_help = help())]
pub struct Export {
    /// Output format
    #[arg(long, default_value = "ireeperf-jsonl", value_name = "FORMAT", value_parser = format)]
    pub format: &'static Format,
    #[command(flatten)]
    pub what: What,
}

/// An output format.
#[derive(Debug)]
pub struct Format {
    pub name: &'static str,
    what: &'static str,
    takes: Takes,
    write: fn(&What, &Opening) -> Result<(), CliError>,
}

/// The optional flags of a format.
#[derive(Debug, PartialEq, Eq)]
enum Takes {
    /// No flags: the format exports whole bundles.
    Nothing,
    /// `--tables` and `--where`.
    Tables,
    /// The flags of `render`.
    Drawing,
}

static FORMATS: &[Format] = &[
    Format {
        name: "ireeperf-jsonl",
        what: "the output of `iree-profile export`, byte for byte. Several bundles follow each\n\
               other, each beginning with its own `schema` row; a FILE that ends in .gz is\n\
               compressed. In SQL, the rows are in export.dispatch_event and so on",
        takes: Takes::Nothing,
        write: ireeperf::write,
    },
    Format {
        name: "parquet",
        what: "a folder for each table and view, for DuckDB, Polars, pandas and Spark: with a\n\
               file per bundle (Hive style), or for more than 16 bundles, a file per batch.\n\
               Views timeline_* and critical_path, and those of views, only with --tables.\n\
               Exporting into an existing folder adds bundles, or replaces those with the same\n\
               label, but not by another capture. `ireescope sql` opens the folder",
        takes: Takes::Tables,
        write: dataset::write,
    },
    Format {
        name: "arrow",
        what: "the table or view given by --tables as Arrow IPC: a file, or a stream for `-`",
        takes: Takes::Tables,
        write: |what, opening| table::write(what, opening, exporters::Format::Arrow),
    },
    Format {
        name: "csv",
        what: "the table or view given by --tables as comma-separated values",
        takes: Takes::Tables,
        write: |what, opening| table::write(what, opening, exporters::Format::Csv),
    },
    Format {
        name: "perfetto",
        what: "a timeline for <https://ui.perfetto.dev>, as by `ireescope render`",
        takes: Takes::Drawing,
        write: |what, opening| what.drawing.draw(&what.bundles, &what.output, opening).map(drop),
    },
];

/// Runs the command.
pub fn run(args: &Export, opening: &Opening) -> Result<(), CliError> {
    let (name, what) = (args.format.name, &args.what);
    if args.format.takes != Takes::Tables && (!what.tables.is_empty() || what.condition.is_some()) {
        return Err(CliError::Usage(format!(
            "{name} accepts neither --tables nor --where; parquet, arrow and csv do"
        )));
    }
    if args.format.takes != Takes::Drawing && what.drawing != Drawing::default() {
        return Err(CliError::Usage(format!(
            "{name} does not accept the flags of timelines, such as --window, --filter and --clock; perfetto does"
        )));
    }
    (args.format.write)(what, opening)
}

fn format(name: &str) -> Result<&'static Format, String> {
    let found = FORMATS.iter().find(|format| format.name == name);
    names::found(name, found, "formats", FORMATS.iter().map(|format| format.name))
}

fn help() -> String {
    let lines = FORMATS.iter().map(|format| {
        let what = format.what.replace('\n', "\n                  ");
        format!("  {:<15} {what}", format.name)
    });
    format!("Formats:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
