//! Finds damaged chunks before any query runs and removes them from the directory, so that the others can be read.

use std::collections::HashSet;

use schemas::spec::Family;

use super::feed::is_family;
use super::step::Stepper;
use crate::bundle::limits::BATCH_ROWS;
use crate::bundle::{Bundle, BundleError, Problem, Severity};

/// Steps over the records of every chunk. A chunk that cannot be stepped over to its end becomes a problem of the
/// bundle, and none of its rows are in a table.
pub fn set_damage_aside(bundle: &mut Bundle) {
    let mut found: Vec<(u32, Problem)> = Vec::new();
    for (content_type, records) in
        bundle.directory.content_types.iter().zip(&bundle.directory.chunks)
    {
        let Some(family) = family_of(content_type) else { continue };
        let damaged = records.iter().filter_map(|record| {
            let error = step_over(bundle, *record, family).err()?;
            Some((*record, problem(bundle, *record, &error)))
        });
        found.extend(damaged);
    }
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
    let Some(entry) = bundle.directory.entries.get(record as usize) else { return Ok(()) };
    let (payload, offset) = bundle.payload(entry)?;
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
