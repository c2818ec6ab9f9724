//! The flags of subcommands that compile.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::error::CliError;
use crate::cli::signals::{interrupted, listen};
use crate::cli::values::duration;
use crate::compiler::{Compiler, CompilerError, CompilerOptions};

/// The flags of subcommands that compile.
#[derive(Debug, Args)]
pub struct Compiling {
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Time limit of a compilation
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Duration,
    /// Flags of iree-compile, such as --iree-hal-target-device=vulkan; by default those for the CPU of this machine
    #[arg(last = true, value_name = "FLAG")]
    pub flags: Vec<String>,
}

impl Compiling {
    /// Finds the compiler, and listens for signals.
    pub fn compiler(&self) -> Result<Compiler, CliError> {
        let options = CompilerOptions {
            tools: self.iree_bin_dir.clone(),
            flags: self.flags.clone(),
            time_limit: self.compile_timeout,
        };
        Ok(Compiler::new(options, listen()?)?)
    }
}

impl From<CompilerError> for CliError {
    fn from(error: CompilerError) -> Self {
        match error {
            CompilerError::Tool(error) => Self::Capture(error),
            CompilerError::Refused { path, words } => Self::Model { path, words },
            CompilerError::TimedOut(_) => Self::Lacking(error.to_string()),
            CompilerError::Interrupted => interrupted(error.to_string()),
            CompilerError::Dump(error) => Self::Dump(error),
            CompilerError::Spec { path, source } => Self::Spec { path, source },
            CompilerError::NoResults(_) => Self::Unjudged(error.to_string()),
            CompilerError::Read { path, source } => Self::Read { path, source },
            CompilerError::Write { path, source } => Self::Write { path, source },
            CompilerError::TemporaryFolder(source) => {
                Self::System { action: "create a temporary folder", source }
            }
        }
    }
}
