//! Aggregates dispatches by function, by execution of a command buffer, and by submission.
//!
//! Device-timed and host-timed dispatches are independent and run on two threads, each in file order, as running
//! means depend on the order. If a bundle has only one of them, threads aggregate one chunk each and buffer its
//! durations. The means are updated when the chunks are merged in file order.

use std::sync::Arc;

use read::bundle::BundleError;

use crate::fold::dispatches::columns::{OUTPUTS, Sides, total_columns};
use crate::fold::dispatches::rows::{OnDevice, OnHost, Timed};
use crate::fold::dispatches::side::Side;
use crate::fold::pass::{Call, Parameter, Pass};
use crate::fold::shared::{Relation, side_by_side};

/// The pass.
pub(crate) static PASS: Pass =
    Pass::of(OUTPUTS, run).taking(&[Parameter::By, Parameter::Filter, Parameter::Id]);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let sides = read(call)?;
    let totals = total_columns().relation([&sides]);
    let (device, host) = sides;
    Ok(vec![
        totals,
        device.functions::<OnDevice>(call.bundle),
        host.functions::<OnHost>(call.bundle),
        Relation::Sliced(Arc::new(device.executions)),
        Relation::Sliced(Arc::new(host.executions)),
        Relation::Sliced(Arc::new(device.submissions)),
    ])
}

fn read<'a>(call: &Call<'a>) -> Result<Sides<'a>, BundleError> {
    let (on_device, on_host) = (OnDevice::chunks(call.bundle), OnHost::chunks(call.bundle));
    let has_both = !on_device.is_empty() && !on_host.is_empty();
    let (threads, of_each) = if has_both { (call.threads, 1) } else { (1, call.threads) };
    let device = || Side::of::<OnDevice>(call, &on_device, of_each);
    let host = || Side::of::<OnHost>(call, &on_host, of_each);
    let (device, host) = side_by_side(threads, device, host);
    Ok((device?, host?))
}
