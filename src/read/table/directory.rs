//! Builds the tables of facts that are collected when bundles are opened: `bundles`, `sessions`, `problems` and `runs`.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::error::ArrowError;
use schemas::enums::STATUS_CODE;
use schemas::escape::escaped;
use schemas::spec::{Column, Table};
use serde_json::Value;

use super::builder::Builder;
use super::records::table_of;
use super::runs::run;
use crate::bundle::{Bundle, Problem, RecordType, Session};

/// Returns all rows of a directory table.
pub fn directory_batch(table: &Table, bundles: &[Arc<Bundle>]) -> Result<RecordBatch, ArrowError> {
    let columns = table.columns();
    let arrays = columns.iter().map(|column| {
        let mut builder = Builder::new(column);
        for bundle in bundles {
            for value in values(table.name, column, bundle) {
                debug_assert!(value.is_some(), "{} has no column {}", table.name, column.name);
                put(&mut builder, &value.unwrap_or_default());
            }
        }
        builder.finish()
    });
    let arrays = arrays.collect::<Result<Vec<ArrayRef>, _>>()?;
    RecordBatch::try_new(schemas::arrow::schema(table), arrays)
}

/// Returns the values of a column in the rows of a bundle; `None` for a column that the table lacks.
fn values(table: &str, column: &Column, bundle: &Bundle) -> Vec<Option<Value>> {
    let (name, directory) = (column.name.as_str(), &bundle.directory);
    match table {
        "sessions" => directory.sessions.iter().map(|row| session(bundle, row, name)).collect(),
        "problems" => directory.problems.iter().map(|row| problem(bundle, row, name)).collect(),
        "runs" => bundle.runs.iter().map(|row| run(bundle, row, name)).collect(),
        _ if bundle.stand_in.is_some() => Vec::new(),
        _ => vec![facts(bundle, name)],
    }
}

fn put(builder: &mut Builder, value: &Value) {
    let number = value.as_u64();
    match builder {
        Builder::U64(numbers) => numbers.push(number),
        Builder::U32(numbers) => numbers.push(number.and_then(|number| number.try_into().ok())),
        Builder::U16(numbers) => numbers.push(number.and_then(|number| number.try_into().ok())),
        Builder::Picked(picked) => picked.push_text(value.as_str()),
        Builder::Bool(truths) => truths.append_option(value.as_bool()),
        _ => debug_assert!(false, "no directory table has a column of this type"),
    }
}

/// Returns a value of `bundles`.
fn facts(bundle: &Bundle, column: &str) -> Option<Value> {
    let directory = &bundle.directory;
    let sum = |of: fn(&Session) -> u64| {
        directory.sessions.iter().map(of).fold(0, u64::saturating_add).into()
    };
    Some(match column {
        "bundle" => bundle.label.as_str().into(),
        "path" => bundle.path.display().to_string().into(),
        "file_bytes" => bundle.file_bytes.into(),
        "bundle_bytes" => directory.end.into(),
        "compressed" => bundle.compressed.into(),
        "version_major" => bundle.header.version_major.into(),
        "version_minor" => bundle.header.version_minor.into(),
        "header_bytes" => bundle.header.header_length.into(),
        "finished" => bundle.salvage().is_none().into(),
        "session_count" => directory.sessions.len().into(),
        "record_count" => directory.entries.len().into(),
        "chunk_count" => sum(|session| session.chunks),
        "unknown_record_count" => directory.unknown_records.into(),
        "unknown_chunk_count" => unknown_chunks(bundle).into(),
        "truncated_chunk_count" => sum(|session| session.truncated_chunks),
        "dropped_record_count" => sum(|session| session.dropped_records),
        "problem_count" => directory.problems.len().into(),
        _ => return None,
    })
}

/// Counts the chunks whose content type belongs to no table.
fn unknown_chunks(bundle: &Bundle) -> u64 {
    let directory = &bundle.directory;
    let types = directory.content_types.iter().zip(&directory.chunks);
    debug_assert!(
        directory.chunks.iter().map(Vec::len).sum::<usize>() + directory.set_aside
            == directory
                .entries
                .iter()
                .filter(|entry| entry.record_type == RecordType::Chunk)
                .count(),
        "every chunk is listed under its content type"
    );
    types.filter(|(name, _)| table_of(name).is_none()).map(|(_, chunks)| chunks.len() as u64).sum()
}

fn session(bundle: &Bundle, session: &Session, column: &str) -> Option<Value> {
    Some(match column {
        "bundle" => bundle.label.as_str().into(),
        "session_id" => session.session_id.into(),
        "name" => escaped(&session.name).into(),
        "ended" => session.end_record.is_some().into(),
        "status_code" => session.status_code.into(),
        "status" => session.status_code.map(|code| STATUS_CODE.name_of(code)).into(),
        "chunk_count" => session.chunks.into(),
        "truncated_chunk_count" => session.truncated_chunks.into(),
        "dropped_record_count" => session.dropped_records.into(),
        "begin_record_index" => session.begin_record.into(),
        "end_record_index" => session.end_record.into(),
        _ => return None,
    })
}

fn problem(bundle: &Bundle, problem: &Problem, column: &str) -> Option<Value> {
    Some(match column {
        "bundle" => bundle.label.as_str().into(),
        "severity" => problem.severity.name().into(),
        "byte_offset" => problem.offset.into(),
        "record_index" => problem.record.into(),
        "kind" => problem.kind.into(),
        "problem" => problem.what.as_str().into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bundle::set::{Process, Run, SetRun};
    use crate::bundle::{BundleSource, OpenOptions, Severity, StandIn, open};

    /// Returns a bundle without records, of a set with one run.
    fn bundle() -> Bundle {
        let process: Process = serde_json::from_value(json!({
            "tool": {"name": "t", "path": "t"}, "arguments": [], "ran": [], "directory": "d",
            "inputs": [], "host": {"os": "o", "arch": "a", "cores": 1}, "environment": {},
            "started": "s", "duration_ns": 1, "stdout": "", "stderr": "", "external": []
        }))
        .unwrap();
        let run = Run { process: Some(process), ..Run::named("r".into()) };
        let source = BundleSource {
            runs: vec![SetRun { folder: ".".into(), run }],
            stand_in: Some(StandIn::Nothing),
            ..BundleSource::named("b".into(), ".".into())
        };
        open(&source, &OpenOptions::default()).unwrap()
    }

    #[test]
    fn every_declared_column_has_values_and_no_other_has() {
        let mut bundle = bundle();
        bundle.stand_in = None;
        bundle.directory.sessions.push(Session::default());
        let problem = Problem::new(Severity::Info, "kind", None, None, String::new());
        bundle.directory.problems.push(problem);
        for name in ["bundles", "sessions", "problems", "runs"] {
            let table = schemas::find(name).unwrap();
            for mut column in table.columns() {
                let found = values(name, &column, &bundle);
                assert!(matches!(found.as_slice(), [Some(_)]), "{name}.{}", column.name);
                column.name.push('_');
                assert_eq!(values(name, &column, &bundle), [None], "{name}.{}", column.name);
            }
            let bundles = [Arc::new(self::bundle())];
            assert!(directory_batch(table, &bundles).is_ok(), "{name}");
        }
    }
}
