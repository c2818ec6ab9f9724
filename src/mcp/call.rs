//! A call of a tool: what it may open, and whether it goes on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use read::bundle::Files;
use serde::de::DeserializeOwned;
use serde_json::Value;
use workspace::{Listener, OpenError, Workspace, WorkspaceOptions};

use super::error::CallError;
use super::folders::Folders;
use super::limits::Limits;
use super::table::Room;

/// A call of a tool.
pub struct Call {
    pub folders: Arc<Folders>,
    pub limits: Limits,
    pub begun: Instant,
    /// How bundles are opened; SQL only reads them.
    pub options: WorkspaceOptions,
    notes: Arc<Mutex<Vec<String>>>,
    /// How the tool is asked for fewer rows, or for others.
    further: String,
}

/// Opens what arguments name.
type Opens = fn(&[String], &WorkspaceOptions) -> Result<Workspace, OpenError>;

impl Call {
    /// A call that begins now.
    pub fn new(
        folders: &Arc<Folders>,
        limits: Limits,
        options: &WorkspaceOptions,
        further: String,
    ) -> Self {
        let notes: Arc<Mutex<Vec<String>>> = Arc::default();
        let for_listener = Arc::clone(&notes);
        let listener = Listener::new(move |notice| {
            for_listener.lock().unwrap_or_else(PoisonError::into_inner).push(notice.to_string());
        });
        let options = WorkspaceOptions {
            is_read_only: true,
            files: Files::default(),
            standard_input: None,
            listener,
            ..options.clone()
        };
        Self {
            folders: Arc::clone(folders),
            limits,
            begun: Instant::now(),
            options,
            notes,
            further,
        }
    }

    /// Opens what the arguments name below the folders.
    pub fn open(&self, arguments: &[String], opens: Opens) -> Result<Workspace, CallError> {
        let arguments = self.arguments(arguments)?;
        let workspace = opens(&arguments, &self.options)?;
        self.folders.opened(&self.options.files)?;
        Ok(workspace)
    }

    /// Returns what the arguments name below the folders, for what opens it by itself. [`Self::checked`] is called after that.
    pub fn arguments(&self, arguments: &[String]) -> Result<Vec<String>, CallError> {
        if arguments.is_empty() {
            return Err(CallError::Arguments("name at least one bundle".into()));
        }
        Ok(self.folders.all(arguments)?)
    }

    /// Fails if something outside of the folders was opened, or a file became shorter while it was read.
    pub fn checked(&self) -> Result<(), CallError> {
        self.folders.opened(&self.options.files)?;
        Ok(self.options.files.whole()?)
    }

    /// Fails if the call is to stop.
    pub fn go_on(&self) -> Result<(), CallError> {
        Ok(self.options.files.go_on()?)
    }

    /// Returns the time that is left.
    pub fn left(&self) -> Duration {
        self.limits.time.saturating_sub(self.begun.elapsed())
    }

    /// Returns the room of a reply, with at most this many rows if a number is asked for.
    pub fn room(&self, rows: Option<usize>) -> Room {
        let rows = rows.unwrap_or(self.limits.rows).min(self.limits.rows);
        Room::new(rows, self.limits.bytes, self.further.clone())
    }

    /// Returns the warnings of opening.
    pub fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads the arguments of a tool.
pub fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, CallError> {
    serde_json::from_value(arguments).map_err(|error| CallError::Arguments(error.to_string()))
}
