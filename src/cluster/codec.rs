//! How relations of datasets are written into plans that are sent to other processes.
//!
//! Invariant: a process that reads such a plan opens the dataset by itself, and fails if its manifest is not that of the process that planned.
//! So no statement mixes two versions, and a process of another build is told from a damaged plan.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::{TableReference, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use datafusion_proto::physical_plan::from_proto::parse_physical_expr;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use datafusion_proto::protobuf::PhysicalExprNode;
use engine::dataset::{Dataset, DatasetScan, MANIFEST, Manifest, Place, Relation};
use engine::functions::external;
use prost::Message;
use read::remote::{self, Stores};

use super::leaves::DatasetSource;

/// The format of these messages. Its version has that of the program, whose tables a plan names.
const FORMAT: &str = concat!("ireescope ", env!("CARGO_PKG_VERSION"), " plan 1");

/// Relations that a process keeps open.
const KEPT: usize = 64;

/// A table: a relation of a dataset, or rows.
#[derive(Clone, PartialEq, Message)]
struct TableNode {
    #[prost(string, tag = "1")]
    format: String,
    #[prost(message, optional, tag = "2")]
    relation: Option<RelationNode>,
    /// The rows of a table of a session, as a stream of Arrow.
    #[prost(bytes = "vec", optional, tag = "3")]
    rows: Option<Vec<u8>>,
}

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

/// Most bytes of the rows of a table of a session.
const ROWS: usize = 16 << 20;

/// Returns the rows of a table as a stream of Arrow; `None` if they are too many, or being written.
fn written(table: &MemTable) -> Result<Option<Vec<u8>>> {
    let mut writer = StreamWriter::try_new(Vec::new(), &table.schema())?;
    for partition in &table.batches {
        let Ok(batches) = partition.try_read() else { return Ok(None) };
        for batch in batches.iter() {
            writer.write(batch)?;
            if writer.get_ref().len() > ROWS {
                return Ok(None);
            }
        }
    }
    Ok(Some(writer.into_inner()?))
}

/// Reads the rows of a table.
fn table_of(bytes: &[u8]) -> Result<MemTable> {
    let reader = StreamReader::try_new(bytes, None)?;
    let schema = reader.schema();
    let batches = reader.collect::<std::result::Result<Vec<_>, _>>()?;
    MemTable::try_new(schema, vec![batches])
}

/// A scan of a relation.
#[derive(Clone, PartialEq, Message)]
struct ScanNode {
    #[prost(string, tag = "1")]
    format: String,
    #[prost(message, optional, tag = "2")]
    relation: Option<RelationNode>,
    #[prost(message, repeated, tag = "3")]
    partitions: Vec<PartitionNode>,
    #[prost(uint64, repeated, tag = "4")]
    columns: Vec<u64>,
    #[prost(message, repeated, tag = "5")]
    filters: Vec<PhysicalExprNode>,
    #[prost(uint64, optional, tag = "6")]
    limit: Option<u64>,
}

/// The row groups of a partition: files and groups by turns.
#[derive(Clone, PartialEq, Message)]
struct PartitionNode {
    #[prost(uint64, repeated, tag = "1")]
    places: Vec<u64>,
}

