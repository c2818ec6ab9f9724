//! The flags of `export` except the format.

use std::path::PathBuf;

use clap::Args;

use crate::cli::drawing::Drawing;

#[derive(Debug, Args)]
pub struct What {
    /// Bundles to convert
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Write to this file, folder or object (docs/objects.md), atomically; `-` is standard output
    #[arg(long, short = 'o', default_value = "-", value_name = "FILE")]
    pub output: PathBuf,
    /// Only these tables and views (parquet), or the one to write (arrow, csv)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub tables: Vec<String>,
    /// Only rows that satisfy this SQL condition, in every table that is written (parquet, arrow, csv)
    #[arg(long = "where", value_name = "SQL")]
    pub condition: Option<String>,
    /// Put an apostrophe before texts that a spreadsheet would take for formulas (csv)
    #[arg(long)]
    pub csv_safe: bool,
    #[command(flatten)]
    pub drawing: Drawing,
}
