//! Paths of the data files: Hive-style partitions, which Spark, `DuckDB`, pyarrow and Polars read as well.
//!
//! A folder of few bundles has a file for each relation and bundle, `bundle=<label>/data.parquet`. One of many bundles has
//! a file for each relation and batch of bundles, `batch=<name>/data.parquet`, with the labels in its first column.

use std::path::PathBuf;

/// Returns the path of a relation's rows of one bundle, relative to the folder of the dataset.
pub fn partition(relation: &str, label: &str) -> PathBuf {
    [relation, &format!("bundle={}", escaped(label)), DATA].iter().collect()
}

/// Returns the path of a relation's rows of a batch of bundles, relative to the folder of the dataset.
pub fn batch_file(relation: &str, batch: &str) -> PathBuf {
    [relation, &format!("{BATCH}{batch}"), DATA].iter().collect()
}

/// How the names of the folders of batches begin.
pub const BATCH: &str = "batch=";

const DATA: &str = "data.parquet";

/// Encodes a label as a path component: percent-encodes all bytes except ASCII letters, digits, `-`, `_` and `.`.
fn escaped(label: &str) -> String {
    let mut text = String::with_capacity(label.len());
    for byte in label.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') {
            text.push(byte.into());
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_one_part_of_a_path() {
        let path = partition("queues", "a/m v2=ä");
        assert_eq!(path, PathBuf::from("queues/bundle=a%2Fm%20v2%3D%C3%A4/data.parquet"));
    }
}
