//! The output of results: standard output, or a file that is written atomically.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use exporters::{Format, Output, Target};
use tempfile::NamedTempFile;

use super::error::CliError;
use super::format::FormatChoice;
use crate::bundle::{Bundle, temporary};
use crate::engine::Engine;

/// The destination of the results of a command.
pub enum Destination {
    Stdout,
    File(PendingFile),
}

/// A file that is written to a temporary file in the same folder and renamed at the end.
pub struct PendingFile {
    path: PathBuf,
    file: Shared,
}

/// The temporary file, or a device or pipe that is written directly.
enum Sink {
    Temporary(NamedTempFile),
    Direct(fs::File),
}

#[derive(Clone)]
/// A writer that can be cloned: encoders own one clone, and the commit needs the file back.
struct Shared(Arc<Mutex<BufWriter<Sink>>>);

impl Destination {
    /// Creates the destination: `path`, or standard output. Fails if `path` is a bundle that the engine reads.
    pub fn new(path: Option<&Path>, engine: &Engine) -> Result<Self, CliError> {
        Self::beside(path, &[engine])
    }

    /// Like [`Self::new`], for several engines.
    pub fn beside(path: Option<&Path>, engines: &[&Engine]) -> Result<Self, CliError> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Self::Stdout);
        };
        // Follow symbolic links, so that the link is not replaced by a file.
        let resolved = fs::canonicalize(path);
        let path = resolved.as_deref().unwrap_or(path);
        let open =
            |bundle: &Arc<Bundle>| fs::canonicalize(&bundle.path).is_ok_and(|known| known == path);
        if engines.iter().flat_map(|engine| engine.bundles()).any(open) {
            return Err(CliError::Usage(format!(
                "{} is open as a bundle; choose another output file",
                path.display()
            )));
        }
        let error = |source| CliError::File { action: "write", path: path.to_owned(), source };
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let sink = if special {
            Sink::Direct(fs::OpenOptions::new().write(true).open(path).map_err(error)?)
        } else {
            let folder = path
                .parent()
                .filter(|folder| !folder.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            fs::metadata(folder).map_err(error)?;
            // Drops the name of the temporary file from the message.
            Sink::Temporary(temporary(folder).map_err(|failed| error(failed.kind().into()))?)
        };
        let file = Shared(Arc::new(Mutex::new(BufWriter::with_capacity(1 << 16, sink))));
        Ok(Self::File(PendingFile { path: path.to_owned(), file }))
    }

    /// Returns a buffered writer.
    pub fn writer(&self) -> Output {
        match self {
            Self::Stdout => Box::new(BufWriter::with_capacity(1 << 16, io::stdout())),
            Self::File(file) => Box::new(file.file.clone()),
        }
    }

    /// Returns the properties that encoders need.
    pub fn target(&self) -> Target {
        match self {
            Self::Stdout => Target { width: terminal_width(), file: false },
            Self::File(_) => Target { width: None, file: true },
        }
    }

    /// Returns the named format, or the default: by the extension of a file, a box on a terminal, else CSV. Fails for a
    /// binary format on a terminal.
    pub fn format(&self, choice: FormatChoice) -> Result<Format, CliError> {
        let format = match (choice, self) {
            (FormatChoice::Named(format), _) => format,
            (FormatChoice::Auto, Self::File(file)) => extension(&file.path)?,
            (FormatChoice::Auto, Self::Stdout) if io::stdout().is_terminal() => Format::Box,
            (FormatChoice::Auto, Self::Stdout) => Format::Csv,
        };
        if format.is_binary() && matches!(self, Self::Stdout) && io::stdout().is_terminal() {
            return Err(CliError::Usage(
                "arrow and parquet cannot be written to a terminal; name a file with -o, or use a pipe"
                    .into(),
            ));
        }
        Ok(format)
    }

    /// Flushes the file and renames it to its final name. All writers must be dropped before.
    pub fn commit(self) -> Result<(), CliError> {
        let Self::File(PendingFile { path, file }) = self else { return Ok(()) };
        let error = |source| CliError::File { action: "write", path: path.clone(), source };
        file.lock().flush().map_err(error)?;
        let Some(writer) = Arc::into_inner(file.0) else {
            return Err(CliError::Usage(format!("{} is still being written", path.display())));
        };
        let writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        match writer.into_inner().map_err(|failed| error(failed.into_error()))? {
            Sink::Temporary(temporary) => {
                temporary.persist(&path).map_err(|failed| error(failed.error))?;
            }
            Sink::Direct(_) => {}
        }
        Ok(())
    }
}

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|source| CliError::System { action: "write to standard output", source })
}

/// Returns the width of the terminal in columns; `None` if standard output is no terminal.
pub fn terminal_width() -> Option<usize> {
    if !io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

fn extension(path: &Path) -> Result<Format, CliError> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    Format::of_extension(&extension).ok_or_else(|| {
        CliError::Usage(format!(
            "unknown format for the extension of {}; choose one with --format",
            path.display()
        ))
    })
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, BufWriter<Sink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.lock().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lock().flush()
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Temporary(file) => file.write(bytes),
            Self::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Temporary(file) => file.flush(),
            Self::Direct(file) => file.flush(),
        }
    }
}
