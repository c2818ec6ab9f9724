//! Computes the high-water marks of memory by device.

use crate::bundle::Fault;
use crate::fold::memory::{Change, Device, Event, Kind, Life, Open, Step};
use crate::fold::shared::{Block, Columns, Grouped};

/// The memory of all devices.
#[derive(Debug, Default)]
pub struct Memory {
    pub events: u64,
    devices: Grouped<1, Device>,
    /// The materialized part of each reservation, by device, allocation and pool.
    materialized: Grouped<3, Life>,
}

impl Memory {
    /// Adds the events of a block.
    pub fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        for row in block.rows() {
            let event = Event::of(row);
            let reservation = [event.device, event.allocation_id, event.pool_id];
            let is_open = || self.materialized.find(reservation).is_some_and(Life::is_open);
            let change = Change::of(&event, is_open);
            self.events += 1;
            let device = self.devices.at([event.device]);
            if !device.is_some_and(|device| device.add(&event, &change)) {
                let what = "the total memory of its device overflows 64 bits".to_owned();
                return Err(block.fault(row, "length", what));
            }
            let materializes = change.known == Some((Kind::PoolReservation, Step::Materialize));
            // The sums of the device have been checked, and those of a reservation are less.
            if change.closes_materialized {
                self.materialized.find_mut(reservation).map(|known| known.close(event.length));
            } else if materializes && change.opens {
                self.materialized.at(reservation).map(|known| known.open(event.length));
            }
        }
        Ok(())
    }

    /// Iterates over the devices with their numbers of pool waits.
    pub fn waits(&self) -> impl Iterator<Item = (u64, u64)> {
        self.devices.iter().map(|([ordinal], device)| (*ordinal, device.waits()))
    }

    /// Returns the devices with their ordinals, in order of appearance.
    pub fn devices(&self) -> Vec<(u64, &Device)> {
        self.devices.iter().map(|([ordinal], device)| (*ordinal, device)).collect()
    }
}

/// The columns of `explain_memory`; a row is the ordinal of a device and its memory.
pub fn columns<'a>() -> Columns<(u64, &'a Device)> {
    let high_water = |device: &Device, kind| device.lifecycle(kind).bytes.high_water;
    Columns::<(u64, &Device)>::new()
        .position()
        .number("physical_device_ordinal", |(ordinal, _)| *ordinal)
        .number("slab_high_water_bytes", move |(_, device)| high_water(device, Kind::Slab))
        .number("pool_reserved_high_water_bytes", move |(_, device)| {
            high_water(device, Kind::PoolReservation)
        })
        .number("pool_materialized_high_water_bytes", |(_, device)| {
            device.materialized.bytes.high_water
        })
        .number("queue_inflight_high_water_bytes", move |(_, device)| {
            high_water(device, Kind::QueueAllocation)
        })
        .number("buffer_high_water_bytes", move |(_, device)| {
            high_water(device, Kind::BufferAllocation)
        })
        .number("pool_waits", |(_, device)| device.waits())
}
