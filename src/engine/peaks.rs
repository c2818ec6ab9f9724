//! `known_peaks()`: the peaks of devices, from data sheets and from measurements, as a table function.

use std::io;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{DataFusionError, plan_err};
use datafusion::error::Result;
use model::operation::{ExternalFacts, Peak, peaks};
use passes::fold::Columns;
use schemas::peaks::SHEETS;

use crate::functions::Folds;

/// Returns the function by name.
pub fn function(folds: &Arc<Folds>) -> (&'static str, Arc<dyn TableFunctionImpl>) {
    ("known_peaks", Arc::new(Peaks(Arc::clone(folds))))
}

struct Peaks(Arc<Folds>);

/// A peak of a device for an element type.
struct Row {
    peak: Peak,
    is_measured: bool,
    is_given: bool,
}

impl TableFunctionImpl for Peaks {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return plan_err!("known_peaks() takes no arguments");
        }
        let batch = batch(&rows(self.0.known())?)?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

impl std::fmt::Debug for Peaks {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Peaks").finish_non_exhaustive()
    }
}

fn rows(known: &ExternalFacts) -> Result<Vec<Row>> {
    let given = known.device.as_deref();
    let measured = match &known.peaks {
        Some(path) => peaks(path).map_err(|error| {
            let what = format!("{}: {error}", path.display());
            DataFusionError::External(Box::new(io::Error::new(error.kind(), what)))
        })?,
        None => Vec::new(),
    };
    let is_given = |device: &str| given.is_some_and(|given| given.eq_ignore_ascii_case(device));
    let measured = measured.into_iter().map(|peak| Row {
        is_measured: true,
        is_given: is_given(&peak.device),
        peak,
    });
    let sheets = SHEETS.iter().flat_map(|sheet| {
        sheet.flops_per_s.iter().map(move |(dtype, flops_per_s)| Row {
            is_measured: false,
            is_given: is_given(sheet.device),
            peak: Peak {
                device: sheet.device.to_owned(),
                dtype: (*dtype).to_owned(),
                flops_per_s: *flops_per_s,
                bytes_per_s: sheet.bytes_per_s,
                source: sheet.source.to_owned(),
                ..Peak::default()
            },
        })
    });
    let rows: Vec<Row> = measured.chain(sheets).collect();
    match given {
        Some(given) if rows.iter().all(|row| !row.is_given) => {
            plan_err!("no device is called {given}; device_peaks lists those that are known")
        }
        _ => Ok(rows),
    }
}

fn batch(rows: &[Row]) -> Result<RecordBatch> {
    let columns = Columns::<Row>::new()
        .text("device", |row| &row.peak.device)
        .optional_text("driver", |row| row.is_measured.then_some(row.peak.driver.as_str()))
        .optional_text("physical_device_uuid", |row| row.peak.physical_device_uuid.as_deref())
        .optional_text("cpu", |row| row.peak.cpu.as_deref())
        .text("dtype", |row| &row.peak.dtype)
        .float("flops_per_s", |row| row.peak.flops_per_s)
        .float("bytes_per_s", |row| row.peak.bytes_per_s)
        .optional_float("launch_ns", |row| row.is_measured.then_some(row.peak.launch_ns))
        .optional_text("measured", |row| row.is_measured.then_some(row.peak.measured.as_str()))
        .text("source", |row| &row.peak.source)
        .flag("is_given", |row| row.is_given);
    let schema = Arc::new(Schema::new(columns.fields()));
    Ok(RecordBatch::try_new(schema, columns.arrays_from(0, rows))?)
}
