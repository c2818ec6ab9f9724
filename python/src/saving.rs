//! Files that take their place once they are whole. Whoever gives up before that leaves nothing, even if a thread still writes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use exporters::{EncodeError, Format, Output};
use ireescope::base::{folder_of, is_device, replacing};
use ireescope::bundle::Files;
use ireescope::capture::Stop;
use ireescope::engine::Engine;
use tempfile::TempPath;

use crate::failure::{Done, Failure, whole};

/// A file that is written beside its place.
pub struct Saving {
    path: PathBuf,
    file: Arc<File>,
    /// `None` for a device or pipe, which is written directly.
    temporary: Option<TempPath>,
    /// Set when nobody wants the file any more.
    stop: Arc<Stop>,
}

impl Saving {
    /// Creates the file. Fails if it would take the place of a bundle that the engines read.
    pub fn new<'a>(path: &Path, engines: impl IntoIterator<Item = &'a Engine>) -> Done<Self> {
        // Links are followed, so that they are not replaced by files.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let mut bundles = engines.into_iter().flat_map(Engine::bundles);
        if bundles.any(|bundle| fs::canonicalize(&bundle.path).is_ok_and(|known| known == path)) {
            let text = format!("{} is open as a bundle; choose another file", path.display());
            return Err(Failure::Usage(text));
        }
        if path.is_dir() {
            return Err(Failure::Usage(format!("{} is a folder; name a file", path.display())));
        }
        if !is_device(&path) {
            fs::metadata(folder_of(&path)).map_err(writing(&path))?;
        }
        let (file, temporary) = replacing(&path).map_err(writing(&path))?;
        Ok(Self { path, file: Arc::new(file), temporary, stop: Arc::default() })
    }

    /// Returns a buffered writer, which must be flushed. It fails once the file is given up.
    pub fn writer(&self) -> Output {
        let wanted = Wanted { file: Arc::clone(&self.file), stop: Arc::clone(&self.stop) };
        Box::new(BufWriter::with_capacity(1 << 16, wanted))
    }

    /// Moves the file to its place, if what it was made of is whole.
    pub fn commit(mut self, files: &Files) -> Done<()> {
        files.whole()?;
        if let Some(temporary) = self.temporary.take() {
            temporary.persist(&self.path).map_err(|failed| writing(&self.path)(failed.error))?;
        }
        Ok(())
    }
}

impl Drop for Saving {
    fn drop(&mut self) {
        self.stop.ask();
    }
}

/// A file that somebody wants.
struct Wanted {
    file: Arc<File>,
    stop: Arc<Stop>,
}

impl Write for Wanted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.is_asked() {
            return Err(io::Error::other("the file is not wanted any more"));
        }
        (&*self.file).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.file).flush()
    }
}

/// Finds a format by its name, or else by the extension of a file.
pub fn format(path: &Path, name: Option<&str>) -> Done<Format> {
    let known = || Format::names().collect::<Vec<_>>().join(", ");
    if let Some(name) = name {
        let found = Format::named(name);
        return found.ok_or_else(|| {
            Failure::Usage(format!("there is no format `{name}`; formats are {}", known()))
        });
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    Format::of_extension(&extension).ok_or_else(|| {
        let path = path.display();
        Failure::Usage(format!(
            "the extension of {path} is that of no format; choose one of {}",
            known()
        ))
    })
}

/// Converts the errors of writing a file.
pub fn writing(path: &Path) -> impl Fn(io::Error) -> Failure + Copy {
    move |error| Failure::Resource(format!("cannot write {}: {error}", path.display()))
}

impl From<EncodeError> for Failure {
    fn from(error: EncodeError) -> Self {
        match error {
            EncodeError::Unsupported(_) => Self::Usage(error.to_string()),
            EncodeError::Io(_) => Self::Resource(whole(&error)),
        }
    }
}
