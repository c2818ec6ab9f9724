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
    let script = script(args)?;
    let Some(script) = script else {
        let (engine, runtime) = open::interactive(&args.bundles, opening)?;
        let ended = shell::run(&engine, &runtime, args.format);
        // A cancelled query may still be on its way out.
        runtime.shutdown_background();
        return ended;
    };
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref())?;
    let format = destination.format(args.format)?;
    let statements = engine::parse(&script)?;
    if format.is_binary() && statements.len() > 1 {
        let name = Format::ALL
            .iter()
            .find(|(known, ..)| *known == format)
            .map_or("", |(_, name, _)| *name);
        let count = statements.len();
        return Err(CliError::Usage(format!(
            "{name} holds one result, but there are {count} statements"
        )));
    }
    for statement in &statements {
        runtime.block_on(answer(&engine, statement, format, &destination)).map_err(|error| {
            match error {
                CliError::Engine(source) if statements.len() > 1 => {
                    CliError::Statement { statement: statement.text().to_owned(), source }
                }
                other => other,
            }
        })?;
    }
    destination.commit()
}

/// What is to be run; `None` for a shell.
fn script(args: &Sql) -> Result<Option<String>, CliError> {
    let mut parts = args.commands.clone();
    for path in &args.files {
        let read = std::fs::read_to_string(path);
        parts.push(read.map_err(|source| CliError::File {
            action: "read",
            path: path.clone(),
            source,
        })?);
    }
    if !parts.is_empty() {
        return Ok(Some(parts.join(";\n")));
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

/// Runs one statement and writes its answer as it comes; the number of rows.
async fn answer(
    engine: &Engine,
    statement: &Statement,
    format: Format,
    destination: &Destination,
) -> Result<usize, CliError> {
    let batches = engine.run(statement).await?;
    write(&batches.schema(), batches, format, destination).await
}

/// Writes an answer as it comes; the number of rows.
pub async fn write(
    schema: &SchemaRef,
    mut batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin,
    format: Format,
    destination: &Destination,
) -> Result<usize, CliError> {
    // A statement such as CREATE VIEW has nothing to show.
    let mut encoder = None;
    if !schema.fields().is_empty() {
        encoder = Some(format.encoder(schema, destination.writer(), destination.target())?);
    }
    let mut rows = 0;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(EngineError::from)?;
        rows += batch.num_rows();
        if let Some(encoder) = &mut encoder {
            encoder.batch(&batch)?;
        }
    }
    encoder.map_or(Ok(()), Encoder::finish)?;
    Ok(rows)
}
