//! Decides which bundles share files.
//!
//! The bundles of a folder with few of them have files of their own. Others are stored in batches, as many small files take
//! longer to write, open and copy than their rows. A batch is never changed: an export that replaces some of its bundles
//! writes the others to a new batch. Small batches are merged when the folder grows, so that the number of files does not
//! grow with the number of exports.

use std::collections::{BTreeMap, HashMap, HashSet};

use base::digest::hexadecimal;
use engine::dataset::Manifest;
use sha2::{Digest, Sha256};

/// Maximum number of bundles of a folder that have files of their own.
pub const FEW: usize = 16;

/// Maximum number of bundles of a batch that an export writes: their passes are in memory at once.
const MOST: usize = 512;

/// Maximum number of bundles of a batch that is written again anyway, from files that are read a part at a time. So an export
/// that replaces some bundles of every batch leaves fewer batches, not more.
const MOST_AGAIN: usize = 2 * MOST;

/// Maximum size of the bundles of a batch in bytes, unless it has only one: enough for files that are read efficiently,
/// little enough for the memory of an export.
const MOST_BYTES: u64 = 64 << 20;

/// A batch is merged with smaller ones that have at least this part of its bundles together. So each bundle is rewritten a
/// few times only while a folder grows, and the sizes of its batches differ by this factor.
const MERGED_FROM: usize = 4;

/// Whether a folder stores batches once these bundles are exported into it.
pub(crate) fn are_needed<'a>(before: &'a Manifest, labels: impl Iterator<Item = &'a str>) -> bool {
    let known = before.bundles.iter().map(|bundle| bundle.bundle.as_str());
    let all: HashSet<&str> = known.chain(labels).collect();
    before.is_batched() || all.len() > FEW
}

/// Splits bundles into batches. `fits` says whether the memory suffices for so many bytes at once.
pub fn split<T>(
    bundles: Vec<T>,
    bytes: impl Fn(&T) -> u64,
    fits: impl Fn(u64) -> bool,
) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let mut size = 0;
    for bundle in bundles {
        let more = bytes(&bundle);
        let open = batches
            .last_mut()
            .filter(|batch| batch.len() < MOST && size + more <= MOST_BYTES && fits(size + more));
        if let Some(batch) = open {
            batch.push(bundle);
            size += more;
        } else {
            batches.push(vec![bundle]);
            size = more;
        }
    }
    batches
}

/// Returns the name of the batch of these bundles: their number, and a digest of their labels. So exports at the same time
/// need not agree on names, and the same bundles always become the same files.
fn name<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    let mut labels: Vec<&str> = labels.collect();
    labels.sort_unstable();
    let mut digest = Sha256::new();
    for label in &labels {
        digest.update((label.len() as u64).to_le_bytes());
        digest.update(label);
    }
    let digest: String = hexadecimal(&digest.finalize()).chars().take(16).collect();
    format!("{}-{digest}", labels.len())
}

/// Returns the same with a suffix, if there is one.
pub fn distinct<'a>(labels: impl Iterator<Item = &'a str>, suffix: Option<&str>) -> String {
    let name = name(labels);
    suffix.map_or_else(|| name.clone(), |suffix| format!("{name}-{suffix}"))
}

/// Bundles whose rows are in the same files.
#[derive(Debug)]
struct Stored {
    /// Their indices in the manifest.
    bundles: Vec<usize>,
    bytes: u64,
    /// Whether the files cannot stay: they have rows of bundles that were exported again, or are not those of a batch.
    must_go: bool,
}

/// Returns the batches to write so that all bundles are in batches and no batch has rows that are exported again: for each,
/// the indices of its bundles in the manifest `after` the export, whose entries still name the files of their rows.
pub fn merged(before: &Manifest, after: &Manifest) -> Vec<Vec<usize>> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for batch in before.bundles.iter().filter_map(|bundle| bundle.batch.as_deref()) {
        *counts.entry(batch).or_default() += 1;
    }
    // Versions may differ in columns.
    let mut versions: BTreeMap<&str, Vec<Stored>> = BTreeMap::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (nth, bundle) in after.bundles.iter().enumerate() {
        let stored = versions.entry(&bundle.ireescope_version).or_default();
        let new = stored.len();
        let place = bundle.batch.as_deref().map_or(new, |it| *places.entry(it).or_insert(new));
        if place == new {
            let must_go = bundle.batch.is_none();
            stored.push(Stored { bundles: Vec::new(), bytes: 0, must_go });
        }
        if let Some(stored) = stored.get_mut(place) {
            stored.bundles.push(nth);
            stored.bytes = stored.bytes.saturating_add(bundle.source_bytes);
        }
    }
    for stored in versions.values_mut().flatten() {
        let batch = stored.bundles.first().and_then(|nth| after.bundles.get(*nth));
        let batch = batch.and_then(|bundle| bundle.batch.as_deref());
        let count = batch.and_then(|batch| counts.get(batch));
        stored.must_go |= count.is_some_and(|count| *count != stored.bundles.len());
    }
    versions.into_values().flat_map(of_one_version).collect()
}

