//! Repeats requests whose answer was lost or cut. The crate repeats those that a store refuses for now, or that it never got.

use std::future::Future;
use std::time::{Duration, Instant};

use object_store::Error;

/// How often a request is made, and how long the first pause is.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);
/// No request is repeated after this time: the crate repeats those without an answer as well, and people wait.
const LONG: Duration = Duration::from_secs(2);

/// Makes a request until it has an answer, which may be a refusal.
pub async fn repeated<T, F: Future<Output = Result<T, Error>>>(
    mut request: impl FnMut() -> F,
) -> Result<T, Error> {
    let mut tries = 1;
    let begun = Instant::now();
    loop {
        match request().await {
            Err(Error::Generic { .. }) if tries < TRIES && begun.elapsed() < LONG => {
                tokio::time::sleep(PAUSE * tries).await;
                tries += 1;
            }
            answer => return answer,
        }
    }
}
