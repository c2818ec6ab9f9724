//! `csv` and `tsv`: a header, then one line per row. NULL is an empty field, nested values are text.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow::csv::WriterBuilder;
use arrow::datatypes::SchemaRef;

use crate::encoder::{EncodeError, Encoder, Output, Target};
use crate::plain;

/// The encoder of `csv` and `tsv`.
pub struct Delimited {
    output: Output,
    format: WriterBuilder,
    schema: SchemaRef,
    started: bool,
    is_for_spreadsheet: bool,
}

impl Delimited {
    /// Creates an encoder for the schema's columns.
    pub fn new(schema: &SchemaRef, output: Output, delimiter: u8, target: Target) -> Self {
        let format = WriterBuilder::new().with_delimiter(delimiter);
        let schema = plain::without_nesting(schema);
        // Spreadsheets are given one type of text, whose cells can be changed.
        let schema = if target.spreadsheet { plain::without_views(&schema) } else { schema };
        let is_for_spreadsheet = target.spreadsheet;
        Self { output, format, schema, started: false, is_for_spreadsheet }
    }

    /// Writes a batch, the first one with the header. Arrow's writer reports errors of the output as texts, so it writes
    /// into memory.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        let mut text = Vec::new();
        self.format.clone().with_header(!self.started).build(&mut text).write(batch)?;
        self.started = true;
        Ok(self.output.write_all(&text)?)
    }
}

/// Puts an apostrophe before each text that a spreadsheet would take for a formula, as OWASP advises ("CSV Injection").
fn marked(batch: &RecordBatch) -> Result<RecordBatch, EncodeError> {
    let mark = |text: &str| match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r') => format!("'{text}"),
        _ => text.to_owned(),
    };
    let columns = batch.columns().iter().map(|column| -> ArrayRef {
        match column.as_string_opt::<i32>() {
            Some(texts) => {
                Arc::new(texts.iter().map(|text| text.map(mark)).collect::<StringArray>())
            }
            None => Arc::clone(column),
        }
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let columns = columns.collect();
    Ok(RecordBatch::try_new_with_options(batch.schema(), columns, &options)?)
}

impl Encoder for Delimited {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        let batch = plain::convert(batch, &self.schema)?;
        self.write(&if self.is_for_spreadsheet { marked(&batch)? } else { batch })
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        if !self.started {
            let empty = RecordBatch::new_empty(self.schema.clone());
            self.write(&empty)?;
        }
        Ok(self.output.flush()?)
    }
}
