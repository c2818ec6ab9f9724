//! The format `ireeperf-jsonl`: all records in file order, one bundle after the other.

use std::io::Write;

use engine::{Engine, Parameters};
use exporters::ireeperf::head;
use exporters::report_jsonl::ReportJsonl;
use schemas::Table;
use schemas::ireeperf::RECORD_TYPES;

use super::error::ExportError;
use super::lines::{self, Rows};
use crate::{Progress, Workspace};

/// The type of the first row of every bundle.
const FIRST: &str = "schema";

/// Writes all records of workspaces that were opened by [`Workspace::open_each`], one after the other, and closes each before
/// the next. Checks all of them first, so that nothing is written if one has damaged metadata. The progress is in bytes of
/// bundles.
pub fn write_ireeperf(
    workspaces: Vec<Workspace>,
    out: &mut dyn Write,
    listener: &mut dyn FnMut(Progress),
) -> Result<(), ExportError> {
    let engines = || workspaces.iter().map(|workspace| workspace.engine.as_ref());
    engines().try_for_each(Engine::check_metadata)?;
    let total = engines().map(bytes).sum();
    let mut done = 0;
    listener(Progress { done, total });
    for Workspace { engine, runtime } in workspaces {
        let mut at = |offset| listener(Progress { done: u64::saturating_add(done, offset), total });
        runtime.block_on(stream(&engine, out, &mut at))?;
        done += bytes(&engine);
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
    at: &mut dyn FnMut(u64),
) -> Result<(), ExportError> {
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
        lines::write(rows, out, at).await?;
    }
    Ok(())
}

/// False if the bundle has no rows of this type, so that they need not be planned.
fn may_have_rows(engine: &Engine, name: &str) -> bool {
    let kind = RECORD_TYPES.iter().find(|kind| kind.name == name);
    let table = kind.and_then(|kind| schemas::find(kind.table));
    table.and_then(Table::reads).is_none_or(|family| engine.has_chunks(family))
}
