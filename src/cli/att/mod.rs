//! `att`: lists and extracts the instruction traces of AMD GPUs.

use std::path::PathBuf;

use clap::Args;

use super::error::CliError;
use super::open::Opening;
use super::printing::Printing;
use crate::engine::Parameters;
use crate::report::att::TRACES;

pub mod extract;
pub mod list;

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = false, args = ["list", "extract"])]
pub struct Att {
    /// Bundles to open
    #[arg(required = true, value_name = "BUNDLE")]
    pub bundles: Vec<String>,
    /// List the traces, and whether the code objects are there that decoding needs
    #[arg(long)]
    pub list: bool,
    /// Write the traces, the code objects and a manifest with the load addresses into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "json", "output"])]
    pub extract: Option<PathBuf>,
    /// Only traces of functions whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(
        long,
        default_value = "*",
        value_name = "PATTERN",
        hide_default_value = true,
        overrides_with = "filter"
    )]
    pub filter: String,
    /// Only the trace or dispatch event with this id
    #[arg(long, default_value_t = -1, value_name = "N", allow_negative_numbers = true, hide_default_value = true, overrides_with = "id")]
    pub id: i64,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command.
pub fn run(args: &Att, opening: &Opening) -> Result<(), CliError> {
    let parameters = selected(&args.filter, args.id);
    let bundles = (args.bundles.as_slice(), opening);
    let count = match &args.extract {
        Some(folder) => extract::traces(&parameters, bundles, folder)?,
        None => list::print(&TRACES, &parameters, bundles, &args.printing)?,
    };
    list::found(count, "instruction traces", "executable-traces", &parameters)
}

/// Returns the parameters of a report that select by name and id.
pub fn selected(filter: &str, id: i64) -> Parameters {
    Parameters {
        filter: filter.to_owned(),
        id: u64::try_from(id).ok(),
        id_filter: id,
        ..Parameters::default()
    }
}
