//! The parameters of statements: `$1`, `$2`, …, or `?` as ADBC and JDBC write them.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use arrow_flight::FlightData;
use arrow_flight::decode::FlightRecordBatchStream;
use arrow_flight::error::FlightError;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::ScalarValue;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use futures::{FutureExt, Stream, StreamExt};
use tokio::time::timeout;
use tonic::Status;

use super::errors::wrong;
use super::handles::Bound;

/// The longest time in which a client sends values.
const TIME: Duration = Duration::from_secs(30);
/// Most batches that a client sends, of which one has a row.
const BATCHES: usize = 100;

/// Returns a statement with `$1`, `$2`, … for each `?`.
pub fn numbered(text: &str) -> String {
    let tokens = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location();
    // What cannot be divided is told by the engine.
    let Ok(tokens) = tokens else { return text.to_owned() };
    let marks = tokens.into_iter().filter(|it| it.token == Token::Placeholder("?".into()));
    let marks: HashSet<_> = marks.map(|it| (it.span.start.line, it.span.start.column)).collect();
    let (mut line, mut column, mut number) = (1, 1, 0);
    let mut numbered = String::with_capacity(text.len() + marks.len() * 2);
    for letter in text.chars() {
        if marks.contains(&(line, column)) {
            number += 1;
            numbered.push_str(&format!("${number}"));
        } else {
            numbered.push(letter);
        }
        (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    numbered
}

/// Returns the columns of a batch with values for parameters of these types.
pub fn schema(types: &[Option<DataType>]) -> Schema {
    let field = |(nth, known): (usize, &Option<DataType>)| {
        // Clients take no unknown type. What they send instead is taken as it is.
        Field::new(format!("${}", nth + 1), known.clone().unwrap_or(DataType::Utf8), true)
    };
    Schema::new(types.iter().enumerate().map(field).collect::<Vec<_>>())
}

/// Fails if a statement lacks values.
pub fn check(bound: &Bound) -> Result<(), Status> {
    let (wanted, given) = (bound.types.len(), bound.values.len());
    if wanted == given {
        return Ok(());
    }
    Err(wrong(format!("the statement has {wanted} parameters, but {given} values are given")))
}

/// Reads the values of parameters: a batch with one row. No row takes the values away.
pub async fn read(
    messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static,
    types: &[Option<DataType>],
) -> Result<Vec<ScalarValue>, Status> {
    // What a client sends may be damaged in a way that a library does not expect.
    let row = timeout(TIME, AssertUnwindSafe(row(messages)).catch_unwind()).await;
    let row = row.map_err(|_| Status::deadline_exceeded("the values do not arrive"))?;
    let row = row.map_err(|_| wrong("the values are damaged"))??;
    row.map_or(Ok(Vec::new()), |row| values(&row, types))
}

async fn row(
    messages: impl Stream<Item = Result<FlightData, Status>> + Send + 'static,
) -> Result<Option<RecordBatch>, Status> {
    let messages = messages.map(|it| it.map_err(FlightError::from));
    let mut batches = FlightRecordBatchStream::new_from_flight_data(messages).take(BATCHES);
    let mut row = None;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(|error| match error {
            FlightError::Tonic(status) => *status,
            other => wrong(format!("the values cannot be read: {other}")),
        })?;
        let rows = batch.num_rows() + usize::from(row.is_some());
        if rows > 1 {
            return Err(wrong(
                "several rows of values are given; bind one row, execute, and bind the next",
            ));
        }
        if batch.num_rows() == 1 {
            row = Some(batch);
        }
    }
    Ok(row)
}

/// Returns the values of a row, in the types of the parameters.
fn values(row: &RecordBatch, types: &[Option<DataType>]) -> Result<Vec<ScalarValue>, Status> {
    let (wanted, given) = (types.len(), row.num_columns());
    if wanted != given {
        return Err(wrong(format!(
            "the statement has {wanted} parameters, but {given} values are given"
        )));
    }
    let columns = row.columns().iter().zip(types).enumerate();
    let read = columns.map(|(nth, (column, known))| {
        let unusable = |why: &dyn std::fmt::Display| {
            wrong(format!("the value of parameter ${} cannot be used: {why}", nth + 1))
        };
        let value = ScalarValue::try_from_array(column, 0).map_err(|error| unusable(&error))?;
        let Some(known) = known else { return Ok(value) };
        let cast = value.cast_to(known).map_err(|error| unusable(&error))?;
        // A fraction is not cut off, and a number not rounded.
        let is_number = |it: &DataType| it.is_integer() || it.is_floating();
        let is_same = || cast.cast_to(&value.data_type()).is_ok_and(|back| back == value);
        if known.is_integer() && is_number(&value.data_type()) && !value.is_null() && !is_same() {
            return Err(unusable(&format!(
                "{value} is not an integer; use CAST(${} AS DOUBLE)",
                nth + 1
            )));
        }
        Ok(cast)
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Float64Array, Int64Array, NullArray, StringArray};

    use super::*;

    #[test]
    fn question_marks_are_numbered() {
        let text = "SELECT '?', \"?\", ? -- ?\n, x = ?/* ? */ FROM t WHERE ä > ?";
        let wanted = "SELECT '?', \"?\", $1 -- ?\n, x = $2/* ? */ FROM t WHERE ä > $3";
        assert_eq!(numbered(text), wanted);
        assert_eq!(numbered("SELECT $1, 'x"), "SELECT $1, 'x");
    }

    fn value(column: ArrayRef, known: Option<DataType>) -> Result<ScalarValue, String> {
        let row = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let read = values(&row, &[known]).map_err(|status| status.message().to_owned());
        read.map(|mut values| values.remove(0))
    }

    #[test]
    fn values_have_the_types_of_parameters() {
        let integer = |it: i64| Arc::new(Int64Array::from(vec![it])) as ArrayRef;
        let float = |it: f64| Arc::new(Float64Array::from(vec![it])) as ArrayRef;
        let text = |it: &str| Arc::new(StringArray::from(vec![it])) as ArrayRef;
        let read = value(integer(7), Some(DataType::UInt64));
        assert_eq!(read, Ok(ScalarValue::UInt64(Some(7))));
        assert_eq!(value(float(7.0), Some(DataType::Int32)), Ok(ScalarValue::Int32(Some(7))));
        assert_eq!(value(float(0.5), None), Ok(ScalarValue::Float64(Some(0.5))));
        let read = value(text("ä"), Some(DataType::Utf8View));
        assert_eq!(read, Ok(ScalarValue::Utf8View(Some("ä".into()))));
        let none = Arc::new(NullArray::new(1)) as ArrayRef;
        assert_eq!(value(none, Some(DataType::Int64)), Ok(ScalarValue::Int64(None)));
        let refused = |column, known| value(column, Some(known)).unwrap_err();
        assert!(refused(float(7.5), DataType::Int64).contains("7.5 is not an integer"));
        assert!(refused(integer(-7), DataType::UInt64).contains("$1 cannot be used"));
        assert!(refused(text("x"), DataType::Int64).contains("$1 cannot be used"));
        let row = RecordBatch::try_from_iter([("a", integer(1))]).unwrap();
        assert!(values(&row, &[]).is_err());
    }
}
