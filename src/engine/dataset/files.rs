//! Where the rows of a bundle stand: folders as Hive, Spark, DuckDB, pyarrow and Polars partition data.

use std::path::PathBuf;
use std::sync::Arc;

use parquet::arrow::arrow_reader::ArrowReaderMetadata;

/// The rows of one bundle.
#[derive(Debug)]
pub struct DataFile {
    pub label: String,
    pub path: PathBuf,
    pub metadata: ArrowReaderMetadata,
}

/// A row group of a file.
pub type RowGroup = (Arc<DataFile>, usize);

/// The file of a relation's rows of one bundle, from the dataset's folder on.
pub fn partition(relation: &str, label: &str) -> PathBuf {
    [relation, &format!("bundle={}", escaped(label)), "data.parquet"].iter().collect()
}

/// A label as a part of a path: all but a few letters by their percent codes.
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
