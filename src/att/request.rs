//! What is sent to the process that decodes a trace, and what it sends back.
//!
//! On standard input, a line of JSON ([`Request`]), then the images and the trace, back to back. On standard output, a line
//! for each step before it begins, then an empty line and an Arrow IPC stream for each of [`TABLES`]. If it fails, the last
//! line says why, after one of the prefixes below. If there is neither that nor the empty line, the step of the last line
//! ended the process.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::row::{Origin, TABLES};

/// The only argument of the process.
pub const ARGUMENT: &str = "--decode-trace";

/// Prefix of the last line if the trace cannot be decoded.
pub const FAILED: &str = "failed: ";

/// Prefix of the last line if a library is missing.
pub(crate) const LACKING: &str = "lacking: ";

/// What to decode.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub origin: Origin,
    /// The value of `--rocm_library_path`.
    pub rocm_library_path: Option<PathBuf>,
    pub detail: Detail,
    pub images: Vec<Image>,
    pub loads: Vec<Load>,
    pub trace_bytes: usize,
}

/// An image that follows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    pub code_object_id: u64,
    pub bytes: usize,
}

/// Where an image was loaded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    pub code_object_id: u64,
    /// Which of the images.
    pub image: usize,
    pub delta: i64,
    pub size: u64,
}

impl Request {
    /// Sends the request with the bytes of the images and of the trace.
    pub fn send(&self, out: &mut impl Write, images: &[&[u8]], trace: &[u8]) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")?;
        images.iter().try_for_each(|image| out.write_all(image))?;
        out.write_all(trace)?;
        out.flush()
    }

    /// Receives a request with the bytes of the images and of the trace.
    pub fn receive(input: impl Read) -> io::Result<(Self, Vec<Vec<u8>>, Vec<u8>)> {
        let mut input = BufReader::new(input);
        let mut line = String::new();
        input.read_line(&mut line)?;
        let request: Self = serde_json::from_str(&line)?;
        let mut take = |count: usize| {
            let mut bytes = vec![0; count];
            input.read_exact(&mut bytes).map(|()| bytes)
        };
        let images = request.images.iter().map(|image| take(image.bytes));
        let images = images.collect::<io::Result<Vec<_>>>()?;
        let trace = take(request.trace_bytes)?;
        Ok((request, images, trace))
    }
}

/// The rows of all tables in the order of [`TABLES`], one or more batches each.
pub type Parts = Vec<(&'static str, RecordBatch)>;

/// Sends decoded tables, after the empty line.
pub(crate) fn send_tables(
    out: &mut impl Write,
    parts: &[(&'static str, RecordBatch)],
) -> Result<(), ArrowError> {
    out.write_all(b"\n")?;
    for table in parts.chunk_by(|left, right| left.0 == right.0) {
        let Some((_, first)) = table.first() else { continue };
        let mut writer = StreamWriter::try_new(&mut *out, &first.schema())?;
        table.iter().try_for_each(|(_, batch)| writer.write(batch))?;
        writer.finish()?;
    }
    Ok(out.flush()?)
}

/// What the process has sent.
#[derive(Debug)]
pub struct Reply {
    /// The last line before the tables.
    pub(crate) last_line: String,
    /// Whether tables follow.
    pub has_tables: bool,
    input: BufReader<std::fs::File>,
}

impl Reply {
    /// Reads the lines.
    pub fn receive(file: std::fs::File) -> io::Result<Self> {
        let mut input = BufReader::new(file);
        let (mut last_line, mut line) = (String::new(), Vec::new());
        while input.read_until(b'\n', &mut line)? > 1 {
            String::from_utf8_lossy(&line).trim_end().clone_into(&mut last_line);
            line.clear();
        }
        Ok(Self { last_line, has_tables: line == b"\n", input })
    }

    /// Reads the tables, of which those of [`TABLES`] that `is_sent` selects were sent.
    pub fn tables(mut self, is_sent: impl Fn(&str) -> bool) -> Result<Parts, ArrowError> {
        let mut tables = Vec::new();
        for table in TABLES.into_iter().filter(|table| is_sent(table)) {
            for batch in StreamReader::try_new(&mut self.input, None)? {
                tables.push((table, batch?));
            }
        }
        Ok(tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let request = Request {
            images: vec![
                Image { code_object_id: 3, bytes: 2 },
                Image { code_object_id: 4, bytes: 0 },
            ],
            loads: vec![Load { code_object_id: 3, image: 0, delta: -5, size: 9 }],
            trace_bytes: 4,
            ..Request::default()
        };
        let mut sent = Vec::new();
        request.send(&mut sent, &[b"\n{", b""], b"abc\n").unwrap();
        let (received, images, trace) = Request::receive(sent.as_slice()).unwrap();
        assert_eq!(received, request);
        assert_eq!((images, trace), (vec![b"\n{".to_vec(), Vec::new()], b"abc\n".to_vec()));
        assert!(Request::receive(&sent[..sent.len() - 1]).is_err());
    }
}
