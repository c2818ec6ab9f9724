//! Converts a table declaration to an Arrow schema.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use crate::spec::{Column, Kind, Read, Table};

/// Returns the Arrow schema of a table.
pub fn schema(table: &Table) -> SchemaRef {
    let of_table = |column: &Column| {
        let field = field(column);
        // A run of a capture set that recorded nothing has no bundle.
        let may_lack = column.read == Read::Bundle && table.name == "runs";
        if may_lack { field.with_nullable(true) } else { field }
    };
    Arc::new(Schema::new(table.columns().iter().map(of_table).collect::<Vec<_>>()))
}

/// Returns the Arrow field of a column.
pub fn field(column: &Column) -> Field {
    Field::new(&column.name, data_type(column.kind), nullable(column))
}

/// Returns the field metadata of an exported column: its description and unit, without empty ones.
pub fn metadata(doc: &str, unit: &str) -> HashMap<String, String> {
    let pairs = [("doc", doc), ("unit", unit)].into_iter().filter(|(_, text)| !text.is_empty());
    pairs.map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

/// Returns the Arrow type of a kind.
pub const fn data_type(kind: Kind) -> DataType {
    match kind {
        Kind::U16 => DataType::UInt16,
        Kind::U32 | Kind::U32OrOnes => DataType::UInt32,
        Kind::I32 => DataType::Int32,
        Kind::U64 | Kind::U64OrZero => DataType::UInt64,
        Kind::I64 | Kind::I64OrZero => DataType::Int64,
        Kind::F64 => DataType::Float64,
        Kind::Bool | Kind::Bit(_) => DataType::Boolean,
        Kind::Name(_) | Kind::Name16(_) | Kind::Hash { .. } | Kind::Uuid { .. } | Kind::Text => {
            DataType::Utf8View
        }
        Kind::Binary => DataType::BinaryView,
    }
}

/// Whether a column can hold NULL.
fn nullable(column: &Column) -> bool {
    match column.kind {
        Kind::U16
        | Kind::U32
        | Kind::I32
        | Kind::U64
        | Kind::I64
        | Kind::Bit(_)
        | Kind::Name16(_) => column.read == Read::Derived,
        Kind::Text => column.read != Read::Bundle,
        _ => true,
    }
}
