//! How a workspace is opened.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use att::Settings;
use base::processors;
use engine::{EngineError, Memory, Planning, default_limit};
use read::bundle::{self, Access, Files};
use read::remote::Stores;

use super::notice::Listener;

/// How a workspace is opened. The defaults suit most programs.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceOptions {
    /// Reject bundles of unfinished captures instead of reading their complete records.
    pub strict: bool,
    /// Number of threads; `None` for one per processor.
    pub threads: Option<usize>,
    /// Folders of `iree-compile --iree-hal-dump-executable-sources-to`, for `flops`, `bytes` and `op_kind` in SQL.
    pub sources: Vec<PathBuf>,
    /// Folders of `iree-compile --iree-hal-dump-executable-configurations-to`, for `knobs` in SQL.
    pub configurations: Vec<PathBuf>,
    /// Number of calls in each bundle, if it is known.
    pub calls: Option<u64>,
    /// The device in `device_peaks` that recorded the bundles, if it cannot be told from them.
    pub device: Option<String>,
    /// Memory for queries in bytes; `None` for half of the machine's or container's. Queries sort, group and join larger
    /// tables on disk.
    pub memory_limit: Option<usize>,
    /// The memory itself, where several workspaces share it.
    pub memory: Option<Memory>,
    /// The folder for what queries write to disk; `None` for that for temporary files.
    pub spill_folder: Option<PathBuf>,
    /// How instruction traces are decoded. Without a folder of its own, what was decoded is kept in that of the user.
    pub traces: Settings,
    /// Whether SQL may only read the bundles.
    pub is_read_only: bool,
    /// How statements are planned, if not to run here.
    pub planning: Option<Planning>,
    /// How the bytes of files are reached.
    pub access: Access,
    /// Where the opened files are listed.
    pub files: Files,
    /// The stores of objects that addresses name, and their cache.
    pub objects: Stores,
    /// Opens what the bundle `-` stands for; without it, the name is an error.
    pub standard_input: Option<fn() -> io::Result<File>>,
    /// Who takes warnings.
    pub listener: Listener,
}

impl WorkspaceOptions {
    /// Returns how bundles are opened.
    pub(super) fn of_bundles(&self) -> bundle::OpenOptions {
        bundle::OpenOptions {
            strict: self.strict,
            threads: self.threads(),
            access: self.access,
            files: self.files.clone(),
            standard_input: self.standard_input,
        }
    }

    /// Returns the memory for queries: that which is shared, or else one within the limit.
    pub fn memory(&self) -> Result<Memory, EngineError> {
        if let Some(shared) = &self.memory {
            return Ok(shared.clone());
        }
        let limit = self.memory_limit.unwrap_or_else(default_limit);
        let folder = self.spill_folder.clone().unwrap_or_else(std::env::temp_dir);
        Ok(Memory::limited(limit, folder)?)
    }

    /// Returns the number of threads that open and read bundles.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(processors)
    }
}
