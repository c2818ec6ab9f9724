//! Rows come back as they were written.

use std::fs;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use serde::{Deserialize, Serialize};

use super::doubles::{bits, doubles};
use super::*;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Row {
    name: String,
    count: u64,
    small: u16,
    signed: Option<i64>,
    time: f64,
    ratio: Option<f64>,
    is_chosen: bool,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    First,
    LastOne,
}

fn columns(names: &[(&str, DataType)]) -> SchemaRef {
    let field = |(name, kind): &(&str, DataType)| Field::new(*name, kind.clone(), true);
    Arc::new(Schema::new(names.iter().map(field).collect::<Vec<_>>()))
}

fn all() -> SchemaRef {
    columns(&[
        ("name", DataType::Utf8),
        ("count", DataType::UInt64),
        ("small", DataType::UInt16),
        ("signed", DataType::Int64),
        ("time", DataType::Float64),
        ("ratio", DataType::Float64),
        ("is_chosen", DataType::Boolean),
        ("kind", DataType::Utf8View),
    ])
}

fn row() -> Row {
    Row {
        name: "slow\n\"very\"".to_owned(),
        count: u64::MAX,
        small: u16::MAX,
        signed: Some(i64::MIN),
        time: 0.1,
        ratio: None,
        is_chosen: true,
        kind: Kind::LastOne,
    }
}

#[test]
fn rows_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.parquet");
    let rows = [row(), Row { signed: None, ratio: Some(2.0), ..row() }, Row::default()];
    replace(&path, &all(), &rows).expect("room");
    assert_eq!(read::<Row>(&path, &all()).expect("rows"), rows);
    replace::<Row>(&path, &all(), &[]).expect("room");
    assert_eq!(read::<Row>(&path, &all()).expect("no rows"), []);
}

#[test]
fn numbers_come_back_to_the_last_bit() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.parquet");
    let of = |time: f64| Row { time, ratio: Some(-time), ..row() };
    replace(&path, &all(), &doubles().into_iter().map(of).collect::<Vec<_>>()).expect("room");
    let found = read::<Row>(&path, &all()).expect("rows");
    assert_eq!(bits(found.iter().map(|it| it.time)), bits(doubles()));
    assert_eq!(
        bits(found.iter().filter_map(|it| it.ratio)),
        bits(doubles().into_iter().map(|it| -it))
    );
}

#[test]
fn what_an_older_file_lacks_is_null() {
    #[derive(Debug, PartialEq, Deserialize)]
    struct Newer {
        name: String,
        added: Option<f64>,
        #[serde(default)]
        also_added: String,
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.parquet");
    replace(&path, &all(), &[row()]).expect("room");
    let newer = columns(&[
        ("added", DataType::Float64),
        ("also_added", DataType::Utf8),
        ("name", DataType::Utf8View),
    ]);
    let expected = Newer { name: row().name, added: None, also_added: String::new() };
    assert_eq!(read::<Newer>(&path, &newer).expect("rows"), [expected]);
    // A value that must be there, but is not.
    let lacking = read::<Row>(&path, &columns(&[("name", DataType::Utf8)])).map(|_| ());
    assert!(lacking.expect_err("lost").to_string().contains("no column `count`"));
    let of_other = batch(&all(), &[row()]).expect("a batch");
    let error = rows::<Newer>(&of_other).expect_err("columns are missing").to_string();
    assert_eq!(error, "there is no column `added`");
}

#[test]
fn values_of_the_wrong_kind_are_named() {
    #[derive(Debug, Deserialize)]
    struct Wrong {
        #[expect(dead_code, reason = "it cannot be read")]
        time: u64,
    }
    #[derive(Debug, Deserialize)]
    struct Lacking {
        #[expect(dead_code, reason = "it cannot be read")]
        ratio: f64,
    }
    let of = batch(&all(), &[row()]).expect("a batch");
    let error = rows::<Wrong>(&of).expect_err("not whole").to_string();
    assert!(error.starts_with("column `time`: invalid type: floating point"), "{error}");
    let error = rows::<Lacking>(&of).expect_err("NULL").to_string();
    assert_eq!(error, "missing field `ratio`");
}

#[test]
fn only_some_rows_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("rows.parquet");
    let named = |name: &str| Row { name: name.to_owned(), ..Row::default() };
    replace(&path, &all(), &["a", "b", "c"].map(named)).expect("room");
    let values = ["a", "c"].map(str::to_owned).into();
    let found = batches(&path, &all(), Some(Only { column: "name", values })).expect("a file");
    let found: Vec<Row> =
        found.flat_map(|batch| rows(&batch.expect("whole")).expect("rows")).collect();
    assert_eq!(found, ["a", "c"].map(named));
    fs::write(&path, "no rows").expect("room");
    assert!(matches!(read::<Row>(&path, &all()), Err(StoreError::Parquet(_))));
    let missing = read::<Row>(&folder.path().join("none"), &all());
    assert!(matches!(missing, Err(StoreError::Io(_))));
}
