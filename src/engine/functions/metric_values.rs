//! `device_metric_sample_values`: reads the values that follow the record of a metric sample, with their descriptors.
//!
//! A sample has any number of values, but tables are flat. The export that writes them as a list reads them by the
//! offset of the sample in the file.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    ArrayRef, AsArray, ListArray, StringViewBuilder, StructArray, UInt32Builder, UInt64Builder,
};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Fields, UInt64Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use passes::fold::{Metadata, Metric};
use read::bundle::cursor::{u32_at, u64_at};
use read::bundle::{Bundle, Fault};
use read::table::metric_entries;

use super::plain::{Compute, Plain};
use crate::functions::error::external;
use crate::functions::passes::Folds;

/// `device_metric_sample_values(bundle, byte_offset)`
pub(crate) static METRIC_VALUES: Plain = Plain {
    call: "device_metric_sample_values(bundle, byte_offset)",
    doc: "Values of the metric sample at the byte offset, as a list of structures with their descriptions; an error if a metric has no metadata.",
    takes: |given| {
        if given.len() == 2 {
            Ok(vec![DataType::Utf8View, DataType::UInt64])
        } else {
            plan_err!("device_metric_sample_values requires 2 arguments, but got {}", given.len())
        }
    },
    gives: |_| DataType::List(item()),
    compute: Compute::OfBundles(lists),
};

/// Metadata key of text fields that hold numbers. JSON encoders write them without quotes.
const VERBATIM: &str = "verbatim";

static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let text = |name| Field::new(name, DataType::Utf8View, true);
    let exact = HashMap::from([(VERBATIM.to_owned(), String::new())]);
    Fields::from(vec![
        Field::new("metric_id", DataType::UInt64, true),
        text("name"),
        text("unit"),
        text("value_kind"),
        text("semantic"),
        text("plot_hint"),
        Field::new("flags", DataType::UInt32, true),
        text("value").with_metadata(exact),
        Field::new("value_bits", DataType::UInt64, true),
    ])
});

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Struct(FIELDS.clone()), true))
}

fn lists(folds: &Folds, arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [labels, offsets] = arrays else {
        return internal_err!("device_metric_sample_values takes two arguments");
    };
    let (labels, offsets) = (labels.as_string_view(), offsets.as_primitive::<UInt64Type>());
    let mut values = Values::default();
    let mut lengths = Vec::with_capacity(offsets.len());
    for (label, offset) in labels.iter().zip(offsets) {
        let before = values.count;
        if let (Some(label), Some(offset)) = (label, offset)
            && let Some(bundle) = folds.bundle_of(label)
            && let Some(metadata) = folds.metadata_of(label)?
        {
            values.add_sample(bundle, &metadata, offset)?;
        }
        lengths.push(values.count - before);
    }
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(item(), offsets, values.finish()?, None)?))
}

/// The values of all samples, as columns.
#[derive(Default)]
struct Values {
    count: usize,
    metric_ids: UInt64Builder,
    /// Name, unit, value kind, semantic, plot hint and number.
    texts: [StringViewBuilder; 6],
    flags: UInt32Builder,
    bits: UInt64Builder,
}

impl Values {
    fn add_sample(&mut self, bundle: &Bundle, metadata: &Metadata, offset: u64) -> Result<()> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let sample = bundle.bytes().get(start..).unwrap_or_default();
        let source = u64_at(sample, 16);
        for entry in metric_entries(sample) {
            let metric_id = u64_at(entry, 0);
            let Some(metric) = metadata.metrics.find(source, metric_id) else {
                let what = format!("metric {metric_id} of source {source} has no metadata");
                return Err(external(bundle.damaged(Fault::new(offset, "metric_id", what))));
            };
            self.add(metric_id, metric, u64_at(entry, 8), u32_at(entry, 16));
        }
        Ok(())
    }

    fn add(&mut self, metric_id: u64, metric: &Metric, bits: u64, flags: u32) {
        self.count += 1;
        self.metric_ids.append_value(metric_id);
        self.flags.append_value(flags);
        self.bits.append_value(bits);
        let number = number(metric.value_kind, bits);
        let described = [
            metric.name.as_str(),
            metric.unit,
            metric.value_kind,
            metric.semantic,
            metric.plot_hint,
        ];
        let texts = described.into_iter().map(Some).chain([number.as_deref()]);
        for (builder, text) in self.texts.iter_mut().zip(texts) {
            builder.append_option(text);
        }
    }

    fn finish(mut self) -> Result<ArrayRef> {
        let mut columns: Vec<ArrayRef> = vec![Arc::new(self.metric_ids.finish())];
        let mut texts =
            self.texts.map(|mut builder| Arc::new(builder.finish()) as ArrayRef).to_vec();
        let number = texts.pop();
        columns.append(&mut texts);
        columns.push(Arc::new(self.flags.finish()));
        columns.extend(number);
        columns.push(Arc::new(self.bits.finish()));
        Ok(Arc::new(StructArray::try_new(FIELDS.clone(), columns, None)?))
    }
}

/// Formats the bits as an exact number; `None` if the value kind is unknown.
fn number(value_kind: &str, bits: u64) -> Option<String> {
    match value_kind {
        "i64" => Some(bits.cast_signed().to_string()),
        "u64" => Some(bits.to_string()),
        "f64" => Some(shortest_of_17(f64::from_bits(bits))),
        _ => None,
    }
}

/// Formats a number like C's `%.17g`: 17 significant digits without trailing zeros, with an exponent if it is below
/// -4 or above 16. 17 digits identify any 64-bit floating-point number (IEEE 754).
fn shortest_of_17(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{value:.16e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..17).contains(&exponent) {
        let behind = usize::try_from(16 - exponent).unwrap_or_default();
        trimmed(&format!("{value:.behind$}")).to_owned()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
    }
}

fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_keep_seventeen_digits_as_c_prints_them() {
        for (value, printed) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.10000000000000001"),
            (1.5, "1.5"),
            (123_456.789, "123456.789"),
            (1e16, "10000000000000000"),
            (1e17, "1e+17"),
            (1e-4, "0.0001"),
            (1e-5, "1.0000000000000001e-05"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "4.9406564584124654e-324"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(shortest_of_17(value), printed);
        }
    }
}
