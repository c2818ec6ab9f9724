//! The folders that a server may use, and the paths below them.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use base::with_extension;
use engine::dataset::Dataset;
use read::bundle::{Files, set, sources};
use read::history::History;
use read::remote::is_address;
use tools::bench::run::Folders as BenchFolders;

use super::path::PathError;
use super::tree::stray;

/// What makes an argument a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// The folders that a server may use. Nothing outside of them is opened or written, also not by links.
#[derive(Debug)]
pub struct Folders {
    /// Without links.
    roots: Vec<PathBuf>,
}

/// What was found where a relative path may start.
enum Found {
    Inside(Vec<PathBuf>),
    Outside,
    Nothing,
}

impl Folders {
    /// Takes the folders.
    pub fn new(folders: &[PathBuf]) -> Result<Self, PathError> {
        let root = |path: &PathBuf| {
            let failed = |source| PathError::Folder { path: path.clone(), source };
            let real = fs::canonicalize(path).map_err(failed)?;
            if real.is_dir() {
                Ok(real)
            } else {
                Err(failed(io::Error::from(io::ErrorKind::NotADirectory)))
            }
        };
        Ok(Self { roots: folders.iter().map(root).collect::<Result<_, _>>()? })
    }

    /// Returns the folders, without links.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Returns what an argument names, as arguments without links: a path, a pattern, or either as NAME=PATH. A relative path
    /// starts at one of the folders, or else at the working directory.
    pub fn named(&self, argument: &str) -> Result<Vec<String>, PathError> {
        let (name, path) = match sources::named(argument) {
            Some((name, path)) if self.resolve(argument).is_err() => (Some(name), path),
            _ => (None, argument),
        };
        let found = self.resolve(path)?;
        found.iter().try_for_each(|path| self.check(path))?;
        let spelled = |path: &PathBuf| match name {
            Some(name) => format!("{name}={}", path.display()),
            None => path.display().to_string(),
        };
        Ok(found.iter().map(spelled).collect())
    }

