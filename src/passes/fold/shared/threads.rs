//! Runs parts of a pass on several threads.

use read::bundle::BundleError;

/// Runs the same work on several threads and returns their results. Of several errors, returns the one at the lowest
/// file offset, regardless of timing.
pub fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, BundleError> + Sync,
) -> Result<Vec<T>, BundleError> {
    if threads < 2 {
        return Ok(vec![work()?]);
    }
    let results = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    let (mut fine, mut failed) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(result) => fine.push(result),
            Err(error) => failed.push(error),
        }
    }
    failed.into_iter().min_by_key(BundleError::offset).map_or(Ok(fine), Err)
}

/// Runs two independent parts concurrently if there are at least two threads.
pub(crate) fn side_by_side<A: Send, B>(
    threads: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B,
) -> (A, B) {
    if threads < 2 {
        return (one(), other());
    }
    std::thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        match one.join() {
            Ok(one) => (one, other),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
