//! The format `ireeperf-jsonl`: all records in file order, one bundle after the other.

use std::io::Write;
use std::path::Path;

use exporters::Output;
use exporters::ireeperf::head;
use exporters::report_jsonl::ReportJsonl;
use flate2::Compression;
use flate2::write::GzEncoder;
use schemas::Table;
use schemas::ireeperf::RECORD_TYPES;

use super::super::error::CliError;
use super::super::lines::{self, Rows};
use super::super::open::{self, Opening};
use super::super::output::Destination;
use super::super::progress::Progress;
use super::what::What;
use crate::engine::{Engine, Parameters};

/// The type of the first row of every bundle.
const FIRST: &str = "schema";

/// Writes the stream of all bundles.
pub fn write(args: &What, opening: &Opening) -> Result<(), CliError> {
    let engines = open::each(&args.bundles, opening)?;
    let bundles: Vec<&Engine> = engines.iter().map(|(engine, _)| engine).collect();
    // Checks all bundles first, so that nothing is written if one has damaged metadata.
    bundles.iter().try_for_each(|engine| engine.check_metadata())?;
    let destination = Destination::beside(Some(&args.output), &bundles)?;
    let mut out = Writer::new(&args.output, destination.writer());
    let sizes = bundles.iter().map(|engine| bytes(engine));
    let mut progress = Progress::new("exporting", sizes.sum());
    for (engine, runtime) in &engines {
        runtime.block_on(stream(engine, out.as_write(), &mut progress))?;
        progress.finish_part(bytes(engine));
    }
    out.finish().map_err(|source| CliError::System { action: "write the output", source })?;
    progress.clear();
    destination.commit()
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

/// The output, compressed if its name ends in `.gz`.
enum Writer {
    Plain(Output),
    Gzip(GzEncoder<Output>),
}

impl Writer {
    fn new(path: &Path, output: Output) -> Self {
        if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("gz")) {
            // The lines are so repetitive that a higher level gains little.
            Self::Gzip(GzEncoder::new(output, Compression::fast()))
        } else {
            Self::Plain(output)
        }
    }

    fn as_write(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(output) => output,
            Self::Gzip(output) => output,
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Self::Plain(mut output) => output.flush(),
            Self::Gzip(output) => output.finish()?.flush(),
        }
    }
}
