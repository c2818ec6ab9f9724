//! `code-objects`: lists and extracts the code objects of executables.

use std::path::PathBuf;

use clap::Args;

use super::{extract, list, selected};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::printing::Printing;
use crate::cli::values::local;
use crate::report::att::CODE_OBJECTS;

#[derive(Debug, Args)]
pub struct CodeObjects {
    /// Bundles to open
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// Write the code objects and a manifest with the load addresses into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "json", "output"], value_parser = local())]
    pub extract: Option<PathBuf>,
    /// Only executables with a function whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", hide_default_value = true)]
    pub filter: String,
    /// Only the executable with this id
    #[arg(long, default_value_t = -1, value_name = "N", allow_negative_numbers = true, hide_default_value = true)]
    pub id: i64,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command.
pub fn run(args: &CodeObjects, opening: &Opening) -> Result<(), CliError> {
    let parameters = selected(&args.filter, args.id);
    let bundles = (args.bundles.as_slice(), opening);
    let count = match &args.extract {
        Some(folder) => extract::extract(&[(extract::CODE_OBJECT, &parameters)], bundles, folder)?,
        None => list::print(&CODE_OBJECTS, usize::MAX, &[], &parameters, bundles, &args.printing)?,
    };
    list::found(count, "code objects", &parameters)
}
