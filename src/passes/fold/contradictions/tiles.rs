//! Holds the time of tiles against the workers that ran them.

use std::collections::HashMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use super::found::Evidence;
use crate::fold::dispatches::Event;
use crate::fold::shared::Chunks;

const REGION: Places<1> = Places::new("command_region_events", ["worker_count"]);

/// The number of workers in each session, according to the scheduler.
#[derive(Debug, Default)]
pub struct Workers(HashMap<u64, u64>);

impl Workers {
    /// Reads the first event of each chunk of `bundle`: a session has the same workers all along.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut workers = HashMap::new();
        Chunks::of(bundle, &[REGION.table]).each(|block| {
            let mut is_first = block.starts_chunk;
            block.each_row(REGION.layout, |row| {
                if is_first {
                    let [count] = row.numbers(&REGION);
                    let most: &mut u64 = workers.entry(block.header.session_id).or_default();
                    *most = count.max(*most);
                }
                is_first = false;
                Ok(())
            })
        })?;
        Ok(Self(workers))
    }

    /// Returns the number of workers in a session, if it is known.
    pub fn of(&self, session: u64) -> Option<u64> {
        self.0.get(&session).copied().filter(|count| *count > 0)
    }
}

/// What the tiles of dispatches show. Only sessions with a known number of workers count.
#[derive(Debug, Default)]
pub struct Tiles {
    /// The most workers of a session.
    pub workers: u64,
    /// Dispatches of several tiles, those of them whose tiles took longer than they did, and dispatches of one tile.
    pub several: u64,
    pub shared: u64,
    pub single: u64,
    /// Dispatches whose tiles took longer than all workers have, in nanoseconds.
    pub excessive: Evidence,
}

impl Tiles {
    /// Adds a dispatch. Each tile is timed by two readings of a clock that counts nanoseconds, so that it is off by less than
    /// one.
    #[inline]
    pub fn add(&mut self, event: &Event, workers: u64) {
        let [count, total] = event.tiles;
        let time = event.duration();
        self.workers = workers.max(self.workers);
        match count {
            0 => {}
            1 => self.single += 1,
            _ => {
                self.several += 1;
                self.shared += u64::from(total > time.saturating_add(count));
            }
        }
        let most = time.saturating_mul(workers).saturating_add(count);
        if total.cast_signed() >= 0 && total > most {
            self.excessive.add(total - most);
        }
    }
}
