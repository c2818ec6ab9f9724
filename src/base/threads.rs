//! Work on several threads.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

/// Returns the number of processors that this process may use.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Does the same work for all items on up to so many threads, this one included. Each takes the next item. Returns the
/// results in the order of the items.
pub fn in_order<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let Ok(done) =
        try_in_order(items, threads, None, |_| {}, |item| Ok::<R, Infallible>(work(item)));
    done
}

/// Like [`in_order`] for work that may fail: no thread takes another item after the first failure. The other
/// threads have a stack of this size in bytes. Calls `finished` after each item.
pub fn try_in_order<T: Sync, R: Send, E: Send>(
    items: &[T],
    threads: usize,
    stack: Option<usize>,
    finished: impl FnMut(&T) + Send,
    work: impl Fn(&T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let state = Mutex::new((items.iter().enumerate(), finished, Ok(Vec::new())));
    let lock = || state.lock().unwrap_or_else(PoisonError::into_inner);
    let run = || {
        loop {
            let Some((nth, item)) = lock().0.next() else { return };
            let result = work(item);
            let (waiting, finished, results) = &mut *lock();
            match (result, results.as_mut()) {
                (Ok(result), Ok(results)) => results.push((nth, result)),
                (Ok(_), Err(_)) => {}
                (Err(error), _) => {
                    *waiting = [].iter().enumerate();
                    *results = Err(error);
                }
            }
            finished(item);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(items.len()) {
            let builder = stack.map_or_else(Builder::new, |bytes| Builder::new().stack_size(bytes));
            // If no more threads can be started, the others do its work.
            let _ = builder.spawn_scoped(scope, run);
        }
        run();
    });
    let mut results = state.into_inner().unwrap_or_else(PoisonError::into_inner).2?;
    results.sort_by_key(|(nth, _)| *nth);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
