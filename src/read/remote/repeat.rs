//! Repeats requests whose answer was lost or cut. The crate repeats those that a store refuses for now, or that it never got.

use std::future::Future;
use std::time::{Duration, Instant};

use object_store::{BackoffConfig, Error, RetryConfig};

/// How often a request is made, and how long the first pause is.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);
/// A request that took longer was repeated by the crate already.
const LONG: Duration = Duration::from_secs(3);
/// How long people wait to learn that nothing can be reached.
const SOON: Duration = Duration::from_secs(2);

/// How the crate repeats the first requests of a command. By default, its pauses add up to more than a quarter of a minute.
pub(super) const FIRST: RetryConfig = RetryConfig {
    backoff: BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_millis(500),
        base: 2.0,
    },
    max_retries: 3,
    retry_timeout: SOON,
};

/// Makes a request until it has an answer, which may be a refusal.
pub async fn repeated<T, F: Future<Output = Result<T, Error>>>(
    request: impl FnMut() -> F,
) -> Result<T, Error> {
    repeated_within(Duration::MAX, request).await
}

/// Does the same for the first requests of a command, but not for long.
pub(super) async fn repeated_soon<T, F: Future<Output = Result<T, Error>>>(
    request: impl FnMut() -> F,
) -> Result<T, Error> {
    repeated_within(SOON, request).await
}

async fn repeated_within<T, F: Future<Output = Result<T, Error>>>(
    limit: Duration,
    mut request: impl FnMut() -> F,
) -> Result<T, Error> {
    let (mut tries, begun) = (1, Instant::now());
    loop {
        let start = Instant::now();
        match request().await {
            Err(Error::Generic { .. })
                if tries < TRIES && start.elapsed() < LONG && begun.elapsed() < limit =>
            {
                tokio::time::sleep(PAUSE * tries).await;
                tries += 1;
            }
            answer => return answer,
        }
    }
}
