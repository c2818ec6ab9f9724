//! Computes the high-water marks of memory by device: of what events record, and of what pools tell of themselves. Hosts free
//! results without an event, so the first are upper bounds, and the second bound them.

use std::mem;

use read::bundle::Fault;

use crate::fold::memory::events::STATS;
use crate::fold::memory::{Change, Device, Event, Kind, Life, Open, Step};
use crate::fold::shared::{Block, Columns, Grouped, Row};

/// The memory of all devices.
#[derive(Debug, Default)]
pub struct Memory {
    pub events: u64,
    devices: Grouped<1, Device>,
    /// The materialized part of each reservation, by device, allocation and pool.
    materialized: Grouped<3, Life>,
    /// What the pools of each device tell.
    told: Grouped<1, PoolStatistics>,
}

/// What the pools of a device tell of themselves.
#[derive(Debug, Default)]
struct PoolStatistics {
    /// The latest reserved bytes by pool.
    pools: Grouped<1, u64>,
    /// Their sum, and its maximum.
    reserved: u128,
    peak: Option<u128>,
    /// Whether all queue allocations are of pools.
    has_others: bool,
}

impl PoolStatistics {
    fn add(&mut self, pool: u64, reserved: u64) {
        if let Some(known) = self.pools.at([pool]) {
            let before = mem::replace(known, reserved);
            self.reserved = self.reserved - u128::from(before) + u128::from(reserved);
        }
        self.peak = self.peak.max(Some(self.reserved));
    }
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
            self.hear(&event, row);
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

    /// Adds what the pool of an event tells of itself.
    fn hear(&mut self, event: &Event, row: Row<'_>) {
        let tells = event.has_stats() && event.pool_id != 0;
        let is_other =
            event.pool_id == 0 && matches!(event.step(), Some((Kind::QueueAllocation, Step::Open)));
        if tells || is_other {
            let Some(told) = self.told.at([event.device]) else { return };
            told.has_others |= is_other;
            if tells {
                let [reserved, ..] = row.numbers(&STATS);
                told.add(event.pool_id, reserved);
            }
        }
    }

    /// Returns the devices with what is known of their memory, in order of appearance.
    pub fn peaks(&self) -> Vec<Peak<'_>> {
        let peaks = self.devices.iter().map(|([ordinal], device)| Peak {
            ordinal: *ordinal,
            device,
            told: self.told.find([*ordinal]),
        });
        peaks.collect()
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

/// The memory of a device, as its events and its pools tell it.
pub struct Peak<'a> {
    ordinal: u64,
    device: &'a Device,
    told: Option<&'a PoolStatistics>,
}

impl Peak<'_> {
    fn told(&self) -> Option<u64> {
        self.told?.peak.and_then(|peak| u64::try_from(peak).ok())
    }

    /// Returns the most bytes of reservations, which the pools bound.
    fn reserved(&self, recorded: u64) -> u64 {
        self.told().map_or(recorded, |told| told.min(recorded))
    }

    /// Returns the most bytes of queue allocations, which the pools bound if all are of pools.
    fn in_flight(&self) -> u64 {
        let recorded = self.device.lifecycle(Kind::QueueAllocation).bytes.high_water;
        let is_bound = self.told.is_some_and(|told| !told.has_others);
        if is_bound { self.reserved(recorded) } else { recorded }
    }

    /// Returns the number of queue allocations whose release is not recorded.
    const fn unreleased(&self) -> u64 {
        let [.., allocas, deallocas, _, _, _, _] = self.device.types;
        allocas.saturating_sub(deallocas)
    }
}

/// The columns of `explain_memory_bounds`.
pub(crate) fn peak_columns<'a>() -> Columns<Peak<'a>> {
    let high_water = |peak: &Peak<'_>, kind| peak.device.lifecycle(kind).bytes.high_water;
    Columns::<Peak<'_>>::new()
        .position()
        .number("physical_device_ordinal", |peak| peak.ordinal)
        .optional_number("pool_peak_bytes", Peak::told)
        .number("slab_peak_bytes", move |peak| high_water(peak, Kind::Slab))
        .number("reserved_peak_bytes", move |peak| {
            peak.reserved(high_water(peak, Kind::PoolReservation))
        })
        .number("materialized_peak_bytes", |peak| {
            peak.reserved(peak.device.materialized.bytes.high_water)
        })
        .number("queue_allocation_peak_bytes", Peak::in_flight)
        .number("buffer_peak_bytes", move |peak| high_water(peak, Kind::BufferAllocation))
        .number("unreleased_count", Peak::unreleased)
        .number("pool_waits", |peak| peak.device.waits())
}