/// Merges batches, from the smallest to the largest.
fn of_one_version(mut stored: Vec<Stored>) -> Vec<Vec<usize>> {
    stored.sort_by_key(|it| it.bundles.len());
    let mut groups: Vec<(Stored, usize)> = Vec::new();
    for next in stored {
        let open = groups.last_mut().filter(|(group, _)| {
            let count = group.bundles.len();
            let is_due = next.must_go || next.bundles.len() <= MERGED_FROM * count;
            let most = if next.must_go { MOST_AGAIN } else { MOST };
            is_due
                && count + next.bundles.len() <= most
                && group.bytes.saturating_add(next.bytes) <= MOST_BYTES
        });
        match open {
            Some((group, parts)) => {
                group.bundles.extend(next.bundles);
                group.bytes = group.bytes.saturating_add(next.bytes);
                group.must_go |= next.must_go;
                *parts += 1;
            }
            None => groups.push((next, 1)),
        }
    }
    let written = groups.into_iter().filter(|(group, parts)| group.must_go || *parts > 1);
    written
        .map(|(mut group, _)| {
            group.bundles.sort_unstable();
            group.bundles
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use engine::dataset::Exported;

    use super::*;

    fn exported(label: &str, bytes: u64, batch: Option<&str>) -> Exported {
        Exported {
            bundle: label.to_owned(),
            source: String::new(),
            source_bytes: bytes,
            source_sha256: String::new(),
            ireescope_version: "1".to_owned(),
            condition: None,
            batch: batch.map(str::to_owned),
            relations: Vec::new(),
        }
    }

    /// Exports bundles of these bytes. Returns how many bundles were rewritten.
    fn export(manifest: &mut Manifest, labels: &[String], bytes: u64) -> usize {
        let before = manifest.clone();
        let batch = are_needed(&before, labels.iter().map(String::as_str))
            .then(|| name(labels.iter().map(String::as_str)));
        let new: Vec<Exported> =
            labels.iter().map(|label| exported(label, bytes, batch.as_deref())).collect();
        manifest.put(&new);
        if !manifest.is_batched() {
            return 0;
        }
        let mut rewritten = 0;
        for batch in merged(&before, manifest) {
            let labels = batch.iter().map(|nth| manifest.bundles[*nth].bundle.as_str());
            let name = name(labels);
            rewritten += batch.len();
            for nth in batch {
                manifest.bundles[nth].batch = Some(name.clone());
            }
        }
        assert!(manifest.bundles.iter().all(|bundle| bundle.batch.is_some()));
        rewritten
    }

    fn labels(numbers: std::ops::Range<usize>) -> Vec<String> {
        numbers.map(|number| format!("b{number}")).collect()
    }

    /// Returns the sizes of the batches, ascending.
    fn sizes(manifest: &Manifest) -> Vec<usize> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for bundle in manifest.bundles.iter().filter_map(|bundle| bundle.batch.as_deref()) {
            *counts.entry(bundle).or_default() += 1;
        }
        let mut sizes: Vec<usize> = counts.into_values().collect();
        sizes.sort_unstable();
        sizes
    }

    #[test]
    fn few_bundles_have_their_own_files() {
        let mut manifest = Manifest::default();
        for number in 0..FEW {
            assert_eq!(export(&mut manifest, &labels(number..number + 1), 1), 0);
        }
        assert!(!manifest.is_batched());
        assert_eq!(export(&mut manifest, &labels(0..1), 1), 0, "a known label is no new bundle");
        assert_eq!(export(&mut manifest, &labels(FEW..FEW + 1), 1), FEW + 1);
        assert_eq!(sizes(&manifest), [FEW + 1]);
    }

    #[test]
    fn batches_stay_few_and_are_seldom_rewritten() {
        let mut manifest = Manifest::default();
        let mut rewritten = 0;
        for number in 0..2500 {
            rewritten += export(&mut manifest, &labels(number..number + 1), 1);
            assert!(sizes(&manifest).len() <= 2 * number / MOST + 7, "{:?}", sizes(&manifest));
        }
        assert!(rewritten < 2500 * 20, "{rewritten}");
    }

    #[test]
    fn what_is_exported_again_leaves_its_batch() {
        let mut manifest = Manifest::default();
        assert_eq!(export(&mut manifest, &labels(0..500), 1), 0);
        assert_eq!(export(&mut manifest, &labels(500..1000), 1), 0);
        assert_eq!(sizes(&manifest), [500, 500]);
        // The others of both batches are written again, with what replaces the rest.
        assert_eq!(export(&mut manifest, &labels(490..510), 1), 1000);
        assert_eq!(sizes(&manifest), [1000]);
        assert_eq!(export(&mut manifest, &labels(0..1000), 1), 0, "nothing of them is left");
        assert_eq!(manifest.bundles.len(), 1000);
    }

    #[test]
    fn replacing_some_of_every_batch_adds_no_batch() {
        let mut manifest = Manifest::default();
        for start in (0..2000).step_by(500) {
            export(&mut manifest, &labels(start..start + 500), 1);
        }
        assert_eq!(sizes(&manifest), [500; 4]);
        for step in 3..20 {
            let again: Vec<String> = labels(0..2000).into_iter().step_by(step).collect();
            for part in again.chunks(500) {
                export(&mut manifest, part, 1);
                assert!(sizes(&manifest).len() <= 5, "{:?}", sizes(&manifest));
            }
            assert!(sizes(&manifest).len() <= 4, "{:?}", sizes(&manifest));
            assert_eq!(manifest.bundles.len(), 2000);
        }
    }

    #[test]
    fn large_bundles_are_not_merged() {
        let mut manifest = Manifest::default();
        export(&mut manifest, &labels(0..20), MOST_BYTES / 2);
        export(&mut manifest, &labels(20..21), MOST_BYTES);
        assert_eq!(sizes(&manifest), [1, 20]);
        let mut next = manifest.clone();
        next.bundles.iter_mut().for_each(|bundle| bundle.batch = None);
        let merged = merged(&manifest, &next);
        assert!(merged.iter().map(Vec::len).eq([2; 10].into_iter().chain([1])), "{merged:?}");
    }

    #[test]
    fn versions_do_not_share_files() {
        let mut manifest = Manifest::default();
        export(&mut manifest, &labels(0..20), 1);
        manifest.bundles.iter_mut().for_each(|bundle| bundle.ireescope_version = "0".to_owned());
        assert_eq!(export(&mut manifest, &labels(15..25), 1), 15);
        assert_eq!(sizes(&manifest), [10, 15]);
    }

    #[test]
    fn a_batch_ends_where_its_bytes_or_the_memory_do() {
        let lengths = |batches: Vec<Vec<u64>>| batches.iter().map(Vec::len).collect::<Vec<_>>();
        let split = |sizes: Vec<u64>, limit| split(sizes, |size| *size, |bytes| bytes <= limit);
        assert_eq!(lengths(split(vec![1; 2500], u64::MAX)), [512, 512, 512, 512, 452]);
        assert_eq!(
            lengths(split(vec![MOST_BYTES, 1, 1, MOST_BYTES * 3, 1], u64::MAX)),
            [1, 2, 1, 1]
        );
        assert_eq!(lengths(split(vec![5; 7], 10)), [2, 2, 2, 1]);
        assert_eq!(lengths(split(vec![50; 2], 10)), [1, 1]);
        assert!(split(Vec::new(), 1).is_empty());
    }

    #[test]
    fn a_name_is_that_of_a_set_of_labels() {
        let of = |labels: &[&str]| name(labels.iter().copied());
        assert_eq!(of(&["a", "b"]), of(&["b", "a"]));
        assert_ne!(of(&["a", "bc"]), of(&["ab", "c"]));
        assert!(of(&["a", "b"]).starts_with("2-"));
    }
}
