//! A statement that is planned, with what clients are told of it.

use datafusion::arrow::datatypes::SchemaRef;
use pgwire::api::Type;
use pgwire::api::portal::Format;
use pgwire::error::PgWireResult;

use super::parameters::Parameter;
use super::values::{Column, columns};
use crate::service::Prepared;

/// A statement that has rows.
pub struct Planned {
    pub prepared: Prepared,
    pub parameters: Vec<Parameter>,
    /// The columns of its rows, with values of these types for its parameters.
    pub schema: SchemaRef,
}

impl Planned {
    /// Returns the columns of its rows as they are described.
    pub fn columns(&self, format: &Format) -> PgWireResult<Vec<Column>> {
        let columns = columns(&self.schema, format)?;
        // The digits of a bound number are only known then, and with them those of what is computed from it.
        let has_numbers = self.parameters.iter().any(|it| it.pg == Type::NUMERIC);
        let unbounded = |column: Column| if has_numbers { column.unbounded() } else { column };
        Ok(columns.into_iter().map(unbounded).collect())
    }
}
