//! Computes the high-water marks of memory by device.

use schemas::place::Places;

use crate::bundle::Fault;
use crate::fold::memory::{Amount, Kind, RESERVATION, Step, step_of};
use crate::fold::shared::{Block, Columns, Grouped};

const EVENT: Places<6> = Places::new(
    "memory_events",
    ["type", "flags", "allocation_id", "pool_id", "physical_device_ordinal", "length"],
);

/// The memory of a device in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Device {
    /// Balances by [`Kind`].
    open: [Amount; 5],
    materialized: Amount,
    waits: u64,
}

/// The materialized part of a reservation.
#[derive(Debug, Clone, Copy, Default)]
struct Materialized {
    count: u64,
    bytes: u64,
}

/// The memory of all devices.
#[derive(Debug, Default)]
pub struct Memory {
    pub events: u64,
    devices: Grouped<1, Device>,
    /// By device, allocation and pool.
    reservations: Grouped<3, Materialized>,
}

impl Memory {
    /// Adds the events of a block.
    pub fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        for row in block.rows() {
            let [kind, flags, allocation, pool, ordinal, length] = row.numbers(&EVENT);
            self.events += 1;
            let step = step_of(kind);
            let is_reservation = flags & RESERVATION != 0;
            let key = [ordinal, allocation, pool];
            let releases = step == Some((Kind::PoolReservation, Step::Close));
            let ends = releases && is_reservation && self.release(key, length);
            let device = self.devices.at([ordinal]);
            if !device.is_some_and(|device| device.add(step, is_reservation, ends, length)) {
                let what = "the total memory of its device overflows 64 bits".to_owned();
                return Err(block.fault(row, "length", what));
            }
            if step == Some((Kind::PoolReservation, Step::Materialize))
                && is_reservation
                && let Some(known) = self.reservations.at(key)
            {
                known.count += 1;
                known.bytes = known.bytes.saturating_add(length);
            }
        }
        Ok(())
    }

    /// Releases a reservation. Returns whether any of it was materialized.
    fn release(&mut self, key: [u64; 3], length: u64) -> bool {
        let known = self.reservations.find_mut(key);
        let Some(known) = known.filter(|known| known.count > 0 || known.bytes > 0) else {
            return false;
        };
        known.count = known.count.saturating_sub(1);
        known.bytes = known.bytes.saturating_sub(length);
        true
    }

    /// Iterates over the devices with their numbers of pool waits.
    pub fn waits(&self) -> impl Iterator<Item = (u64, u64)> {
        self.devices.iter().map(|([ordinal], device)| (*ordinal, device.waits))
    }

    /// Returns the devices with their ordinals, in order of appearance.
    pub fn devices(&self) -> Vec<(u64, Device)> {
        self.devices.iter().map(|([ordinal], device)| (*ordinal, *device)).collect()
    }
}

/// The columns of `explain_memory`; a row is the ordinal of a device and its memory.
pub fn columns() -> Columns<(u64, Device)> {
    Columns::<(u64, Device)>::new()
        .position()
        .number("physical_device_ordinal", |(ordinal, _)| *ordinal)
        .number("slab_high_water_bytes", |(_, device)| device.high_water(Kind::Slab))
        .number("pool_reserved_high_water_bytes", |(_, device)| {
            device.high_water(Kind::PoolReservation)
        })
        .number("pool_materialized_high_water_bytes", |(_, device)| device.materialized.high_water)
        .number("queue_inflight_high_water_bytes", |(_, device)| {
            device.high_water(Kind::QueueAllocation)
        })
        .number("buffer_high_water_bytes", |(_, device)| device.high_water(Kind::BufferAllocation))
        .number("pool_waits", |(_, device)| device.waits)
}

impl Device {
    /// Adds an event. Returns false if a sum overflows 64 bits. `ends`: the event releases materialized memory.
    fn add(
        &mut self,
        step: Option<(Kind, Step)>,
        is_reservation: bool,
        ends: bool,
        length: u64,
    ) -> bool {
        let Some((kind, step)) = step else { return true };
        self.waits += u64::from(step == Step::Wait);
        let Some(open) = self.open.get_mut(kind as usize) else { return true };
        match step {
            Step::Open => kind == Kind::PoolReservation && !is_reservation || open.open(length),
            Step::Close => {
                open.close(length).is_some() && (!ends || self.materialized.close(length).is_some())
            }
            Step::Materialize => self.materialized.open(length),
            Step::Wait => true,
        }
    }

    fn high_water(&self, kind: Kind) -> u64 {
        self.open.get(kind as usize).map_or(0, |amount| amount.high_water)
    }
}
