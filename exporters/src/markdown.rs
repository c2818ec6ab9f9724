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
    format!("| {} |", cells.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "))
}

/// Escapes what would end a cell, or become HTML or code.
fn escaped(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    for letter in cell.chars() {
        if matches!(letter, '\\' | '|' | '<' | '&' | '`') {
            text.push('\\');
        }
        text.push(letter);
    }
    text
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
