//! Performs parts of an export on several threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::cli::error::CliError;
use crate::workspace::STACK;

/// Performs each part on one of several threads, which take parts in turn, and stops at the first failure. Calls `finish`
/// after each part. Returns the results in the order of the parts.
pub fn perform<P: Sync, T: Send>(
    parts: &[P],
    threads: usize,
    mut finish: impl FnMut(&P) + Send,
    perform: impl Fn(&P) -> Result<T, CliError> + Sync,
) -> Result<Vec<T>, CliError> {
    let state = Mutex::new((parts.iter().enumerate(), &mut finish, Ok(Vec::new())));
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let work = || {
        loop {
            let Some((nth, part)) = lock().0.next() else { return };
            let performed = perform(part);
            let (waiting, finish, results) = &mut *lock();
            match (performed, results.as_mut()) {
                (Ok(result), Ok(results)) => results.push((nth, result)),
                (Ok(_), Err(_)) => {}
                (Err(error), _) => {
                    *waiting = [].iter().enumerate();
                    *results = Err(error);
                }
            }
            finish(part);
        }
    };
    let started = thread::scope(|scope| {
        let start = || thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        (0..threads.min(parts.len())).try_for_each(|_| start().map(drop))
    });
    started.map_err(|source| CliError::System { action: "start a thread", source })?;
    let mut results = state.into_inner().unwrap_or_else(PoisonError::into_inner).2?;
    results.sort_by_key(|(nth, _)| *nth);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
