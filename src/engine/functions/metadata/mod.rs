//! Lookups in the metadata of a bundle: `function_key`, `device_ticks_to_ns` and others.
//!
//! A join would give the same results. But rows of one bundle and device are adjacent, and a lookup once per run of
//! such rows costs almost nothing per row.

mod clocks;
mod dispatches;
mod invocations;
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
use self::rows::CallRows;
use super::arguments::unsigned;
use crate::functions::passes::Folds;

/// The declaration of a function.
struct Question {
    /// The call; the arguments are a bundle, then numbers.
    call: &'static str,
    doc: &'static str,
    answer: Answer,
}

impl Question {
    fn name(&self) -> &'static str {
        self.call.split('(').next().unwrap_or_default()
    }

    /// Returns the number of arguments after the bundle.
    fn numbers(&self) -> usize {
        self.call.matches(',').count()
    }
}

enum Answer {
    Column(DataType, fn(&CallRows<'_>) -> Result<ArrayRef>),
    /// Few distinct texts for many rows.
    Texts(fn(&CallRows<'_>) -> Result<Texts>),
}

static QUESTIONS: &[Question] = &[
    named(
        "function_key(bundle, physical_device_ordinal, executable_id, function_ordinal)",
        "Name of a function as in reports, or a key of device, executable and ordinal if it has none; NULL if it has no metadata, or the executable or the ordinal is NULL. A device of NULL means none.",
        names::function_keys,
    ),
    named(
        "session_function_key(bundle, session_id, executable_id, function_ordinal)",
        "`key` of a function in `functions` and `dispatches`: `executable<id>#<ordinal>` if it has no name or no metadata; NULL if no such bundle is open.",
        names::session_function_keys,
    ),
    named(
        "called_function_key(bundle, byte_offset, physical_device_ordinal, executable_id, function_ordinal)",
        "Like `function_key`, for the row at the byte offset: an error if the function has no metadata; NULL if the row has no function.",
        names::called_function_keys,
    ),
    asked(
        "command_buffer_device(bundle, command_buffer_id)",
        "Physical device of a command buffer, 4294967295 for none; NULL if the command buffer has no metadata.",
        DataType::UInt64,
        names::command_buffer_devices,
    ),
    asked(
        "submission_invocation(bundle, session_id, is_on_device, physical_device_ordinal, queue_ordinal, stream_id, submission_id)",
        "Number of the invocation of a submission in `invocations`, for the dispatches timed by the device (1) or by the host (0); NULL if the submission is in none.",
        DataType::UInt64,
        invocations::numbers,
    ),
    asked(
        "submission_is_warmup(bundle, session_id, is_on_device, physical_device_ordinal, queue_ordinal, stream_id, submission_id)",
        "Whether the invocation of a submission is warm-up; false if the submission is in none.",
        DataType::Boolean,
        invocations::is_warm_up,
    ),
    asked(
        "is_best_clock(bundle, session_id, is_on_device, physical_device_ordinal)",
        "Whether the times of the device (1) or of the host (0) are the best for the dispatches of a device, see `dispatches.is_best_clock`.",
        DataType::Boolean,
        dispatches::is_best_clock,
    ),
    asked(
        "dispatch_occurrence(bundle, byte_offset)",
        "Which dispatch of its function within its invocation the dispatch at a byte offset is, from 1; NULL if it is in none.",
        DataType::UInt64,
        dispatches::occurrences,
    ),
    asked(
        "device_ticks_to_ns(bundle, physical_device_ordinal, ticks)",
        "Converts device ticks to nanoseconds, as reports do, with the device's fit to the driver's clock; NULL if it has none.",
        DataType::Int64,
        clocks::ticks_to_ns,
    ),
    asked(
        "host_span_start_ns(bundle, physical_device_ordinal, start_tick, end_tick)",
        "Converts the start of a span of ticks to a time of the driver's host clock; NULL if the device has no fit to it, the start is 0, or the end is before the start in ticks or in nanoseconds.",
        DataType::Int64,
        clocks::span_start,
    ),
    asked(
        "host_span_end_ns(bundle, physical_device_ordinal, start_tick, end_tick)",
        "Converts the end of such a span.",
        DataType::Int64,
        clocks::span_end,
    ),
    asked(
        "device_clock_ticks_to_ns(bundle, session_id, physical_device_ordinal, ticks)",
        "Converts device ticks to nanoseconds with the fit of the device in the session, see `device_clocks`, as in `dispatches`.",
        DataType::Int64,
        clocks::preferred_ticks_to_ns,
    ),
    asked(
        "device_clock_time_ns(bundle, session_id, physical_device_ordinal, tick)",
        "Converts a device tick to a time with that fit; NULL if the device has none.",
        DataType::Int64,
        clocks::preferred_time,
    ),
    asked(
        "device_clock_time_domain(bundle, session_id, physical_device_ordinal)",
        "The clock (time domain) of that time.",
        DataType::Utf8View,
        clocks::preferred_domain,
    ),
    asked(
        "device_host_time_ns(bundle, session_id, physical_device_ordinal, tick)",
        "Converts a device tick to IREE's host clock, by a line through the first and last correlation of the device with that clock in the session, or to the driver's host clock if no correlation has IREE's time; NULL if there are no correlations.",
        DataType::Int64,
        clocks::timeline_time,
    ),
    asked(
        "device_driver_time_ns(bundle, session_id, physical_device_ordinal, tick)",
        "Converts a device tick to the driver's host clock, with the fit of the device in the session.",
        DataType::Int64,
        clocks::driver_time,
    ),
    asked(
        "device_host_time_domain(bundle, physical_device_ordinal)",
        "Clock of `device_host_time_ns`: `iree_host_time_from_device_clock_fit` or `driver_host_cpu_timestamp_ns`; NULL if there are no correlations.",
        DataType::Utf8View,
        clocks::timeline_domain,
    ),
    asked(
        "device_fit_samples(bundle, physical_device_ordinal)",
        "The samples of the fit of `device_ticks_to_ns`, such as `1 to 22`; NULL if there is no fit.",
        DataType::Utf8View,
        clocks::fit_samples,
    ),
    asked(
        "device_ns_per_tick(bundle, physical_device_ordinal)",
        "Length of a device tick according to the fit of `device_ticks_to_ns`; NULL if the device has none.",
        DataType::Float64,
        clocks::ns_per_tick,
    ),
    asked(
        "clock_fit_first_sample(bundle, physical_device_ordinal)",
        "First clock correlation of the fit; NULL if the device has no fit.",
        DataType::UInt64,
        clocks::first_sample,
    ),
    asked(
        "clock_fit_last_sample(bundle, physical_device_ordinal)",
        "Last clock correlation of the fit; NULL if the device has no fit.",
        DataType::UInt64,
        clocks::last_sample,
    ),
];

const fn asked(
    call: &'static str,
    doc: &'static str,
    gives: DataType,
    answer: fn(&CallRows<'_>) -> Result<ArrayRef>,
) -> Question {
    Question { call, doc, answer: Answer::Column(gives, answer) }
}

const fn named(
    call: &'static str,
    doc: &'static str,
    answer: fn(&CallRows<'_>) -> Result<Texts>,
) -> Question {
    Question { call, doc, answer: Answer::Texts(answer) }
}

/// A lookup function.
pub struct Lookup {
    name: Cow<'static, str>,
    question: &'static Question,
    folds: Arc<Folds>,
    /// If set, the function returns the numbers of its texts.
    numbers: Option<Arc<Numbers>>,
    signature: Signature,
}

/// Returns all lookup functions.
pub fn all(folds: &Arc<Folds>) -> impl Iterator<Item = Lookup> {
    QUESTIONS.iter().map(|question| Lookup {
        name: Cow::Borrowed(question.name()),
        question,
        folds: Arc::clone(folds),
        numbers: None,
        // `Stable` instead of `Immutable` prevents constant folding, which would read bundles while planning.
        signature: Signature::user_defined(Volatility::Stable),
    })
}

/// Returns call and documentation of each function.
pub fn docs() -> impl Iterator<Item = (&'static str, &'static str)> {
    QUESTIONS.iter().map(|question| (question.call, question.doc))
}

impl Lookup {
    /// Returns the variant of the function that returns numbers instead of texts; `None` if it does not return texts.
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
                "{} requires {wanted} arguments, but got {}",
                self.name(),
                given.len()
            );
        }
        let numbers = vec![DataType::UInt64; wanted - 1];
        Ok([vec![DataType::Utf8View], numbers].concat())
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
        let numbers = numbers.iter().map(|numbers| unsigned(numbers).clone()).collect();
        let rows = CallRows { bundles: bundles.as_string_view(), numbers, folds: &self.folds };
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
