//! `function_key`, `device_ticks_to_ns` and their kin: what a bundle's metadata says of a row, looked up.
//!
//! A join would say the same; but rows of one bundle and device follow each other, and a lookup that goes over runs of
//! them costs next to nothing for each of millions.

mod clocks;
mod names;
mod numbers;
mod rows;

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use self::names::Texts;
pub use self::numbers::{Numbers, TextOf};
use self::rows::Rows;
use super::{either_width, wide};
use crate::engine::folds::Folds;

/// What is looked up: the function's name, how many numbers it takes behind the bundle, and its answer.
struct Question {
    name: &'static str,
    numbers: usize,
    answer: Answer,
}

enum Answer {
    Column(DataType, fn(&Rows<'_>) -> Result<ArrayRef>),
    /// Few different texts for many rows.
    Texts(fn(&Rows<'_>) -> Result<Texts>),
}

static QUESTIONS: &[Question] = &[
    named("function_key", 3, names::function_keys),
    named("session_function_key", 3, names::session_function_keys),
    named("called_function_key", 4, names::called_function_keys),
    asked("command_buffer_device", 1, DataType::UInt64, names::command_buffer_devices),
    asked("device_ticks_to_ns", 2, DataType::Int64, clocks::ticks_to_ns),
    asked("host_span_start_ns", 3, DataType::Int64, clocks::span_start),
    asked("host_span_end_ns", 3, DataType::Int64, clocks::span_end),
    asked("device_clock_ticks_to_ns", 2, DataType::Int64, clocks::preferred_ticks_to_ns),
    asked("device_clock_time_ns", 2, DataType::Int64, clocks::preferred_time),
    asked("device_clock_time_domain", 1, DataType::Utf8View, clocks::preferred_domain),
    asked("device_host_time_ns", 2, DataType::Int64, clocks::timeline_time),
    asked("device_driver_time_ns", 2, DataType::Int64, clocks::driver_time),
    asked("device_host_time_domain", 1, DataType::Utf8View, clocks::timeline_domain),
    asked("device_fit_samples", 1, DataType::Utf8View, clocks::fit_samples),
    asked("device_ns_per_tick", 1, DataType::Float64, clocks::ns_per_tick),
    asked("clock_fit_first_sample", 1, DataType::UInt64, clocks::first_sample),
    asked("clock_fit_last_sample", 1, DataType::UInt64, clocks::last_sample),
];

const fn asked(
    name: &'static str,
    numbers: usize,
    gives: DataType,
    answer: fn(&Rows<'_>) -> Result<ArrayRef>,
) -> Question {
    Question { name, numbers, answer: Answer::Column(gives, answer) }
}

const fn named(
    name: &'static str,
    numbers: usize,
    answer: fn(&Rows<'_>) -> Result<Texts>,
) -> Question {
    Question { name, numbers, answer: Answer::Texts(answer) }
}

/// One function.
pub struct Lookup {
    name: Cow<'static, str>,
    question: &'static Question,
    folds: Arc<Folds>,
    /// Where it is to give the numbers of its texts.
    numbers: Option<Arc<Numbers>>,
    signature: Signature,
}

/// Every function of this file.
pub fn all(folds: &Arc<Folds>) -> impl Iterator<Item = Lookup> {
    QUESTIONS.iter().map(|question| Lookup {
        name: Cow::Borrowed(question.name),
        question,
        folds: Arc::clone(folds),
        numbers: None,
        // Not immutable: it must not be folded while planning, when nothing has been read.
        signature: Signature::user_defined(Volatility::Stable),
    })
}

impl Lookup {
    /// The function that gives numbers in place of the texts that this one gives; none, where it gives something else.
    pub fn numbered(&self, numbers: &Arc<Numbers>) -> Option<Self> {
        matches!(self.question.answer, Answer::Texts(_)).then(|| Self {
            name: Cow::Owned(format!("number_of_{}", self.question.name)),
            question: self.question,
            folds: Arc::clone(&self.folds),
            numbers: Some(Arc::clone(numbers)),
            signature: self.signature.clone(),
        })
    }
}

impl ScalarUDFImpl for Lookup {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let wanted = self.question.numbers + 1;
        if given.len() != wanted {
            return datafusion::common::plan_err!(
                "{} wants {wanted} arguments, not {}",
                self.name(),
                given.len()
            );
        }
        let numbers = given.iter().skip(1).map(either_width);
        Ok(std::iter::once(DataType::Utf8View).chain(numbers).collect())
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match &self.question.answer {
            _ if self.numbers.is_some() => DataType::UInt64,
            Answer::Column(gives, _) => gives.clone(),
            Answer::Texts(_) => DataType::Utf8View,
        })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [bundles, numbers @ ..] = arrays.as_slice() else {
            return internal_err!("{} takes a bundle first", self.name());
        };
        let numbers = numbers.iter().map(wide).collect();
        let rows = Rows { bundles: bundles.as_string_view(), numbers, folds: &self.folds };
        let answer = match (&self.question.answer, &self.numbers) {
            (Answer::Column(_, column), _) => column(&rows)?,
            (Answer::Texts(texts), None) => texts(&rows)?.finish()?,
            (Answer::Texts(texts), Some(numbers)) => texts(&rows)?.numbered(numbers)?,
        };
        Ok(ColumnarValue::Array(answer))
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lookup").field("name", &self.name).finish_non_exhaustive()
    }
}

impl PartialEq for Lookup {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Lookup {}

impl Hash for Lookup {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}
