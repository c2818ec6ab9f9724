//! `function_key`, `device_ticks_to_ns`, `device_host_time_ns` and their like: what a bundle's metadata says of a row, looked up.
//!
//! A join would say the same; but rows of one queue follow each other, and a lookup that remembers the last answer costs
//! next to nothing for each of millions.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayBuilder, ArrayRef, AsArray, Float64Array, Int64Array, StringViewArray,
    StringViewBuilder, UInt32Array,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use crate::engine::folds::Folds;
use crate::fold::{Groups, Metadata};

/// What is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Asked {
    FunctionKey,
    TicksToNs,
    NsPerTick,
    HostTime,
    DriverTime,
    HostTimeDomain,
    FitSamples,
}

/// The function.
pub struct Lookup {
    asked: Asked,
    folds: Arc<Folds>,
    signature: Signature,
}

/// Every function of this file.
pub fn all(folds: &Arc<Folds>) -> [Lookup; 7] {
    use Asked::{DriverTime, FunctionKey, HostTime, HostTimeDomain, NsPerTick, TicksToNs};
    [FunctionKey, TicksToNs, NsPerTick, HostTime, DriverTime, HostTimeDomain, Asked::FitSamples]
        .map(|asked| Lookup {
            asked,
            folds: Arc::clone(folds),
            // Not immutable: it must not be folded while planning, when nothing has been read.
            signature: Signature::user_defined(Volatility::Stable),
        })
}

impl ScalarUDFImpl for Lookup {
    fn name(&self) -> &'static str {
        match self.asked {
            Asked::FunctionKey => "function_key",
            Asked::TicksToNs => "device_ticks_to_ns",
            Asked::NsPerTick => "device_ns_per_tick",
            Asked::HostTime => "device_host_time_ns",
            Asked::DriverTime => "device_driver_time_ns",
            Asked::HostTimeDomain => "device_host_time_domain",
            Asked::FitSamples => "device_fit_samples",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let numbers = match self.asked {
            Asked::FunctionKey => 3,
            Asked::TicksToNs | Asked::HostTime | Asked::DriverTime => 2,
            Asked::NsPerTick | Asked::HostTimeDomain | Asked::FitSamples => 1,
        };
        if given.len() != numbers + 1 {
            return datafusion::common::plan_err!(
                "{} wants {} arguments, not {}",
                self.name(),
                numbers + 1,
                given.len()
            );
        }
        let mut wanted = vec![DataType::Utf8View];
        wanted.resize(numbers + 1, DataType::UInt64);
        Ok(wanted)
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match self.asked {
            Asked::FunctionKey | Asked::HostTimeDomain | Asked::FitSamples => DataType::Utf8View,
            Asked::TicksToNs | Asked::HostTime | Asked::DriverTime => DataType::Int64,
            Asked::NsPerTick => DataType::Float64,
        })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [bundles, numbers @ ..] = arrays.as_slice() else {
            return internal_err!("{} takes a bundle first", self.name());
        };
        let bundles = Bundles { labels: bundles.as_string_view(), folds: &self.folds, last: None };
        let numbers: Vec<&[u64]> = numbers
            .iter()
            .map(|array| array.as_primitive::<UInt64Type>().values().as_ref())
            .collect();
        let nulls = |nth: usize| arrays.get(nth).and_then(|array| array.nulls());
        let array: ArrayRef = match (self.asked, numbers.as_slice()) {
            (Asked::FunctionKey, [devices, executables, functions]) => {
                keys(bundles, devices, executables, functions)?
            }
            (Asked::TicksToNs | Asked::HostTime | Asked::DriverTime, [devices, ticks]) => {
                let rows = Ticks { devices, ticks, nulls: nulls(2) };
                Arc::new(match self.asked {
                    Asked::HostTime => {
                        rows.converted(bundles, Metadata::host_line, |line, tick| {
                            line.time_ns(tick)
                        })
                    }
                    Asked::DriverTime => {
                        rows.converted(bundles, Metadata::driver_line, |line, tick| {
                            line.time_ns(tick)
                        })
                    }
                    _ => {
                        rows.converted(bundles, Metadata::fit, |fit, ticks| fit.ticks_to_ns(ticks))
                    }
                }?)
            }
            (Asked::HostTimeDomain, [devices]) => {
                Arc::new(texts(bundles, devices, Metadata::host_line, |line| line.domain.into())?)
            }
            (Asked::FitSamples, [devices]) => {
                Arc::new(texts(bundles, devices, Metadata::fit, |fit| {
                    format!("{} to {}", fit.first_sample_id, fit.last_sample_id)
                })?)
            }
            (_, [devices]) => Arc::new(lengths(bundles, devices)?),
            _ => return internal_err!("{} got other arguments", self.name()),
        };
        Ok(ColumnarValue::Array(array))
    }
}

