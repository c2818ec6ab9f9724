//! Converts an `ireeperf-jsonl` stream back to a bundle, in an unnamed temporary file, which is read like any other.
//!
//! Invariant: no value is invented. A value that the stream lacks becomes the raw value of NULL, or empty text. Keys
//! and record types of newer versions are skipped.

mod rows;
mod writer;

use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::LazyLock;

use schemas::CONTENT_TYPE_PREFIX;
use schemas::escape::{bytes_of, escaped};
use schemas::ireeperf::{ABSENT, RECORD_TYPES};
use serde_json::Value;

use self::rows::{Plan, fill};
use self::writer::{Header, Writer, header};
use super::error::BundleError;
use super::limits::{ABSENT_RECORDS, LINE_BYTES};

/// Converts the stream in `file` to a bundle. `path` names the file in errors.
pub fn bundle_of(path: &Path, file: File) -> Result<File, BundleError> {
    let io = |action| BundleError::io(action, path);
    let mut lines = Lines {
        reader: BufReader::with_capacity(1 << 18, file),
        limit: LINE_BYTES,
        line: Vec::new(),
        number: 0,
        offset: 0,
    };
    let unpacked = tempfile::tempfile().map_err(io("create a temporary file to convert"))?;
    let mut unpacked = Some(unpacked);
    let mut stream: Option<Stream> = None;
    while lines.next().map_err(io("read"))? {
        let taken = lines.row().and_then(|row| {
            if let Some(stream) = &mut stream {
                stream.row(&row)
            } else {
                let file = unpacked.take().ok_or("the file has two streams")?;
                stream = Some(Stream::new(&row, file)?);
                Ok(())
            }
        });
        taken.map_err(|failed| match failed.downcast::<io::Error>() {
            Ok(source) => io("convert")(*source),
            Err(what) => {
                let what = format!("line {} (at byte {}): {what}", lines.number, lines.offset);
                BundleError::unreadable(path, what)
            }
        })?;
    }
    let stream = stream.ok_or_else(|| BundleError::unreadable(path, "it is empty".into()))?;
    stream.writer.finish(stream.is_finished).map_err(io("convert"))
}

/// Why a line could not be converted: a message, or an [`io::Error`] of the bundle.
type Failed = Box<dyn Error>;

/// Reads a file line by line into one buffer.
struct Lines {
    reader: BufReader<File>,
    /// Maximum length of a line in bytes.
    limit: u64,
    line: Vec<u8>,
    number: u64,
    /// Offset of the line in the file.
    offset: u64,
}

