//! What is served: opened once, and again when its files change.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use engine::Engine;
use read::bundle::Files;
use workspace::{Workspace, WorkspaceOptions, initialize};

use super::error::ServeError;

/// One state of what is served. Statements keep theirs until they end.
pub struct Snapshot {
    pub engine: Arc<Engine>,
    /// The files that it reads.
    pub files: Files,
    /// Counts the states.
    pub number: u64,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Snapshot").field("number", &self.number).finish_non_exhaustive()
    }
}

/// What is served, as its arguments name it.
pub struct Opened {
    pub arguments: Vec<String>,
    options: WorkspaceOptions,
    current: RwLock<Arc<Snapshot>>,
}

impl Opened {
    /// Opens what the arguments name.
    pub fn open(arguments: Vec<String>, options: WorkspaceOptions) -> Result<Self, ServeError> {
        let options = WorkspaceOptions { is_read_only: true, ..options };
        let current = RwLock::new(Arc::new(snapshot(&arguments, &options, 0)?));
        Ok(Self { arguments, options, current })
    }

    /// Returns the newest state.
    pub fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens everything again. Statements that begin after that read the new state.
    pub fn reopen(&self) -> Result<(), ServeError> {
        let number = self.current().number + 1;
        let opened = snapshot(&self.arguments, &self.options, number)?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(opened);
        Ok(())
    }
}

fn snapshot(
    arguments: &[String],
    options: &WorkspaceOptions,
    number: u64,
) -> Result<Snapshot, ServeError> {
    let files = Files::default();
    let options = WorkspaceOptions { files: files.clone(), ..options.clone() };
    let Workspace { engine, runtime } = Workspace::open_any(arguments, &options)?;
    initialize(&engine, &runtime, arguments, &options.listener)?;
    runtime.shutdown_background();
    Ok(Snapshot { engine, files, number })
}
