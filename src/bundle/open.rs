//! Opens a bundle from a file, a pipe or standard input.
//!
//! Input that cannot be mapped as it is goes through an unnamed temporary file: pipes, gzip-compressed bundles, and
//! `ireeperf-jsonl` streams, which are converted to bundles.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::read::MultiGzDecoder;

use super::chain::tail;
use super::directory::{Directory, Entry};
use super::error::{BundleError, Fault};
use super::header::{FileHeader, NO_RECORDS, RecordHeader};
use super::ireeperf;
use super::map::{self, Map};
use super::problem::{Problem, Severity};
use super::set::{CaptureSet, SetRun};
use super::source::{BundleSource, StandIn};
use super::threads::{in_order, processors};
use super::walk::walk;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// An open bundle: its mapped bytes, its directory, and the capture set that it belongs to.
#[derive(Debug)]
pub struct Bundle {
    pub label: String,
    /// Whether the user chose the label.
    pub is_named: bool,
    pub path: PathBuf,
    pub header: FileHeader,
    pub directory: Directory,
    pub compressed: bool,
    /// Size of the file on disk.
    pub file_bytes: u64,
    /// Its run in the capture set, and runs without a bundle that are listed with it.
    pub runs: Vec<SetRun>,
    /// The capture set that it was opened from.
    pub set: Option<Arc<CaptureSet>>,
    /// Set if there is no file.
    pub stand_in: Option<StandIn>,
    map: Map,
    is_stopped: AtomicBool,
}

/// Opens a source on all processors. With `strict`, an incomplete bundle is an error.
pub fn open(source: &BundleSource, strict: bool) -> Result<Bundle, BundleError> {
    open_on(source, strict, processors())
}

/// Opens sources in parallel: several at a time, or parts of a single one.
pub fn open_all(
    sources: &[BundleSource],
    strict: bool,
    threads: usize,
) -> Vec<Result<Bundle, BundleError>> {
    let of_each = if sources.len() > 1 { 1 } else { threads };
    in_order(sources, threads, |source| open_on(source, strict, of_each))
}

fn open_on(source: &BundleSource, strict: bool, threads: usize) -> Result<Bundle, BundleError> {
    let path = source.path.as_path();
    let io = |action| BundleError::io(action, path);
    let mut file = match source.stand_in {
        Some(_) => header_alone(),
        None if source.is_stdin() => stdin(),
        None => File::open(path),
    }
    .map_err(io("open"))?;
    let metadata = file.metadata().map_err(io("read"))?;
    if metadata.is_dir() {
        let hint = "it is a folder without .ireeprof files";
        return Err(BundleError::Missing { path: path.display().to_string(), hint });
    }
    if !metadata.is_file() {
        // Pipes and devices cannot be mapped.
        file = spool(path, file)?;
    }
    let compressed = begins_with(&mut file, &GZIP_MAGIC).map_err(io("read"))?;
    let mut cut = None;
    if compressed {
        (file, cut) = decompress(path, file)?;
    }
    if begins_with(&mut file, b"{").map_err(io("read"))? {
        file = ireeperf::bundle_of(path, file)?;
    }
    let map = Map::of(&file, path).map_err(io("map"))?;
    let header = FileHeader::parse(&map).map_err(|fault| unreadable(path, map.len(), fault))?;
    let directory = walk(&map, &header, threads);
    if map.is_cut(false) {
        return Err(shortened(path, map.len() as u64));
    }
    let mut directory =
        directory.map_err(|fault| BundleError::Damaged { path: path.to_owned(), fault })?;
    directory.problems.extend(cut);
    let bundle = Bundle {
        label: source.label.clone(),
        is_named: source.named,
        path: path.to_owned(),
        header,
        directory,
        compressed,
        file_bytes: metadata.len(),
        runs: source.runs.clone(),
        set: source.set.clone(),
        stand_in: source.stand_in,
        map,
        is_stopped: AtomicBool::new(false),
    };
    let problem = match bundle.stand_in {
        Some(StandIn::Lost) => Some("the file is missing, but its capture set lists it".to_owned()),
        _ => bundle.salvage().map(|problem| problem.what.clone()),
    };
    match problem.filter(|_| strict) {
        Some(problem) => Err(BundleError::Unfinished { path: path.to_owned(), problem }),
        None => Ok(bundle),
    }
}

impl Bundle {
    /// Lets everything that reads the records of this bundle end with [`BundleError::Stopped`], or lets it read again.
    pub fn stop(&self, is_stopped: bool) {
        self.is_stopped.store(is_stopped, Ordering::Relaxed);
    }

    /// Fails if reading is to stop.
    pub fn go_on(&self) -> Result<(), BundleError> {
        if self.is_stopped.load(Ordering::Relaxed) { Err(BundleError::Stopped) } else { Ok(()) }
    }

    /// Returns the main problem because of which data is missing from the tables: an unfinished file, or else the first
    /// error.
    pub fn salvage(&self) -> Option<&Problem> {
        let problems = &self.directory.problems;
        problems
            .iter()
            .find(|problem| problem.kind == "unfinished")
            .or_else(|| problems.iter().find(|problem| problem.severity == Severity::Error))
    }

    /// Returns all bytes of the uncompressed file.
    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Returns the bytes of the file from the header of a record on; none if there is no such record.
    pub fn record(&self, record: u32) -> &[u8] {
        let entry = self.directory.entries.get(record as usize);
        entry.map_or(&[], |entry| tail(&self.map, entry.offset))
    }

