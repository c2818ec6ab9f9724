//! Lookups of the names of functions, and of the devices of command buffers.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayBuilder, ArrayRef, StringViewBuilder, UInt32Array, UInt64Array,
};
use datafusion::arrow::compute::take;
use datafusion::common::exec_datafusion_err;
use datafusion::error::Result;
use passes::fold::{ABSENT, Definitions, Groups, Metadata};
use read::bundle::Fault;

use super::numbers::Numbers;
use super::rows::{CallRows, Read};
use crate::functions::error::external;
use crate::functions::passes::Folds;

/// Returns names of functions, given device, executable and ordinal. NULL if the function is not defined, or
/// executable or ordinal is NULL. A NULL device means no device.
pub(crate) fn function_keys(rows: &CallRows<'_>) -> Result<Texts> {
    functions(rows, 0, |_, _, _| Ok(None))
}

/// Like [`function_keys`], with the offset of the row as the first argument. An undefined function is an error.
pub(crate) fn called_function_keys(rows: &CallRows<'_>) -> Result<Texts> {
    functions(rows, 1, |row, key, metadata| missing(rows, row, metadata, key))
}

/// Returns names of functions; device, executable and ordinal are the arguments from the index `first` on. `missing`
/// handles undefined functions.
fn functions(
    rows: &CallRows<'_>,
    first: usize,
    missing: impl Fn(usize, [u64; 3], Option<&Metadata>) -> Result<Option<String>>,
) -> Result<Texts> {
    let arguments = [first, first + 1, first + 2];
    let [device, executable, function] = arguments;
    let has_nulls = arguments.iter().any(|nth| rows.has_nulls(*nth));
    Texts::of(rows, Folds::metadata_of, arguments, |texts, row, mut key, metadata| {
        if has_nulls {
            if rows.is_null(executable, row) || rows.is_null(function, row) {
                return texts.push_null();
            }
            if rows.is_null(device, row) {
                key[0] = ABSENT;
            }
        }
        texts.push(key, || match metadata.and_then(|metadata| name(metadata, key)) {
            Some(name) => Ok(Some(name)),
            None => missing(row, key, metadata),
        })
    })
}

/// Returns names of functions, given session, executable and ordinal. A function without a name gets its ids as the
/// name.
pub(crate) fn session_function_keys(rows: &CallRows<'_>) -> Result<Texts> {
    let has_nulls = rows.has_nulls(1) || rows.has_nulls(2);
    let or = |absent, nth, row, number| {
        if has_nulls && rows.is_null(nth, row) { absent } else { number }
    };
    Texts::of(rows, Folds::definitions_of, [0, 1, 2], |texts, row, key, definitions| {
        let [session, executable, ordinal] = key;
        let key = [session, or(0, 1, row, executable), or(ABSENT, 2, row, ordinal)];
        texts.push(key, || Ok(definitions.map(|definitions| session_name(definitions, key))))
    })
}

fn session_name(definitions: &Definitions, [session, executable, ordinal]: [u64; 3]) -> String {
    let name = definitions.name(session, executable, ordinal);
    name.filter(|name| !name.is_empty()).map_or_else(
        || format!("executable{executable}#{}", if ordinal == ABSENT { 0 } else { ordinal }),
        ToOwned::to_owned,
    )
}

/// Iterates over three arguments of each row of a run.
fn triples<'r>(
    rows: &'r CallRows<'_>,
    arguments: [usize; 3],
    run: Range<usize>,
) -> impl Iterator<Item = (usize, [u64; 3])> + 'r {
    let of_run = |nth| rows.values(nth).get(run.clone()).unwrap_or_default();
    let [first, second, third] = arguments.map(of_run);
    let numbers = first.iter().zip(second).zip(third);
    run.zip(numbers.map(|((first, second), third)| [*first, *second, *third]))
}

