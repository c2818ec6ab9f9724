//! Functions for timelines: the track of an event (`device_track`, `queue_track`), and its flows
//! (`relationship_flows`).

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, ListBuilder, StringViewArray, StringViewBuilder, UInt64Array,
    UInt64Builder,
};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use foldhash::fast::RandomState;
use passes::fold::{device_path, queue_path};

use super::arguments::{bundle_runs, unsigned};
use super::plain::{Compute, Plain};
use crate::functions::passes::Folds;

/// Builds a text column in which all rows with the same key share one text.
fn shared_texts<K: Hash + Eq>(
    keys: impl Iterator<Item = K>,
    text: impl Fn(usize, &K) -> String,
) -> Result<ArrayRef> {
    let mut texts = StringViewBuilder::with_capacity(keys.size_hint().0);
    let mut known: HashMap<K, (u32, u32), RandomState> = HashMap::default();
    for (row, key) in keys.enumerate() {
        let (block, length) = match known.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                let text = text(row, new.key());
                let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
                *new.insert((texts.append_block(text.into_bytes().into()), length))
            }
        };
        texts.try_append_view(block, 0, length)?;
    }
    Ok(Arc::new(texts.finish()))
}

/// `device_track(physical_device_ordinal)`
pub(crate) static DEVICE_TRACK: Plain = Plain {
    call: "device_track(physical_device_ordinal)",
    doc: "Path of the track of a device in a timeline; the first device if it is NULL, as in the reference.",
    takes: |given| {
        let [_] = given else {
            return plan_err!("device_track requires 1 argument, but got {}", given.len());
        };
        Ok(vec![DataType::UInt64])
    },
    gives: |_| DataType::Utf8View,
    compute: Compute::Pure(device_track),
};

/// `queue_track(physical_device_ordinal, queue_ordinal, name)`
pub(crate) static QUEUE_TRACK: Plain = Plain {
    call: "queue_track(physical_device_ordinal, queue_ordinal, name)",
    doc: "Path of a track of a queue in a timeline.",
    takes: |given| {
        let [_, _, _] = given else {
            return plan_err!("queue_track requires 3 arguments, but got {}", given.len());
        };
        Ok(vec![DataType::UInt64, DataType::UInt64, DataType::Utf8View])
    },
    gives: |_| DataType::Utf8View,
    compute: Compute::Pure(queue_track),
};

/// The device of events without a device, as in `iree-profile-render`.
const FIRST: u64 = 0;

fn device_track(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [devices] = arrays else {
        return internal_err!("device_track takes one argument");
    };
    shared_texts(unsigned(devices).iter(), |_, device| device_path(device.unwrap_or(FIRST)))
}

fn queue_track(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [devices, queues, names] = arrays else {
        return internal_err!("queue_track takes three arguments");
    };
    let [devices, queues] = [devices, queues].map(unsigned);
    let names = names.as_string_view();
    let keys = devices.iter().zip(queues).zip(names.views());
    shared_texts(keys, |row, ((device, queue), _)| {
        format!("{}/{}", queue_path(device.unwrap_or(FIRST), *queue), names.value(row))
    })
}

/// `relationship_flows(bundle, type, physical_device_ordinal, queue_ordinal, stream_id, id, …)`
pub(crate) static RELATIONSHIP_FLOWS: Plain = Plain {
    call: "relationship_flows(bundle, type, physical_device_ordinal, queue_ordinal, stream_id, id, …)",
    doc: "Ids of the flows (arrows) of `event_relationships` that start or end at an event, as a list. Further pairs of type and id add events of the same queue.",
    takes: |given| {
        if given.len() < 6 || !given.len().is_multiple_of(2) {
            let count = given.len();
            return plan_err!(
                "relationship_flows requires 6, 8, 10 or more arguments (an even number), but got {count}"
            );
        }
        let is_text = |nth: usize| nth < 2 || (nth >= 6 && nth.is_multiple_of(2));
        let wanted = |nth| if is_text(nth) { DataType::Utf8View } else { DataType::UInt64 };
        Ok((0..given.len()).map(wanted).collect())
    },
    gives: |_| DataType::new_list(DataType::UInt64, true),
    compute: Compute::OfBundles(relationship_flows),
};

fn relationship_flows(folds: &Folds, arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [bundles, first_type, device, queue, stream, first_id, more @ ..] = arrays else {
        return internal_err!("relationship_flows takes six arguments or more");
    };
    let place = [device, queue, stream].map(unsigned);
    let mut ends = vec![end(first_type, first_id)];
    ends.extend(more.as_chunks().0.iter().map(|[types, ids]| end(types, ids)));
    let mut lists = ListBuilder::new(UInt64Builder::new());
    for (run, label) in bundle_runs(bundles.as_string_view()) {
        let flows = label.map(|label| folds.flows_of(label)).transpose()?.flatten();
        let flows = flows.filter(|flows| !flows.is_empty());
        for row in run {
            if let Some(flows) = &flows {
                let number = |of: &UInt64Array| of.is_valid(row).then(|| of.value(row));
                let [device, queue, stream] = place.map(number);
                for (types, ids) in &ends {
                    let found = flows.of(types.value(row), [device, queue, stream, number(ids)]);
                    found.for_each(|flow| lists.values().append_value(flow));
                }
            }
            lists.append(true);
        }
    }
    Ok(Arc::new(lists.finish()))
}

/// Returns the columns of one endpoint: types and ids.
fn end<'a>(types: &'a ArrayRef, ids: &'a ArrayRef) -> (&'a StringViewArray, &'a UInt64Array) {
    (types.as_string_view(), unsigned(ids))
}
