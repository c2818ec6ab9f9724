//! Keeps what was decoded of traces in a folder, by the contents of the trace and its code objects, so that it is decoded
//! once, and later without the libraries.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use arrow::array::{ArrayRef, RecordBatch, StringViewArray, UInt64Array};
use arrow::error::ArrowError;
use base::digest::hexadecimal;
use base::replace;
use sha2::{Digest, Sha256};

use super::detail::Detail;
use super::request::{Parts, Reply, Request, send_tables};
use super::row::Origin;

/// Counts versions of the files: those of others are not found.
const VERSION: u32 = 2;

/// Maximum total size of the files, in bytes.
const LIMIT: u64 = 4 << 30;

/// The files of one trace: for each level of detail one with the tables that it adds. They need not exist.
#[derive(Debug)]
pub struct Cached {
    /// Their path without the level.
    stem: PathBuf,
}

impl Cached {
    /// Names the files of a trace in a folder.
    pub fn of(folder: &Path, request: &Request, images: &[&[u8]], trace: &[u8]) -> Self {
        let mut digest = Sha256::new();
        digest.update(VERSION.to_le_bytes());
        for number in request.loads.iter().flat_map(|load| {
            [load.code_object_id, load.image as u64, load.delta.cast_unsigned(), load.size]
        }) {
            digest.update(number.to_le_bytes());
        }
        for (image, bytes) in request.images.iter().zip(images) {
            digest.update(image.code_object_id.to_le_bytes());
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        }
        digest.update(trace);
        Self { stem: folder.join(hexadecimal(&digest.finalize())) }
    }

    /// Returns what was kept, as rows of a trace; `None` if nothing was in this detail, or it cannot be read.
    pub fn read(&self, origin: &Origin, detail: Detail) -> Option<Parts> {
        let mut all = Vec::new();
        for level in Detail::up_to(detail) {
            let mut file = File::open(self.path(level)).ok()?;
            // If its time cannot be set, it is only removed earlier.
            let _ = file.set_modified(SystemTime::now());
            if !is_whole(&mut file).ok()? {
                return None;
            }
            let reply = Reply::receive(file).ok()?;
            let parts = reply.tables(|table| Detail::of(table) == level).ok()?;
            for (table, batch) in parts {
                all.push((table, owned(&batch, origin).ok()?));
            }
        }
        Some(all)
    }

    /// Keeps what was decoded. If that fails, it is decoded again the next time.
    pub fn write(&self, parts: &Parts, detail: Detail) {
        let Some(folder) = self.stem.parent() else { return };
        if fs::create_dir_all(folder).is_err() {
            return;
        }
        for level in Detail::up_to(detail) {
            let own = parts.iter().filter(|(table, _)| Detail::of(table) == level).cloned();
            let own: Parts = own.collect();
            let _ = replace(&self.path(level), |file| send_with_digest(file, &own));
        }
        let _ = shrink(folder, LIMIT);
    }

    fn path(&self, level: Detail) -> PathBuf {
        self.stem.with_extension(level.name())
    }
}

/// Writes tables, and the digest of all bytes behind them.
fn send_with_digest(file: &mut (impl Read + Write + Seek), parts: &Parts) -> io::Result<()> {
    send_tables(file, parts).map_err(io::Error::other)?;
    file.rewind()?;
    let mut digest = Sha256::new();
    io::copy(file, &mut digest)?;
    file.write_all(&digest.finalize())
}

/// Whether a file ends with the digest of all bytes before. Leaves it at its start.
fn is_whole(file: &mut File) -> io::Result<bool> {
    let length = file.metadata()?.len().saturating_sub(Sha256::output_size() as u64);
    let mut digest = Sha256::new();
    io::copy(&mut Read::by_ref(file).take(length), &mut digest)?;
    let mut kept = Vec::new();
    file.read_to_end(&mut kept)?;
    file.rewind()?;
    Ok(digest.finalize().as_slice() == kept)
}

/// Removes the files of a folder that were not used for the longest time, until the others have at most `limit` bytes.
fn shrink(folder: &Path, limit: u64) -> io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        files.push((metadata.modified()?, metadata.len(), entry.path()));
    }
    files.sort_unstable();
    let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, length, path) in files {
        if bytes <= limit {
            break;
        }
        fs::remove_file(path)?;
        bytes -= length;
    }
    Ok(())
}

/// Returns the rows with another origin: the same trace may be in several bundles.
fn owned(batch: &RecordBatch, origin: &Origin) -> Result<RecordBatch, ArrowError> {
    let count = batch.num_rows();
    let label = std::iter::repeat_n(Some(&origin.bundle), count).collect::<StringViewArray>();
    let number = |value| -> ArrayRef { Arc::new(UInt64Array::from_value(value, count)) };
    let [session, trace, offset] =
        [origin.session_id, origin.trace_id, origin.byte_offset].map(number);
    let columns = [Arc::new(label) as ArrayRef, session, trace, offset];
    let rest = batch.columns().iter().skip(columns.len()).cloned();
    RecordBatch::try_new(batch.schema(), columns.into_iter().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_files_that_were_not_used_for_the_longest_time_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for (name, age) in [("a", 30), ("b", 10), ("c", 20)] {
            let path = folder.path().join(name);
            fs::write(&path, [0; 100]).unwrap();
            let time = SystemTime::now() - Duration::from_secs(age);
            File::open(&path).unwrap().set_modified(time).unwrap();
        }
        let left = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name());
            let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
            names.sort();
            names.concat()
        };
        shrink(folder.path(), 300).unwrap();
        assert_eq!(left(), "abc");
        shrink(folder.path(), 299).unwrap();
        assert_eq!(left(), "bc");
        shrink(folder.path(), 150).unwrap();
        assert_eq!(left(), "b");
    }
}
