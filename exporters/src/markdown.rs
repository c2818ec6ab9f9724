//! `markdown`: a table with pipes between the columns. NULL is an empty cell.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;

use crate::cells;
use crate::encoder::{EncodeError, Encoder, Output};

/// The encoder of `markdown`.
pub struct Markdown {
    output: Output,
}

impl Markdown {
    /// Creates an encoder and writes the header of the schema's columns.
    pub fn new(schema: &SchemaRef, mut output: Output) -> Result<Self, EncodeError> {
        let names: Vec<String> =
            schema.fields().iter().map(|field| escape(&cells::printable(field.name()))).collect();
        let rules: Vec<&str> = schema
            .fields()
            .iter()
            .map(|field| if cells::is_number(field.data_type()) { "---:" } else { "---" })
            .collect();
        writeln!(output, "| {} |\n| {} |", names.join(" | "), rules.join(" | "))?;
        Ok(Self { output })
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|")
}

impl Encoder for Markdown {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        for row in cells::rows(batch, "")? {
            let cells: Vec<String> = row.iter().map(|cell| escape(cell)).collect();
            writeln!(self.output, "| {} |", cells.join(" | "))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        Ok(self.output.flush()?)
    }
}
