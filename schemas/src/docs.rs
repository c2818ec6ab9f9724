//! Renders a table declaration as a section of the reference page.

use std::fmt::Write as _;

use arrow::datatypes::DataType;

use crate::arrow::data_type;
use crate::spec::{Column, Source, Table};

/// Returns the name of a column's type in SQL.
pub fn sql_type(column: &Column) -> String {
    type_name(&data_type(column.kind))
}

/// Returns the name of a type.
pub fn type_name(data_type: &DataType) -> String {
    use DataType as T;
    match data_type {
        T::Utf8 | T::LargeUtf8 | T::Utf8View => "text".into(),
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) => "binary".into(),
        T::Dictionary(_, values) => type_name(values),
        T::List(item) | T::LargeList(item) | T::ListView(item) | T::FixedSizeList(item, _) => {
            format!("{}[]", type_name(item.data_type()))
        }
        T::Decimal128(precision, scale) | T::Decimal256(precision, scale) => {
            format!("decimal({precision},{scale})")
        }
        T::Date32 | T::Date64 => "date".into(),
        T::Time32(_) | T::Time64(_) => "time".into(),
        T::Timestamp(..) => "timestamp".into(),
        T::Interval(_) | T::Duration(_) => "interval".into(),
        T::Struct(_) => "struct".into(),
        T::Map(..) => "map".into(),
        other => other.to_string().to_lowercase(),
    }
}

/// Returns a phrase that says where the rows of a table come from.
pub fn origin(table: &Table) -> String {
    match table.source {
        Source::Family(family) | Source::CounterValues(family) | Source::MetricValues(family) => {
            format!("chunks `{}`", family.suffixes.join("`, `"))
        }
        Source::Records => "file-record headers".into(),
        Source::Directory => "collected when the file is opened".into(),
        Source::Stored(place) => place.into(),
        Source::History => "a folder that `history add` has written".into(),
        Source::Decoded => "`executable_traces`, decoded by ROCm's libraries".into(),
    }
}

/// Renders a table as a Markdown section.
pub fn markdown(table: &Table) -> String {
    let mut page = format!("## {}\n\n{} From {}.\n\n", table.name, table.row, origin(table));
    page.push_str("| column | type | unit | meaning |\n|---|---|---|---|\n");
    for column in table.columns() {
        let joins = if column.joins.is_empty() {
            String::new()
        } else {
            format!(" Joins `{}`.", column.joins)
        };
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {}{joins} |",
            column.name,
            sql_type(&column),
            column.unit.name(),
            column.doc
        );
    }
    page
}
