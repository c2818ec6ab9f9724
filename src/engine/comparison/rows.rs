//! The rows of a comparison.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::error::Result;
use model::compare::{Differences, Judged};
use passes::fold::Columns;

/// A row: the total of a side, whose `matched_by` is `total`, or a match of functions.
#[derive(Debug)]
pub struct Row {
    side: String,
    is_total: bool,
    judged: Judged,
    is_corrected: bool,
}

impl Row {
    /// Returns the rows of a comparison with this side.
    pub fn all<'a>(side: &'a str, found: &'a Differences) -> impl Iterator<Item = Self> + 'a {
        let is_corrected = found.is_corrected;
        found.all().map(move |(is_total, judged)| Self {
            side: side.to_owned(),
            is_total,
            judged: judged.clone(),
            is_corrected,
        })
    }

    fn base_function(&self) -> Option<&str> {
        named(&self.judged.base).filter(|_| !self.is_total)
    }

    fn new_function(&self) -> Option<&str> {
        named(&self.judged.new).filter(|_| !self.is_total)
    }

    fn matched_by(&self) -> Option<&str> {
        if self.is_total { Some("total") } else { named(self.judged.by.name()) }
    }
}

/// Returns the schema of the rows.
pub fn schema() -> SchemaRef {
    Arc::new(Schema::new(columns().fields()))
}

/// Returns the rows as a batch.
pub fn batch(rows: &[Row]) -> Result<RecordBatch> {
    Ok(RecordBatch::try_new(schema(), columns().arrays_from(0, rows))?)
}

fn columns() -> Columns<Row> {
    Columns::<Row>::new()
        .text("side", |row| &row.side)
        .text("verdict", |row| row.judged.verdict.name())
        .optional_text("reason", |row| row.judged.reason.as_deref())
        .optional_text("matched_by", Row::matched_by)
        .optional_text("base_function", Row::base_function)
        .optional_text("new_function", Row::new_function)
        .signed("base_ns", |row| row.judged.base_ns)
        .signed("new_ns", |row| row.judged.new_ns)
        .signed("delta_ns", |row| row.judged.delta_ns())
        .optional_float("ratio", |row| row.judged.interval.map(|it| it.ratio))
        .optional_float("ratio_low", |row| row.judged.interval.map(|it| it.low))
        .optional_float("ratio_high", |row| row.judged.interval.map(|it| it.high))
        .optional_float("p_value", |row| known(row.judged.p))
        .optional_float("q_value", |row| known(row.judged.q))
        .optional_float("noise_floor", |row| known(row.judged.floor - 1.0))
        .float("base_calls", |row| row.judged.base_calls)
        .float("new_calls", |row| row.judged.new_calls)
        .optional_float("base_workgroups", |row| row.judged.workgroups[0])
        .optional_float("new_workgroups", |row| row.judged.workgroups[1])
        .optional_number("runs", |row| row.judged.runs)
        .optional_number("further_runs", |row| row.judged.further_runs)
        .flag("is_corrected", |row| row.is_corrected)
}

fn named(name: &str) -> Option<&str> {
    Some(name).filter(|name| !name.is_empty())
}

fn known(value: f64) -> Option<f64> {
    Some(value).filter(|value| !value.is_nan())
}
