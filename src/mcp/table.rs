//! Rows as JSON, within the room of a reply.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Float32Type, Float64Type, Schema};
use arrow::json::WriterBuilder;
use arrow::json::writer::LineDelimited;
use schemas::docs::type_name;
use serde_json::{Map, Value, json};

use super::error::CallError;

/// How many rows, and how many letters of a value, the text of a reply shows.
const SHOWN_ROWS: usize = 10;
const SHOWN_LETTERS: usize = 120;

/// What is left for the rows of a reply.
#[derive(Debug)]
pub struct Room {
    rows: usize,
    bytes: usize,
    most_rows: usize,
    most_bytes: usize,
    /// How there is room for what does not fit.
    further: String,
}

impl Room {
    /// Room for rows, and for the bytes of them as JSON.
    pub const fn new(rows: usize, bytes: usize, further: String) -> Self {
        Self { rows, bytes, most_rows: rows, most_bytes: bytes, further }
    }

    /// Takes room; false if there is not enough.
    fn take(&mut self, bytes: usize) -> bool {
        let Some(left) = self.bytes.checked_sub(bytes) else { return false };
        self.bytes = left;
        true
    }
}

/// Rows with their columns.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Value>>,
    /// Why rows were left out.
    cut: Option<String>,
}

#[derive(Debug)]
struct Column {
    name: String,
    kind: String,
    unit: Option<String>,
}

impl Table {
    /// An empty table with these columns. Units are those that a report documents, or those in the schema.
    pub fn new(schema: &Schema, report: Option<&str>, room: &mut Room) -> Self {
        let report = report.and_then(sql::report);
        let columns: Vec<Column> =
            schema.fields().iter().filter_map(|field| column(field, report)).collect();
        // The frame of a table and of each column.
        let bytes = columns.iter().map(|it| it.json().to_string().len() + 1).sum::<usize>() + 64;
        room.bytes = room.bytes.saturating_sub(bytes);
        Self { columns, ..Self::default() }
    }

    /// A table of all rows of a report, as far as there is room.
    pub fn of_report(
        report: &str,
        batches: &[RecordBatch],
        room: &mut Room,
    ) -> Result<Self, CallError> {
        let Some(first) = batches.first() else { return Ok(Self::default()) };
        let mut table = Self::new(&first.schema(), Some(report), room);
        for batch in batches {
            if !table.add(batch, room)? {
                break;
            }
        }
        Ok(table)
    }

    /// Adds rows as far as there is room; false if there is none left for them.
    pub fn add(&mut self, batch: &RecordBatch, room: &mut Room) -> Result<bool, CallError> {
        let fitting = batch.slice(0, batch.num_rows().min(room.rows));
        let mut lines = Vec::new();
        // Rows one by one: a batch may be much larger than the room.
        for nth in 0..fitting.num_rows() {
            lines.clear();
            let builder = WriterBuilder::new().with_explicit_nulls(true);
            let mut writer = builder.build::<_, LineDelimited>(&mut lines);
            writer.write(&fitting.slice(nth, 1))?;
            writer.finish()?;
            let row: Map<String, Value> = serde_json::from_slice(&lines).map_err(|error| {
                CallError::System { action: "encode a row", what: error.to_string() }
            })?;
            let values = self.columns.iter().map(|it| {
                let value = row.get(&it.name).cloned().unwrap_or_default();
                fitting.column_by_name(&it.name).map_or(Value::Null, |all| exact(all, nth, value))
            });
            let values: Vec<Value> = values.collect();
            let bytes = Value::from(values.clone()).to_string().len() + 1;
            if !room.take(bytes) {
                self.cut_at_bytes(room, bytes);
                return Ok(false);
            }
            room.rows -= 1;
            self.rows.push(values);
        }
        if fitting.num_rows() < batch.num_rows() {
            self.cut_at_rows(room);
            return Ok(false);
        }
        Ok(true)
    }

    /// Says that there are more rows than a reply may have.
    pub(crate) fn cut_at_rows(&mut self, room: &Room) {
        let Room { most_rows, further, .. } = room;
        self.cut =
            Some(format!("There are more rows: this reply has at most {most_rows}. {further}"));
    }

