//! Where files of a folder of dispatches stand.
//!
//!     generated/linalg/<kind>/<operation>/<operation>.mlir     the source, for the target that was asked for last
//!     generated/linalg/<kind>/<operation>/<target>/            modules, and what the tools said of them
//!     generated/reference_cache/<operation>/                   inputs and the result
//!     generated/captures/<target>/<dispatch>/                  a capture set
//!     generated/dispatch_runs/<when>.parquet                   results, a file for each command

use std::path::{Path, PathBuf};

use crate::bench::{Operation, Target};

/// The folder that holds `generated`.
#[derive(Debug, Clone)]
pub struct Folders {
    root: PathBuf,
}

/// What a module is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Verify,
    Profile,
}

impl Mode {
    /// As names of files end.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Profile => "profile",
        }
    }
}

impl Folders {
    /// Those of a folder, which need not be there.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All that is ours.
    pub fn generated(&self) -> PathBuf {
        self.root.join("generated")
    }

    /// What was asked for.
    pub fn requests(&self) -> PathBuf {
        self.generated().join("requests.json")
    }

    /// One operation's.
    pub fn operation(&self, operation: &Operation) -> PathBuf {
        let kind = operation.kind().name();
        self.generated().join("linalg").join(kind).join(operation.name())
    }

    /// Its modules for a target.
    pub fn modules(&self, operation: &Operation, target: &Target) -> PathBuf {
        self.operation(operation).join(target.name())
    }

    /// Its source.
    pub fn source(&self, operation: &Operation) -> PathBuf {
        self.operation(operation).join(format!("{}.mlir", operation.name()))
    }

    /// A module.
    pub fn module(&self, operation: &Operation, target: &Target, mode: Mode) -> PathBuf {
        let name = format!("{}_{}.vmfb", operation.name(), mode.name());
        self.modules(operation, target).join(name)
    }

    /// Its inputs and its result.
    pub fn reference(&self, operation: &Operation) -> PathBuf {
        self.generated().join("reference_cache").join(operation.name())
    }

    /// The capture set of a dispatch.
    pub fn captures(&self, dispatch: &str, target: &Target) -> PathBuf {
        self.generated().join("captures").join(label(target)).join(dispatch)
    }

    /// The files of results.
    pub fn dispatch_runs(&self) -> PathBuf {
        self.generated().join("dispatch_runs")
    }

    /// Whether a folder holds results.
    pub fn holds_runs(folder: &Path) -> bool {
        Self::new(folder).dispatch_runs().is_dir()
    }
}

/// Target and device, as the label of a bundle holds them.
pub fn label(target: &Target) -> String {
    format!("{}-{}", target.device.name(), target.architecture().unwrap_or("any"))
}

/// The label of the bundles of a dispatch's captures, before the run's name.
pub fn bundle_label(dispatch: &str, target: &Target) -> String {
    format!("{dispatch}@{}", label(target))
}
