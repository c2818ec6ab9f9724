//! Values of Arrow as values of Python.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{
    DataType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::util::display::array_value_to_string;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::failure::Failure;

/// Returns a row as a tuple.
pub fn row<'py>(py: Python<'py>, batch: &RecordBatch, row: usize) -> PyResult<Bound<'py, PyTuple>> {
    let values = batch.columns().iter().map(|column| value(py, column, row));
    PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
}

/// Returns a value: numbers, texts, bytes, booleans, lists and dictionaries as those of Python, and `None` for NULL. All else,
/// such as times, which may be more precise than those of Python, is text.
fn value<'py>(py: Python<'py>, column: &dyn Array, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    macro_rules! number {
        ($type:ty) => {
            column.as_primitive::<$type>().value(row).into_bound_py_any(py)
        };
    }
    match column.data_type() {
        DataType::Null => Ok(py.None().into_bound(py)),
        DataType::Boolean => column.as_boolean().value(row).into_bound_py_any(py),
        DataType::Int8 => number!(Int8Type),
        DataType::Int16 => number!(Int16Type),
        DataType::Int32 => number!(Int32Type),
        DataType::Int64 => number!(Int64Type),
        DataType::UInt8 => number!(UInt8Type),
        DataType::UInt16 => number!(UInt16Type),
        DataType::UInt32 => number!(UInt32Type),
        DataType::UInt64 => number!(UInt64Type),
        DataType::Float16 => {
            f32::from(column.as_primitive::<Float16Type>().value(row)).into_bound_py_any(py)
        }
        DataType::Float32 => number!(Float32Type),
        DataType::Float64 => number!(Float64Type),
        DataType::Utf8 => column.as_string::<i32>().value(row).into_bound_py_any(py),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into_bound_py_any(py),
        DataType::Utf8View => column.as_string_view().value(row).into_bound_py_any(py),
        DataType::Binary => Ok(PyBytes::new(py, column.as_binary::<i32>().value(row)).into_any()),
        DataType::LargeBinary => {
            Ok(PyBytes::new(py, column.as_binary::<i64>().value(row)).into_any())
        }
        DataType::BinaryView => Ok(PyBytes::new(py, column.as_binary_view().value(row)).into_any()),
        DataType::List(_) => list(py, &column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => list(py, &column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => list(py, &column.as_fixed_size_list().value(row)),
        DataType::Dictionary(..) => {
            let keys = column.as_any_dictionary();
            let key = keys.normalized_keys().get(row).copied().unwrap_or_default();
            value(py, keys.values(), key)
        }
        DataType::Struct(fields) => {
            let dictionary = PyDict::new(py);
            for (field, part) in fields.iter().zip(column.as_struct().columns()) {
                dictionary.set_item(field.name(), value(py, part, row)?)?;
            }
            Ok(dictionary.into_any())
        }
        _ => {
            let text = array_value_to_string(column, row);
            let text = text.map_err(|error| Failure::Internal(error.to_string()))?;
            text.into_bound_py_any(py)
        }
    }
}

fn list<'py>(py: Python<'py>, values: &dyn Array) -> PyResult<Bound<'py, PyAny>> {
    let values = (0..values.len()).map(|row| value(py, values, row));
    Ok(PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any())
}
