//! Lists the clock fits of each device in each session, or why there is none.

use read::bundle::BundleError;

use crate::fold::clocks::correlations::{Clock, Domain, read_clocks};
use crate::fold::clocks::residuals::{Residual, Residuals};
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Relation};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata().small();

static OUTPUTS: &[Output] = &[Output::of(
    "device_clock_fits",
    "Linear clock fit through the first and last clock correlation of each device in a session; one row per session, device and time domain.",
    || columns().fields(),
)];

/// A session and a device, a time domain, the clock of the device, and how far correlations are off its fit.
type Row = ([u64; 2], Domain, Clock, Residual);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let clocks = read_clocks(call.bundle)?;
    let residuals = Residuals::read(call.bundle, &clocks)?;
    let row = |(key, clock): (&[u64; 2], &Clock)| {
        let [session, device] = *key;
        let residual = residuals.of(session, device);
        Domain::ALL.map(|domain| (*key, domain, *clock, residual))
    };
    let rows: Vec<Row> = clocks.iter().flat_map(row).collect();
    Ok(vec![columns().relation(&rows)])
}

fn columns() -> Columns<Row> {
    let fit = |(_, domain, clock, _): &Row| clock.fit(*domain);
    let ends = |(_, domain, clock, _): &Row| clock.ends(*domain);
    let is_preferred = |(_, domain, clock, _): &Row| {
        clock.preferred().is_some_and(|(preferred, _)| preferred == *domain)
    };
    Columns::<Row>::new()
        .number("session_id", |([session, _], ..)| *session)
        .optional_number("physical_device_ordinal", |([_, device], ..)| {
            Some(*device).filter(|device| *device != ABSENT)
        })
        .text("time_domain", |row| row.1.name())
        .flag("is_preferred", is_preferred)
        .optional_text("reason", |row| row.2.reason(row.1))
        .signed("sample_count", |row| row.2.sample_count.cast_signed())
        .number("first_sample_id", move |row| ends(row).first_sample_id)
        .number("last_sample_id", move |row| ends(row).last_sample_id)
        .number("first_device_tick", move |row| ends(row).first_device_tick)
        .optional_signed("first_time_ns", move |row| ends(row).first_time_ns)
        .optional_number("device_tick_span", move |row| Some(fit(row)?.device_tick_span))
        .optional_number("time_span_ns", move |row| Some(fit(row)?.time_span_ns))
        .optional_signed("residual_ns", move |row| {
            fit(row)?;
            i64::try_from(row.3.of_fit(row.1)).ok()
        })
}