    fn cut_at_bytes(&mut self, room: &Room, next: usize) {
        let Room { most_bytes, further, .. } = room;
        self.cut = Some(format!(
            "There are more rows: the next one has {next} bytes, and a reply has at most {most_bytes}. {further}"
        ));
    }

    /// Returns the table without a column.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        if let Some(nth) = self.columns.iter().position(|column| column.name == name) {
            self.columns.remove(nth);
            self.rows.iter_mut().for_each(|row| drop(row.remove(nth)));
        }
        self
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.cut.is_none()
    }

    /// Returns the number of rows.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the table as a part of a reply.
    pub fn part(self) -> Value {
        Value::Object(self.content())
    }

    /// Returns the table as the content of a reply.
    pub fn content(self) -> Map<String, Value> {
        let columns: Vec<Value> = self.columns.iter().map(Column::json).collect();
        let mut content = Map::new();
        content.insert("columns".into(), columns.into());
        content.insert("rows".into(), self.rows.into());
        content.extend(self.cut.map(|cut| ("cut".to_owned(), cut.into())));
        content
    }

    /// Returns the first rows as lines of text.
    pub fn text(&self) -> String {
        let shown = |value: &Value| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let text = text.replace(['\n', '\r'], " ");
            match text.char_indices().nth(SHOWN_LETTERS) {
                Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
                None => text,
            }
        };
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let mut lines = vec![names.join(" | ")];
        lines.extend(
            self.rows
                .iter()
                .take(SHOWN_ROWS)
                .map(|row| row.iter().map(shown).collect::<Vec<_>>().join(" | ")),
        );
        let more = self.rows.len().saturating_sub(SHOWN_ROWS);
        if more > 0 {
            lines.push(format!("… and {more} more rows in the structured content"));
        }
        lines.extend(self.cut.clone());
        lines.join("\n")
    }
}

impl Column {
    fn json(&self) -> Value {
        match &self.unit {
            Some(unit) => json!({"name": self.name, "type": self.kind, "unit": unit}),
            None => json!({"name": self.name, "type": self.kind}),
        }
    }
}

/// The largest number up to which readers of JSON keep all integers: most have floating-point numbers only.
const MOST: u64 = 1 << 53;

/// Returns a value as it is in a column. Floating-point numbers may lose their last digit by being read from text; those that are
/// not finite, and integers that a reader may round, are texts.
fn exact(column: &dyn Array, row: usize, value: Value) -> Value {
    match (column.data_type(), value) {
        (DataType::Float64, Value::Number(_) | Value::Null) if column.is_valid(row) => {
            float(column.as_primitive::<Float64Type>().value(row))
        }
        (DataType::Float32, Value::Null) if column.is_valid(row) => {
            float(column.as_primitive::<Float32Type>().value(row).into())
        }
        (_, Value::Number(number))
            if number.as_u64().is_some_and(|it| it > MOST)
                || number.as_i64().is_some_and(|it| it.unsigned_abs() > MOST) =>
        {
            number.to_string().into()
        }
        (DataType::List(_), Value::Array(items)) => {
            let exactly = column.as_list::<i32>().value(row);
            let items = items.into_iter().enumerate();
            items.map(|(nth, item)| exact(&exactly, nth, item)).collect()
        }
        (_, value) => value,
    }
}

fn float(number: f64) -> Value {
    match number {
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        number if number.is_nan() => "NaN".into(),
        number => number.into(),
    }
}

/// Returns a column, unless the report hides it.
fn column(field: &Field, report: Option<&sql::View>) -> Option<Column> {
    let documented = report.and_then(|report| {
        report.header().columns.iter().find(|column| column.name == *field.name())
    });
    if documented.is_some_and(|it| it.print.hidden) {
        return None;
    }
    let of_report = documented.map(|it| it.unit.clone());
    let unit = of_report.or_else(|| field.metadata().get("unit").cloned());
    Some(Column {
        name: field.name().clone(),
        kind: type_name(field.data_type()),
        unit: unit.filter(|unit| !unit.is_empty()),
    })
}
