//! Finds damaged chunks before any query runs and removes them from the directory, so that the others can be read.

use std::collections::HashSet;

use base::in_order;
use schemas::spec::Family;

use super::feed::is_family;
use super::step::Stepper;
use crate::bundle::limits::{BATCH_ROWS, PARALLEL_BYTES};
use crate::bundle::{Bundle, BundleError, Problem, Severity, load_ahead};

/// Number of chunks that a thread steps over at a time.
const CHUNKS: usize = 1024;

/// Steps over the records of every chunk. A chunk that cannot be stepped over to its end becomes a problem of the
/// bundle, and none of its rows are in a table.
pub fn set_damage_aside(bundle: &mut Bundle, threads: usize) {
    let directory = &bundle.directory;
    let types = directory.content_types.iter().zip(&directory.chunks);
    let families = types.filter_map(|(name, records)| Some((family_of(name)?, records)));
    let parts: Vec<(Family, &[u32])> = families
        .flat_map(|(family, records)| records.chunks(CHUNKS).map(move |part| (family, part)))
        .collect();
    let is_small = bundle.file_bytes < PARALLEL_BYTES;
    let found = in_order(&parts, if is_small { 1 } else { threads }, |(family, records)| {
        let damaged = records.iter().enumerate().filter_map(|(nth, record)| {
            load_ahead(bundle, records, nth, |record| record);
            let error = step_over(bundle, *record, *family).err()?;
            Some((*record, problem(bundle, *record, &error)))
        });
        damaged.collect::<Vec<_>>()
    });
    let mut found = found.concat();
    found.sort_by_key(|(record, _)| *record);
    let damaged: HashSet<u32> = found.iter().map(|(record, _)| *record).collect();
    let directory = &mut bundle.directory;
    for records in &mut directory.chunks {
        records.retain(|record| !damaged.contains(record));
    }
    directory.set_aside = damaged.len();
    directory.problems.extend(found.into_iter().map(|(_, problem)| problem));
}

fn family_of(content_type: &[u8]) -> Option<Family> {
    let mut families = schemas::all().iter().filter_map(|table| table.reads());
    families.find(|family| is_family(content_type, family)).copied()
}

fn step_over(bundle: &Bundle, record: u32, family: Family) -> Result<(), BundleError> {
    let (payload, offset) = bundle.payload(record);
    let mut stepper = Stepper::new(family, payload, offset, 0);
    while !stepper.is_done() {
        stepper.take(BATCH_ROWS).map_err(|fault| bundle.damaged(fault))?;
    }
    Ok(())
}

fn problem(bundle: &Bundle, record: u32, error: &BundleError) -> Problem {
    let what = match error {
        BundleError::Damaged { fault, .. } => fault.to_string(),
        other => other.to_string(),
    };
    let what = format!("a chunk is damaged and was skipped: {what}");
    let offset = bundle.directory.entries.get(record as usize).map(|entry| entry.offset);
    Problem::new(Severity::Error, "damaged_chunk", offset, u64::from(record), what)
}
