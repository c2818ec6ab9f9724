//! Holds the time of tiles against the workers that ran them.

use std::collections::HashMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::drivers::has_workers;
use schemas::place::Places;

use super::found::Evidence;
use crate::fold::dispatches::{Event, OnHost, Timed};
use crate::fold::shared::Chunks;

const REGION: Places<1> = Places::new("command_region_events", ["worker_count"]);

/// Number of dispatches of several tiles from which on it is no chance that one worker ran all: if another one takes a tile
/// of every second dispatch, it takes none of eight in one case of 256.
pub(crate) const SEVERAL: u64 = 8;

/// The number of workers in each session of a driver with workers: according to the scheduler, or 0, as a single worker records
/// no regions.
#[derive(Debug, Default)]
pub struct Workers(HashMap<u64, u64>);

impl Workers {
    /// Reads the first event of each chunk of `bundle`: a session has the same workers all along.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let sessions = bundle.directory.sessions.iter();
        let with_workers =
            sessions.filter(|session| std::str::from_utf8(&session.name).is_ok_and(has_workers));
        let mut workers: HashMap<u64, u64> =
            with_workers.map(|session| (session.session_id, 0)).collect();
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

    /// Returns the number of workers in a session, 0 if it is not known; `None` if its driver has no workers.
    pub fn of(&self, session: u64) -> Option<u64> {
        self.0.get(&session).copied()
    }
}

/// What the tiles of dispatches show. Only sessions of drivers with workers count.
#[derive(Debug, Default)]
pub struct Tiles {
    /// The most workers of a session; 0 if no number is known.
    pub workers: u64,
    /// Dispatches of several tiles, those of them whose tiles took longer than they did, and dispatches of one tile.
    pub several: u64,
    pub shared: u64,
    pub single: u64,
    /// Dispatches whose tiles took longer than all workers have, in nanoseconds.
    pub excessive: Evidence,
}

impl Tiles {
    /// Adds a dispatch, with the number of workers or 0. Each tile is timed by two readings of a clock that counts
    /// nanoseconds, so that it is off by less than one.
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
        if workers > 0 && total.cast_signed() >= 0 && total > most {
            self.excessive.add(total - most);
        }
    }
}

/// Whether one worker ran all tiles at any time, though no region tells of several workers. Returns the number of dispatches of
/// several tiles; `None` if tiles ran side by side, or there are too few to tell.
pub(crate) fn alone(bundle: &Arc<Bundle>) -> Result<Option<u64>, BundleError> {
    let workers = Workers::read(bundle)?;
    let sessions = &bundle.directory.sessions;
    if sessions.iter().any(|session| workers.of(session.session_id) != Some(0)) {
        return Ok(None);
    }
    let mut tiles = Tiles::default();
    Chunks::of(bundle, &[OnHost::TABLE]).each(|block| {
        // What ran side by side once decides.
        if tiles.shared > 0 {
            return Ok(());
        }
        block.each_row(OnHost::IDS.layout, |row| {
            let event = OnHost::event(row);
            if OnHost::is_dispatch(row) && OnHost::is_valid(&event) {
                tiles.add(&event, 0);
            }
            Ok(())
        })
    })?;
    Ok(Some(tiles.several).filter(|several| *several >= SEVERAL && tiles.shared == 0))
}
