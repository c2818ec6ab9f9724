//! The format `ireeperf-jsonl`: all records in file order, one bundle after the other.

use std::io::Write;

use exporters::ireeperf::head;
use exporters::report_jsonl::ReportJsonl;
use flate2::Compression;
use flate2::write::GzEncoder;
use schemas::Table;
use schemas::ireeperf::RECORD_TYPES;

use super::super::error::CliError;
use super::super::lines::{self, Rows};
use super::super::open::Opening;
use super::super::output::Destination;
use super::super::progress::Progress;
use super::what::What;
use crate::engine::{Engine, Parameters};
use crate::workspace::Workspace;

/// The type of the first row of every bundle.
const FIRST: &str = "schema";

/// Writes the stream of all bundles.
pub fn write(args: &What, opening: &Opening) -> Result<(), CliError> {
    let workspaces = opening.open_each(&args.bundles)?;
    let opened = || workspaces.iter().map(|it| &it.engine);
    // Checks all bundles first, so that nothing is written if one has damaged metadata.
    opened().try_for_each(Engine::check_metadata)?;
    let destination = Destination::new(Some(&args.output), opened())?;
    let is_gzip = args.output.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz"));
    destination.fill(|out| {
        if !is_gzip {
            return write_all(workspaces, out);
        }
        // The lines are so repetitive that a higher level gains little.
        let mut out = GzEncoder::new(out, Compression::fast());
        write_all(workspaces, &mut out)?;
        out.finish().map(drop).map_err(CliError::output)
    })
}

/// Writes one bundle after the other, and closes each before the next.
fn write_all(workspaces: Vec<Workspace>, out: &mut dyn Write) -> Result<(), CliError> {
    let sizes = workspaces.iter().map(|it| bytes(&it.engine));
    let mut progress = Progress::new("exporting", sizes.sum());
    for Workspace { engine, runtime } in workspaces {
        runtime.block_on(stream(&engine, out, &mut progress))?;
        progress.finish_part(bytes(&engine));
    }
    Ok(())
}

fn bytes(engine: &Engine) -> u64 {
    engine.bundles().iter().map(|bundle| bundle.directory.end).sum()
}

/// Writes the rows of one bundle: the `schema` row, then the rows of all other types, merged.
async fn stream(
    engine: &Engine,
    out: &mut dyn Write,
    progress: &mut Progress,
) -> Result<(), CliError> {
    let (first, others): (Vec<_>, Vec<_>) = sql::exports("ireeperf")
        .filter(|export| may_have_rows(engine, export.name))
        .partition(|export| export.name == FIRST);
    for exports in [first, others] {
        let names: Vec<&str> = exports.iter().map(|export| export.name).collect();
        let prepared = engine.prepare_all(sql::Kind::Export, &names, &Parameters::default())?;
        let mut rows = Vec::new();
        for (export, prepared) in exports.into_iter().zip(prepared) {
            let encoder = ReportJsonl::new(head(export.name), lines::keys(Some(export)));
            rows.push(Rows { encoder, partitions: prepared.partitions()? });
        }
        lines::print(rows, out, &mut |offset| progress.at(offset)).await?;
    }
    Ok(())
}

/// False if the bundle has no rows of this type, so that they need not be planned.
fn may_have_rows(engine: &Engine, name: &str) -> bool {
    let kind = RECORD_TYPES.iter().find(|kind| kind.name == name);
    let table = kind.and_then(|kind| schemas::find(kind.table));
    table.and_then(Table::reads).is_none_or(|family| engine.has_chunks(family))
}
