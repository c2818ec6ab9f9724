//! Why something cannot be opened.

use std::io;
use std::path::{Path, PathBuf};

use engine::EngineError;
use model::tuning::dumps::DumpError;
use read::bundle::BundleError;
use read::history::HistoryError;
use read::remote::RemoteError;
use tools::bench::BenchError;

/// Why a workspace cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A bundle could not be opened.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A dataset or a history could not be opened, or a query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A history could not be opened.
    #[error(transparent)]
    History(#[from] HistoryError),
    /// An object could not be read.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The results of `bench` could not be read.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A dumped configuration could not be read.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// A file or folder could not be read.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file of definitions is wrong.
    #[error("in {place}")]
    Definition { place: String, source: EngineError },
    /// The threads of the queries could not be started.
    #[error("cannot start threads")]
    Threads(#[source] io::Error),
    /// A history was named together with others.
    #[error("a history cannot be opened together with bundles")]
    HistoryBesides,
    /// A dataset was named together with others.
    #[error("a folder of Parquet files cannot be opened together with other bundles")]
    DatasetBesides,
    /// Several folders of `tune` were named.
    #[error(
        "{} and {} are both folders of `ireescope tune`, of which only one can be opened, as their run numbers overlap; of the others, open `captures`",
        .0[0].display(),
        .0[1].display()
    )]
    TuneFolders([PathBuf; 2]),
    /// Bytes of bundles are needed, but the folder keeps rows of them.
    #[error("{folder} is {what}, but bundles are needed")]
    NotBundles { folder: String, what: &'static str },
    /// A folder of sources has none.
    #[error("{} has no .mlir file with a dispatch", .0.display())]
    NoSources(PathBuf),
    /// A folder of configurations has none.
    #[error("{} has no .mlir file with a configured dispatch", .0.display())]
    NoConfigurations(PathBuf),
}

impl OpenError {
    /// Converts the errors of reading a file or folder.
    pub(super) fn reading(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Read { path: path.to_owned(), source }
    }
}
