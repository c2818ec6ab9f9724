//! `spec knobs`: lists the dispatches of a model with the knobs that the compiler chose.

use std::path::PathBuf;

use clap::Args;

use super::compiler::Compiling;
use super::relation::{Cell, Relation};
use crate::base::Pattern;
use crate::cli::error::CliError;
use crate::cli::nothing::Asked;
use crate::cli::open::Opening;
use crate::cli::printing::Printing;
use crate::operation::Knob;
use crate::report::fit::Fit::{Goes, Name, Stays};
use crate::tuning::configuration::knobs_by_time;
use crate::tuning::dumps;
use crate::workspace::FunctionTimes;

#[derive(Debug, Args)]
pub struct Knobs {
    /// Model in MLIR, which is compiled as far as configurations; or files or folders of iree-compile
    /// --iree-hal-dump-executable-configurations-to
    #[arg(required = true, value_name = "MODEL")]
    pub models: Vec<PathBuf>,
    /// Bundle with the times of the dispatches; may be repeated
    #[arg(long, value_name = "BUNDLE")]
    pub profile: Vec<String>,
    /// Only dispatches whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", hide_default_value = true)]
    pub filter: String,
    #[command(flatten)]
    pub compiling: Compiling,
    #[command(flatten)]
    pub printing: Printing,
}

/// Runs the command.
pub fn run(args: &Knobs, opening: &Opening) -> Result<(), CliError> {
    let mut dispatches = Vec::new();
    let mut compiler = None;
    for model in &args.models {
        if dumps::is_one(model) {
            dispatches.extend(dumps::read(model)?);
            continue;
        }
        if compiler.is_none() {
            compiler = Some(args.compiling.compiler()?);
        }
        if let Some(compiler) = &compiler {
            dispatches.extend(compiler.configurations(model, None, None)?.dispatches);
        }
    }
    let times = match args.profile.as_slice() {
        [] => None,
        bundles => Some(opening.open(bundles)?.function_times()?),
    };
    let pattern = Pattern::new(&args.filter);
    let asked = Asked::default().pattern("--filter", &args.filter);
    let names = dispatches.iter().map(|dispatch| dispatch.name.as_str());
    let unmatched = asked.unmatched("dispatch", names);
    dispatches.retain(|dispatch| pattern.matches(&dispatch.name));
    if let Some(what) = unmatched.filter(|_| dispatches.is_empty()) {
        eprintln!("ireescope: {what}");
    }
    let times_of = |dispatch: &str| times.as_ref().and_then(|times| times.get(dispatch));
    let knobs = knobs_by_time(&dispatches, |dispatch| times_of(dispatch)?.total_ns);
    let relation = Relation {
        columns: vec![
            ("dispatch", Name),
            ("target", Goes(5)),
            ("operation", Goes(1)),
            ("shapes", Goes(3)),
            ("types", Goes(2)),
            ("pipeline", Goes(4)),
            ("dispatch_count", Goes(7)),
            ("total_ns", Stays),
            ("mean_ns", Goes(6)),
            ("share", Stays),
            ("knob", Stays),
            ("value", Stays),
        ],
        rows: knobs.iter().map(|knob| row_of(knob.clone(), times_of(&knob.dispatch))).collect(),
        grouped: 10,
        hidden: if times.is_none() { TIMES.to_vec() } else { Vec::new() },
    };
    let behind = if relation.rows.is_empty() { "No dispatches." } else { "" };
    relation.print(&args.printing, behind)
}

/// The columns with times.
const TIMES: [&str; 4] = ["dispatch_count", "total_ns", "mean_ns", "share"];

/// Returns the row of a knob, with the times of its dispatch.
fn row_of(knob: Knob, times: Option<&FunctionTimes>) -> Vec<Cell> {
    let Knob { dispatch, target, operation, shapes, types, pipeline, knob, value } = knob;
    let mut row = [dispatch, target, operation, shapes, types, pipeline].map(Cell::Text).to_vec();
    row.extend([
        Cell::Count(times.map(|it| it.dispatch_count)),
        Cell::Time(times.and_then(|it| it.total_ns)),
        Cell::Time(times.and_then(|it| it.mean_ns)),
        Cell::Share(times.and_then(|it| it.share)),
    ]);
    row.extend([knob, value].map(Cell::Text));
    row
}
