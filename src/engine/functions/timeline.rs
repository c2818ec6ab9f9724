//! `queue_track` and `relationship_flows`: where an event stands in a timeline, and the arrows that it takes part in.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, ListBuilder, StringViewArray, StringViewBuilder, UInt64Array,
    UInt64Builder,
};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use foldhash::fast::RandomState;

use super::bundle_runs;
use crate::engine::folds::Folds;
use crate::fold::queue_path;

/// `queue_track(physical_device_ordinal, queue_ordinal, what)`
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct QueueTrack {
    signature: Signature,
}

impl QueueTrack {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for QueueTrack {
    fn name(&self) -> &'static str {
        "queue_track"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        if given.len() != 3 {
            return plan_err!("queue_track wants 3 arguments, not {}", given.len());
        }
        Ok(vec![DataType::UInt64, DataType::UInt64, DataType::Utf8View])
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [devices, queues, names] = arrays.as_slice() else {
            return internal_err!("queue_track takes three arguments");
        };
        let [devices, queues] = [devices, queues].map(AsArray::as_primitive::<UInt64Type>);
        let names = names.as_string_view();
        let mut paths = StringViewBuilder::with_capacity(names.len());
        // Rows of one queue share the text.
        let mut known: HashMap<_, (u32, u32), RandomState> = HashMap::default();
        for (row, (device, queue)) in devices.iter().zip(queues).enumerate() {
            let name = names.views().get(row).copied();
            let (block, length) = *known.entry((device, queue, name)).or_insert_with(|| {
                // As the reference: what is of no device counts as the first's.
                let of_queue = queue_path(device.unwrap_or(0), queue);
                let path = format!("{of_queue}/{}", names.value(row));
                let length = u32::try_from(path.len()).unwrap_or(u32::MAX);
                (paths.append_block(path.into_bytes().into()), length)
            });
            paths.try_append_view(block, 0, length)?;
        }
        Ok(ColumnarValue::Array(Arc::new(paths.finish())))
    }
}

/// `relationship_flows(bundle, type, physical_device_ordinal, queue_ordinal, stream_id, id, …)`, more types and ids behind
pub struct RelationshipFlows {
    folds: Arc<Folds>,
    signature: Signature,
}

impl RelationshipFlows {
    /// The function.
    pub fn new(folds: &Arc<Folds>) -> Self {
        // Not immutable: it must not be folded while planning, when nothing has been read.
        Self { folds: Arc::clone(folds), signature: Signature::user_defined(Volatility::Stable) }
    }
}

impl ScalarUDFImpl for RelationshipFlows {
    fn name(&self) -> &'static str {
        "relationship_flows"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        if given.len() < 6 || !given.len().is_multiple_of(2) {
            let count = given.len();
            return plan_err!(
                "relationship_flows wants 6 arguments, or 8, or 10 and so on, not {count}"
            );
        }
        let is_text = |nth: usize| nth < 2 || (nth >= 6 && nth.is_multiple_of(2));
        let wanted = |nth| if is_text(nth) { DataType::Utf8View } else { DataType::UInt64 };
        Ok((0..given.len()).map(wanted).collect())
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::new_list(DataType::UInt64, true))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [bundles, first_type, device, queue, stream, first_id, more @ ..] = arrays.as_slice()
        else {
            return internal_err!("relationship_flows takes six arguments or more");
        };
        let bundles = bundles.as_string_view();
        let place = [device, queue, stream].map(AsArray::as_primitive::<UInt64Type>);
        let mut ends = vec![end(first_type, first_id)];
        ends.extend(more.as_chunks().0.iter().map(|[types, ids]| end(types, ids)));
        let mut lists = ListBuilder::new(UInt64Builder::new());
        for (run, label) in bundle_runs(bundles) {
            let flows = label.map(|label| self.folds.flows_of(label)).transpose()?.flatten();
            let flows = flows.filter(|flows| !flows.is_empty());
            for row in run {
                if let Some(flows) = &flows {
                    let number = |of: &UInt64Array| of.is_valid(row).then(|| of.value(row));
                    let [device, queue, stream] = place.map(number);
                    for (types, ids) in &ends {
                        let found =
                            flows.of(types.value(row), [device, queue, stream, number(ids)]);
                        found.for_each(|flow| lists.values().append_value(flow));
                    }
                }
                lists.append(true);
            }
        }
        Ok(ColumnarValue::Array(Arc::new(lists.finish()) as ArrayRef))
    }
}

/// What the ends of arrows are of, and which.
fn end<'a>(types: &'a ArrayRef, ids: &'a ArrayRef) -> (&'a StringViewArray, &'a UInt64Array) {
    (types.as_string_view(), ids.as_primitive())
}

impl fmt::Debug for RelationshipFlows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RelationshipFlows").finish_non_exhaustive()
    }
}

impl PartialEq for RelationshipFlows {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RelationshipFlows {}

impl Hash for RelationshipFlows {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}
