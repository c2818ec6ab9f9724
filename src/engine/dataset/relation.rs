//! A relation of a dataset: its Parquet files, with the label of the bundle as the first column.

use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;

use super::error::DatasetError;
use super::files::{DataFile, RowGroup};
use super::origin::Origin;
use super::pruning::Groups;

/// A row group: the index of a file of the relation, and that of the row group in it.
pub type Place = (usize, usize);

/// A relation over the files of several bundles.
#[derive(Debug, Clone)]
pub struct Relation(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    origin: Origin,
    files: Vec<Arc<DataFile>>,
    schema: SchemaRef,
}

impl Relation {
    /// Joins files. All must have the same columns.
    pub(super) fn of(
        origin: Origin,
        opened: impl Iterator<Item = std::result::Result<DataFile, DatasetError>>,
    ) -> std::result::Result<Self, DatasetError> {
        let mut files = Vec::with_capacity(opened.size_hint().0);
        let mut schema: Option<SchemaRef> = None;
        for file in opened {
            let file = file?;
            let found = undocumented(&file.schema());
            match &schema {
                Some(known) if *known != found => return Err(file.unlike()),
                _ => schema = Some(found),
            }
            files.push(Arc::new(file));
        }
        let schema = schema.unwrap_or_else(|| Arc::new(Schema::empty()));
        Ok(Self(Arc::new(Parts { origin, files, schema })))
    }

    /// Returns the dataset and the name of the relation.
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// Returns the columns.
    pub fn columns(&self) -> &SchemaRef {
        &self.0.schema
    }

    /// Returns a file by its index.
    pub(super) fn file(&self, nth: usize) -> Result<&Arc<DataFile>> {
        let missing = || datafusion::common::internal_datafusion_err!("there is no file {nth}");
        self.0.files.get(nth).ok_or_else(missing)
    }

    /// Returns the row groups that may have rows that match a filter.
    pub(super) fn kept(&self, filter: Option<Arc<dyn PhysicalExpr>>) -> Result<Vec<Place>> {
        let Parts { files, schema, .. } = &*self.0;
        let places = files.iter().enumerate().flat_map(|(nth, file)| {
            let count = file.metadata.metadata().num_row_groups();
            (0..count).map(move |group| (nth, group))
        });
        let places: Vec<Place> = places.collect();
        let Some(filter) = filter else { return Ok(places) };
        let groups: Vec<RowGroup> = places
            .iter()
            .map(|(file, group)| Ok((Arc::clone(self.file(*file)?), *group)))
            .collect::<Result<_>>()?;
        let predicate = PruningPredicateBuilder::new()
            .with_file_schema(Arc::clone(schema))
            .try_build(filter)?;
        let kept = predicate.prune(&Groups { schema, groups: &groups })?;
        let kept = kept.into_iter().chain(std::iter::repeat(true));
        Ok(places.into_iter().zip(kept).filter_map(|(place, kept)| kept.then_some(place)).collect())
    }
}

/// Returns the columns without their documentation, which results get at the end.
fn undocumented(schema: &Schema) -> SchemaRef {
    let fields = schema
        .fields()
        .iter()
        .map(|field| Field::new(field.name(), field.data_type().clone(), field.is_nullable()));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
