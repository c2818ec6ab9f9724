//! The flags of commands that print rows: format, output and the number of rows.

use std::path::PathBuf;

use clap::Args;
use exporters::Format;

use super::error::CliError;
use super::names;
use super::output::Destination;
use crate::engine::Engine;

#[derive(Debug, Clone, Default, Args)]
pub struct Printing {
    /// Output format: text (for people), box, markdown, csv, tsv, json (an array), jsonl, line, arrow or parquet; by
    /// default chosen by the extension of FILE, else text
    #[arg(long, value_name = "FORMAT", value_parser = named, overrides_with = "format")]
    pub format: Option<Named>,
    /// The same as `--format=json`
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Maximum number of rows of a box, 0 for all; by default 40 on a terminal, else all
    #[arg(long, value_name = "N")]
    pub max_rows: Option<usize>,
    /// Put an apostrophe before texts in csv and tsv that a spreadsheet would take for formulas
    #[arg(long)]
    pub csv_safe: bool,
    /// Write to this file or object (docs/objects.md), atomically
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// The default.
    Auto,
    /// What a command prints for people.
    Text,
    Rows(Format),
}

impl Printing {
    /// Returns the format of the rows of a report; `None` for text.
    pub fn of_report(&self) -> Option<Format> {
        match self.format {
            _ if self.json => Some(Format::Json),
            Some(Named::Rows(format)) => Some(format),
            Some(Named::Text) => None,
            Some(Named::Auto) | None => {
                let extension = self.output.as_ref()?.extension()?.to_string_lossy().to_lowercase();
                Format::of_extension(&extension).filter(|format| *format != Format::Box)
            }
        }
    }

    /// Returns the format of the result of a query; `None` for the default of the output. Its text is a box.
    pub fn of_query(&self) -> Option<Format> {
        match self.format {
            _ if self.json => Some(Format::Json),
            Some(Named::Rows(format)) => Some(format),
            Some(Named::Text) => Some(Format::Box),
            Some(Named::Auto) | None => None,
        }
    }

    /// Creates the output, which must not be a bundle of the engines.
    pub fn destination<'a>(
        &self,
        engines: impl IntoIterator<Item = &'a Engine>,
    ) -> Result<Destination, CliError> {
        let destination = Destination::new(self.output.as_deref(), engines)?;
        Ok(destination.max_rows(self.max_rows).for_spreadsheet(self.csv_safe))
    }
}

fn named(name: &str) -> Result<Named, String> {
    match name {
        "auto" => Ok(Named::Auto),
        "text" => Ok(Named::Text),
        name => {
            let names = ["text"].into_iter().chain(Format::names());
            names::found(name, Format::named(name), "formats", names).map(Named::Rows)
        }
    }
}
