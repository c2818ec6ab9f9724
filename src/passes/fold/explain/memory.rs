//! Computes the high-water marks of memory by device: of what events record, and of what pools tell of themselves. Hosts free
//! results without an event, and memory of before the capture has none, so peaks are what pools tell, where they do.

use read::bundle::Fault;

use crate::fold::memory::events::STATS;
use crate::fold::memory::{Change, Device, Event, Kind, Life, Open, PoolTotals, Step, Told};
use crate::fold::shared::{Block, Columns, Grouped, Row};

/// The memory of all devices.
#[derive(Debug, Default)]
pub struct Memory {
    pub events: u64,
    devices: Grouped<1, Device>,
    /// The materialized part of each reservation, by device, allocation and pool.
    materialized: Grouped<3, Life>,
    /// What the pools of each device tell.
    told: PoolTotals,
    /// The number of allocations by kind, session, device and pool, of kinds that pools reserve.
    opened: Grouped<4, u64>,
}

/// The kinds of memory that pools reserve.
const OF_POOLS: [Kind; 2] = [Kind::PoolReservation, Kind::QueueAllocation];

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
            self.hear(block.header.session_id, &event, row);
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

    /// Adds what the pool of an event tells of itself, or that it allocates.
    fn hear(&mut self, session: u64, event: &Event, row: Row<'_>) {
        if event.has_stats() && event.pool_id != 0 {
            let [bytes, _, _, _, count, _] = row.numbers(&STATS);
            self.told.add(session, event, [bytes, count]);
        }
        if let Some((kind, Step::Open)) = event.step()
            && OF_POOLS.contains(&kind)
            && let Some(count) = self.opened.at([kind as u64, session, event.device, event.pool_id])
        {
            *count += 1;
        }
    }

    /// Counts the allocations of a kind on a device from pools that tell nothing.
    fn untold(&self, kind: Kind, device: u64) -> u64 {
        let of_kind = self
            .opened
            .iter()
            .filter(|([known, _, on, _], _)| *known == kind as u64 && *on == device);
        let untold = of_kind.filter(|([_, session, device, pool], _)| {
            self.told.pool([*session, *device, *pool]).is_none()
        });
        untold.map(|(_, count)| *count).sum()
    }

    /// Returns what the pools of a device tell in the session in which they have most reserved.
    fn told(&self, device: u64) -> Option<Told> {
        let of_device = self.told.devices().filter(|([_, on], _)| *on == device);
        of_device.map(|(_, told)| *told).max_by_key(Told::bytes)
    }

    /// Returns the devices with what is known of their memory, in order of appearance.
    pub fn peaks(&self) -> Vec<Peak<'_>> {
        let peaks = self.devices.iter().map(|([ordinal], device)| Peak {
            ordinal: *ordinal,
            device,
            told: self.told(*ordinal),
            untold: OF_POOLS.map(|kind| self.untold(kind, *ordinal)),
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
    told: Option<Told>,
    /// The number of reservations, and of queue allocations, of pools that tell nothing.
    untold: [u64; 2],
}

impl Peak<'_> {
    fn told(&self) -> Option<u64> {
        self.told?.bytes()
    }

    /// Returns what events add up to, an upper bound; `None` if the pools of all such allocations tell better.
    fn at_most(&self, recorded: u64, untold: u64) -> Option<u64> {
        (self.told.is_none() || untold > 0).then_some(recorded)
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
        .optional_number("pool_before_bytes", |peak| peak.told?.before())
        .number("slab_peak_bytes", move |peak| high_water(peak, Kind::Slab))
        .optional_number("reserved_peak_bytes", move |peak| {
            peak.at_most(high_water(peak, Kind::PoolReservation), peak.untold[0])
        })
        .optional_number("materialized_peak_bytes", |peak| {
            peak.at_most(peak.device.materialized.bytes.high_water, peak.untold[0])
        })
        .optional_number("queue_allocation_peak_bytes", move |peak| {
            peak.at_most(high_water(peak, Kind::QueueAllocation), peak.untold[1])
        })
        .number("buffer_peak_bytes", move |peak| high_water(peak, Kind::BufferAllocation))
        .number("unreleased_count", Peak::unreleased)
        .number("untold_count", |peak| peak.untold[1])
        .number("pool_waits", |peak| peak.device.waits())
}
