//! The format `ireeperf-jsonl`: the records of all bundles, compressed if the name of the file ends so.

use flate2::Compression;
use flate2::write::GzEncoder;

use super::what::What;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::output::Destination;
use crate::cli::progress::bar;
use crate::export::write_ireeperf;

/// Writes the stream of all bundles.
pub fn write(args: &What, opening: &Opening) -> Result<(), CliError> {
    let workspaces = opening.open_each(&args.bundles)?;
    let destination =
        Destination::new(Some(&args.output), workspaces.iter().map(|it| it.engine.as_ref()))?;
    let is_gzip = args.output.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    let mut bar = bar("exporting");
    destination.fill(|out| {
        if !is_gzip {
            return Ok(write_ireeperf(workspaces, out, &mut bar)?);
        }
        // The lines are so repetitive that a higher level gains little.
        let mut out = GzEncoder::new(out, Compression::fast());
        write_ireeperf(workspaces, &mut out, &mut bar)?;
        out.finish().map(drop).map_err(CliError::output)
    })
}
