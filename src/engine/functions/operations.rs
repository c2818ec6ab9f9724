//! `op_kind(key)`, `flops(key)` and others: the operation that a function computes.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, StringViewArray, UInt64Array};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use model::operation::Name;

use super::arguments::is_text;
use super::plain::{Compute, Plain};

/// `op_kind(key)`
pub static KIND: Plain = of_key(
    "op_kind(key)",
    "Kind of the operation that a function computes, such as `matmul` or `elementwise`; of several, the most expensive one. From the function's name or `--sources`; NULL if they do not tell.",
    |_| DataType::Utf8View,
    Compute::OfBundles(|folds, keys| texts(keys, |key| folds.known().of(key).kind)),
);

/// `op_shape(key)`
pub(crate) static SHAPE: Plain = of_key(
    "op_shape(key)",
    "Loops of that operation, such as `32x256x128` (m, n and k of a matrix product), or the shape of its largest tensor; `D` is a dynamic extent.",
    |_| DataType::Utf8View,
    Compute::OfBundles(|folds, keys| texts(keys, |key| folds.known().of(key).shape)),
);

/// `dtype(key)`
pub(crate) static DTYPE: Plain = of_key(
    "dtype(key)",
    "Element types of its operands, inputs first, such as `f16xf16xf32`; one if all are the same.",
    |_| DataType::Utf8View,
    Compute::OfBundles(|folds, keys| texts(keys, |key| folds.known().of(key).dtype)),
);

/// `op_ordinal(key)`
pub(crate) static ORDINAL: Plain = of_key(
    "op_ordinal(key)",
    "Ordinal of the dispatch in its program: 7 for `main_dispatch_7_matmul_32x256x128_f32`.",
    |_| DataType::UInt64,
    Compute::Pure(|keys| numbers(keys, |key| Name::read(key).map(|name| name.ordinal))),
);

/// `flops(key)`
pub(crate) static FLOPS: Plain = of_key(
    "flops(key)",
    "Number of arithmetic operations of one execution of a function: exact for dispatches of `bench` and with `--sources`, otherwise those of the operation in its name; NULL if unknown.",
    |_| DataType::UInt64,
    Compute::OfBundles(|folds, keys| numbers(keys, |key| folds.known().of(key).flops)),
);

/// `bytes(key)`
pub static BYTES: Plain = of_key(
    "bytes(key)",
    "Total size of what one execution of a function reads and writes, each tensor once; known as `flops(key)` is, but for fewer kinds of operations.",
    |_| DataType::UInt64,
    Compute::OfBundles(|folds, keys| numbers(keys, |key| folds.known().of(key).bytes)),
);

const fn of_key(
    call: &'static str,
    doc: &'static str,
    gives: fn(&[DataType]) -> DataType,
    compute: Compute,
) -> Plain {
    let takes = |given: &[DataType]| match given {
        [key] if is_text(key) => Ok(vec![DataType::Utf8View]),
        _ => plan_err!("the argument is the name of a function, as text"),
    };
    Plain { call, doc, takes, gives, compute }
}

fn texts(keys: &[ArrayRef], answer: impl Fn(&str) -> Option<String>) -> Result<ArrayRef> {
    let answers = each(keys, answer)?;
    Ok(Arc::new(answers.rows().collect::<StringViewArray>()))
}

fn numbers(keys: &[ArrayRef], answer: impl Fn(&str) -> Option<u64>) -> Result<ArrayRef> {
    let answers = each(keys, answer)?;
    Ok(Arc::new(answers.rows().map(Option::<&u64>::copied).collect::<UInt64Array>()))
}

/// The answer for each row. Rows with the same key share one.
struct Answers<T> {
    distinct: Vec<Option<T>>,
    picks: Vec<Option<usize>>,
}

impl<T> Answers<T> {
    fn rows(&self) -> impl Iterator<Item = Option<&T>> {
        self.picks.iter().map(|pick| self.distinct.get((*pick)?)?.as_ref())
    }
}

fn each<T>(keys: &[ArrayRef], answer: impl Fn(&str) -> Option<T>) -> Result<Answers<T>> {
    let [keys] = keys else { return internal_err!("a function of a key takes one argument") };
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut distinct = Vec::new();
    let picks = keys.as_string_view().iter().map(|key| {
        let key = key?;
        Some(*numbers.entry(key).or_insert_with(|| {
            distinct.push(answer(key));
            distinct.len() - 1
        }))
    });
    let picks = picks.collect();
    Ok(Answers { distinct, picks })
}