    /// Parses the header of a record.
    pub fn record_header(&self, entry: &Entry) -> Result<RecordHeader, BundleError> {
        let bytes = tail(&self.map, entry.offset);
        RecordHeader::parse(bytes, entry.offset).map_err(|fault| self.damaged(fault))
    }

    /// Returns the payload of a record and its absolute offset.
    #[inline]
    pub fn payload(&self, record: u32) -> (&[u8], u64) {
        let (offset, length) = self.directory.payload(record);
        let payload = tail(&self.map, offset);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        (payload.get(..length).unwrap_or_default(), offset)
    }

    /// Returns the name of a record, as the producer wrote it.
    pub fn record_name(&self, entry: &Entry) -> Result<&[u8], BundleError> {
        let length = self.record_header(entry)?.name_length;
        let start = (entry.offset + u64::from(entry.before_payload)).saturating_sub(length.into());
        Ok(tail(&self.map, start).get(..length as usize).unwrap_or_default())
    }

    /// Fails if the file became shorter while it was read: what was read of it is then wrong. Costs next to nothing.
    pub fn whole(&self) -> Result<(), BundleError> {
        if self.map.is_cut(false) {
            return Err(shortened(&self.path, self.map.len() as u64));
        }
        Ok(())
    }

    /// Wraps a fault in the error that names this file.
    pub fn damaged(&self, fault: Fault) -> BundleError {
        if self.map.is_cut(true) {
            return shortened(&self.path, self.map.len() as u64);
        }
        BundleError::Damaged { path: self.path.clone(), fault }
    }
}

/// Fails if any file became shorter while this process read it: what was read of it is then wrong.
pub fn all_whole() -> Result<(), BundleError> {
    map::compare();
    map::shortened().map_or(Ok(()), |(path, was)| Err(shortened(&path, was)))
}

fn shortened(path: &Path, was: u64) -> BundleError {
    let is = path.metadata().map_or(0, |metadata| metadata.len());
    if is < was {
        return BundleError::Shortened { path: path.to_owned(), was, is };
    }
    // The same signal also tells that the storage failed.
    let source = io::Error::other("the storage failed, or the file changed while it was read");
    BundleError::Io { action: "read", path: path.to_owned(), source }
}

fn unreadable(path: &Path, length: usize, fault: Fault) -> BundleError {
    let what = if length == 0 {
        "it is empty; the capture wrote nothing".to_owned()
    } else {
        fault.to_string()
    };
    if length == 0 || matches!(fault.field, "magic" | "version_major") {
        BundleError::unreadable(path, what)
    } else {
        BundleError::Damaged { path: path.to_owned(), fault }
    }
}

/// Whether the bytes where a gzip member should begin are not a gzip header. flate2 has no error kind for this, only a
/// message.
fn is_header_error(error: &io::Error) -> bool {
    error.to_string().contains("invalid gzip header")
}

/// Copies a stream into an unnamed temporary file.
fn spool(path: &Path, mut file: File) -> Result<File, BundleError> {
    let io = |action| BundleError::io(action, path);
    let mut copy = tempfile::tempfile().map_err(io("create a temporary file to copy"))?;
    io::copy(&mut file, &mut copy).map_err(io("read"))?;
    copy.seek(SeekFrom::Start(0)).map_err(io("read"))?;
    Ok(copy)
}

/// Decompresses into an unnamed temporary file, so that the bytes can be mapped and do not fill the heap. A stream that
/// ends early is read up to there; the problem is returned.
fn decompress(path: &Path, file: File) -> Result<(File, Option<Problem>), BundleError> {
    let io = |action| BundleError::io(action, path);
    let mut unpacked = tempfile::tempfile().map_err(io("create a temporary file to decompress"))?;
    let mut decoder = MultiGzDecoder::new(io::BufReader::new(file));
    let mut buffer = vec![0; 1 << 16];
    let mut written = 0_u64;
    loop {
        let count = match decoder.read(&mut buffer) {
            Ok(0) => return Ok((unpacked, None)),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let what = format!(
                    "the gzip stream is truncated; the {written} decompressed bytes are read"
                );
                let problem = Problem::new(Severity::Error, "cut_gzip", written, None, what);
                return Ok((unpacked, Some(problem)));
            }
            Err(error) if is_header_error(&error) && written > 0 => {
                // Like gzip(1), ignores bytes after the last member that do not begin another one.
                let what = format!("bytes after the gzip stream are ignored: {error}");
                let problem = Problem::new(Severity::Info, "after_gzip", written, None, what);
                return Ok((unpacked, Some(problem)));
            }
            Err(error) => {
                let what = format!(
                    "the gzip stream is corrupt after {written} decompressed bytes: {error}"
                );
                return Err(BundleError::unreadable(path, what));
            }
        };
        unpacked.write_all(buffer.get(..count).unwrap_or_default()).map_err(io("unpack"))?;
        written += count as u64;
    }
}

/// Whether the file begins with `magic`. Rewinds the file.
fn begins_with(file: &mut File, magic: &[u8]) -> io::Result<bool> {
    let mut found = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    Read::by_ref(file).take(magic.len() as u64).read_to_end(&mut found)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(found == magic)
}

/// Creates a bundle without records, for a stand-in.
fn header_alone() -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(&NO_RECORDS)?;
    Ok(file)
}

#[cfg(unix)]
fn stdin() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

#[cfg(not(unix))]
fn stdin() -> io::Result<File> {
    let mut copy = tempfile::tempfile()?;
    io::copy(&mut io::stdin().lock(), &mut copy)?;
    Ok(copy)
}
