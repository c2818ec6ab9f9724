//! The format `parquet`: a folder of Parquet files.

use std::path::Path;

use crate::base::printable;

use super::what::What;
use crate::capture::Stop;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::progress::bar;
use crate::cli::signals;
use crate::export::{DatasetPlan, DatasetRequest};
use crate::report::text::counted;

/// Number of labels that are listed.
const LISTED: usize = 5;

/// Writes the folder of an export.
pub fn write(args: &What, opening: &Opening) -> Result<(), CliError> {
    if args.output == Path::new("-") {
        return Err(CliError::Usage("parquet writes a folder; name it with --output".into()));
    }
    let request = DatasetRequest {
        bundles: args.bundles.clone(),
        folder: args.output.clone(),
        relations: args.tables.clone(),
        condition: args.condition.clone(),
    };
    let plan = DatasetPlan::new(&request, &opening.options())?;
    signals::end_cleanly()?;
    let exported = plan.write(&Stop::default(), &mut bar("exporting"))?;
    report(&args.output, &exported.replaced);
    Ok(())
}

/// Says which bundles were replaced.
fn report(folder: &Path, labels: &[String]) {
    if labels.is_empty() {
        return;
    }
    let listed: Vec<String> = labels.iter().take(LISTED).map(|label| printable(label)).collect();
    let more = if labels.len() > LISTED { ", …" } else { "" };
    eprintln!(
        "ireescope: replaced {} in {}: {}{more}",
        counted(labels.len() as u64, "bundle"),
        folder.display(),
        listed.join(", ")
    );
}
