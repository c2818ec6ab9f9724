//! Why a path cannot be used.

use std::io;
use std::path::PathBuf;

/// Why a path cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// A folder of the server is none.
    #[error("cannot open the folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    /// It is not below the folders of the server.
    #[error("{given} is not below a folder that this server may use: {}", listed(.folders))]
    Outside { given: String, folders: Vec<PathBuf> },
    /// Something below a folder leads to somewhere else.
    #[error("{} leads outside of the folders that this server may use, by a symbolic link or a manifest: {}", found.display(), listed(.folders))]
    Leads { found: PathBuf, folders: Vec<PathBuf> },
    /// There is nothing there.
    #[error("there is nothing at {given}; the tool `open` without `bundles` lists what there is below {}", listed(.folders))]
    Missing { given: String, folders: Vec<PathBuf> },
    /// It is no path of a file.
    #[error("{given} is an address; this server reads files below its folders only")]
    Address { given: String },
    /// A pattern leads upwards.
    #[error("{given}: `..` cannot follow a wildcard")]
    Upwards { given: String },
    /// The pattern is invalid.
    #[error("{given} is no pattern: {source}")]
    Pattern { given: String, source: glob::PatternError },
    /// A folder has too many files to look at.
    #[error("{} has too many files; name one of the folders below", .0.display())]
    Large(PathBuf),
    /// A report needs another name.
    #[error("{given} cannot be written: {why}")]
    Output { given: String, why: &'static str },
}

fn listed(folders: &[PathBuf]) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}
