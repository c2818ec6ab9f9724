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
use super::arguments::{either_width, wide};
use crate::engine::folds::Folds;

/// One function: what is looked up, and how.
struct Question {
    /// How the function is called: a bundle, and numbers.
    call: &'static str,
    doc: &'static str,
    answer: Answer,
}

impl Question {
    fn name(&self) -> &'static str {
        self.call.split('(').next().unwrap_or_default()
    }

    /// How many numbers it takes behind the bundle.
    fn numbers(&self) -> usize {
        self.call.matches(',').count()
    }
}

enum Answer {
    Column(DataType, fn(&Rows<'_>) -> Result<ArrayRef>),
    /// Few different texts for many rows.
    Texts(fn(&Rows<'_>) -> Result<Texts>),
}

static QUESTIONS: &[Question] = &[
    named(
        "function_key(bundle, physical_device_ordinal, executable_id, function_ordinal)",
        "A function's name as reports print it, or its number on the device where it has none; NULL where no record describes it, or the executable or the ordinal is NULL; a device that is NULL is none.",
        names::function_keys,
    ),
    named(
        "session_function_key(bundle, session_id, executable_id, function_ordinal)",
        "A function's `key` in `functions`, by which `dispatches` are called: `executable<id>#<ordinal>` where it has no name, or no record describes it; NULL where no such bundle is open.",
        names::session_function_keys,
    ),
    named(
        "called_function_key(bundle, byte_offset, physical_device_ordinal, executable_id, function_ordinal)",
        "The same for the row that stands there: an error where no record describes the function; NULL where the row names none.",
        names::called_function_keys,
    ),
    asked(
        "command_buffer_device(bundle, command_buffer_id)",
        "The physical device of a command buffer, 4294967295 for none; NULL where no record describes it.",
        DataType::UInt64,
        names::command_buffer_devices,
    ),
    asked(
        "device_ticks_to_ns(bundle, physical_device_ordinal, ticks)",
        "The same by the fit of the device to the driver's clock, as reports convert durations; NULL where it has none.",
        DataType::Int64,
        clocks::ticks_to_ns,
    ),
    asked(
        "host_span_start_ns(bundle, physical_device_ordinal, start_tick, end_tick)",
        "The start of a span of ticks as a time of the driver's clock of the host, by the fit of the device to it; NULL where it has none, the start is 0, or the end is before the start, in ticks or in nanoseconds.",
        DataType::Int64,
        clocks::span_start,
    ),
    asked(
        "host_span_end_ns(bundle, physical_device_ordinal, start_tick, end_tick)",
        "The end of such a span.",
        DataType::Int64,
        clocks::span_end,
    ),
    asked(
        "device_clock_ticks_to_ns(bundle, physical_device_ordinal, ticks)",
        "The same by the fit of the device in `device_clocks`, as in `dispatches`.",
        DataType::Int64,
        clocks::preferred_ticks_to_ns,
    ),
    asked(
        "device_clock_time_ns(bundle, physical_device_ordinal, tick)",
        "A device tick as a time by that fit; NULL where the device has none.",
        DataType::Int64,
        clocks::preferred_time,
    ),
    asked(
        "device_clock_time_domain(bundle, physical_device_ordinal)",
        "The clock of that time.",
        DataType::Utf8View,
        clocks::preferred_domain,
    ),
    asked(
        "device_host_time_ns(bundle, physical_device_ordinal, tick)",
        "A device tick on IREE's host clock, by a line through the first and the last correlation of the device with that clock; where none has its time, on the driver's clock of the host; NULL where there is no correlation.",
        DataType::Int64,
        clocks::timeline_time,
    ),
    asked(
        "device_driver_time_ns(bundle, physical_device_ordinal, tick)",
        "A device tick on the driver's clock of the host, by the fit of `device_ticks_to_ns`.",
        DataType::Int64,
        clocks::driver_time,
    ),
    asked(
        "device_host_time_domain(bundle, physical_device_ordinal)",
        "Which of these it is: `iree_host_time_from_device_clock_fit` or `driver_host_cpu_timestamp_ns`; NULL where there is no correlation.",
        DataType::Utf8View,
        clocks::timeline_domain,
    ),
    asked(
        "device_fit_samples(bundle, physical_device_ordinal)",
        "The samples that the fit of `device_ticks_to_ns` goes through, as `1 to 22`; NULL where there is no fit.",
        DataType::Utf8View,
        clocks::fit_samples,
    ),
    asked(
        "device_ns_per_tick(bundle, physical_device_ordinal)",
        "The length of a device's tick by the fit of `device_ticks_to_ns`; NULL where it has none.",
        DataType::Float64,
        clocks::ns_per_tick,
    ),
    asked(
        "clock_fit_first_sample(bundle, physical_device_ordinal)",
        "The clock correlation that the fit begins with; NULL where the device has none.",
        DataType::UInt64,
        clocks::first_sample,
    ),
    asked(
        "clock_fit_last_sample(bundle, physical_device_ordinal)",
        "The clock correlation that the fit ends with; NULL where the device has none.",
        DataType::UInt64,
        clocks::last_sample,
    ),
];

const fn asked(
    call: &'static str,
    doc: &'static str,
    gives: DataType,
    answer: fn(&Rows<'_>) -> Result<ArrayRef>,
) -> Question {
    Question { call, doc, answer: Answer::Column(gives, answer) }
}

const fn named(
    call: &'static str,
    doc: &'static str,
    answer: fn(&Rows<'_>) -> Result<Texts>,
) -> Question {
    Question { call, doc, answer: Answer::Texts(answer) }
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
        name: Cow::Borrowed(question.name()),
        question,
        folds: Arc::clone(folds),
        numbers: None,
        // Not immutable: it must not be folded while planning, when nothing has been read.
        signature: Signature::user_defined(Volatility::Stable),
    })
}

/// How the functions are called, and what they return.
pub fn docs() -> impl Iterator<Item = (&'static str, &'static str)> {
    QUESTIONS.iter().map(|question| (question.call, question.doc))
}

impl Lookup {
    /// The function that gives numbers in place of the texts that this one gives; none, where it gives something else.
    pub fn numbered(&self, numbers: &Arc<Numbers>) -> Option<Self> {
        matches!(self.question.answer, Answer::Texts(_)).then(|| Self {
            name: Cow::Owned(format!("number_of_{}", self.question.name())),
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
        let wanted = self.question.numbers() + 1;
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
