//! Why something cannot be exported.

use std::io;
use std::path::{Path, PathBuf};

use engine::EngineError;
use engine::dataset::{DatasetError, MANIFEST};
use exporters::EncodeError;
use read::bundle::BundleError;
use read::remote::RemoteError;

use crate::OpenError;

/// Why something cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The bundles could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A bundle could not be read.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A query with the condition of the caller failed.
    #[error("in `{query}`")]
    Condition { query: String, source: EngineError },
    /// The rows could not be encoded, or the output could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A file or folder could not be written.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The condition is empty or more than a condition.
    #[error("the text is not one SQL condition")]
    NotOneCondition,
    /// The name of a relation and the condition are more than that.
    #[error("the texts are not one name of a relation and one SQL condition")]
    NotOneRelation,
    /// No relation with rows per bundle has this name.
    #[error("there is no table or view {0} with rows per bundle")]
    UnknownRelation(String),
    /// The folder has other files.
    #[error("{} contains files but no {MANIFEST}; export to an empty or new folder", .0.display())]
    OtherFiles(PathBuf),
    /// The folder has another capture with a label that nobody chose.
    #[error(
        "{} has {label} from {stored} already, and {new} is another capture: name it with NAME=PATH, or export it to another folder",
        folder.display()
    )]
    OtherCapture { folder: PathBuf, label: String, stored: String, new: String },
    /// An object could not be read or written.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The caller stopped the export.
    #[error("the export was stopped")]
    Stopped,
}

impl From<DatasetError> for ExportError {
    fn from(error: DatasetError) -> Self {
        Self::Engine(error.into())
    }
}

impl ExportError {
    /// Converts the errors of writing a file or folder.
    pub(super) fn writing<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Write { path: path.to_owned(), source: error.into() }
    }
}
