//! Notices when files that are served change, by looking at their sizes and times: it works on network file systems, too,
//! which tell of no changes by others.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::opened::Opened;

/// How often files are looked at. They are opened again when they have not changed for as long, so that a file is not
/// opened while it is written.
const INTERVAL: Duration = Duration::from_secs(1);
/// How deep folders are looked into.
const DEPTH: usize = 8;

/// A file as it was seen: its path, size, time and number.
type Seen = (PathBuf, u64, Option<SystemTime>, u64);

/// Looks at the files for as long as the process runs, and opens them again when they have changed.
pub async fn watch(opened: Arc<Opened>) {
    let mut served = look(&opened).await;
    let mut last = served.clone();
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = look(&opened).await;
        if now != last {
            last = now;
            continue;
        }
        if now == served {
            continue;
        }
        let again = Arc::clone(&opened);
        let done = tokio::task::spawn_blocking(move || again.reopen()).await;
        match done {
            Ok(Ok(())) => tracing::info!("the files have changed and are opened again"),
            Ok(Err(error)) => {
                tracing::warn!("the files have changed and cannot be opened again: {error}");
            }
            Err(panicked) => {
                tracing::error!("a bug in ireescope or one of its libraries: {panicked}");
            }
        }
        // Also after a failure: the next change is tried again.
        served = now;
    }
}

async fn look(opened: &Arc<Opened>) -> Vec<Seen> {
    let opened = Arc::clone(opened);
    let looked = tokio::task::spawn_blocking(move || files(&opened.arguments));
    looked.await.unwrap_or_default()
}

/// Returns the files that arguments name, in the order of their paths.
fn files(arguments: &[String]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for argument in arguments {
        // A label stands before the path.
        let path = match argument.split_once('=') {
            Some((_, path)) if !Path::new(argument).exists() => path,
            _ => argument,
        };
        if Path::new(path).exists() {
            add(Path::new(path), DEPTH, &mut seen);
        } else if let Ok(found) = glob::glob(path) {
            found.flatten().for_each(|path| add(&path, DEPTH, &mut seen));
        }
    }
    seen.sort();
    seen.dedup();
    seen
}

fn add(path: &Path, depth: usize, seen: &mut Vec<Seen>) {
    let Ok(metadata) = fs::metadata(path) else { return };
    if !metadata.is_dir() {
        seen.push((path.to_owned(), metadata.len(), metadata.modified().ok(), number(&metadata)));
        return;
    }
    if depth == 0 {
        return;
    }
    let Ok(entries) = fs::read_dir(path) else { return };
    entries.flatten().for_each(|entry| add(&entry.path(), depth - 1, seen));
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}
