//! Copies files of this machine to objects. Large ones are sent in parts, which become an object together when all are there.
//!
//! A store keeps the parts of an upload that never ends, and who owns the bucket pays for them. So an upload that fails is
//! aborted, and so are those that run when a signal ends the process ([`abort_uploads`]).

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use futures::future;
use futures::stream::{FuturesUnordered, StreamExt};
use object_store::path::Path as Key;
use object_store::{
    Attribute, Attributes, MultipartUpload, ObjectStore, PutMultipartOptions, PutOptions,
    PutPayload,
};
use tokio::sync::watch;

use super::error::RemoteError;
use super::repeat::repeated;

/// Bytes of a file from which on it is sent in parts.
const PARTS_FROM: u64 = 32 << 20;
/// Bytes of a part.
const PART: usize = 8 << 20;
/// Parts that are sent at once.
const AT_ONCE: usize = 4;
/// How long a process that ends waits for the answers of stores.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether the process ends. Each upload in parts has a receiver as long as it runs.
static ENDING: LazyLock<watch::Sender<bool>> = LazyLock::new(|| watch::channel(false).0);

/// Aborts the uploads that run, and waits until the stores have answered, but not for long.
pub fn abort_uploads() {
    ENDING.send_replace(true);
    let begun = Instant::now();
    while ENDING.receiver_count() > 0 && begun.elapsed() < PATIENCE {
        sleep(Duration::from_millis(10));
    }
}

/// Types of contents by the ends of names, so that browsers show what they can.
const CONTENT_TYPES: &[(&str, &str)] = &[
    ("csv", "text/csv; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("json", "application/json"),
    ("jsonl", "application/jsonl"),
    ("md", "text/markdown; charset=utf-8"),
    ("parquet", "application/vnd.apache.parquet"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain; charset=utf-8"),
];

/// Returns what a store tells of the contents of an object; nothing if its name tells nothing.
fn content_type(key: &Key) -> Attributes {
    let known = CONTENT_TYPES.iter().find(|(end, _)| key.extension() == Some(end));
    known.map(|(_, of)| (Attribute::ContentType, *of)).into_iter().collect()
}

/// Copies a file to an object, which then has all of it or stays as it is.
pub(super) async fn upload(
    store: Arc<dyn ObjectStore>,
    key: Key,
    address: String,
    from: PathBuf,
) -> Result<(), RemoteError> {
    let failed = |error| RemoteError::of("write", &address)(error);
    let unreadable = |source| RemoteError::Cache { path: from.clone(), source };
    let size = from.metadata().map_err(unreadable)?.len();
    if size < PARTS_FROM {
        let payload = PutPayload::from(std::fs::read(&from).map_err(unreadable)?);
        let options = PutOptions::from(content_type(&key));
        let put = repeated(|| store.put_opts(&key, payload.clone(), options.clone()));
        return put.await.map(drop).map_err(failed);
    }
    let mut file = File::open(&from).map_err(unreadable)?;
    let mut ending = ENDING.subscribe();
    let options = PutMultipartOptions::from(content_type(&key));
    let mut upload = store.put_multipart_opts(&key, options).await.map_err(failed)?;
    let sent = tokio::select! {
        sent = send(upload.as_mut(), &mut file) => sent,
        // There is a sender as long as the process runs.
        _ = ending.wait_for(|ends| *ends) => Err(Unsent::Ending),
    };
    let Err(unsent) = sent else { return Ok(()) };
    // What cannot be aborted either is told by the first error.
    let _ = upload.abort().await;
    Err(match unsent {
        Unsent::File(error) => unreadable(error),
        Unsent::Store(error) => failed(error),
        // The process ends with the exit code of the signal, and nobody else has to be told.
        Unsent::Ending => {
            drop(ending);
            future::pending().await
        }
    })
}

/// Why a file was not sent.
#[derive(Debug)]
enum Unsent {
    File(std::io::Error),
    Store(object_store::Error),
    Ending,
}

/// Sends a file in parts, and completes the object.
async fn send(upload: &mut dyn MultipartUpload, file: &mut File) -> Result<(), Unsent> {
    let mut running = FuturesUnordered::new();
    while let Some(part) = next_part(file).map_err(Unsent::File)? {
        if running.len() == AT_ONCE {
            running.next().await.transpose().map_err(Unsent::Store)?;
        }
        // The parts are numbered in the order in which they are put.
        running.push(upload.put_part(part.into()));
    }
    while let Some(sent) = running.next().await {
        sent.map_err(Unsent::Store)?;
    }
    upload.complete().await.map(drop).map_err(Unsent::Store)
}

/// Reads the next part of a file; `None` at its end.
fn next_part(file: &mut File) -> std::io::Result<Option<Vec<u8>>> {
    let mut part = Vec::with_capacity(PART);
    file.take(PART as u64).read_to_end(&mut part)?;
    Ok(Some(part).filter(|part| !part.is_empty()))
}
