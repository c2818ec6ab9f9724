//! What the functions that events call are named, and which device a command buffer is for.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayBuilder, ArrayRef, StringViewBuilder, UInt32Array, UInt64Array,
};
use datafusion::arrow::compute::take;
use datafusion::error::Result;

use super::rows::{Known, Rows};
use crate::bundle::Fault;
use crate::engine::provider::external;
use crate::fold::{Groups, Metadata};

/// The name of a function: device, executable and ordinal; NULL where there is none.
pub fn function_keys(rows: &Rows<'_>) -> Result<ArrayRef> {
    keys(rows, [0, 1, 2], false)
}

/// The same behind the place of the row that calls it: none is an error, but for rows that name none.
pub fn called_function_keys(rows: &Rows<'_>) -> Result<ArrayRef> {
    keys(rows, [1, 2, 3], true)
}

fn keys(
    rows: &Rows<'_>,
    [device, executable, function]: [usize; 3],
    called: bool,
) -> Result<ArrayRef> {
    let mut known = Known::default();
    let mut groups = Groups::<3>::default();
    let mut picked: Vec<Option<u32>> = Vec::new();
    let mut strings = StringViewBuilder::new();
    let mut picks = Vec::with_capacity(rows.len());
    let named = [executable, function].map(|nth| rows.numbers.get(nth));
    let has_nulls = named.iter().flatten().any(|array| array.nulls().is_some());
    let ids = rows.values(device).iter().zip(rows.values(executable)).zip(rows.values(function));
    for (row, ((device, executable_id), ordinal)) in ids.enumerate() {
        if called && has_nulls && (rows.is_null(executable, row) || rows.is_null(function, row)) {
            picks.push(None);
            continue;
        }
        let (metadata, is_new) = rows.metadata(&mut known, row)?;
        if is_new {
            groups = Groups::default();
            picked.clear();
        }
        let key = [*device, *executable_id, *ordinal];
        let number = groups.number(key);
        if number == picked.len() {
            let text = metadata.and_then(|metadata| name(metadata, key));
            if called && text.is_none() {
                return missing(rows, row, metadata.map(AsRef::as_ref), key);
            }
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

fn name(metadata: &Metadata, [device, executable, function]: [u64; 3]) -> Option<String> {
    let position = metadata.function(executable, function)?;
    Some(metadata.key(device, metadata.functions.get(position)?))
}

fn missing<T>(
    rows: &Rows<'_>,
    row: usize,
    metadata: Option<&Metadata>,
    [_, executable, function]: [u64; 3],
) -> Result<T> {
    let offset = rows.values(0).get(row).copied().unwrap_or_default();
    let fault = if metadata.is_some_and(|metadata| metadata.has_executable(executable)) {
        let what =
            format!("function {function} of executable {executable} is not described anywhere");
        Fault::new(offset, "function_ordinal", what)
    } else {
        let what = format!("executable {executable} is not described anywhere");
        Fault::new(offset, "executable_id", what)
    };
    if let Some(bundle) = rows.folds.bundle_of(rows.bundles.value(row)) {
        Err(external(bundle.damaged(fault)))
    } else {
        datafusion::common::exec_err!("no bundle is called {}", rows.bundles.value(row))
    }
}

/// The device of a command buffer; NULL where no record describes it.
pub fn command_buffer_devices(rows: &Rows<'_>) -> Result<ArrayRef> {
    let mut known = Known::default();
    let mut devices = Vec::with_capacity(rows.len());
    for (row, id) in rows.values(0).iter().enumerate() {
        let (metadata, _) = rows.metadata(&mut known, row)?;
        devices.push(metadata.and_then(|metadata| {
            let buffer = metadata.command_buffers.get(metadata.command_buffer(*id)?)?;
            Some(buffer.physical_device_ordinal)
        }));
    }
    Ok(Arc::new(UInt64Array::from(devices)))
}
