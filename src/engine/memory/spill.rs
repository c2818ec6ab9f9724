//! Spill files: they have no name, so that the system removes them when the process ends, also when it is killed.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::spill_file::{SpillFile, SpillWriter, TempFileFactory};
use futures::{Stream, stream};

/// Bytes that are read at once.
const BLOCK: usize = 1 << 20;

/// Creates spill files in a folder.
pub struct Unnamed(pub PathBuf);

impl TempFileFactory for Unnamed {
    fn create_temp_file(&self, _description: &str) -> Result<Arc<dyn SpillFile>> {
        let folder = &self.0;
        let file = tempfile::tempfile_in(folder)
            .map_err(|error| failed("create a file in", folder, &error))?;
        Ok(Arc::new(Spilled { file: Arc::new(Mutex::new(file)), folder: folder.clone() }))
    }
}

/// Describes a failure, with what to do about it.
fn failed(action: &str, folder: &std::path::Path, error: &io::Error) -> DataFusionError {
    let folder = folder.display();
    DataFusionError::ResourcesExhausted(format!(
        "cannot {action} the spill folder {folder}: {error}; name another one with option `spill_dir`, or raise option `memory_limit`"
    ))
}

/// One spill file. Readers and writers share its position, so that each sets it under the lock.
struct Spilled {
    file: Arc<Mutex<File>>,
    folder: PathBuf,
}

impl SpillFile for Spilled {
    fn size(&self) -> Option<u64> {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.metadata().ok().map(|metadata| metadata.len())
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        let (file, folder) = (Arc::clone(&self.file), self.folder.clone());
        let blocks = stream::try_unfold(0, move |offset| {
            let block = read(&file, offset).map_err(|error| failed("read from", &folder, &error));
            async move {
                let block = block?;
                let next = offset + block.len() as u64;
                Ok((!block.is_empty()).then_some((block, next)))
            }
        });
        Ok(Box::pin(blocks))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        let writer = End { file: Arc::clone(&self.file), folder: self.folder.clone() };
        Ok(Box::new(Buffered(BufWriter::with_capacity(BLOCK, writer))))
    }
}

/// Reads the next block from `offset`; an empty one at the end of the file.
fn read(file: &Mutex<File>, offset: u64) -> io::Result<Bytes> {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(offset))?;
    let mut block = Vec::with_capacity(BLOCK);
    Read::by_ref(&mut *file).take(BLOCK as u64).read_to_end(&mut block)?;
    Ok(block.into())
}

/// Writes to the end of a file.
struct End {
    file: Arc<Mutex<File>>,
    folder: PathBuf,
}

impl Write for End {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::End(0))?;
        file.write(bytes)
            .map_err(|error| io::Error::new(error.kind(), failed("write to", &self.folder, &error)))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Buffered(BufWriter<End>);

impl Write for Buffered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl SpillWriter for Buffered {
    fn finish(&mut self) -> Result<()> {
        Ok(self.0.flush()?)
    }
}
