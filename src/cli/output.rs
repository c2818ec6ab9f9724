//! The output of results: standard output, a file that is written atomically, or an object of a store.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use exporters::{Format, Output, Target};
use tempfile::TempPath;

use super::error::CliError;
use super::limits::Limits;
use super::pager::{Paged, Pager};
use super::signals;
use crate::base::{Staging, folder_of, is_device, replacing, staging};
use crate::bundle::{Bundle, Files};
use crate::engine::Engine;
use crate::remote::{RemoteOutput, Stores, is_address};
use crate::report::text::wrap;

/// Maximum number of rows of a box on a terminal by default.
const MAX_ROWS: usize = 40;

/// The destination of the results of a command.
pub struct Destination {
    place: Place,
    /// Whether texts of CSV that a spreadsheet would take for formulas are marked.
    spreadsheet: bool,
    limits: Limits,
    /// The files of which it is made, which must be whole when it is committed.
    files: Files,
}

enum Place {
    /// Standard output, with the maximum number of rows of a box, and the pager of long results on a terminal.
    Stdout { max_rows: Option<usize>, pager: Option<Pager> },
    /// A file that is written to a temporary file in the same folder and renamed at the end. A device or pipe is
    /// written directly.
    File { path: PathBuf, file: Arc<File>, temporary: Option<TempPath> },
    /// An object of a store, to which a file of a temporary folder is copied at the end.
    Object(Box<Object>),
}

/// An object that is made.
struct Object {
    address: PathBuf,
    place: RemoteOutput,
    file: Arc<File>,
    folder: Staging,
}

