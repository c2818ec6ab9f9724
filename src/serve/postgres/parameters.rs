//! The parameters of statements.
//!
//! A client may say the types of parameters when it prepares a statement. The type of any other is inferred from its place in
//! the statement, and is text where that does not tell, as in PostgreSQL. Values are then compared and computed with by these
//! types: an integer column is compared with 1.5 as a number.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use pgwire::api::Type;
use pgwire::api::portal::Portal;
use pgwire::error::PgWireResult;

use super::errors::refused;
use super::values::{Kind, natural, value};

/// A parameter of a statement.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The type in which values are sent.
    pub pg: Type,
    /// The type that the statement has in its place, if the client did not say one.
    inferred: Option<DataType>,
}

/// Returns the parameters of a statement by the types that a client has said, and those that the statement tells.
pub fn parameters(said: &[Option<Type>], inferred: &[Option<DataType>]) -> Vec<Parameter> {
    let count = said.len().max(inferred.len());
    let parameter = |nth: usize| {
        let said = said.get(nth).cloned().flatten().filter(|kind| *kind != Type::UNKNOWN);
        if let Some(pg) = said {
            return Parameter { pg, inferred: None };
        }
        let known = inferred.get(nth).cloned().flatten();
        let known = known.filter(|it| !it.is_null());
        let pg = known.as_ref().and_then(Kind::of).map(|kind| kind.pg());
        match pg.filter(|pg| natural(pg).is_some()) {
            Some(pg) => Parameter { pg, inferred: known },
            None => Parameter { pg: Type::TEXT, inferred: None },
        }
    };
    (0..count).map(parameter).collect()
}

/// Returns the types of parameters of which a client has said them.
pub(crate) fn said_types(said: &[Option<Type>]) -> Vec<Option<DataType>> {
    let known = |kind: &Option<Type>| natural(kind.as_ref().filter(|it| **it != Type::UNKNOWN)?);
    said.iter().map(known).collect()
}

impl Parameter {
    /// Returns the type that a statement is planned with.
    pub fn data_type(&self) -> DataType {
        self.inferred.clone().or_else(|| natural(&self.pg)).unwrap_or(DataType::Utf8)
    }

    /// Returns NULL of this type.
    pub fn null(&self) -> PgWireResult<ScalarValue> {
        let null = ScalarValue::try_new_null(&self.data_type());
        null.map_err(|error| refused("0A000", error.to_string()))
    }

    /// Returns a value that SQL has computed for the `nth` parameter.
    pub fn cast(&self, value: ScalarValue, nth: usize) -> PgWireResult<ScalarValue> {
        let known = self.inferred.clone().or_else(|| natural(&self.pg));
        // The scale of numbers is that of each value.
        let Some(data_type) = known.filter(|_| self.pg != Type::NUMERIC || value.is_null()) else {
            return Ok(value);
        };
        let cast = value.cast_to(&data_type);
        cast.map_err(|error| refused("22P02", format!("parameter ${nth}: {error}")))
    }

    /// Returns a value as the statement has it in its place, if it is the same there.
    fn fitted(&self, value: ScalarValue) -> ScalarValue {
        let fitted = self.inferred.as_ref().and_then(|it| value.cast_to(it).ok());
        match fitted {
            Some(fitted) if value.is_null() => fitted,
            Some(fitted) if fitted.cast_to(&value.data_type()).is_ok_and(|it| it == value) => {
                fitted
            }
            _ => value,
        }
    }
}

/// Returns the values that are bound in a portal.
pub fn bound<S: Clone>(
    portal: &Portal<S>,
    parameters: &[Parameter],
) -> PgWireResult<Vec<ScalarValue>> {
    let (given, wanted) = (portal.parameters.len(), parameters.len());
    if given != wanted {
        return Err(refused("08P01", format!("{given} values for {wanted} parameters")));
    }
    let values = parameters.iter().zip(&portal.parameters).enumerate();
    let value = |(nth, (parameter, bytes)): (usize, (&Parameter, &Option<bytes::Bytes>))| {
        let format = portal.parameter_format.format_for(nth);
        let read = value(&parameter.pg, format, bytes.as_deref(), nth + 1)?;
        Ok(parameter.fitted(read))
    };
    values.map(value).collect()
}
