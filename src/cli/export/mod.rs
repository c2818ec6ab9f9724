//! `export`: bundles converted for other tools, a format a file.

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

static FORMATS: &[Format] = &[Format {
    name: "ireeperf-jsonl",
    what: "what `iree-profile export` prints, byte for byte. Several bundles follow each\n\
           other, each from its own `schema` row on; a FILE that ends in .gz is\n\
           compressed. In SQL the rows are export.dispatch_event and so on",
    write: ireeperf::write,
}];

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
