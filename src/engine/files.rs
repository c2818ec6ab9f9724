//! Files as tables: `FROM 'file.parquet'`, `read_parquet('pattern')`, `read_csv('pattern')`. They are read whole when
//! the query is planned, so they should be smaller than the memory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::ReaderBuilder;
use datafusion::arrow::csv::reader::Format;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::{plan_datafusion_err, plan_err};
use datafusion::error::Result;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use read::store::guarded;

/// Number of lines from which the types of a CSV file's columns are inferred.
const LINES: usize = 10_000;

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parquet,
    /// With the delimiter.
    Text(u8),
}

impl Kind {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "parquet" => Some(Self::Parquet),
            "csv" => Some(Self::Text(b',')),
            "tsv" => Some(Self::Text(b'\t')),
            _ => None,
        }
    }
}

/// Returns the table functions by name. They fail unless `opens_files`.
pub fn functions(
    opens_files: bool,
) -> impl Iterator<Item = (&'static str, Arc<dyn TableFunctionImpl>)> {
    let functions = [("read_parquet", Kind::Parquet), ("read_csv", Kind::Text(b','))];
    functions
        .into_iter()
        .map(move |(name, kind)| (name, Arc::new(ReadFunction { name, kind, opens_files }) as _))
}

/// Returns the file with this name as a table; `None` if the name is not that of a file. Fails unless `opens_files`.
pub fn table(name: &str, opens_files: bool) -> Result<Option<Arc<dyn TableProvider>>> {
    match Kind::of(Path::new(name)) {
        Some(_) if !opens_files => refused(),
        Some(kind) => read(name, kind).map(Some),
        None => Ok(None),
    }
}

#[derive(Debug)]
struct ReadFunction {
    name: &'static str,
    kind: Kind,
    opens_files: bool,
}

impl TableFunctionImpl for ReadFunction {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if !self.opens_files {
            return refused();
        }
        let [only] = args.exprs() else {
            return plan_err!("{0} takes one argument: {0}('pattern')", self.name);
        };
        let Some(pattern) = only.as_literal().and_then(|value| value.try_as_str().flatten()) else {
            return plan_err!("the argument of {} must be a text", self.name);
        };
        let found = Kind::of(Path::new(pattern));
        read(pattern, found.filter(|_| self.kind != Kind::Parquet).unwrap_or(self.kind))
    }
}

fn refused<T>() -> Result<T> {
    plan_err!(
        "files are not opened with option `read_only_sql`; name the bundles on the command line"
    )
}

/// Reads all files of a pattern. They must have the same columns.
fn read(pattern: &str, kind: Kind) -> Result<Arc<dyn TableProvider>> {
    let wrong = |error| plan_datafusion_err!("{pattern} is not a pattern of paths: {error}");
    let found = glob::glob(pattern).map_err(wrong)?.filter_map(std::result::Result::ok);
    let mut paths: Vec<PathBuf> = found.collect();
    paths.sort();
    let mut whole: Option<(SchemaRef, Vec<RecordBatch>)> = None;
    for path in &paths {
        let failed = |error: &dyn std::fmt::Display| {
            plan_datafusion_err!("cannot read {}: {error}", path.display())
        };
        let (schema, batches) = match kind {
            Kind::Parquet => parquet(path).map_err(|error| failed(&error))?,
            Kind::Text(delimiter) => text(path, delimiter).map_err(|error| failed(&error))?,
        };
        match &mut whole {
            None => whole = Some((schema, batches)),
            Some((known, all)) if known.fields() == schema.fields() => all.extend(batches),
            Some(_) => return Err(failed(&"its columns differ from those of the files before")),
        }
    }
    let Some((schema, batches)) = whole else {
        return plan_err!("no file matches {pattern}; paths are relative to the current folder");
    };
    Ok(Arc::new(MemTable::try_new(schema, vec![batches])?))
}

type FileRows = (SchemaRef, Vec<RecordBatch>);

fn parquet(path: &Path) -> std::result::Result<FileRows, Box<dyn std::error::Error>> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let schema = Arc::clone(builder.schema());
    let batches = guarded(builder.build()?).collect::<std::result::Result<Vec<_>, _>>()?;
    Ok((schema, batches))
}

fn text(path: &Path, delimiter: u8) -> std::result::Result<FileRows, Box<dyn std::error::Error>> {
    let format = Format::default().with_header(true).with_delimiter(delimiter);
    let (schema, _) = format.infer_schema(File::open(path)?, Some(LINES))?;
    let schema = Arc::new(schema);
    let reader =
        ReaderBuilder::new(Arc::clone(&schema)).with_format(format).build(File::open(path)?)?;
    let batches = reader.collect::<std::result::Result<Vec<_>, _>>()?;
    Ok((schema, batches))
}
