//! How relations of datasets are written into plans that are sent to other processes.
//!
//! Invariant: a process that reads such a plan opens the dataset by itself, and fails if its manifest is not that of the process that planned; what it
//! has open is of the version that the plan names. So no statement mixes two versions, and a process of another build is told from a damaged plan.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::from_proto::parse_physical_expr;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use datafusion_proto::protobuf::PhysicalExprNode;
use engine::Compact;
use engine::dataset::{Dataset, DatasetError, DatasetScan, MANIFEST, Manifest, Place, Relation};
use prost::Message;
use read::remote::{self, Stores};

/// The format of these messages. Its version has that of the program, whose tables a plan names.
pub(super) const FORMAT: &str = concat!("ireescope ", env!("CARGO_PKG_VERSION"), " plan 2");

/// Relations that a process keeps open.
const KEPT: usize = 64;

/// A relation of a dataset.
#[derive(Clone, PartialEq, Message)]
struct RelationNode {
    /// A path or an address.
    #[prost(string, tag = "1")]
    dataset: String,
    #[prost(string, tag = "2")]
    version: String,
    #[prost(string, tag = "3")]
    relation: String,
}

/// An operator of ours: a scan, or else what compacts the batches of its input.
#[derive(Clone, PartialEq, Message)]
struct OperatorNode {
    #[prost(string, tag = "1")]
    format: String,
    #[prost(message, optional, tag = "2")]
    scan: Option<ScanNode>,
}

/// A scan of a relation.
#[derive(Clone, PartialEq, Message)]
struct ScanNode {
    #[prost(message, optional, tag = "1")]
    relation: Option<RelationNode>,
    #[prost(message, repeated, tag = "2")]
    partitions: Vec<PartitionNode>,
    #[prost(uint64, repeated, tag = "3")]
    columns: Vec<u64>,
    #[prost(message, repeated, tag = "4")]
    filters: Vec<PhysicalExprNode>,
    #[prost(uint64, optional, tag = "5")]
    limit: Option<u64>,
}

/// The row groups of a partition: files and groups by turns.
#[derive(Clone, PartialEq, Message)]
struct PartitionNode {
    #[prost(uint64, repeated, tag = "1")]
    places: Vec<u64>,
}

/// Writes and reads our operators; the rest of a plan is DataFusion's.
#[derive(Debug, Default)]
pub struct Codec {
    stores: Stores,
    /// The relations that were used last.
    open: Mutex<VecDeque<(RelationNode, Relation)>>,
}

/// Whether a message was written here. An error if it was written by another version.
fn is_ours(format: &str) -> Result<bool> {
    if format != FORMAT && format.starts_with("ireescope ") {
        return plan_err!(
            "the plan is of {format:?}, but this process is {FORMAT:?}; all processes of a cluster and its clients have to be of one version"
        );
    }
    Ok(format == FORMAT)
}

fn failure(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

impl Codec {
    /// Opens a relation that another process has named.
    fn relation(&self, node: &RelationNode) -> Result<Relation> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nth) = open.iter().position(|(known, _)| known == node)
            && let Some((known, relation)) = open.remove(nth)
        {
            open.push_back((known, relation.clone()));
            return Ok(relation);
        }
        let relation = self.dataset(&node.dataset)?.relation(&node.relation)?;
        if relation.origin().version() != node.version {
            let text = format!(
                "{} has changed since the statement was planned; run it again",
                node.dataset
            );
            return Err(DataFusionError::IoError(io::Error::other(text)));
        }
        if open.len() >= KEPT {
            open.pop_front();
        }
        open.push_back((node.clone(), relation.clone()));
        Ok(relation)
    }

    fn dataset(&self, place: &str) -> Result<Dataset> {
        if !remote::is_address(place) {
            return Ok(Dataset::open(Path::new(place))?);
        }
        let folder = self.stores.folder(place).map_err(DatasetError::from)?;
        let Some((text, _)) = folder.read(MANIFEST).map_err(DatasetError::from)? else {
            return plan_err!("{place} is not a dataset");
        };
        let manifest = Manifest::parse(&Path::new(place).join(MANIFEST), &text)?;
        Ok(Dataset::of_remote(folder, Arc::new(manifest)))
    }
}

