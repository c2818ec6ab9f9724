//! The compilation cache: a JSON file beside each module holds the digest of its inputs, so that only changed modules
//! are compiled again.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::{digest, replace};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::row::{Failure, Outcome};

/// The cache entry of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Digest of the source, the flags and the version of the compiler.
    pub digest: String,
    /// Digest of the module; `None` if the compiler accepted no configuration.
    pub module_sha256: Option<String>,
    /// Functions that the compiler rejected.
    pub rejected: BTreeMap<String, Rejected>,
    /// Whether the entry was up to date before.
    #[serde(skip)]
    pub is_cached: bool,
}

/// Why the compiler rejected a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    pub message: String,
    /// The timeout, if the compiler exceeded it. With a longer one, the function may be accepted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) stopped_after_ms: Option<u64>,
}

impl Rejected {
    /// Converts the rejection to the failure of a row.
    pub fn failure(&self) -> Failure {
        let is_stopped = self.stopped_after_ms.is_some();
        let outcome = if is_stopped { Outcome::TimeLimit } else { Outcome::Failed };
        Failure { outcome, message: self.message.clone() }
    }
}

/// Returns the digest of the inputs of a module.
pub fn digest(source: &str, flags: &[String], version: &str) -> String {
    let mut hasher = Sha256::new();
    // The length prefix keeps the boundaries of the parts unambiguous.
    for part in [source, version].into_iter().chain(flags.iter().map(String::as_str)) {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    digest::hexadecimal(&hasher.finalize())
}

/// Returns the digest of a file.
pub(crate) fn digest_of_file(path: &Path) -> std::io::Result<String> {
    digest::of_file(path).map(|(_, digest)| digest)
}

fn path(module: &Path) -> PathBuf {
    module.with_extension("json")
}

/// Returns the cache entry of a module if it is up to date: the inputs and the module file have the recorded digests,
/// and no rejection is due to a timeout shorter than `limit`.
pub fn read(module: &Path, digest: &str, limit: Duration) -> Option<Entry> {
    let text = std::fs::read(path(module)).ok()?;
    let entry: Entry = serde_json::from_slice(&text).ok()?;
    let is_it = |known: &String| digest_of_file(module).is_ok_and(|found| found == *known);
    let is_whole = entry.module_sha256.as_ref().is_none_or(is_it);
    let had_less = |rejected: &Rejected| {
        rejected.stopped_after_ms.is_some_and(|had| u128::from(had) < limit.as_millis())
    };
    let is_good = entry.digest == digest && is_whole && !entry.rejected.values().any(had_less);
    is_good.then_some(entry)
}

/// Writes the cache entry of a module atomically.
pub fn write(module: &Path, entry: &Entry) -> std::io::Result<()> {
    let text = serde_json::to_string_pretty(entry)? + "\n";
    replace(&path(module), |file| file.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_compiled_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let module = folder.path().join("m.vmfb");
        std::fs::write(&module, "code").expect("room");
        let digest = digest("func", &["-o".to_owned()], "3.13");
        let minute = Duration::from_mins(1);
        let mut entry = Entry {
            digest: digest.clone(),
            module_sha256: digest_of_file(&module).ok(),
            ..Entry::default()
        };
        write(&module, &entry).expect("room");
        assert_eq!(read(&module, &digest, minute), Some(entry.clone()));
        assert_eq!(read(&module, "another", minute), None, "the source changed");
        std::fs::write(&module, "cod").expect("room");
        assert_eq!(read(&module, &digest, minute), None, "the module is cut");

        let stopped = Rejected { message: "slow".to_owned(), stopped_after_ms: Some(60_000) };
        entry.module_sha256 = None;
        entry.rejected.insert("f".to_owned(), stopped);
        write(&module, &entry).expect("room");
        assert_eq!(read(&module, &digest, minute), Some(entry));
        assert_eq!(read(&module, &digest, 2 * minute), None, "it may have more time now");
    }

    #[test]
    fn parts_are_told_apart() {
        let flags = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_ne!(digest("ab", &flags(&["c"]), "v"), digest("a", &flags(&["bc"]), "v"));
        assert_ne!(digest("a", &flags(&["b", "c"]), "v"), digest("a", &flags(&["bc"]), "v"));
    }
}
