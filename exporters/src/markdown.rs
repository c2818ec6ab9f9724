//! `markdown`: a table with pipes between the columns. NULL is an empty cell.

use arrow::array::RecordBatch;
use arrow::datatypes::{FieldRef, SchemaRef};

use crate::cells;
use crate::encoder::{EncodeError, Encoder, Output};

/// The encoder of `markdown`.
pub struct Markdown {
    output: Output,
}

impl Markdown {
    /// Creates an encoder and writes the header of the schema's columns.
    pub fn new(schema: &SchemaRef, mut output: Output) -> Result<Self, EncodeError> {
        let rule = |field: &FieldRef| if field.data_type().is_numeric() { "---:" } else { "---" };
        let rules: Vec<&str> = schema.fields().iter().map(rule).collect();
        writeln!(output, "{}\n| {} |", line(&cells::names(schema)), rules.join(" | "))?;
        Ok(Self { output })
    }
}

fn line(cells: &[String]) -> String {
    let escape = |cell: &String| cell.replace('\\', "\\\\").replace('|', "\\|");
    format!("| {} |", cells.iter().map(escape).collect::<Vec<_>>().join(" | "))
}

impl Encoder for Markdown {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        for row in cells::rows(batch, "")? {
            writeln!(self.output, "{}", line(&row))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        Ok(self.output.flush()?)
    }
}