/// A text per row. Rows with the same three numbers share one text.
pub struct Texts {
    groups: Groups<3>,
    /// Index in `strings` of each group's text.
    kept: Vec<u32>,
    strings: StringViewBuilder,
    picks: Vec<u32>,
}

impl Texts {
    /// Calls `each` for every row with three of its arguments and the lookups of its bundle. It pushes one text per
    /// row.
    fn of<K>(
        rows: &CallRows<'_>,
        read: Read<K>,
        arguments: [usize; 3],
        each: impl Fn(&mut Self, usize, [u64; 3], Option<&K>) -> Result<()>,
    ) -> Result<Self> {
        let picks = Vec::with_capacity(rows.len());
        let (groups, kept, strings) = (Groups::default(), Vec::new(), StringViewBuilder::new());
        let mut texts = Self { groups, kept, strings, picks };
        rows.with_bundles(read, |run, known| {
            // The same numbers mean other texts in another bundle.
            texts.groups = Groups::default();
            texts.kept.clear();
            triples(rows, arguments, run)
                .try_for_each(|(row, key)| each(&mut texts, row, key, known))
        })?;
        Ok(texts)
    }

    #[inline]
    fn push(&mut self, key: [u64; 3], text: impl FnOnce() -> Result<Option<String>>) -> Result<()> {
        let group = self.groups.number(key);
        if group == self.kept.len() {
            self.kept.push(pick(self.strings.len())?);
            self.strings.append_option(text()?);
        }
        self.picks.extend(self.kept.get(group));
        Ok(())
    }

    fn push_null(&mut self) -> Result<()> {
        self.picks.push(pick(self.strings.len())?);
        self.strings.append_null();
        Ok(())
    }

    /// Builds the column of texts.
    pub fn finish(mut self) -> Result<ArrayRef> {
        Ok(take(&self.strings.finish(), &UInt32Array::from(self.picks), None)?)
    }

    /// Builds a column with the numbers of the texts.
    pub fn numbered(mut self, numbers: &Numbers) -> Result<ArrayRef> {
        let numbers = numbers.of(&self.strings.finish());
        Ok(take(&numbers, &UInt32Array::from(self.picks), None)?)
    }
}

fn pick(position: usize) -> Result<u32> {
    u32::try_from(position).map_err(|_| exec_datafusion_err!("too many texts for one batch"))
}

fn name(metadata: &Metadata, [device, executable, function]: [u64; 3]) -> Option<String> {
    Some(metadata.key(device, metadata.functions.find([executable, function])?))
}

fn missing<T>(
    rows: &CallRows<'_>,
    row: usize,
    metadata: Option<&Metadata>,
    [_, executable, function]: [u64; 3],
) -> Result<T> {
    let offset = rows.values(0).get(row).copied().unwrap_or_default();
    let fault =
        if metadata.is_some_and(|metadata| metadata.executables.find([executable]).is_some()) {
            let what = format!("function {function} of executable {executable} has no metadata");
            Fault::new(offset, "function_ordinal", what)
        } else {
            let what = format!("executable {executable} has no metadata");
            Fault::new(offset, "executable_id", what)
        };
    if let Some(bundle) = rows.folds.bundle_of(rows.bundles.value(row)) {
        Err(external(bundle.damaged(fault)))
    } else {
        datafusion::common::exec_err!("no bundle has the label {}", rows.bundles.value(row))
    }
}

/// Returns the devices of command buffers; NULL if the command buffer is not defined.
pub(crate) fn command_buffer_devices(rows: &CallRows<'_>) -> Result<ArrayRef> {
    let mut devices = Vec::with_capacity(rows.len());
    rows.with_bundles(Folds::metadata_of, |run, metadata| {
        let ids = rows.values(0).get(run).unwrap_or_default();
        devices.extend(
            ids.iter()
                .map(|id| Some(metadata?.command_buffers.find([*id])?.physical_device_ordinal)),
        );
        Ok(())
    })?;
    Ok(Arc::new(UInt64Array::from(devices)))
}