/// The bundles of the rows; consecutive rows are mostly of one.
struct Bundles<'a> {
    labels: &'a StringViewArray,
    folds: &'a Folds,
    last: Option<(u128, Option<Arc<Metadata>>)>,
}

impl Bundles<'_> {
    /// The metadata of a row's bundle; true where it is another than the row's before.
    fn of_row(&mut self, row: usize) -> Result<(Option<&Arc<Metadata>>, bool)> {
        let view = self.labels.views().get(row).copied().unwrap_or_default();
        let is_new = self.last.as_ref().is_none_or(|(known, _)| *known != view);
        if is_new {
            let metadata = if self.labels.is_null(row) {
                None
            } else {
                self.folds.metadata_of(self.labels.value(row))?
            };
            self.last = Some((view, metadata));
        }
        Ok((self.last.as_ref().and_then(|(_, metadata)| metadata.as_ref()), is_new))
    }
}

fn keys(
    mut bundles: Bundles<'_>,
    devices: &[u64],
    executables: &[u64],
    functions: &[u64],
) -> Result<ArrayRef> {
    let mut known = Groups::<3>::default();
    let mut picked: Vec<Option<u32>> = Vec::new();
    let mut strings = StringViewBuilder::new();
    let mut picks = Vec::with_capacity(devices.len());
    for (row, ((device, executable), function)) in
        devices.iter().zip(executables).zip(functions).enumerate()
    {
        let (metadata, is_new) = bundles.of_row(row)?;
        if is_new {
            known = Groups::default();
            picked.clear();
        }
        let number = known.number([*device, *executable, *function]);
        if number == picked.len() {
            let text = metadata.and_then(|metadata| {
                let position = metadata.function(*executable, *function)?;
                Some(metadata.key(*device, metadata.functions.get(position)?))
            });
            picked.push(text.and_then(|text| {
                let pick = u32::try_from(strings.len()).ok()?;
                strings.append_value(text);
                Some(pick)
            }));
        }
        picks.push(picked.get(number).copied().flatten());
    }
    Ok(take(&strings.finish(), &UInt32Array::from(picks), None)?)
}

/// Ticks and the devices that they are of.
struct Ticks<'a> {
    devices: &'a [u64],
    ticks: &'a [u64],
    nulls: Option<&'a NullBuffer>,
}

impl Ticks<'_> {
    fn converted<T: Copy>(
        &self,
        mut bundles: Bundles<'_>,
        line: impl Fn(&Metadata, u64) -> Option<T> + Copy,
        convert: impl Fn(T, u64) -> Option<i64>,
    ) -> Result<Int64Array> {
        let mut lines = Remembered::default();
        let mut converted = Vec::with_capacity(self.ticks.len());
        for (row, (device, ticks)) in self.devices.iter().zip(self.ticks).enumerate() {
            let is_null = self.nulls.is_some_and(|nulls| nulls.is_null(row));
            let line = lines.of_row(&mut bundles, row, *device, line)?.filter(|_| !is_null);
            converted.push(line.and_then(|line| convert(line, *ticks)));
        }
        Ok(Int64Array::from(converted))
    }
}

fn texts<T: Copy>(
    mut bundles: Bundles<'_>,
    devices: &[u64],
    find: impl Fn(&Metadata, u64) -> Option<T> + Copy,
    text: impl Fn(T) -> String,
) -> Result<StringViewArray> {
    let mut known = Remembered::default();
    let text = |(row, device): (usize, &u64)| {
        Ok(known.of_row(&mut bundles, row, *device, find)?.map(&text))
    };
    devices.iter().enumerate().map(text).collect()
}

fn lengths(mut bundles: Bundles<'_>, devices: &[u64]) -> Result<Float64Array> {
    let mut fits = Remembered::default();
    let mut lengths = Vec::with_capacity(devices.len());
    for (row, device) in devices.iter().enumerate() {
        let fit = fits.of_row(&mut bundles, row, *device, Metadata::fit)?;
        lengths.push(fit.map(|fit| fit.ns_per_tick()));
    }
    Ok(Float64Array::from(lengths))
}

/// What is known of the device of the row before.
struct Remembered<T> {
    last: Option<(u64, Option<T>)>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self { last: None }
    }
}

impl<T: Copy> Remembered<T> {
    fn of_row(
        &mut self,
        bundles: &mut Bundles<'_>,
        row: usize,
        device: u64,
        find: impl Fn(&Metadata, u64) -> Option<T>,
    ) -> Result<Option<T>> {
        let (metadata, is_new) = bundles.of_row(row)?;
        match self.last {
            Some((known, found)) if known == device && !is_new => Ok(found),
            _ => {
                let found = metadata.and_then(|metadata| find(metadata, device));
                self.last = Some((device, found));
                Ok(found)
            }
        }
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lookup").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl PartialEq for Lookup {
    fn eq(&self, other: &Self) -> bool {
        self.asked == other.asked
    }
}

impl Eq for Lookup {}

impl Hash for Lookup {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.asked.hash(state);
    }
}
