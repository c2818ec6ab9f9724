//! The rows of results as the protocol has them.

use std::sync::Arc;

use bytes::BytesMut;
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::arrow::util::display::array_value_to_string;
use pgwire::api::Type;
use pgwire::api::portal::Format;
use pgwire::api::results::{FieldFormat, FieldInfo};
use pgwire::error::{PgWireError, PgWireResult};
use pgwire::messages::data::DataRow;
use pgwire::types::format::FormatOptions;

use super::kind::Kind;
use super::write::{Form, write, write_field};
use crate::postgres::errors::refused;

/// A column of a result.
#[derive(Debug, Clone)]
pub struct Column {
    name: String,
    kind: Kind,
    /// Whether all of its numbers have the digits that its type says.
    is_bounded: bool,
    /// Its type, which may be another one with the same bytes.
    pg: Type,
    format: FieldFormat,
}

impl Column {
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the column as one whose numbers may have other digits than its type says.
    #[must_use]
    pub fn unbounded(self) -> Self {
        Self { is_bounded: false, ..self }
    }
}

/// Returns the columns of a result.
pub fn columns(schema: &Schema, format: &Format) -> PgWireResult<Vec<Column>> {
    let wanted = schema.fields().len();
    if let Format::Individual(formats) = format
        && formats.len() != wanted
    {
        return Err(refused("08P01", format!("{} formats for {wanted} columns", formats.len())));
    }
    let column = |(nth, field): (usize, &Arc<Field>)| {
        let kind = Kind::of(field.data_type()).ok_or_else(|| {
            let (name, data_type) = (field.name(), field.data_type());
            refused("0A000", format!("the column {name} ({data_type}) has no type of PostgreSQL"))
        })?;
        let pg = of_catalogue(field).unwrap_or_else(|| kind.pg());
        let (name, format) = (field.name().clone(), format.format_for(nth));
        Ok(Column { name, kind, is_bounded: true, pg, format })
    };
    schema.fields().iter().enumerate().map(column).collect()
}

/// Returns the columns of rows that were described as others. Their types are those that were described, but for the digits of
/// numbers and the dimensions of arrays, which are only known of values.
pub(crate) fn as_described(described: Vec<Column>, schema: &Schema) -> Vec<Column> {
    let known = schema.fields().iter().map(|field| Kind::of(field.data_type()));
    let column = |(column, known): (Column, Option<Kind>)| {
        let known = known.filter(|kind| kind.pg() == column.kind.pg());
        Column { kind: known.unwrap_or(column.kind), ..column }
    };
    described.into_iter().zip(known).map(column).collect()
}

/// Returns the type of a column of the catalogue whose values are an integer or a text of Arrow.
fn of_catalogue(field: &Field) -> Option<Type> {
    if let DataType::List(element) = field.data_type() {
        return of_catalogue(element).filter(|kind| *kind == Type::OID).and(Some(Type::OID_ARRAY));
    }
    if field.metadata().contains_key("pg.char") {
        return Some(Type::CHAR);
    }
    match field.metadata().get("pg.oid_alias")?.as_str() {
        "oid" => Some(Type::OID),
        "regclass" => Some(Type::REGCLASS),
        "regproc" => Some(Type::REGPROC),
        "regtype" => Some(Type::REGTYPE),
        _ => None,
    }
}

/// Returns columns as clients are told of them.
pub fn fields(columns: &[Column]) -> Vec<FieldInfo> {
    let field = |column: &Column| {
        FieldInfo::new(column.name.clone(), None, None, column.pg.clone(), column.format)
            .with_type_size(column.kind.width())
            .with_type_modifier(if column.is_bounded { column.kind.modifier() } else { -1 })
    };
    columns.iter().map(field).collect()
}

/// Encodes the rows of a batch, up to the first that cannot be written.
pub fn encode(
    columns: &[Column],
    options: &FormatOptions,
    batch: &RecordBatch,
) -> Vec<PgWireResult<DataRow>> {
    let arrays = match cast(columns, batch) {
        Ok(arrays) => arrays,
        Err(error) => return vec![Err(error)],
    };
    let count = i16::try_from(columns.len()).unwrap_or(i16::MAX);
    let mut rows = Vec::with_capacity(batch.num_rows());
    let mut out = BytesMut::new();
    for row in 0..batch.num_rows() {
        for (column, array) in columns.iter().zip(&arrays) {
            let form = match column.format {
                FieldFormat::Text => Form::Text(options),
                FieldFormat::Binary => Form::Binary,
            };
            if let Err(why) = write_field(&column.kind, &**array, row, form, &mut out) {
                rows.push(Err(unwritten(column, &**array, row, &why)));
                return rows;
            }
        }
        rows.push(Ok(DataRow::new(out.split(), count)));
    }
    rows
}

/// Writes the values of the rows of a batch as text: for each row what `each` makes of them, where `None` is NULL.
pub fn copied<T>(
    columns: &[Column],
    options: &FormatOptions,
    batch: &RecordBatch,
    each: impl Fn(&[Option<BytesMut>]) -> T,
) -> PgWireResult<Vec<T>> {
    let arrays = cast(columns, batch)?;
    let mut rows = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        let value = |(column, array): (&Column, &ArrayRef)| {
            if array.is_null(row) {
                return Ok(None);
            }
            let mut out = BytesMut::new();
            write(&column.kind, &**array, row, Form::Text(options), &mut out)
                .map_err(|why| unwritten(column, &**array, row, &why))?;
            Ok(Some(out))
        };
        let values = columns.iter().zip(&arrays).map(value).collect::<PgWireResult<Vec<_>>>()?;
        rows.push(each(&values));
    }
    Ok(rows)
}

fn cast(columns: &[Column], batch: &RecordBatch) -> PgWireResult<Vec<ArrayRef>> {
    let cast = |(column, array): (&Column, &ArrayRef)| {
        column.kind.cast(array).map_err(|error| {
            refused("22000", format!("a value of the column {}: {error}", column.name))
        })
    };
    columns.iter().zip(batch.columns()).map(cast).collect()
}

fn unwritten(column: &Column, array: &dyn Array, row: usize, why: &str) -> PgWireError {
    let text = array_value_to_string(array, row).unwrap_or_default();
    refused(
        "22000",
        format!(
            "the value {text} of the column {} ({}) cannot be written: {why}",
            column.name,
            column.kind.pg().name()
        ),
    )
}
