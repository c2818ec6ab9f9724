//! What is tuned, and how.

use std::io;
use std::path::{Path, PathBuf};

use base::digest;
use base::words::OptionStyle;
use workspace::WorkspaceOptions;

use super::error::TuneError;
use super::options::TuneOptions;
use super::store::last_run;

/// What is tuned, and how.
#[derive(Debug, Clone, Default)]
pub struct TuneRequest {
    /// The model in MLIR.
    pub model: PathBuf,
    /// Flags of the compiler; if there are none, those for the CPU of this machine.
    pub compiler_flags: Vec<String>,
    /// The command that runs the model, without the flag for the module.
    pub command: Vec<String>,
    /// The folder of IREE's tools; `None` to look on the PATH and in an activated Python environment.
    pub tools: Option<PathBuf>,
    /// The folder of the trials and results. What is known there is not measured again.
    pub folder: PathBuf,
    /// Compile candidates and check that they are applied, for a device that is elsewhere; run nothing.
    pub compile_only: bool,
    /// Find out what would be tuned, and measure nothing but the model as it is.
    pub dry_run: bool,
    pub options: TuneOptions,
    /// How bundles are opened.
    pub workspace: WorkspaceOptions,
    /// How the reasons in the folder spell options.
    pub style: OptionStyle,
}

impl TuneRequest {
    /// Tunes a model with the default options, in a folder beside it.
    pub fn new(model: PathBuf) -> Self {
        Self { folder: model.with_extension("tune"), model, ..Self::default() }
    }

    /// Goes on with the last run of a folder: its model, flags of the compiler, command and options.
    pub fn resume(folder: &Path) -> Result<Self, TuneError> {
        let run = last_run(folder)?.ok_or_else(|| TuneError::NothingToResume(folder.to_owned()))?;
        let words = |text: &str| shlex::split(text).unwrap_or_default();
        let options = serde_json::from_str(&run.options)
            .map_err(|error| TuneError::reading(folder)(io::Error::other(error)))?;
        Ok(Self {
            model: PathBuf::from(&run.model),
            compiler_flags: words(&run.compiler_flags),
            command: words(&run.command),
            folder: folder.to_owned(),
            options,
            ..Self::default()
        })
    }

    /// Returns a digest of the files that the command reads: inputs, parameters and flags; `None` if it reads none.
    pub(super) fn files_sha256(&self) -> Result<Option<String>, TuneError> {
        let mut all = String::new();
        for word in &self.command {
            let Some((flag, value)) = word.split_once('=') else { continue };
            let path = match flag {
                "--input" => value.split_once('@').map(|(_, path)| path),
                "--parameters" => Some(value.split_once('=').map_or(value, |(_, path)| path)),
                "--flagfile" => Some(value),
                _ => None,
            };
            if let Some(path) = path.map(PathBuf::from) {
                all += &digest::of_file(&path).map_err(TuneError::reading(&path))?.1;
            }
        }
        Ok((!all.is_empty()).then(|| digest::of(all)))
    }
}
