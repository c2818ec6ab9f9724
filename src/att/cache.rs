//! Keeps what was decoded of traces in a folder, by the contents of the trace and its code objects, so that it is decoded
//! once, and later without the libraries.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringViewArray, UInt64Array};
use arrow::error::ArrowError;
use sha2::{Digest, Sha256};

use super::request::{Reply, Request, send_tables};
use super::row::Origin;
use crate::bundle::digest::hexadecimal;
use crate::bundle::replace;

/// Counts versions of the files: those of others are not found.
const VERSION: u32 = 1;

/// The tables of a trace.
pub type Parts = Vec<(&'static str, RecordBatch)>;

/// The files of one trace, which need not exist.
#[derive(Debug)]
pub struct Cached {
    /// Without waves, their states and the occupancy.
    brief: PathBuf,
    detailed: PathBuf,
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
        let name = hexadecimal(&digest.finalize());
        let file = |end: &str| folder.join(format!("{name}.{end}"));
        Self { brief: file("brief"), detailed: file("detailed") }
    }

    /// Returns what was kept, as rows of a trace; `None` if nothing was, or it cannot be read.
    pub fn read(&self, origin: &Origin, is_detailed: bool) -> Option<Parts> {
        let read = |path: &PathBuf| {
            let parts = Reply::receive(File::open(path).ok()?).ok()?.tables().ok()?;
            let own = parts.into_iter().map(|(table, batch)| Ok((table, owned(&batch, origin)?)));
            own.collect::<Result<Parts, ArrowError>>().ok()
        };
        read(&self.detailed).or_else(|| if is_detailed { None } else { read(&self.brief) })
    }

    /// Keeps what was decoded. If that fails, it is decoded again the next time.
    pub fn write(&self, parts: &Parts, is_detailed: bool) {
        let path = if is_detailed { &self.detailed } else { &self.brief };
        let batches: Vec<RecordBatch> = parts.iter().map(|(_, batch)| batch.clone()).collect();
        if let Some(folder) = path.parent()
            && fs::create_dir_all(folder).is_ok()
        {
            let _ =
                replace(path, |file| send_tables(file, &batches).map_err(std::io::Error::other));
        }
    }
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
