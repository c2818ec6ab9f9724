//! Renders a table declaration as a section of the reference page.

use std::fmt::Write as _;

use crate::arrow::data_type;
use crate::spec::{Column, Source, Table};

/// Returns the name of a column's type in SQL.
pub fn sql_type(column: &Column) -> &'static str {
    use arrow::datatypes::DataType as T;
    match data_type(column.kind) {
        T::UInt16 => "uint16",
        T::UInt32 => "uint32",
        T::Int32 => "int32",
        T::UInt64 => "uint64",
        T::Int64 => "int64",
        T::Float64 => "float64",
        T::Boolean => "boolean",
        T::BinaryView => "binary",
        _ => "text",
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
        Source::DispatchRuns => "results of `bench`, stored next to its captures".into(),
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
