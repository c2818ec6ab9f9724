//! Counts the dispatches of each function within each invocation, by start.

use std::collections::HashMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};

use crate::fold::dispatches::rows::{OnDevice, OnHost, Timed};
use crate::fold::invocations::invocation::Invocations;
use crate::fold::metadata::definitions::Definitions;
use crate::fold::shared::{Groups, HeapBytes};

/// For each dispatch in an invocation, which one of its function it is. Memory: 16 bytes per dispatch.
#[derive(Debug, Default)]
pub struct Occurrences(Vec<(u64, u64)>);

impl HeapBytes for Occurrences {
    fn heap_bytes(&self) -> usize {
        self.0.heap_bytes()
    }
}

impl Occurrences {
    /// Counts the dispatches of `bundle`.
    pub fn read(
        bundle: &Arc<Bundle>,
        invocations: &Invocations,
        definitions: &Definitions,
    ) -> Result<Self, BundleError> {
        let mut reader =
            Reader { invocations, functions: Groups::default(), dispatches: Vec::new() };
        reader.add::<OnDevice>(bundle)?;
        reader.add::<OnHost>(bundle)?;
        let Reader { functions, mut dispatches, .. } = reader;
        let names = names(&functions, definitions);
        // Dispatches are recorded almost in the order of their starts, which makes sorting cheap.
        dispatches.sort_by_key(|dispatch| dispatch.start);
        let (mut groups, mut counts) = (Groups::default(), Vec::new());
        let counted = dispatches.iter().map(|dispatch| {
            let name = names.get(dispatch.function).copied().unwrap_or(dispatch.function);
            let of = [dispatch.invocation as u64, name as u64, dispatch.is_on_device.into()];
            let group = groups.number(of);
            if group == counts.len() {
                counts.push(0);
            }
            let count = counts.get_mut(group).map_or(0, |count| {
                *count += 1;
                *count
            });
            (dispatch.byte_offset, count)
        });
        let mut counted: Vec<(u64, u64)> = counted.collect();
        counted.sort_by_key(|(byte_offset, _)| *byte_offset);
        Ok(Self(counted))
    }

    /// Returns which one of its function the dispatch at a byte offset is, from 1; `None` if it is in no invocation.
    /// `near` is where the search starts; lookups usually ascend.
    pub fn find(&self, byte_offset: u64, near: &mut usize) -> Option<u64> {
        let next = self.0.get(*near).filter(|(offset, _)| *offset == byte_offset);
        if next.is_none() {
            *near = self.0.partition_point(|(offset, _)| *offset < byte_offset);
        }
        let (offset, count) = self.0.get(*near)?;
        (*offset == byte_offset).then(|| {
            *near += 1;
            *count
        })
    }
}

struct Dispatch {
    byte_offset: u64,
    start: u64,
    /// A dispatch may be timed by both.
    is_on_device: bool,
    /// Index of the invocation.
    invocation: usize,
    /// Number of session, executable and ordinal.
    function: usize,
}

struct Reader<'a> {
    invocations: &'a Invocations,
    functions: Groups<3>,
    dispatches: Vec<Dispatch>,
}

impl Reader<'_> {
    fn add<T: Timed>(&mut self, bundle: &Bundle) -> Result<(), BundleError> {
        // A dispatch without valid times ran where it stands in the file.
        let mut start = 0;
        T::each(bundle, |submission, row| {
            let event = T::event(row);
            if T::is_valid(&event) {
                start = event.start;
            }
            if let Some(invocation) = self.invocations.index(submission) {
                let [executable, ordinal] = T::function(row);
                let function = self.functions.number([submission[0], executable, ordinal]);
                let (byte_offset, is_on_device) = (row.byte_offset, T::ON_DEVICE);
                let dispatch = Dispatch { byte_offset, start, is_on_device, invocation, function };
                self.dispatches.push(dispatch);
            }
        })
    }
}

/// Returns for each function the first one with the same name: a program may load an executable again.
fn names(functions: &Groups<3>, definitions: &Definitions) -> Vec<usize> {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let numbered = functions.keys().iter().enumerate();
    numbered
        .map(|(nth, [session, executable, ordinal])| {
            let name = definitions.name(*session, *executable, *ordinal);
            name.filter(|name| !name.is_empty())
                .map_or(nth, |name| *known.entry(name).or_insert(nth))
        })
        .collect()
}
