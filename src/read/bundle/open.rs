//! Opens a bundle from a file, a pipe or standard input.
//!
//! Input that cannot be mapped as it is goes through an unnamed temporary file: pipes, gzip-compressed bundles, and
//! `ireeperf-jsonl` streams, which are converted to bundles.

use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use base::{in_order, processors};
use flate2::read::MultiGzDecoder;
use foldhash::quality::FixedState;

use super::chain::tail;
use super::directory::{Directory, Entry};
use super::error::{BundleError, Fault};
use super::files::{Files, shortened};
use super::header::{FileHeader, NO_RECORDS, RecordHeader};
use super::ireeperf;
use super::map::{Map, MappedFile};
use super::problem::{Problem, Severity};
use super::set::{CaptureSet, SetRun};
use super::source::{BundleSource, LOST, StandIn};
use super::walk::walk;

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// How bundles are opened.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// Whether an incomplete bundle is an error.
    pub strict: bool,
    /// Number of threads that open and read.
    pub threads: usize,
    pub access: Access,
    /// Where the opened files are listed.
    pub files: Files,
    /// Opens what the path `-` stands for; without it, the path is an error.
    pub standard_input: Option<fn() -> io::Result<File>>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            strict: false,
            threads: processors(),
            access: Access::default(),
            files: Files::default(),
            standard_input: None,
        }
    }
}

/// How the bytes of files are reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Access {
    /// Files are mapped as they are. The process handles SIGBUS, which tells that one became shorter; signals for other
    /// addresses are passed on to the handler that was there before.
    #[default]
    Mapped,
    /// Files are copied to unnamed temporary files, which nothing else can change, and these are mapped. No signal is
    /// handled. This is for processes whose owner does not want a handler.
    Copied,
}

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
    /// The files that are read for the same purpose, which are stopped together.
    files: Files,
}

/// Opens a source.
pub fn open(source: &BundleSource, options: &OpenOptions) -> Result<Bundle, BundleError> {
    open_on(source, options, options.threads)
}

/// Opens sources in parallel: several at a time, or parts of a single one.
pub fn open_all(
    sources: &[BundleSource],
    options: &OpenOptions,
) -> Vec<Result<Bundle, BundleError>> {
    let of_each = if sources.len() > 1 { 1 } else { options.threads };
    in_order(sources, options.threads, |source| open_on(source, options, of_each))
}

fn open_on(
    source: &BundleSource,
    options: &OpenOptions,
    threads: usize,
) -> Result<Bundle, BundleError> {
    let path = source.path.as_path();
    let io = |action| BundleError::io(action, path);
    let mut file = match (source.stand_in, options.standard_input) {
        (Some(_), _) => header_alone(),
        (None, Some(input)) if source.is_stdin() => input(),
        (None, None) if source.is_stdin() => {
            let hint = "it stands for standard input, which is not given";
            return Err(BundleError::Missing { path: "-".into(), hint });
        }
        _ => File::open(source.copy.as_deref().unwrap_or(path)),
    }
    .map_err(io("open"))?;
    let metadata = file.metadata().map_err(io("read"))?;
    if metadata.is_dir() {
        let hint = "it is a folder without .ireeprof files";
        return Err(BundleError::Missing { path: path.display().to_string(), hint });
    }
    // Pipes and devices cannot be mapped.
    if !metadata.is_file() || options.access == Access::Copied {
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
    let map = Map::of(&file, path, options.access == Access::Copied).map_err(io("map"))?;
    options.files.add(map.file());
    let header = FileHeader::parse(&map).map_err(|fault| unreadable(path, map.len(), fault))?;
    let directory = walk(&map, &header, threads);
    if map.is_cut() {
        return Err(shortened(map.file()));
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
        files: options.files.clone(),
    };
    let problem = match bundle.stand_in {
        Some(StandIn::Lost) => Some(LOST.to_owned()),
        _ => bundle.salvage().map(|problem| problem.what.clone()),
    };
    match problem.filter(|_| options.strict) {
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
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(BundleError::Stopped);
        }
        self.files.go_on()
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

    /// Returns a hash of all bytes of the uncompressed file, the same in each process.
    pub fn content_hash(&self) -> u64 {
        FixedState::default().hash_one(self.bytes())
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
    pub(crate) fn record_name(&self, entry: &Entry) -> Result<&[u8], BundleError> {
        let length = self.record_header(entry)?.name_length;
        let start = (entry.offset + u64::from(entry.before_payload)).saturating_sub(length.into());
        Ok(tail(&self.map, start).get(..length as usize).unwrap_or_default())
    }

    /// Fails if the file became shorter while it was read: what was read of it is then wrong. Costs next to nothing.
    pub fn whole(&self) -> Result<(), BundleError> {
        if self.map.is_cut() { Err(shortened(self.map.file())) } else { Ok(()) }
    }

    /// Returns what is known of its file, beyond the life of the bundle.
    pub const fn file(&self) -> &Arc<MappedFile> {
        self.map.file()
    }

    /// Wraps a fault in the error that names this file.
    pub fn damaged(&self, fault: Fault) -> BundleError {
        if self.map.file().is_shorter() {
            return shortened(self.map.file());
        }
        BundleError::Damaged { path: self.path.clone(), fault }
    }
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
