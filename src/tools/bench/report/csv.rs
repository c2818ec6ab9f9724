//! Results as CSV: columns for the tags, then the columns of IREE's dispatch profiler.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use csv::{Reader, Writer};

use super::file::ReportFile;
use crate::bench::error::BenchError;
use crate::bench::request::Collection;
use crate::bench::run::DispatchRun;

/// The provider column: what generated the code.
pub const PROVIDER: &str = "IREE Codegen";

/// Arguments that every file has columns for.
const ALWAYS: [&str; 9] =
    ["batch_count", "m", "n", "k", "lhs", "rhs", "result", "split_k_mode", "split_k_slices"];

/// Columns that the dispatch profiler does not have, but every file.
const OWN: [&str; 6] = ["epilogue", "Processes", "Low(ms)", "High(ms)", "Rank", "vs default"];

/// A writer of the file that flushes each row.
pub struct CsvReport {
    path: PathBuf,
    writer: Writer<ReportFile>,
    header: Vec<String>,
    tags: Vec<(String, String)>,
}

impl CsvReport {
    /// Creates the file, or opens it to append rows. Fails if an existing file lacks a column.
    pub fn open(
        path: &Path,
        is_appending: bool,
        tags: &[(String, String)],
        collections: &[Collection],
    ) -> Result<Self, BenchError> {
        let wanted = header(tags, collections);
        let is_double =
            |(at, name): &(usize, &String)| wanted.iter().take(*at).any(|it| it == *name);
        if let Some((_, name)) = wanted.iter().enumerate().find(is_double) {
            return Err(BenchError::Tag(name.clone()));
        }
        let known = if is_appending { known_header(path)? } else { None };
        if let Some(known) = &known
            && let Some(missing) = wanted.iter().find(|name| !known.contains(name))
        {
            return Err(BenchError::Column { path: path.to_owned(), name: missing.clone() });
        }
        let is_new = known.is_none();
        let failed = BenchError::file("write", path);
        let mut file = ReportFile::open(path, is_appending)?;
        if !is_new && !ends_a_line(path).map_err(failed)? {
            file.write_all(b"\n").map_err(failed)?;
        }
        let mut report = Self {
            path: path.to_owned(),
            writer: Writer::from_writer(file),
            header: known.unwrap_or(wanted),
            tags: tags.to_vec(),
        };
        if is_new {
            report.write(&report.header.clone())?;
        }
        Ok(report)
    }

    /// Writes the row of a dispatch.
    pub fn put(&mut self, row: &DispatchRun) -> Result<(), BenchError> {
        let cells: Vec<String> = self.header.iter().map(|name| self.cell(row, name)).collect();
        self.write(&cells)
    }

    /// Puts the file in its place.
    pub fn commit(self) -> Result<(), BenchError> {
        let failed = BenchError::file("write", &self.path);
        let file = self.writer.into_inner().map_err(|error| failed(error.error().kind().into()))?;
        file.commit()
    }

    fn write(&mut self, cells: &[String]) -> Result<(), BenchError> {
        let written = self.writer.write_record(cells).map_err(io::Error::from);
        written.and_then(|()| self.writer.flush()).map_err(BenchError::file("write", &self.path))
    }

    fn cell(&self, row: &DispatchRun, name: &str) -> String {
        if let Some((_, value)) = self.tags.iter().find(|(key, _)| key == name) {
            return value.clone();
        }
        match name {
            "Provider" => PROVIDER.to_owned(),
            "op_kind" => row.operation_kind.clone(),
            "Operation" => row.operation.clone(),
            "bytes" => row.bytes.to_string(),
            "flops" => row.flops.to_string(),
            "Tile config" => row.tile_config.clone(),
            "Core class" => row.core_class.clone(),
            "Instruction class" => row.instruction_class.clone(),
            "Verification" => row.verification.name().to_owned(),
            "Runtime(ms)" => runtime_ms(row).unwrap_or_default(),
            "GFLOPs" => gflops(row).unwrap_or_else(|| "Not run".to_owned()),
            "Processes" => count(row.process_count),
            "Low(ms)" => number(row.median_low_ns.map(|ns| ns / 1e6)),
            "High(ms)" => number(row.median_high_ns.map(|ns| ns / 1e6)),
            "Rank" => count(row.rank),
            "vs default" => number(row.vs_default),
            argument => {
                let mut pairs = row.argument_pairs();
                let found = pairs.find(|(key, _)| *key == argument);
                let nothing = if argument == "epilogue" { "none" } else { "" };
                found.map_or(nothing, |(_, value)| value).to_owned()
            }
        }
    }
}

/// Formats the run time in milliseconds with all digits.
pub fn runtime_ms(row: &DispatchRun) -> Option<String> {
    row.runtime_ms.map(|milliseconds| format!("{milliseconds:?}"))
}

/// Formats the rate in billions of operations per second, rounded to two decimals.
pub fn gflops(row: &DispatchRun) -> Option<String> {
    row.gflops.map(|rate| format!("{:?}", (rate * 100.0).round_ties_even() / 100.0))
}

fn count(count: Option<u64>) -> String {
    count.map_or_else(String::new, |count| count.to_string())
}

/// Formats a number with all digits.
fn number(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| format!("{number:?}"))
}

/// Returns the columns for these operations.
fn header(tags: &[(String, String)], collections: &[Collection]) -> Vec<String> {
    let mut names: Vec<String> = tags.iter().map(|(key, _)| key.clone()).collect();
    let before = ["Provider", "op_kind", "Operation", "bytes", "flops"];
    names.extend(before.into_iter().chain(ALWAYS).map(str::to_owned));
    let after =
        ["Tile config", "Core class", "Instruction class", "Verification", "Runtime(ms)", "GFLOPs"];
    names.extend(after.map(str::to_owned));
    // Columns that the dispatch profiler does not have come last, those that every file has before the others.
    let mut last = OWN.to_vec();
    let arguments = collections.iter().flat_map(|collection| collection.operation.arguments());
    for (key, _) in arguments {
        if !ALWAYS.contains(&key) && !last.contains(&key) {
            last.push(key);
        }
    }
    names.extend(last.into_iter().map(str::to_owned));
    names
}

/// True if the file ends with a newline. The file must not be empty.
fn ends_a_line(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Reads the header of a file; `None` if the file is missing or empty.
fn known_header(path: &Path) -> Result<Option<Vec<String>>, BenchError> {
    if std::fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        return Ok(None);
    }
    let header = || Reader::from_path(path)?.headers().cloned();
    let header = header().map_err(|error| BenchError::file("read", path)(error.into()))?;
    Ok(Some(header.iter().map(str::to_owned).collect()))
}
