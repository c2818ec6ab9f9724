//! The names of the prepared statements of a connection.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use pgwire::api::ClientInfo;
use pgwire::error::PgWireResult;

use super::errors::refused;

/// Most statements that a connection may keep prepared.
const MOST: usize = 1000;

/// The names of the prepared statements of a connection.
#[derive(Default)]
pub struct Names(Mutex<BTreeSet<String>>);

impl Names {
    /// Returns the names of a connection.
    pub fn of<C: ClientInfo>(client: &C) -> Arc<Self> {
        client.session_extensions().get_or_insert_with(Self::default)
    }

    /// Adds a name, unless there are too many.
    pub fn add(&self, name: &str) -> PgWireResult<()> {
        let mut names = self.0.lock();
        if names.contains(name) {
            return Ok(());
        }
        if names.len() >= MOST {
            return Err(refused("54000", format!("more than {MOST} prepared statements")));
        }
        names.insert(name.to_owned());
        Ok(())
    }

    /// Removes a name. Returns whether it was there.
    pub fn remove(&self, name: &str) -> bool {
        self.0.lock().remove(name)
    }

    /// Removes all names, and returns them.
    pub fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.0.lock())
    }
}
