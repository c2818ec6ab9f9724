//! `spec show`: shows what a spec matches and sets.

use std::path::PathBuf;

use clap::Args;

use super::relation::{Cell, Relation};
use crate::cli::error::CliError;
use crate::cli::printing::Printing;
use crate::cli::signals::listen;
use crate::compiler::read_spec;
use crate::report::fit::Fit::{Goes, Stays};

#[derive(Debug, Args)]
pub struct Show {
    /// Spec in MLIR, as text or bytecode
    #[arg(value_name = "SPEC")]
    pub spec: PathBuf,
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment; iree-opt reads bytecode
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command.
pub fn run(args: &Show) -> Result<(), CliError> {
    let spec = read_spec(&args.spec, args.iree_bin_dir.as_deref(), listen)?;
    let relation = Relation {
        columns: vec![
            ("matcher", Stays),
            ("operation", Goes(0)),
            ("shapes", Goes(2)),
            ("types", Goes(1)),
            ("pipeline", Goes(3)),
            ("knob", Stays),
            ("value", Stays),
            ("conditions", Goes(4)),
        ],
        rows: spec.rows().into_iter().map(|row| row.map(Cell::Text).to_vec()).collect(),
        grouped: 5,
        hidden: vec!["conditions"],
    };
    relation.print(&args.printing, "")
}
