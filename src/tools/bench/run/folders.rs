//! The layout of a folder of dispatch runs.
//!
//! ```text
//! generated/linalg/<kind>/<operation>/<operation>.mlir     source, for the most recent target
//! generated/linalg/<kind>/<operation>/<target>/            modules and the output of the tools
//! generated/reference_cache/<operation>/                   inputs and result
//! generated/captures/<target>/<dispatch>/                  capture set
//! generated/dispatch_runs/<when>.parquet                   results, one file per command
//! ```

use std::path::{Path, PathBuf};

use crate::bench::operation::Operation;
use crate::bench::target::Target;

/// The folder that contains `generated`.
#[derive(Debug, Clone)]
pub struct Folders {
    root: PathBuf,
}

/// The purpose of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Verify,
    Profile,
}

impl Mode {
    /// Returns the suffix of file names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Profile => "profile",
        }
    }
}

impl Folders {
    /// Creates the layout of a folder, which need not exist.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Returns the folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder of all generated files.
    pub fn generated(&self) -> PathBuf {
        self.root.join("generated")
    }

    /// Returns the file of remembered requests.
    pub fn requests(&self) -> PathBuf {
        self.generated().join("requests.json")
    }

    /// Returns the folder of an operation.
    pub fn operation(&self, operation: &Operation) -> PathBuf {
        let kind = operation.kind().name();
        self.generated().join("linalg").join(kind).join(operation.name())
    }

    /// Returns the folder of the modules of an operation for a target.
    pub fn modules(&self, operation: &Operation, target: &Target) -> PathBuf {
        self.operation(operation).join(target.name())
    }

    /// Returns the source of an operation.
    pub fn source(&self, operation: &Operation) -> PathBuf {
        self.operation(operation).join(format!("{}.mlir", operation.name()))
    }

    /// Returns a module of an operation.
    pub fn module(&self, operation: &Operation, target: &Target, mode: Mode) -> PathBuf {
        let name = format!("{}_{}.vmfb", operation.name(), mode.name());
        self.modules(operation, target).join(name)
    }

    /// Returns the folder of the inputs and the result of an operation.
    pub fn reference(&self, operation: &Operation) -> PathBuf {
        self.generated().join("reference_cache").join(operation.name())
    }

    /// Returns the capture set of a dispatch.
    pub fn captures(&self, dispatch: &str, target: &Target) -> PathBuf {
        self.generated().join("captures").join(label(target)).join(dispatch)
    }

    /// Returns the folder of the result files.
    pub fn dispatch_runs(&self) -> PathBuf {
        self.generated().join("dispatch_runs")
    }

    /// True if a folder contains results.
    pub fn holds_runs(folder: &Path) -> bool {
        Self::new(folder).dispatch_runs().is_dir()
    }
}

/// Returns device and architecture, as in the labels of bundles.
pub fn label(target: &Target) -> String {
    format!("{}-{}", target.device.name(), target.architecture().unwrap_or("any"))
}

/// Returns the label of the bundles of a dispatch, without the name of the run.
pub(crate) fn bundle_label(dispatch: &str, target: &Target) -> String {
    format!("{dispatch}@{}", label(target))
}
