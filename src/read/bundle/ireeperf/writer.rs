//! Writes a bundle record by record. The lengths in a record's header are filled in when the record ends.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::rows::fill;
use crate::bundle::header::NO_RECORDS;
use crate::bundle::limits::RECORD_HEADER_BYTES;

/// Size in bytes from which the buffer is flushed before a record is complete.
const WAITING: usize = 4 << 20;

/// A bundle that is being written.
pub struct Writer {
    file: File,
    /// Bytes that are not written yet.
    buffer: Vec<u8>,
    /// Offset of the buffer in the file.
    written: u64,
    open: Option<Open>,
}

struct Open {
    header: Header,
    /// Offset of the record in the file.
    start: u64,
    /// Bytes of the record before its payload.
    before: u64,
}

/// The header of a file record.
pub type Header = [u8; RECORD_HEADER_BYTES];

/// Returns a record header of this type, without a device and a queue.
pub fn header(record_type: u64) -> Header {
    let mut header = [0; RECORD_HEADER_BYTES];
    fill(&mut header, 56, 4, RECORD_HEADER_BYTES as u64);
    fill(&mut header, 68, 4, u64::MAX);
    fill(&mut header, 72, 4, u64::MAX);
    fill(&mut header, 100, 2, record_type);
    header
}

impl Writer {
    /// Starts a bundle of this format version.
    pub fn new(file: File, major: u64, minor: u64) -> Self {
        let mut buffer = NO_RECORDS.to_vec();
        fill(&mut buffer, 4, 2, major);
        fill(&mut buffer, 6, 2, minor);
        Self { file, buffer, written: 0, open: None }
    }

    fn end(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// Ends the open record and begins another one. Its payload is appended to the buffer of [`Self::payload`].
    pub fn begin(&mut self, mut header: Header, content_type: &[u8]) -> io::Result<()> {
        self.close()?;
        fill(&mut header, 60, 4, content_type.len() as u64);
        let start = self.end();
        self.buffer.extend_from_slice(&header);
        self.buffer.extend_from_slice(content_type);
        self.open = Some(Open { header, start, before: self.end() - start });
        Ok(())
    }

    /// Returns the header of the open record and the buffer that its payload is appended to. Flushes a full buffer.
    pub fn payload(&mut self) -> io::Result<(&mut [u8], &mut Vec<u8>)> {
        if self.buffer.len() > WAITING {
            self.flush()?;
        }
        let header = self.open.as_mut().map_or(&mut [][..], |open| open.header.as_mut_slice());
        Ok((header, &mut self.buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.written = self.end();
        self.buffer.clear();
        Ok(())
    }

    /// Completes the header of the open record: in the buffer, or in the file if it has been flushed.
    fn close(&mut self) -> io::Result<()> {
        let Some(Open { mut header, start, before }) = self.open.take() else { return Ok(()) };
        let length = self.end() - start;
        fill(&mut header, 0, 8, length);
        fill(&mut header, 8, 8, length - before);
        let waiting = start.checked_sub(self.written).and_then(|at| usize::try_from(at).ok());
        if let Some(bytes) =
            waiting.and_then(|at| self.buffer.get_mut(at..at + RECORD_HEADER_BYTES))
        {
            bytes.copy_from_slice(&header);
        } else {
            self.flush()?;
            self.file.seek(SeekFrom::Start(start))?;
            self.file.write_all(&header)?;
            self.file.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }

    /// Ends the bundle, writes its length into the file header, which an unfinished one lacks, and returns the rewound file.
    pub fn finish(mut self, is_finished: bool) -> io::Result<File> {
        self.close()?;
        self.flush()?;
        let length = if is_finished { self.written } else { 0 };
        self.file.seek(SeekFrom::Start(16))?;
        self.file.write_all(&length.to_le_bytes())?;
        self.file.seek(SeekFrom::Start(0))?;
        Ok(self.file)
    }
}
