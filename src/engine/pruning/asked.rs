//! What is asked of views while statements are planned.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Mentioned;

/// What the statements that are being planned mention; everything while there are none.
#[derive(Debug, Default)]
pub struct Asked(Mutex<Statements>);

#[derive(Debug, Default)]
struct Statements {
    being_planned: usize,
    mentioned: Mentioned,
}

/// Statements are being planned.
#[derive(Debug)]
pub struct Asking(Arc<Asked>);

impl Asked {
    /// Statements that mention this are planned until the guard is dropped.
    pub fn ask(self: &Arc<Self>, mentioned: Mentioned) -> Asking {
        let mut statements = self.statements();
        statements.being_planned += 1;
        statements.mentioned.add(mentioned);
        Asking(Arc::clone(self))
    }

    /// Whether these columns are asked for now, any of them.
    pub fn wants_any(&self, columns: &[String]) -> bool {
        let statements = self.statements();
        let is_wanted = |column: &String| statements.mentioned.has(column);
        columns.iter().any(|it| statements.being_planned == 0 || is_wanted(it))
    }

    /// What is asked now.
    pub fn now(&self) -> Mentioned {
        let statements = self.statements();
        if statements.being_planned > 0 {
            statements.mentioned.clone()
        } else {
            Mentioned::everything()
        }
    }

    fn statements(&self) -> MutexGuard<'_, Statements> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut statements = self.0.statements();
        statements.being_planned -= 1;
        if statements.being_planned == 0 {
            statements.mentioned = Mentioned::default();
        }
    }
}
