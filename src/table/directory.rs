//! Builds the tables of facts that are collected when bundles are opened: `bundles`, `sessions`, `problems` and `runs`.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::error::ArrowError;
use schemas::spec::{Column, Table};

use super::builder::Builder;
use super::records::table_of;
use super::runs::{Fact, fact};
use crate::bundle::set::SetRun;
use crate::bundle::{Bundle, Problem, RecordType, Session};
use schemas::escape::escaped;

/// A value of a row.
enum Value {
    Number(Option<u64>),
    Text(Option<String>),
    Truth(bool),
}

/// Returns all rows of a directory table.
pub fn directory_batch(table: &Table, bundles: &[Arc<Bundle>]) -> Result<RecordBatch, ArrowError> {
    let columns = table.columns();
    let arrays: Vec<ArrayRef> = columns
        .iter()
        .map(|column| decode(table.name, column, bundles))
        .collect::<Result<_, _>>()?;
    RecordBatch::try_new(schemas::arrow::schema(table), arrays)
}

fn decode(table: &str, column: &Column, bundles: &[Arc<Bundle>]) -> Result<ArrayRef, ArrowError> {
    let mut builder = Builder::new(column.kind, true);
    for bundle in bundles {
        let directory = &bundle.directory;
        let name = column.name.as_str();
        match table {
            "sessions" => directory
                .sessions
                .iter()
                .for_each(|row| push(&mut builder, bundle, name, || session(row, name))),
            "problems" => directory
                .problems
                .iter()
                .for_each(|row| push(&mut builder, bundle, name, || problem(row, name))),
            "runs" => {
                for row in &bundle.runs {
                    put(&mut builder, run(bundle, row, name), name);
                }
            }
            _ if bundle.stand_in.is_some() => {}
            _ => push(&mut builder, bundle, name, || facts(bundle, name)),
        }
    }
    builder.finish()
}

fn push(builder: &mut Builder, bundle: &Bundle, column: &str, value: impl FnOnce() -> Value) {
    let value = if column == "bundle" { Value::Text(Some(bundle.label.clone())) } else { value() };
    put(builder, value, column);
}

fn put(builder: &mut Builder, value: Value, column: &str) {
    match (builder, value) {
        (Builder::U64(numbers), Value::Number(number)) => numbers.push(number),
        (Builder::U32(numbers), Value::Number(number)) => {
            numbers.push(number.and_then(|number| u32::try_from(number).ok()));
        }
        (Builder::U16(numbers), Value::Number(number)) => {
            numbers.push(number.and_then(|number| u16::try_from(number).ok()).unwrap_or_default());
        }
        (Builder::Picked(picked), Value::Text(text)) => {
            let pick = text.map(|text| picked.intern(&text));
            picked.push(pick);
        }
        (Builder::Bool(values), Value::Truth(truth)) => values.push(Some(truth)),
        _ => debug_assert!(false, "column {column} has another type"),
    }
}

/// Returns a value of `runs`. The bundle is NULL if the run recorded nothing.
fn run(bundle: &Bundle, run: &SetRun, column: &str) -> Value {
    if column == "bundle" {
        return Value::Text(run.run.bundle.as_ref().map(|_| bundle.label.clone()));
    }
    match fact(run, column) {
        Fact::Number(number) => Value::Number(number),
        Fact::Text(text) => Value::Text(text),
    }
}

/// Returns a value of `bundles`.
fn facts(bundle: &Bundle, column: &str) -> Value {
    let directory = &bundle.directory;
    let sum = |of: fn(&Session) -> u64| {
        Value::Number(Some(directory.sessions.iter().map(of).fold(0, u64::saturating_add)))
    };
    match column {
        "path" => Value::Text(Some(bundle.path.display().to_string())),
        "file_bytes" => Value::Number(Some(bundle.file_bytes)),
        "bundle_bytes" => Value::Number(Some(directory.end)),
        "compressed" => Value::Truth(bundle.compressed),
        "version_major" => Value::Number(Some(bundle.header.version_major.into())),
        "version_minor" => Value::Number(Some(bundle.header.version_minor.into())),
        "header_bytes" => Value::Number(Some(bundle.header.header_length.into())),
        "finished" => Value::Truth(bundle.salvage().is_none()),
        "session_count" => Value::Number(Some(directory.sessions.len() as u64)),
        "record_count" => Value::Number(Some(directory.entries.len() as u64)),
        "chunk_count" => sum(|session| session.chunks),
        "unknown_record_count" => Value::Number(Some(directory.unknown_records)),
        "unknown_chunk_count" => Value::Number(Some(unknown_chunks(bundle))),
        "truncated_chunk_count" => sum(|session| session.truncated_chunks),
        "dropped_record_count" => sum(|session| session.dropped_records),
        _ => Value::Number(Some(directory.problems.len() as u64)),
    }
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

fn session(session: &Session, column: &str) -> Value {
    match column {
        "session_id" => Value::Number(Some(session.session_id)),
        "name" => Value::Text(Some(escaped(&session.name).into_owned())),
        "ended" => Value::Truth(session.end_record.is_some()),
        "status_code" => Value::Number(session.status_code.map(u64::from)),
        "status" => {
            let name = |code| schemas::enums::STATUS_CODE.name_of(code).to_owned();
            Value::Text(session.status_code.map(name))
        }
        "chunk_count" => Value::Number(Some(session.chunks)),
        "truncated_chunk_count" => Value::Number(Some(session.truncated_chunks)),
        "dropped_record_count" => Value::Number(Some(session.dropped_records)),
        "begin_record_index" => Value::Number(session.begin_record),
        _ => Value::Number(session.end_record),
    }
}

fn problem(problem: &Problem, column: &str) -> Value {
    match column {
        "severity" => Value::Text(Some(problem.severity.name().to_owned())),
        "byte_offset" => Value::Number(problem.offset),
        "record_index" => Value::Number(problem.record),
        "kind" => Value::Text(Some(problem.kind.to_owned())),
        _ => Value::Text(Some(problem.what.clone())),
    }
}
