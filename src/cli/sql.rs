//! `sql`: any question, in SQL.

use std::io::{self, IsTerminal, Read};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use exporters::{Encoder, Format};
use futures::{Stream, StreamExt};

use super::args::{Opening, Sql};
use super::error::CliError;
use super::output::Destination;
use super::{open, shell};
use crate::engine::{self, Engine, EngineError, Statement};

/// Runs the command.
pub fn run(args: &Sql, opening: &Opening) -> Result<(), CliError> {
    let Some(script) = script(args)? else {
        let (engine, runtime) = open::interactive(&args.bundles, opening)?;
        let ended = shell::run(&engine, &runtime, args);
        // A cancelled query may still be on its way out.
        runtime.shutdown_background();
        return ended;
    };
    let (engine, runtime) = open::any(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let format = destination.format(args.format)?;
    let statements = engine::parse(&script)?;
    let mut results = 0;
    for statement in &statements {
        let answer = runtime.block_on(answer(&engine, statement, format, &destination, results));
        let rows = answer.map_err(|error| match error {
            CliError::Engine(source) if statements.len() > 1 => {
                CliError::Statement { statement: statement.text(), source }
            }
            other => other,
        })?;
        results += usize::from(rows.is_some());
    }
    if results == 0 && args.output.is_some() {
        return Err(CliError::Usage("there is no result to write to the file of -o".into()));
    }
    destination.commit()
}

/// What is to be run; `None` for a shell.
fn script(args: &Sql) -> Result<Option<String>, CliError> {
    let mut parts = args.commands.clone();
    for path in &args.files {
        let read = std::fs::read_to_string(path);
        let text =
            read.map_err(|source| CliError::File { action: "read", path: path.clone(), source })?;
        // Some editors put a byte-order mark in front.
        parts.push(text.trim_start_matches('\u{feff}').to_owned());
    }
    if !parts.is_empty() {
        return Ok(Some(parts.join("\n;\n")));
    }
    if io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|source| CliError::System { action: "read standard input", source })?;
    Ok(Some(text))
}

/// Runs one statement and writes its answer as it comes, after `results` earlier ones; the number of rows, where the
/// statement has an answer.
async fn answer(
    engine: &Engine,
    statement: &Statement,
    format: Format,
    destination: &Destination,
    results: usize,
) -> Result<Option<usize>, CliError> {
    let batches = engine.run(statement).await?;
    if results > 0 && format.is_binary() && !batches.schema().fields().is_empty() {
        return Err(CliError::Usage(
            "arrow and parquet hold one result, but there are more".into(),
        ));
    }
    write(&batches.schema(), batches, format, destination).await
}

/// Writes an answer as it comes; the number of rows, or `None` for a statement that has no answer, such as CREATE VIEW.
pub async fn write(
    schema: &SchemaRef,
    mut batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin,
    format: Format,
    destination: &Destination,
) -> Result<Option<usize>, CliError> {
    if schema.fields().is_empty() {
        while batches.next().await.transpose().map_err(EngineError::from)?.is_some() {}
        return Ok(None);
    }
    let encoder = format.encoder(schema, destination.writer(), destination.target())?;
    encode(batches, encoder).await.map(Some)
}

/// Encodes all batches as they come; the number of rows.
pub async fn encode(
    mut batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin,
    mut encoder: Box<dyn Encoder>,
) -> Result<usize, CliError> {
    let mut rows = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(EngineError::from)?;
        rows += batch.num_rows();
        encoder.batch(&batch)?;
    }
    encoder.finish()?;
    Ok(rows)
}
