//! Parts of a Parquet file that were read from an object store, as the file itself: who reads another part gets an error.

use bytes::Bytes;
use bytes::buf::{Buf, Reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, Length};

/// Bytes at known positions of a file.
#[derive(Debug, Clone)]
pub struct Pieces {
    pub size: u64,
    pub parts: Vec<(u64, Bytes)>,
}

impl Pieces {
    /// Returns the bytes from a position up to the end of their part.
    fn from(&self, start: u64) -> Result<Bytes> {
        let part = self.parts.iter().find_map(|(first, bytes)| {
            let at = usize::try_from(start.checked_sub(*first)?).ok()?;
            (at < bytes.len()).then(|| bytes.slice(at..))
        });
        part.ok_or_else(|| ParquetError::EOF(format!("byte {start} was not read")))
    }
}

impl Length for Pieces {
    fn len(&self) -> u64 {
        self.size
    }
}

impl ChunkReader for Pieces {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(self.from(start)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if length == 0 {
            return Ok(Bytes::new());
        }
        let bytes = self.from(start)?;
        if bytes.len() < length {
            let end = start + bytes.len() as u64;
            return Err(ParquetError::EOF(format!("byte {end} was not read")));
        }
        Ok(bytes.slice(..length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_read_is_there() {
        let parts = vec![(4, Bytes::from_static(b"efgh")), (20, Bytes::from_static(b"uv"))];
        let pieces = Pieces { size: 26, parts };
        assert_eq!(pieces.get_bytes(5, 2).unwrap(), "fg");
        assert_eq!(pieces.get_bytes(20, 2).unwrap(), "uv");
        assert_eq!(pieces.get_bytes(0, 0).unwrap(), "");
        assert!(pieces.get_bytes(5, 4).is_err() && pieces.get_bytes(0, 1).is_err());
        assert!(pieces.get_read(22).is_err() && pieces.get_read(21).is_ok());
    }
}
