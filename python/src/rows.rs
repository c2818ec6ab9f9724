//! Rows as streams of Arrow, which other libraries read without a copy.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use ireescope::Answer;
use ireescope::bundle::Files;
use ireescope::workspace::{Next, Query, RowReader};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use pyo3_arrow::PyRecordBatchReader;

use crate::failure::Failure;
use crate::foreign::check_process;
use crate::values;
use crate::waiting::{PATIENCE, check_signals};

/// Rows: those of a query, which runs whenever they are read, or those of an answer.
#[pyclass(frozen, module = "ireescope._native")]
pub struct Rows {
    source: Source,
    schema: SchemaRef,
    process: u32,
}

enum Source {
    /// The query, and the files that it reads.
    Query(Box<Query>, Files),
    Answer(Vec<RecordBatch>),
}

impl Rows {
    /// The rows of a query.
    pub fn of_query(query: Query, files: Files) -> Self {
        let schema = Arc::clone(query.schema());
        Self { source: Source::Query(Box::new(query), files), schema, process: std::process::id() }
    }

    /// Rows that are there.
    pub fn of_batches(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { source: Source::Answer(batches), schema, process: std::process::id() }
    }

    /// The rows of an answer.
    pub fn of(answer: Answer) -> Self {
        Self::of_batches(answer.schema, answer.batches)
    }

    /// Returns a reader of the rows.
    pub fn reader(&self) -> PyResult<Box<dyn RecordBatchReader + Send>> {
        check_process(self.process)?;
        let schema = Arc::clone(&self.schema);
        Ok(match &self.source {
            Source::Query(query, files) => {
                Box::new(Reader { rows: query.read(), files: files.clone(), is_over: false })
            }
            Source::Answer(batches) => {
                let batches: Vec<_> = batches.iter().cloned().map(Ok).collect();
                Box::new(arrow::array::RecordBatchIterator::new(batches, schema))
            }
        })
    }
}

#[pymethods]
impl Rows {
    /// Returns a stream of the rows.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let reader = Bound::new(py, PyRecordBatchReader::new(self.reader()?))?;
        reader.call_method1("__arrow_c_stream__", (requested_schema,))
    }

    /// Returns the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let empty = arrow::array::RecordBatchIterator::new(Vec::new(), Arc::clone(&self.schema));
        let reader = Bound::new(py, PyRecordBatchReader::new(Box::new(empty)))?;
        reader.call_method0("__arrow_c_schema__")
    }

    /// The names of the columns, and for each its type, unit and description.
    #[getter]
    fn columns(&self) -> Vec<(String, String, Option<String>, Option<String>)> {
        let columns = self.schema.fields().iter().map(|field| {
            let of = |key: &str| field.metadata().get(key).cloned();
            (field.name().clone(), field.data_type().to_string(), of("unit"), of("doc"))
        });
        columns.collect()
    }

    /// Whether the rows are there, and need no query.
    #[getter]
    const fn is_answer(&self) -> bool {
        matches!(self.source, Source::Answer(_))
    }

    /// Returns the next rows as tuples, up to a number of them, and whether there are more.
    fn head<'py>(&self, py: Python<'py>, most: usize) -> PyResult<(Bound<'py, PyList>, bool)> {
        let mut reader = self.reader()?;
        let rows = PyList::empty(py);
        loop {
            let Some(batch) = py.detach(|| reader.next()) else { return Ok((rows, false)) };
            let batch = batch.map_err(|error| of_reading(py, &error))?;
            for row in 0..batch.num_rows() {
                if rows.len() == most {
                    return Ok((rows, true));
                }
                rows.append(values::row(py, &batch, row)?)?;
            }
        }
    }

    /// Reads all rows, and keeps them.
    fn read(&self, py: Python<'_>) -> PyResult<Self> {
        let mut reader = self.reader()?;
        let mut batches = Vec::new();
        while let Some(batch) = py.detach(|| reader.next()) {
            batches.push(batch.map_err(|error| of_reading(py, &error))?);
        }
        Ok(Self::of_batches(Arc::clone(&self.schema), batches))
    }

    /// The number of rows, if they are there.
    #[getter]
    fn count(&self) -> Option<usize> {
        match &self.source {
            Source::Query(..) => None,
            Source::Answer(batches) => Some(batches.iter().map(RecordBatch::num_rows).sum()),
        }
    }
}

/// Reads a query, and ends when Ctrl-C is pressed.
struct Reader {
    rows: RowReader,
    files: Files,
    is_over: bool,
}

impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let failed = loop {
            match self.rows.next_within(PATIENCE) {
                Ok(Next::Batch(batch)) => return Some(Ok(batch)),
                Ok(Next::End) => match self.files.whole() {
                    Ok(()) => {
                        self.is_over = true;
                        return None;
                    }
                    // What was read of a file that became shorter is wrong.
                    Err(error) => break error.into(),
                },
                Ok(Next::Waiting) => match check_signals() {
                    Ok(()) => {}
                    Err(error) => break Failure::Python(error),
                },
                Err(error) => break error.into(),
            }
        };
        self.is_over = true;
        Some(Err(ArrowError::ExternalError(Box::new(Told::from(failed)))))
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.rows.schema)
    }
}

/// A failure on its way through a stream of Arrow, which keeps only its text for readers of other libraries.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Told {
    text: String,
    error: PyErr,
}

impl From<Failure> for Told {
    fn from(failure: Failure) -> Self {
        let error = PyErr::from(failure);
        Self { text: error.to_string(), error }
    }
}

/// Returns the exception of a stream that failed.
pub fn of_reading(py: Python<'_>, error: &ArrowError) -> PyErr {
    if let ArrowError::ExternalError(error) = error
        && let Some(told) = error.downcast_ref::<Told>()
    {
        return told.error.clone_ref(py);
    }
    Failure::Internal(error.to_string()).into()
}