impl Lines {
    /// Reads the next line that is not blank; of one that is too long, only the start. Returns false at the end of the
    /// file.
    fn next(&mut self) -> io::Result<bool> {
        loop {
            self.offset += self.line.len() as u64;
            self.number += 1;
            self.line.clear();
            let mut limited = self.reader.by_ref().take(self.limit + 1);
            if limited.read_until(b'\n', &mut self.line)? == 0 {
                return Ok(false);
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    fn row(&self) -> Result<Value, Failed> {
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        if line.len() as u64 > self.limit {
            return Err(format!("the line is longer than {} bytes", self.limit).into());
        }
        // Names are exported as recorded and can hold bytes that are not UTF-8.
        let text = escaped(line);
        let row: Value = serde_json::from_str(&text)
            .or_else(|error| {
                // JSON cannot express infinite metrics and NaN, but `iree-profile` prints them. The row also has their
                // bits, so that dropping the value loses nothing.
                let plain = NOT_NUMBERS
                    .iter()
                    .fold(text.into_owned(), |text, word| text.replace(word, "\"value\":null"));
                serde_json::from_str(&plain).map_err(|_| error)
            })
            .map_err(|error| format!("it is not a JSON object: {}", said(&error.to_string())))?;
        if row.is_object() { Ok(row) } else { Err("it is not a JSON object".into()) }
    }
}

/// Metric values that are infinite or NaN, as C's `printf` prints them.
const NOT_NUMBERS: [&str; 4] =
    ["\"value\":nan", "\"value\":-nan", "\"value\":inf", "\"value\":-inf"];

/// Removes the position from a message of `serde_json`: it is relative to the line, not to the file.
fn said(error: &str) -> &str {
    error.split(" at line ").next().unwrap_or(error)
}

/// The bundle that is being written, and the state of its last record.
struct Stream {
    writer: Writer,
    session_id: u64,
    /// Index of the next file record.
    next: u64,
    /// Number of records so far that are missing from the stream.
    absent: u64,
    /// The type of the rows in the last record; `None` if it has no rows yet.
    holds: Option<&'static str>,
    /// Whether the capture finished.
    is_finished: bool,
}

static PLANS: LazyLock<HashMap<&str, Plan>> = LazyLock::new(|| {
    RECORD_TYPES.iter().filter_map(|kind| Some((kind.name, Plan::of(kind)?))).collect()
});

const SESSION_BEGIN: u64 = 1;
const CHUNK: u64 = 2;
const SESSION_END: u64 = 3;

impl Stream {
    /// Starts a bundle. The first row must be the `schema` row of an `ireeperf-jsonl` stream.
    fn new(schema: &Value, file: File) -> Result<Self, Failed> {
        let said = |key: &str| schema.get(key).and_then(Value::as_str).unwrap_or_default();
        if said("record_type") != "schema" || said("format") != "ireeperf-jsonl" {
            return Err(
                "it is not the `schema` row with which an ireeperf-jsonl stream begins".into()
            );
        }
        let version = |key| number(schema, key).filter(|version| *version <= u16::MAX.into());
        let major = version("source_version_major").unwrap_or(1);
        let minor = version("source_version_minor").unwrap_or_default();
        Ok(Self {
            writer: Writer::new(file, major, minor),
            session_id: 0,
            next: 0,
            absent: 0,
            holds: None,
            is_finished: true,
        })
    }

    fn row(&mut self, row: &Value) -> Result<(), Failed> {
        let Some(kind) = row.get("record_type").and_then(Value::as_str) else {
            return Err("it has no record_type".into());
        };
        if kind == "schema" {
            return Err("another stream begins here, but a file must hold one bundle".into());
        }
        let index = number(row, "source_record_index").ok_or("it has no source_record_index")?;
        match kind {
            "session" => self.session(index, row),
            "diagnostic" => self.diagnostic(index, row),
            kind => match PLANS.get_key_value(kind) {
                Some((name, plan)) => self.typed(index, row, name, plan),
                // A record type of a newer version: its file record stays a placeholder.
                None => Ok(()),
            },
        }
    }

    fn session(&mut self, index: u64, row: &Value) -> Result<(), Failed> {
        let record_type = match row.get("event").and_then(Value::as_str) {
            Some("begin") => SESSION_BEGIN,
            Some("end") => SESSION_END,
            _ => return Err("event is neither begin nor end".into()),
        };
        self.session_id = number(row, "session_id").ok_or("it has no session_id")?;
        let mut header = self.header(record_type);
        for (key, at, width) in
            [("stream_id", 24, 8), ("event_id", 32, 8), ("session_status_code", 96, 4)]
        {
            fill(&mut header, at, width, number(row, key).unwrap_or_default());
        }
        self.begin(index, header, format!("{CONTENT_TYPE_PREFIX}session").as_bytes())
    }

    fn diagnostic(&mut self, index: u64, row: &Value) -> Result<(), Failed> {
        let said = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default();
        let content_type = bytes_of(said("content_type"));
        match said("category") {
            "truncated_chunk" => {
                let mut header = self.header(CHUNK);
                fill(&mut header, 80, 8, 1);
                fill(&mut header, 88, 8, number(row, "dropped_records").unwrap_or_default());
                self.begin(index, header, &content_type)
            }
            // A chunk that is also truncated has two diagnostics, and the first one began the record.
            "unknown_chunk" if self.next > index => Ok(()),
            "unknown_chunk" => self.begin(index, self.header(CHUNK), &content_type),
            "unknown_record" => self.begin(index, self.header(0), &content_type),
            "unfinished_capture" => {
                self.is_finished = false;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Appends a typed row. Begins a chunk first, unless the last record has the index of the row and no other type.
    fn typed(
        &mut self,
        index: u64,
        row: &Value,
        name: &'static str,
        plan: &Plan,
    ) -> Result<(), Failed> {
        if self.next == index + 1 && self.holds.is_none_or(|holds| holds == name) {
            self.holds = Some(name);
        } else {
            let suffix = plan.family.suffixes.first().copied().unwrap_or_default();
            let content_type = format!("{CONTENT_TYPE_PREFIX}{suffix}");
            self.begin(index, self.header(CHUNK), content_type.as_bytes())?;
            self.holds = Some(name);
        }
        let (header, payload) = self.writer.payload()?;
        Ok(plan.record(row, header, payload)?)
    }

    fn header(&self, record_type: u64) -> Header {
        let mut header = header(record_type);
        fill(&mut header, 16, 8, self.session_id);
        header
    }

    /// Begins the file record `index`. Placeholders for the records that the stream omits keep the indices unchanged.
    fn begin(&mut self, index: u64, header: Header, content_type: &[u8]) -> Result<(), Failed> {
        let Some(missing) = index.checked_sub(self.next) else {
            let least = self.next;
            return Err(
                format!("source_record_index is {index}, but must be at least {least}").into()
            );
        };
        self.absent = self.absent.saturating_add(missing);
        if self.absent > ABSENT_RECORDS {
            return Err(format!(
                "source_record_index is {index}: more than {ABSENT_RECORDS} records are missing"
            )
            .into());
        }
        for _ in 0..missing {
            self.writer.begin(self.header(CHUNK), ABSENT.as_bytes())?;
        }
        self.writer.begin(header, content_type)?;
        self.next = index + 1;
        self.holds = None;
        Ok(())
    }
}

fn number(row: &Value, key: &str) -> Option<u64> {
    row.get(key).and_then(Value::as_u64)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, Write};

    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_named_so() {
        for (text, wanted) in [
            ("{\"a\": 12}", Some("the line is longer than 8 bytes")),
            ("[123456]", Some("it is not a JSON object")),
            ("{\"a\": 1}\n", None),
        ] {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            file.rewind().unwrap();
            let reader = BufReader::new(file);
            let mut lines = Lines { reader, limit: 8, line: Vec::new(), number: 0, offset: 0 };
            assert!(lines.next().unwrap());
            let failed = lines.row().err().map(|error| error.to_string());
            assert_eq!(failed.as_deref(), wanted);
        }
    }
}
