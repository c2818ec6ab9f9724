//! Chooses for each device the better of the two clocks of its dispatches.
//!
//! A dispatch that both the device and the host timed is two records. The device's are better, because a host span
//! includes the overhead of the launch. They cannot be used if none has valid times or the device's clock has no fit.

use std::collections::HashSet;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::spec::Family;

use crate::fold::clocks::{Clock, Clocks};
use crate::fold::dispatches::rows::{OnDevice, OnHost, Timed};
use crate::fold::shared::blocks::{Chunk, ROWS, chunks, family};
use crate::fold::shared::{ABSENT, Block, Grouped, HeapBytes};

/// Session and device.
type DeviceKey = [u64; 2];

/// The devices whose dispatches count by the times of the device; those of others count by host spans.
#[derive(Debug, Default)]
pub struct BestClocks(HashSet<DeviceKey>);

impl HeapBytes for BestClocks {}

impl BestClocks {
    /// Chooses the clocks of `bundle`, whose devices have these `clocks`.
    pub fn read(bundle: &Arc<Bundle>, clocks: &Clocks) -> Result<Self, BundleError> {
        let mut on_device: Grouped<2, bool> = Grouped::default();
        search::<OnDevice>(bundle, |block| {
            let device = u64::from(block.header.physical_device_ordinal);
            let clock = clocks.get(&[block.header.session_id, device]).filter(|_| device != ABSENT);
            let has_fit = clock.and_then(Clock::preferred).is_some();
            let is_usable = on_device.at([block.header.session_id, device]);
            is_usable.is_none_or(|is_usable| {
                let is_valid = |row| OnDevice::is_valid(&OnDevice::event(row));
                *is_usable = *is_usable || has_fit && block.rows().any(is_valid);
                *is_usable || !has_fit
            })
        })?;
        let of = |usable: bool| {
            let devices = on_device.iter().filter(move |(_, is_usable)| **is_usable == usable);
            devices.map(|(key, _)| *key)
        };
        // Times without a clock are better than none.
        let mut without_spans: HashSet<DeviceKey> = of(false).collect();
        if !without_spans.is_empty() {
            search::<OnHost>(bundle, |block| {
                for row in block.rows().filter(|row| OnHost::is_dispatch(*row)) {
                    let [device, ..] = OnHost::queue(block, row);
                    without_spans.remove(&[block.header.session_id, device]);
                }
                without_spans.is_empty()
            })?;
        }
        Ok(Self(of(true).chain(without_spans).collect()))
    }

    /// Whether the dispatches of a device count by the times of the device, or of the host.
    pub fn is_best(&self, session: u64, is_on_device: bool, device: u64) -> bool {
        self.0.contains(&[session, device]) == is_on_device
    }
}

/// Calls `is_done` for the blocks of each chunk of a family, until it returns true for the chunk.
fn search<T: Timed>(
    bundle: &Bundle,
    mut is_done: impl FnMut(&Block<'_>) -> bool,
) -> Result<(), BundleError> {
    let families: Vec<Family> = family(T::TABLE).into_iter().collect();
    for (record, table) in chunks(bundle, &families) {
        let Some(chunk) = Chunk::of(bundle, &families, record, table) else { continue };
        let mut stepper = chunk.stepper();
        while !stepper.is_done() {
            let rows = stepper.take(ROWS).map_err(|fault| chunk.damaged(fault))?;
            if is_done(&chunk.block(&rows, false)) {
                break;
            }
        }
    }
    Ok(())
}
