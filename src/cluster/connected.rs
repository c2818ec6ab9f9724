//! The workers that answer when a statement begins.

use std::time::Duration;

use datafusion::error::{DataFusionError, Result};
use datafusion_distributed::{GetWorkerInfoRequest, WorkerResolver};
use futures::future::join_all;
use url::Url;

use super::codec::FORMAT;
use super::connections::Connections;
use super::errors::absent;

/// How long a worker may take to say that it is there.
const ANSWER: Duration = Duration::from_secs(5);

/// The workers that have answered.
#[derive(Clone)]
pub struct Connected {
    pub urls: Vec<Url>,
    pub connections: Connections,
    /// The threads of the worker with most.
    pub threads: usize,
}

impl WorkerResolver for Connected {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.urls.clone())
    }
}

impl Connected {
    /// Asks workers whether they are there. An error if none is, or one is of another version.
    pub async fn to(workers: &[Url], connections: Connections) -> Result<Self> {
        let asked = workers.iter().map(async |url| {
            let mut channel = connections.to(url)?;
            let answer =
                tokio::time::timeout(ANSWER, channel.get_worker_info(GetWorkerInfoRequest {}));
            let late =
                |_| absent(format!("the worker at {url} has not answered within {ANSWER:?}"));
            Ok((url.clone(), answer.await.map_err(late)??.version))
        });
        let (mut urls, mut threads) = (Vec::new(), 1);
        let mut failed: Option<DataFusionError> = None;
        for answer in join_all(asked).await {
            match answer {
                Ok((url, version)) => {
                    threads = threads.max(threads_of(&url, &version)?);
                    urls.push(url);
                }
                Err(error) => failed = Some(error),
            }
        }
        // What has one task runs where it is asked, so a worker that is alone gets two.
        if let [only] = urls.as_slice() {
            urls.push(only.clone());
        }
        match failed {
            Some(error) if urls.is_empty() => {
                let said = error.find_root().strip_backtrace();
                let said = said.trim_start_matches("Execution error: ");
                Err(absent(format!("no worker of option `cluster` answers; start them: {said}")))
            }
            _ => Ok(Self { urls, connections, threads }),
        }
    }
}

/// Returns the number of threads in the version text of a worker. An error if it is of another version.
fn threads_of(url: &Url, version: &str) -> Result<usize> {
    let threads = version.strip_prefix(FORMAT).and_then(|rest| rest.trim().parse().ok());
    threads.ok_or_else(|| {
        absent(format!(
            "the worker at {url} is {version:?}, but this process is {FORMAT:?}; all processes of a cluster have to be of one version"
        ))
    })
}

/// Returns the version text of a worker with so many threads.
pub(super) fn version_text(threads: usize) -> String {
    format!("{FORMAT} {threads}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_of_other_versions_are_refused() {
        let url = Url::parse("http://127.0.0.1:1").unwrap();
        assert_eq!(threads_of(&url, &version_text(12)).unwrap(), 12);
        for other in ["", "ireescope 0.0.1 plan 1 4"] {
            let error = threads_of(&url, other).unwrap_err().to_string();
            assert!(error.contains("have to be of one version"), "{error}");
        }
    }
}
