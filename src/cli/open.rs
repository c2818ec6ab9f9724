//! The flags of opening, and what is said of it.

use std::path::PathBuf;

use crate::base::printable;
use bytesize::ByteSize;
use clap::Args;

use super::error::CliError;
use super::flags::FLAGS;
use super::standard_input;
use crate::att::Settings;
use crate::bundle::Files;
use crate::engine::Planning;
use crate::remote::Stores;
use crate::workspace::{Listener, Notice, Workspace, WorkspaceOptions};

/// How bundles are opened.
#[derive(Debug, Clone, Default, Args)]
pub struct Opening {
    /// Reject bundles of unfinished captures instead of reading their complete records
    #[arg(long, global = true)]
    pub strict: bool,
    /// Number of threads (default: one per processor)
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder of `iree-compile --iree-hal-dump-executable-sources-to`, for `flops`, `bytes` and `op_kind` in SQL; may be
    /// repeated
    #[arg(long, global = true, value_name = "DIR")]
    pub sources: Vec<PathBuf>,
    /// Folder of `iree-compile --iree-hal-dump-executable-configurations-to`, for `knobs` in SQL; may be repeated
    #[arg(long, global = true, value_name = "DIR")]
    pub configurations: Vec<PathBuf>,
    /// Number of calls in each bundle, if `top` says that it is not certain
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub calls: Option<u32>,
    /// Device in `device_peaks` that recorded the bundles, if it cannot be told from them
    #[arg(long, global = true, value_name = "DEVICE")]
    pub peaks: Option<String>,
    /// Memory for queries, e.g. `512MB` (default: half of the machine's or container's); they sort, group and join
    /// larger tables on disk
    #[arg(long, global = true, value_name = "SIZE")]
    pub memory_limit: Option<ByteSize>,
    /// Folder for what queries write to disk (default: that for temporary files)
    #[arg(long, global = true, value_name = "DIR")]
    pub spill_dir: Option<PathBuf>,
    /// Most bytes of copies of objects that are kept, e.g. `2GB` (default: 10GiB)
    #[arg(long, global = true, value_name = "SIZE")]
    pub object_cache: Option<ByteSize>,
    /// The program, which is started again to decode traces.
    #[arg(skip)]
    pub program: Option<PathBuf>,
    /// How instruction traces are decoded; `att` sets it.
    #[arg(skip)]
    pub traces: Settings,
    /// Whether SQL may only read the bundles; `sql` sets it.
    #[arg(skip)]
    pub is_read_only: bool,
    /// How statements are planned, if not to run here; `sql` sets it.
    #[arg(skip)]
    pub planning: Option<Planning>,
    /// The files that were opened.
    #[arg(skip)]
    pub files: Files,
}

impl Opening {
    /// Opens what the arguments name. Fails if nothing was recorded.
    pub fn open(&self, arguments: &[String]) -> Result<Workspace, CliError> {
        Ok(Workspace::open(arguments, &self.options())?)
    }

    /// Like [`Self::open`], but accepts captures that recorded nothing.
    pub fn open_any(&self, arguments: &[String]) -> Result<Workspace, CliError> {
        Ok(Workspace::open_any(arguments, &self.options())?)
    }

    /// Like [`Self::open_any`], for statements that can be stopped.
    pub fn open_stoppable(&self, arguments: &[String]) -> Result<Workspace, CliError> {
        Ok(Workspace::open_stoppable(arguments, &self.options())?)
    }

    /// Like [`Self::open_any`], but salvages damaged files.
    pub fn salvage(&self, arguments: &[String]) -> Result<Workspace, CliError> {
        Ok(Workspace::salvage(arguments, &self.options())?)
    }

    /// Opens each bundle as a workspace of its own.
    pub fn open_each(&self, arguments: &[String]) -> Result<Vec<Workspace>, CliError> {
        Ok(Workspace::open_each(arguments, &self.options())?)
    }

    /// Converts the flags.
    pub fn options(&self) -> WorkspaceOptions {
        let limit = self.memory_limit.map(|it| usize::try_from(it.as_u64()).unwrap_or(usize::MAX));
        let traces =
            Settings { program: self.program.clone(), options: FLAGS, ..self.traces.clone() };
        WorkspaceOptions {
            strict: self.strict,
            threads: self.threads.map(usize::from),
            sources: self.sources.clone(),
            configurations: self.configurations.clone(),
            calls: self.calls.map(u64::from),
            device: self.peaks.clone(),
            memory_limit: limit,
            spill_folder: self.spill_dir.clone(),
            traces,
            is_read_only: self.is_read_only,
            planning: self.planning.clone(),
            objects: Stores::keeping(self.object_cache.map(|it| it.as_u64())),
            files: self.files.clone(),
            standard_input: Some(standard_input::file),
            listener: listener(),
            ..WorkspaceOptions::default()
        }
    }
}

/// Prints notices.
pub fn listener() -> Listener {
    Listener::new(warn)
}

fn warn(notice: Notice) {
    match notice {
        Notice::View(error) => CliError::from(error).warn(),
        other => eprintln!("ireescope: warning: {}", printable(&other.to_string())),
    }
}

/// Warns of traces that could not be decoded for queries.
pub fn warn_undecoded(problems: &[String]) {
    for problem in problems {
        eprintln!("ireescope: warning: {problem}");
    }
}
