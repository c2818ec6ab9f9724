//! `or_unknown(x)` and `unnamed_type(type, type_value)`: the text and the number that reports print for types without
//! a name.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringViewArray, UInt32Array, make_view};
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;

use super::arguments::is_text;
use super::plain::{Compute, Plain};

/// `or_unknown(x)`
pub(crate) static OR_UNKNOWN: Plain = Plain {
    call: "or_unknown(x)",
    doc: "The name, or `unknown` if it is NULL or `none`, as in reports.",
    takes: |given| match given {
        [kind] if is_text(kind) => Ok(vec![DataType::Utf8View]),
        _ => plan_err!("or_unknown requires one text"),
    },
    gives: |_| DataType::Utf8View,
    compute: Compute::Pure(or_unknown),
};

/// `unnamed_type(type, type_value)`
pub(crate) static UNNAMED_TYPE: Plain = Plain {
    call: "unnamed_type(type, type_value)",
    doc: "The number of a type (4294967295 if it is NULL) if `or_unknown` returns `unknown` for it; NULL if it has a name.",
    takes: |given| match given {
        [kind, number] if is_text(kind) && (number.is_numeric() || number.is_null()) => {
            Ok(vec![DataType::Utf8View, DataType::UInt32])
        }
        _ => plan_err!("unnamed_type requires a text and a number"),
    },
    gives: |_| DataType::UInt32,
    compute: Compute::Pure(unnamed_type),
};

/// Returns the string views of `none` and `unknown`. Texts of up to 12 bytes are stored in the view itself, so equal
/// texts have equal views and can be compared as integers.
fn stand_ins() -> [u128; 2] {
    ["none", "unknown"].map(|text| make_view(text.as_bytes(), 0, 0))
}

fn or_unknown(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [array] = arrays else {
        return internal_err!("or_unknown takes one argument");
    };
    let [none, unknown] = stand_ins();
    let texts = array.as_string_view();
    if texts.null_count() == 0 && !texts.views().contains(&none) {
        return Ok(Arc::clone(array));
    }
    let named = texts
        .views()
        .iter()
        .enumerate()
        .map(|(row, view)| if *view == none || texts.is_null(row) { unknown } else { *view });
    let buffers = texts.data_buffers().to_vec();
    Ok(Arc::new(StringViewArray::try_new(named.collect(), buffers, None)?))
}

fn unnamed_type(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [texts, numbers] = arrays else {
        return internal_err!("unnamed_type takes two arguments");
    };
    let (texts, numbers) = (texts.as_string_view(), numbers.as_primitive::<UInt32Type>());
    let unnamed = stand_ins();
    let rows = texts.views().iter().zip(numbers).enumerate();
    let shown = rows.map(|(row, (view, number))| {
        (unnamed.contains(view) || texts.is_null(row)).then(|| number.unwrap_or(u32::MAX))
    });
    Ok(Arc::new(shown.collect::<UInt32Array>()))
}
