//! Statistics of Parquet row groups, by which DataFusion decides whether a filter can exclude a row group.

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, BooleanArray, StringArray};
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::errors::Result;
use parquet::file::metadata::RowGroupMetaData;

use super::files::{LABEL, RowGroup};

/// The row groups of several files, in DataFusion's terms the containers of a pruning predicate.
pub struct Groups<'a> {
    pub schema: &'a SchemaRef,
    pub groups: &'a [RowGroup],
}

impl Groups<'_> {
    /// Returns one value per row group; `None`, that is unknown, if any file has no such statistics.
    fn each(
        &self,
        column: &Column,
        value: impl Fn(&StatisticsConverter<'_>, &RowGroupMetaData) -> Result<ArrayRef>,
    ) -> Option<ArrayRef> {
        let values = self.groups.iter().map(|(file, group)| {
            let metadata = file.metadata.metadata();
            let columns = metadata.file_metadata().schema_descr();
            let converter =
                StatisticsConverter::try_new(column.name(), file.metadata.schema(), columns)
                    .ok()?;
            value(&converter, metadata.row_group(*group)).ok()
        });
        let values = values.collect::<Option<Vec<_>>>()?;
        let values: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
        concat(&values).ok()
    }

    /// Returns the labels of the bundles; `None` if any file has the rows of several bundles.
    fn labels(&self) -> Option<ArrayRef> {
        let labels = self.groups.iter().map(|(file, _)| file.label.as_deref());
        Some(Arc::new(StringArray::from(labels.collect::<Option<Vec<_>>>()?)))
    }
}

impl PruningStatistics for Groups<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        let labels = if column.name() == LABEL { self.labels() } else { None };
        labels.or_else(|| self.each(column, |converter, group| converter.row_group_mins([group])))
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        let labels = if column.name() == LABEL { self.labels() } else { None };
        labels.or_else(|| self.each(column, |converter, group| converter.row_group_maxes([group])))
    }

    fn num_containers(&self) -> usize {
        self.groups.len()
    }

    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        self.schema.index_of(column.name()).ok().filter(|at| *at > 0)?;
        self.each(column, |converter, group| {
            Ok(Arc::new(converter.row_group_null_counts([group])?))
        })
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