    /// Returns what several arguments name.
    pub fn all(&self, arguments: &[String]) -> Result<Vec<String>, PathError> {
        let named = arguments.iter().map(|argument| self.named(argument));
        Ok(named.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// Returns the path of a file that is to be written: it does not exist, and its folder does.
    pub(crate) fn new_file(&self, given: &str, extension: &str) -> Result<PathBuf, PathError> {
        let refused = |why| PathError::Output { given: given.to_owned(), why };
        let path = Path::new(given);
        let Some(name) = path.file_name().filter(|_| !given.ends_with(['/', '.'])) else {
            return Err(refused("it has no name"));
        };
        if path.extension() != Some(OsStr::new(extension)) {
            return Err(refused("the name must end with .html"));
        }
        let parent = path.parent().unwrap_or(Path::new(""));
        let folder = self.starts(parent).find_map(|folder| fs::canonicalize(folder).ok());
        let folder = match folder {
            Some(folder) if !self.is_inside(&folder) => return Err(self.outside(given)),
            None if !self.may_be_inside(parent) => return Err(self.outside(given)),
            Some(folder) if folder.is_dir() => folder,
            _ => return Err(refused("its folder does not exist")),
        };
        let path = folder.join(name);
        // A link to nothing is there, too.
        if fs::symlink_metadata(&path).is_ok() {
            return Err(refused("it exists already"));
        }
        Ok(path)
    }

    /// Fails if one of the files that were opened is outside, as a manifest may name any.
    pub fn opened(&self, files: &Files) -> Result<(), PathError> {
        for path in files.paths() {
            let is_outside = fs::canonicalize(&path).is_ok_and(|real| !self.is_inside(&real));
            if is_outside {
                return Err(PathError::Leads { found: path, folders: self.roots.clone() });
            }
        }
        Ok(())
    }

    fn is_inside(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// Returns where a path may start.
    fn starts(&self, path: &Path) -> impl Iterator<Item = PathBuf> {
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        self.roots.iter().map(PathBuf::as_path).chain([Path::new("")]).map(move |it| it.join(here))
    }

    fn outside(&self, given: &str) -> PathError {
        PathError::Outside { given: given.to_owned(), folders: self.roots.clone() }
    }

    /// Returns what a path or a pattern names.
    fn resolve(&self, given: &str) -> Result<Vec<PathBuf>, PathError> {
        if is_address(given) {
            return Err(PathError::Address { given: given.to_owned() });
        }
        let mut is_outside = false;
        for start in self.starts(Path::new(given)) {
            match self.at(&start, given)? {
                Found::Inside(paths) => return Ok(paths),
                Found::Outside => is_outside = true,
                Found::Nothing => {}
            }
        }
        // What is outside is not told, nor whether it exists.
        if is_outside || !self.may_be_inside(Path::new(given)) {
            return Err(self.outside(given));
        }
        Err(PathError::Missing { given: given.to_owned(), folders: self.roots.clone() })
    }

    fn at(&self, path: &Path, given: &str) -> Result<Found, PathError> {
        if let Ok(real) = fs::canonicalize(path) {
            let is_inside = self.is_inside(&real);
            return Ok(if is_inside { Found::Inside(vec![real]) } else { Found::Outside });
        }
        if given.contains(WILDCARDS) { self.matches(path, given) } else { Ok(Found::Nothing) }
    }

    /// Returns what matches a pattern: files and capture sets.
    fn matches(&self, pattern: &Path, given: &str) -> Result<Found, PathError> {
        let is_plain =
            |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(WILDCARDS);
        let start: PathBuf = pattern.components().take_while(is_plain).collect();
        let rest: PathBuf = pattern.components().skip_while(is_plain).collect();
        if rest.components().any(|part| part == Component::ParentDir) {
            return Err(PathError::Upwards { given: given.to_owned() });
        }
        let start = if start.as_os_str().is_empty() { Path::new(".") } else { &start };
        let Ok(start) = fs::canonicalize(start) else { return Ok(Found::Nothing) };
        if !self.is_inside(&start) {
            return Ok(Found::Outside);
        }
        let escaped = glob::Pattern::escape(&start.to_string_lossy());
        let found = glob::glob(&format!("{escaped}/{}", rest.display()))
            .map_err(|source| PathError::Pattern { given: given.to_owned(), source })?;
        let mut paths = Vec::new();
        for path in found.flatten().filter(|path| path.is_file() || set::is_one(path)) {
            let Ok(real) = fs::canonicalize(&path) else { continue };
            if !self.is_inside(&real) {
                return Err(PathError::Leads { found: path, folders: self.roots.clone() });
            }
            paths.push(real);
        }
        paths.dedup();
        Ok(if paths.is_empty() { Found::Nothing } else { Found::Inside(paths) })
    }

    /// Whether a path that does not exist would be inside: whether the last folder of it that exists is.
    fn may_be_inside(&self, path: &Path) -> bool {
        self.starts(path).any(|start| {
            let existing = start.ancestors().find_map(|it| fs::canonicalize(it).ok());
            existing.is_some_and(|real| self.is_inside(&real))
        })
    }

    /// Fails if a folder has something that is opened with it and is outside.
    fn check(&self, path: &Path) -> Result<(), PathError> {
        let leads = |found| PathError::Leads { found, folders: self.roots.clone() };
        // The folder `generated` stands for the results of `bench` that it is in.
        let above = path.parent().filter(|_| path.ends_with("generated"));
        if let Some(above) = above.filter(|it| BenchFolders::holds_runs(it) && !self.is_inside(it))
        {
            return Err(leads(above.to_owned()));
        }
        if !path.is_dir() {
            return Ok(());
        }
        for folder in read_as_a_whole(path) {
            if let Some(found) = stray(&folder, &|real| self.is_inside(real))? {
                return Err(leads(found));
            }
        }
        Ok(())
    }
}

/// Returns the folders whose files are read besides bundles: datasets, histories, results and capture sets, also those below.
fn read_as_a_whole(path: &Path) -> Vec<PathBuf> {
    let has_tables = with_extension(path, "parquet").is_ok_and(|found| !found.is_empty());
    let is_whole = has_tables
        || set::is_one(path)
        || Dataset::is_one(path)
        || History::is_one(path)
        || BenchFolders::holds_runs(path);
    if is_whole {
        return vec![path.to_owned()];
    }
    let views = path.join("views");
    let below = sources::expand(&[path.display().to_string()]).unwrap_or_default();
    let mut folders: Vec<PathBuf> =
        below.iter().filter_map(|source| Some(source.set.as_ref()?.folder.clone())).collect();
    // The folder itself may be a link, which only that it is in shows.
    folders.extend(views.is_dir().then(|| path.to_owned()).filter(|_| views.is_symlink()));
    folders.extend(Some(views).filter(|views| views.is_dir()));
    folders.dedup();
    folders
}