/// Writes and reads relations and scans, and leaves the rest to Ballista.
#[derive(Debug, Default)]
pub struct Codec {
    logical: BallistaLogicalExtensionCodec,
    physical: BallistaPhysicalExtensionCodec,
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
        if let Some((_, relation)) = open.iter().find(|(known, _)| known == node) {
            return Ok(relation.clone());
        }
        let relation = self.dataset(&node.dataset)?.relation(&node.relation).map_err(external)?;
        if relation.origin().version() != node.version {
            return plan_err!(
                "{} has changed since the statement was planned; run it again",
                node.dataset
            );
        }
        if open.len() >= KEPT {
            open.pop_front();
        }
        open.push_back((node.clone(), relation.clone()));
        Ok(relation)
    }

    fn dataset(&self, place: &str) -> Result<Dataset> {
        if !remote::is_address(place) {
            return Dataset::open(Path::new(place)).map_err(external);
        }
        let folder = self.stores.folder(place).map_err(external)?;
        let Some((text, _)) = folder.read(MANIFEST).map_err(external)? else {
            return plan_err!("{place} is not a dataset");
        };
        let manifest = Manifest::parse(&Path::new(place).join(MANIFEST), &text);
        Ok(Dataset::of_remote(folder, Arc::new(manifest.map_err(external)?)))
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

impl LogicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[LogicalPlan],
        context: &TaskContext,
    ) -> Result<Extension> {
        self.logical.try_decode(bytes, inputs, context)
    }

    fn try_encode(&self, node: &Extension, bytes: &mut Vec<u8>) -> Result<()> {
        self.logical.try_encode(node, bytes)
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        table: &TableReference,
        schema: SchemaRef,
        context: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        match TableNode::decode(bytes).unwrap_or_default() {
            TableNode { format, relation: Some(node), .. } if is_ours(&format)? => {
                Ok(Arc::new(self.relation(&node)?))
            }
            TableNode { format, rows: Some(rows), .. } if is_ours(&format)? => {
                Ok(Arc::new(table_of(&rows)?))
            }
            _ => self.logical.try_decode_table_provider(bytes, table, schema, context),
        }
    }

    fn try_encode_table_provider(
        &self,
        table: &TableReference,
        provider: Arc<dyn TableProvider>,
        bytes: &mut Vec<u8>,
    ) -> Result<()> {
        let relation = provider.downcast_ref::<Relation>().map(node_of).transpose()?;
        let rows = provider.downcast_ref::<MemTable>().map(written).transpose()?.flatten();
        if relation.is_none() && rows.is_none() {
            return plan_err!(
                "{} cannot be read by a cluster, as only this process has its rows: a cluster reads what a dataset stores, and tables of the \
                 session of up to 16 MiB. Leave out option `cluster`",
                table.table()
            );
        }
        let node = TableNode { format: FORMAT.to_owned(), relation, rows };
        node.encode(bytes).map_err(failure)
    }
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        bytes: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        context: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let node = ScanNode::decode(bytes).unwrap_or_default();
        let (true, Some(named)) = (is_ours(&node.format)?, &node.relation) else {
            return self.physical.try_decode(bytes, inputs, context, converter);
        };
        let relation = self.relation(named)?;
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
        Ok(Arc::new(DatasetScan::new(
            relation.clone(),
            partitions.collect::<Result<_>>()?,
            columns.collect::<Result<_>>()?,
            filters.collect::<Result<_>>()?,
            node.limit.map(narrow).transpose()?,
        )?))
    }

    fn try_encode(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        bytes: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        let scan = match (plan.downcast_ref::<DatasetScan>(), DatasetSource::scan(&plan)) {
            (Some(scan), _) => scan.clone(),
            (None, Some(scan)) => scan?,
            (None, None) => return self.physical.try_encode(plan, bytes, converter),
        };
        let partitions = scan.partitions.iter().map(|places| PartitionNode {
            places: wide(places.iter().flat_map(|(file, group)| [*file, *group])),
        });
        // A filter only leaves out what does not match, so one that cannot be written is not missed.
        let filters =
            scan.filters.iter().filter_map(|it| converter.physical_expr_to_proto(it, self).ok());
        let node = ScanNode {
            format: FORMAT.to_owned(),
            relation: Some(node_of(&scan.relation)?),
            partitions: partitions.collect(),
            columns: wide(scan.columns.iter().copied()),
            filters: filters.collect(),
            limit: scan.limit.map(|limit| limit as u64),
        };
        node.encode(bytes).map_err(failure)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::Schema;

    use super::*;

    #[test]
    fn plans_of_other_versions_are_refused_and_other_plans_left_to_ballista() {
        let codec = Codec::default();
        let context = TaskContext::default();
        let table = |bytes: &[u8]| {
            let schema = Arc::new(Schema::empty());
            let name = TableReference::bare("t");
            let read = codec.try_decode_table_provider(bytes, &name, schema, &context);
            read.map(|_| ()).unwrap_err().to_string()
        };
        let format = "ireescope 0.0.1 plan 1".to_owned();
        let relation = Some(RelationNode::default());
        let node = TableNode { format: format.clone(), relation: relation.clone(), rows: None };
        assert!(table(&node.encode_to_vec()).contains("have to be of one version"));
        assert!(table(b"something else").contains("LogicalExtensionCodec is not provided"));
        assert!(is_ours(&format).is_err() && is_ours(FORMAT).unwrap() && !is_ours("").unwrap());
    }
}
