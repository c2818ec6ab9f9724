//! Pages of a row group that a filter leaves, by the index that Parquet files have of their pages.
//!
//! Pages of different columns begin at different rows. So each part of a filter that concerns a single column is decided on the pages of that
//! column, and gives ranges of rows; a row is read if all parts leave it. Of the other columns, the pages are read that have such a row.

use std::collections::HashSet;
use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::pruning::PruningStatistics;
use datafusion::common::{Column, ScalarValue};
use datafusion::error::Result;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_optimizer::pruning::{PruningPredicate, PruningPredicateBuilder};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, RowSelection, RowSelector,
};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{
    ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
    ParquetOffsetIndex, RowGroupMetaData,
};
use parquet::file::page_index::offset_index::PageLocation;
use parquet::file::reader::ChunkReader;

/// The part of a filter that concerns one column.
#[derive(Debug)]
pub struct PageFilter {
    column: String,
    predicate: PruningPredicate,
}

impl PageFilter {
    /// Returns those of the conditions of a filter that concern one column each.
    pub fn of(filters: &[Arc<dyn PhysicalExpr>], schema: &SchemaRef) -> Result<Vec<Self>> {
        let mut found = Vec::new();
        for filter in filters {
            let columns: HashSet<String> =
                collect_columns(filter).iter().map(|column| column.name().to_owned()).collect();
            let [column] = &columns.into_iter().collect::<Vec<_>>()[..] else { continue };
            let predicate = PruningPredicateBuilder::new()
                .with_file_schema(SchemaRef::clone(schema))
                .try_build(Arc::clone(filter))?;
            found.push(Self { column: column.clone(), predicate });
        }
        Ok(found)
    }

    /// Returns the rows of a row group in the pages that may match; `None` if nothing is known of them.
    fn rows(&self, file: &ArrowReaderMetadata, group: usize) -> Option<RowSelection> {
        let metadata = file.metadata();
        let columns = metadata.file_metadata().schema_descr();
        let converter = StatisticsConverter::try_new(&self.column, file.schema(), columns).ok()?;
        let pages = locations(metadata.offset_index()?, group, converter.parquet_column_index()?)?;
        let statistics =
            Pages { column: &self.column, converter, metadata, group, locations: pages };
        let kept = self.predicate.prune(&statistics).ok()?;
        let rows = usize::try_from(metadata.row_groups().get(group)?.num_rows()).ok()?;
        let starts = pages.iter().map(|page| usize::try_from(page.first_row_index));
        let starts = starts.chain(once(Ok(rows))).collect::<Result<Vec<_>, _>>().ok()?;
        let lengths = starts.windows(2).map(|pair| match pair {
            [start, end] => end.saturating_sub(*start),
            _ => 0,
        });
        let selected = lengths.zip(kept).map(|(row_count, kept)| {
            if kept { RowSelector::select(row_count) } else { RowSelector::skip(row_count) }
        });
        Some(selected.collect::<Vec<_>>().into())
    }
}

/// Returns where the index of the pages of a file is; `None` if it has none.
pub(crate) fn index_range(metadata: &ParquetMetaData) -> Option<Range<u64>> {
    let columns = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
    let parts = columns.flat_map(|column| {
        let of_values = column.column_index_offset().zip(column.column_index_length());
        let of_places = column.offset_index_offset().zip(column.offset_index_length());
        [of_values, of_places].into_iter().flatten()
    });
    parts
        .filter_map(|(start, length)| {
            Some((u64::try_from(start).ok()?, u64::try_from(length).ok()?))
        })
        .map(|(start, length)| start..start.saturating_add(length))
        .reduce(|all, part| all.start.min(part.start)..all.end.max(part.end))
}

/// Adds the index of the pages to the metadata of a file.
pub fn indexed(
    file: &ArrowReaderMetadata,
    bytes: &impl ChunkReader,
) -> ParquetResult<ArrowReaderMetadata> {
    let metadata = ParquetMetaData::clone(file.metadata());
    let mut reader = ParquetMetaDataReader::new_with_metadata(metadata)
        .with_page_index_policy(PageIndexPolicy::Optional);
    reader.read_page_indexes(bytes)?;
    ArrowReaderMetadata::try_new(reader.finish()?.into(), ArrowReaderOptions::default())
}

/// Returns the rows of a row group that all filters leave; `None` if they leave all.
pub fn rows(
    file: &ArrowReaderMetadata,
    group: usize,
    filters: &[PageFilter],
) -> Option<RowSelection> {
    let left = filters.iter().filter_map(|filter| filter.rows(file, group));
    let left = left.reduce(|all, rows| all.intersection(&rows))?;
    let leaves_all = left.iter().all(|rows| !rows.skip);
    (!leaves_all).then_some(left)
}

/// Returns where the bytes of some rows of a row group are: of each column, the pages with such a row, and the dictionary before the first page.
pub fn ranges(
    file: &ArrowReaderMetadata,
    group: usize,
    mask: &ProjectionMask,
    rows: &RowSelection,
) -> Vec<Range<u64>> {
    let metadata = file.metadata();
    let chunks =
        metadata.row_groups().get(group).map(RowGroupMetaData::columns).unwrap_or_default();
    let chunks = chunks.iter().enumerate().filter(|(nth, _)| mask.leaf_included(*nth));
    let of_chunk = |(nth, chunk): (usize, &ColumnChunkMetaData)| {
        let (start, length) = chunk.byte_range();
        let pages = metadata.offset_index().and_then(|index| locations(index, group, nth));
        let Some((pages, first)) = pages.and_then(|pages| Some((pages, pages.first()?))) else {
            return once(start..start.saturating_add(length)).collect();
        };
        let mut ranges = rows.scan_ranges(pages);
        let first = u64::try_from(first.offset).unwrap_or(start);
        if first > start && !ranges.is_empty() {
            ranges.insert(0, start..first);
        }
        ranges
    };
    chunks.flat_map(of_chunk).collect()
}

/// Returns the places of the pages of a column; `None` if the index has none.
fn locations(index: &ParquetOffsetIndex, group: usize, column: usize) -> Option<&[PageLocation]> {
    let pages = index.get(group)?.get(column)?.page_locations();
    (!pages.is_empty()).then_some(pages.as_slice())
}

/// The pages of a column in a row group, in DataFusion's terms the containers of a pruning predicate.
struct Pages<'a> {
    column: &'a str,
    converter: StatisticsConverter<'a>,
    metadata: &'a ParquetMetaData,
    group: usize,
    locations: &'a [PageLocation],
}

impl PruningStatistics for Pages<'_> {
    fn min_values(&self, column: &Column) -> Option<ArrayRef> {
        let (values, places) = self.metadata.column_index().zip(self.metadata.offset_index())?;
        (column.name == self.column).then_some(())?;
        self.converter.data_page_mins(values, places, [&self.group]).ok()
    }

    fn max_values(&self, column: &Column) -> Option<ArrayRef> {
        let (values, places) = self.metadata.column_index().zip(self.metadata.offset_index())?;
        (column.name == self.column).then_some(())?;
        self.converter.data_page_maxes(values, places, [&self.group]).ok()
    }

    fn num_containers(&self) -> usize {
        self.locations.len()
    }

    fn null_counts(&self, column: &Column) -> Option<ArrayRef> {
        let (values, places) = self.metadata.column_index().zip(self.metadata.offset_index())?;
        (column.name == self.column).then_some(())?;
        let counts = self.converter.data_page_null_counts(values, places, [&self.group]);
        Some(Arc::new(counts.ok()?))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        None
    }

    fn contained(&self, _: &Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