/// Returns how a relation is named to other processes.
fn node_of(relation: &Relation) -> Result<RelationNode> {
    let origin = relation.origin();
    let folder = &origin.folder;
    let is_remote = folder.to_str().is_some_and(remote::is_address);
    let place: PathBuf = if is_remote { folder.clone() } else { std::path::absolute(folder)? };
    let Some(place) = place.to_str() else {
        return plan_err!("{} is not UTF-8, which a cluster needs", folder.display());
    };
    Ok(RelationNode {
        dataset: place.to_owned(),
        version: origin.version().to_owned(),
        relation: origin.relation.clone(),
    })
}

fn wide(numbers: impl IntoIterator<Item = usize>) -> Vec<u64> {
    numbers.into_iter().map(|number| number as u64).collect()
}

fn narrow(number: u64) -> Result<usize> {
    usize::try_from(number).map_err(failure)
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        _converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let node = OperatorNode::decode(bytes).unwrap_or_default();
        match (is_ours(&node.format)?, node.scan, inputs) {
            (true, Some(scan), _) => Ok(Arc::new(self.scan(&scan, context)?)),
            (true, None, [input]) => Ok(Arc::new(Compact::of(Arc::clone(input)))),
            _ => plan_err!("the plan has an operator that is unknown here"),
        }
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let scan = match plan.downcast_ref::<DatasetScan>() {
            Some(scan) => Some(self.written(scan, converter)?),
            None if plan.is::<Compact>() => None,
            None => return plan_err!("{} cannot be sent to other processes", plan.name()),
        };
        let node = OperatorNode { format: FORMAT.to_owned(), scan };
        node.encode(bytes).map_err(failure)
    }
}

impl Codec {
    fn scan(&self, node: &ScanNode, context: &TaskContext) -> Result<DatasetScan> {
        let relation = self.relation(&node.relation.clone().unwrap_or_default())?;
        let partitions = node.partitions.iter().map(|partition| {
            let (places, _) = partition.places.as_chunks::<2>();
            let places = places.iter().map(|[file, group]| Ok((narrow(*file)?, narrow(*group)?)));
            places.collect::<Result<Vec<Place>>>()
        });
        let filters = node
            .filters
            .iter()
            .map(|filter| parse_physical_expr(filter, context, relation.columns(), self));
        let columns = node.columns.iter().map(|column| narrow(*column));
        DatasetScan::new(
            relation.clone(),
            partitions.collect::<Result<_>>()?,
            columns.collect::<Result<_>>()?,
            filters.collect::<Result<_>>()?,
            node.limit.map(narrow).transpose()?,
        )
    }

    fn written(
        &self,
        scan: &DatasetScan,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<ScanNode> {
        let partitions = scan.partitions.iter().map(|places| PartitionNode {
            places: wide(places.iter().flat_map(|(file, group)| [*file, *group])),
        });
        // A filter only leaves out what does not match, so one that cannot be written is not missed.
        let filters =
            scan.filters.iter().filter_map(|it| converter.physical_expr_to_proto(it, self).ok());
        Ok(ScanNode {
            relation: Some(node_of(&scan.relation)?),
            partitions: partitions.collect(),
            columns: wide(scan.columns.iter().copied()),
            filters: filters.collect(),
            limit: scan.limit.map(|limit| limit as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use datafusion_proto::physical_plan::DefaultPhysicalProtoConverter;

    use super::*;

    #[test]
    fn plans_of_other_versions_are_refused() {
        let read = |bytes: &[u8]| {
            let codec = Codec::default();
            let converter = DefaultPhysicalProtoConverter {};
            let read = codec.try_decode(bytes, &[], &TaskContext::default(), &converter);
            read.map(|_| ()).unwrap_err().to_string()
        };
        let node = OperatorNode { format: "ireescope 0.0.1 plan 1".to_owned(), scan: None };
        assert!(read(&node.encode_to_vec()).contains("have to be of one version"));
        assert!(read(b"something else").contains("unknown here"));
    }
}
