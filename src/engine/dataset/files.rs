//! Paths of the data files: Hive-style partitions, which Spark, `DuckDB`, pyarrow and Polars read as well.

use std::path::PathBuf;
use std::sync::Arc;

use parquet::arrow::arrow_reader::ArrowReaderMetadata;

/// The Parquet file with the rows of one bundle.
#[derive(Debug)]
pub struct DataFile {
    pub label: String,
    pub path: PathBuf,
    pub metadata: ArrowReaderMetadata,
}

/// A row group: a file and an index.
pub type RowGroup = (Arc<DataFile>, usize);

/// Returns the path of a relation's rows of one bundle, relative to the folder of the dataset.
pub fn partition(relation: &str, label: &str) -> PathBuf {
    [relation, &format!("bundle={}", escaped(label)), "data.parquet"].iter().collect()
}

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