impl Destination {
    /// Creates the destination: `path`, which may be the address of an object, or standard output. Fails if `path` is a bundle
    /// that the engines read.
    pub fn new<'a>(
        path: Option<&Path>,
        engines: impl IntoIterator<Item = &'a Engine>,
    ) -> Result<Self, CliError> {
        let bundles: Vec<_> = engines.into_iter().flat_map(Engine::bundles).collect();
        let files = Files::default();
        for bundle in &bundles {
            files.add(bundle.file());
        }
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            let max_rows = terminal_width().map(|_| MAX_ROWS);
            return Ok(Self::at(Place::Stdout { max_rows, pager: None }, files));
        };
        let address = path.to_str().filter(|text| is_address(text));
        // Follow symbolic links, so that the link is not replaced by a file.
        let resolved = fs::canonicalize(path);
        let path = resolved.as_deref().unwrap_or(path);
        let open = |bundle: &Arc<Bundle>| match address {
            Some(_) => bundle.path == path,
            None => fs::canonicalize(&bundle.path).is_ok_and(|known| known == path),
        };
        if bundles.into_iter().any(open) {
            return Err(CliError::Usage(format!(
                "{} is open as a bundle; choose another output file",
                path.display()
            )));
        }
        if let Some(address) = address {
            return Ok(Self::at(Place::Object(Box::new(Object::new(address)?)), files));
        }
        if !is_device(path) {
            fs::metadata(folder_of(path)).map_err(CliError::writing(path))?;
            signals::end_cleanly()?;
        }
        let (file, temporary) = replacing(path).map_err(CliError::writing(path))?;
        Ok(Self::at(Place::File { path: path.to_owned(), file: Arc::new(file), temporary }, files))
    }

    fn at(place: Place, files: Files) -> Self {
        Self { place, spreadsheet: false, limits: Limits::default(), files }
    }

    /// Sets the files of which the result is made, for one that no engine makes.
    pub fn of_files(self, files: &Files) -> Self {
        Self { files: files.clone(), ..self }
    }

    /// Selects whether texts of CSV that a spreadsheet would take for formulas are marked.
    pub fn for_spreadsheet(self, spreadsheet: bool) -> Self {
        Self { spreadsheet, ..self }
    }

    /// Sets the limits of results.
    pub fn limits(self, limits: &Limits) -> Self {
        Self { limits: limits.clone(), ..self }
    }

    /// Sets the maximum number of rows of a box on standard output, 0 for all; `None` keeps the default.
    pub fn max_rows(mut self, rows: Option<usize>) -> Self {
        if let (Place::Stdout { max_rows, .. }, Some(rows)) = (&mut self.place, rows) {
            *max_rows = Some(rows).filter(|rows| *rows > 0);
        }
        self
    }

    /// Sets the pager of results that are longer than the screen. Only standard output has one.
    pub fn pager(mut self, of_results: Option<Pager>) -> Self {
        if let Place::Stdout { pager, .. } = &mut self.place {
            *pager = of_results;
        }
        self
    }

    /// Returns a buffered writer, which must be flushed. The next one continues where it ends.
    pub fn writer(&self) -> Output {
        self.limits.bytes(self.unlimited())
    }

    fn unlimited(&self) -> Output {
        match &self.place {
            Place::Stdout { pager, .. } => match pager.as_ref().and_then(Paged::new) {
                Some(paged) => Box::new(paged),
                None => Box::new(BufWriter::with_capacity(1 << 16, io::stdout())),
            },
            Place::File { file, .. } => buffered(file),
            Place::Object(object) => buffered(&object.file),
        }
    }

    /// Writes the whole output with `write` and commits it.
    pub fn fill(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut out = self.writer();
        write(&mut out)?;
        out.flush().map_err(CliError::output)?;
        self.commit()
    }

    /// Writes JSON lines with `print`, or one array of them, and commits it.
    pub fn lines(
        self,
        is_array: bool,
        print: impl FnOnce(&mut dyn Write) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        self.fill(|out| {
            if !is_array {
                return print(out);
            }
            let mut array = exporters::LineArray::new(out).map_err(CliError::output)?;
            print(&mut array)?;
            array.finish().map_err(CliError::output)
        })
    }

    /// Writes a text for people, wrapped to the width of the terminal, and commits it.
    pub fn text(self, draw: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), CliError> {
        let width = self.target().width;
        self.fill(|out| {
            let Some(width) = width else { return draw(out).map_err(CliError::output) };
            let mut text = Vec::new();
            draw(&mut text).map_err(CliError::output)?;
            let text = wrap(&String::from_utf8_lossy(&text), width);
            out.write_all(text.as_bytes()).map_err(CliError::output)
        })
    }

    /// Returns the properties that encoders need.
    pub fn target(&self) -> Target {
        let target = Target { spreadsheet: self.spreadsheet, ..Target::default() };
        match &self.place {
            Place::Stdout { max_rows, .. } => {
                Target { width: terminal_width(), rows: *max_rows, ..target }
            }
            Place::File { .. } | Place::Object(_) => Target { file: true, ..target },
        }
    }

    /// Returns the named format, or the default: by the extension of a file, a box on a terminal, else CSV. Fails for a
    /// binary format on a terminal.
    pub fn format(&self, named: Option<Format>) -> Result<Format, CliError> {
        let format = match (named, &self.place) {
            (Some(format), _) => format,
            (None, Place::File { path, .. }) => extension(path)?,
            (None, Place::Object(object)) => extension(&object.address)?,
            (None, Place::Stdout { .. }) if io::stdout().is_terminal() => Format::Box,
            (None, Place::Stdout { .. }) => Format::Csv,
        };
        if format.is_binary()
            && matches!(self.place, Place::Stdout { .. })
            && io::stdout().is_terminal()
        {
            return Err(CliError::Usage(
                "arrow and parquet cannot be written to a terminal; name a file with -o, or use a pipe"
                    .into(),
            ));
        }
        Ok(format)
    }

    /// Renames the file to its final name, or copies it to the object. All writers must be flushed before.
    pub fn commit(self) -> Result<(), CliError> {
        self.files.whole()?;
        match self.place {
            Place::File { path, temporary: Some(temporary), .. } => {
                temporary
                    .persist(&path)
                    .map_err(|failed| CliError::writing(&path)(failed.error))?;
            }
            Place::Object(object) => {
                let Object { place, folder, .. } = *object;
                place.write(&folder.path().join(WHOLE)).map_err(CliError::Remote)?;
            }
            Place::File { temporary: None, .. } | Place::Stdout { .. } => {}
        }
        Ok(())
    }
}

/// The name of the file that becomes an object.
const WHOLE: &str = "whole";

impl Object {
    /// Creates the temporary file that becomes an object.
    fn new(address: &str) -> Result<Self, CliError> {
        let place = Stores::default().output(address).map_err(CliError::Remote)?;
        signals::end_cleanly()?;
        let temporary = std::env::temp_dir();
        let failed = CliError::writing(&temporary);
        let folder = staging(&temporary).map_err(failed)?;
        let file = Arc::new(File::create_new(folder.path().join(WHOLE)).map_err(failed)?);
        Ok(Self { address: address.into(), place, file, folder })
    }
}

fn buffered(file: &Arc<File>) -> Output {
    Box::new(BufWriter::with_capacity(1 << 16, Arc::clone(file)))
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
