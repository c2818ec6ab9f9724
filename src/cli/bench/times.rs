//! Reads the dispatch times of a bundle with the report `dispatch_time`.

use std::path::Path;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type};

use crate::bench::run::Timed;
use crate::bundle::{self, BundleSource};
use crate::cli::error::CliError;
use crate::engine::{Engine, EngineError, Options, Parameters};

/// Returns the timed dispatches of a bundle, in the order in which they ran.
pub fn read(path: &Path) -> Result<Vec<Timed>, CliError> {
    let source = BundleSource::named("capture".to_owned(), path.to_owned());
    let engine = Engine::new(vec![bundle::open(&source, false)?], Options { threads: Some(1) });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| CliError::System { action: "start threads", source })?;
    let answer = runtime.block_on(engine.report("dispatch_time", &Parameters::default()))?;
    let mut timed = Vec::new();
    for batch in &answer.batches {
        rows(batch, &mut timed).map_err(|error| EngineError::Query(error.to_string()))?;
    }
    Ok(timed)
}

fn rows(batch: &RecordBatch, timed: &mut Vec<Timed>) -> Result<(), arrow::error::ArrowError> {
    let column = |name: &str, kind: &DataType| {
        let found = batch.column_by_name(name);
        let found = found.ok_or_else(|| arrow::error::ArrowError::SchemaError(name.to_owned()))?;
        cast(found, kind)
    };
    let sources = column("timing_source", &DataType::Utf8)?;
    let keys = column("key", &DataType::Utf8)?;
    let durations = column("duration_ns", &DataType::Float64)?;
    let (sources, keys) = (sources.as_string::<i32>(), keys.as_string::<i32>());
    let each = sources.iter().zip(keys).zip(durations.as_primitive::<Float64Type>());
    timed.extend(each.filter_map(|((source, function), duration)| {
        Some(Timed {
            function: function?.to_owned(),
            source: source?.to_owned(),
            duration_ns: duration?,
        })
    }));
    Ok(())
}
