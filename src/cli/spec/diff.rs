//! `spec diff`: compares two specs.

use std::path::PathBuf;

use clap::Args;

use super::relation::{Cell, Relation};
use crate::cli::error::{CliError, exit};
use crate::cli::printing::Printing;
use crate::cli::signals::listen;
use crate::compiler::read_spec;
use crate::report::fit::Fit::Stays;
use crate::tuning::spec::diff;

#[derive(Debug, Args)]
#[command(
    after_help = "Matchers are the same if they match the same operations, whatever their names."
)]
pub struct Diff {
    /// Spec in MLIR, as text or bytecode
    #[arg(value_name = "BEFORE")]
    pub before: PathBuf,
    /// Spec in MLIR, as text or bytecode
    #[arg(value_name = "AFTER")]
    pub after: PathBuf,
    /// Exit with 1 if they differ
    #[arg(long)]
    pub check: bool,
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment; iree-opt reads bytecode
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command.
pub fn run(args: &Diff) -> Result<u8, CliError> {
    let bin = args.iree_bin_dir.as_deref();
    let read = |path| read_spec(path, bin, listen);
    let (before, after) = (read(&args.before)?, read(&args.after)?);
    let changes = diff(&before, &after);
    let relation = Relation {
        columns: ["change", "matcher", "knob", "before", "after"]
            .map(|name| (name, Stays))
            .to_vec(),
        rows: changes.iter().map(|it| it.texts().map(Cell::Text).to_vec()).collect(),
        grouped: 0,
        hidden: Vec::new(),
    };
    let behind = if changes.is_empty() { "No differences." } else { "" };
    relation.print(&args.printing, behind)?;
    Ok(if args.check && !changes.is_empty() { exit::NO } else { exit::FINE })
}
