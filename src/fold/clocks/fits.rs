//! How the ticks of each device become times of the host, and why they do not.

use arrow::datatypes::DataType::{Boolean, Int64, UInt64, Utf8View};

use crate::bundle::BundleError;
use crate::fold::clocks::correlations::{Clock, Domain, read_clocks};
use crate::fold::metadata::records::ABSENT;
use crate::fold::pass::{Call, Columns, Fold, Output};
use crate::fold::shared::arrays::{
    flags, numbers, optional_numbers, optional_signed, optional_texts, signed, texts,
};

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata().small();

static OUTPUTS: &[Output] = &[Output {
    name: "device_clock_fits",
    doc: "The line through the first and the last clock correlation of a device, one row a device and time domain.",
    arguments: &[],
    columns: &[
        ("physical_device_ordinal", UInt64),
        ("time_domain", Utf8View),
        ("is_preferred", Boolean),
        ("reason", Utf8View),
        ("sample_count", Int64),
        ("first_sample_id", UInt64),
        ("last_sample_id", UInt64),
        ("first_device_tick", UInt64),
        ("first_time_ns", Int64),
        ("device_tick_span", UInt64),
        ("time_span_ns", UInt64),
    ],
}];

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let clocks = read_clocks(call.bundle)?;
    let fits: Vec<_> = clocks
        .iter()
        .flat_map(|(device, clock)| Domain::ALL.map(|domain| (*device, clock, domain)))
        .map(|(device, clock, domain)| (device, domain, clock.ends(domain), clock))
        .collect();
    let fit = |(_, domain, _, clock): &(u64, Domain, _, &Clock)| clock.fit(*domain);
    Ok(vec![vec![
        optional_numbers(fits.iter().map(|row| (row.0 != ABSENT).then_some(row.0))),
        texts(fits.iter().map(|row| row.1.name())),
        flags(fits.iter().map(|row| row.3.preferred().is_some_and(|(domain, _)| domain == row.1))),
        optional_texts(fits.iter().map(|row| row.3.reason(row.1))),
        signed(fits.iter().map(|row| row.3.sample_count.cast_signed())),
        numbers(fits.iter().map(|row| row.2.first_sample_id)),
        numbers(fits.iter().map(|row| row.2.last_sample_id)),
        numbers(fits.iter().map(|row| row.2.first_device_tick)),
        optional_signed(fits.iter().map(|row| row.2.first_time_ns)),
        optional_numbers(fits.iter().map(|row| Some(fit(row)?.device_tick_span))),
        optional_numbers(fits.iter().map(|row| Some(fit(row)?.time_span_ns))),
    ]])
}
