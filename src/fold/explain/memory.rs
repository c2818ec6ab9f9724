//! The most memory that was in use at once, for each device.

use arrow::datatypes::DataType::UInt64;

use super::super::arrays::{numbers, positions};
use super::super::blocks::Block;
use super::super::groups::Groups;
use super::super::{Column, Columns};
use crate::bundle::Fault;

/// The columns of memory events that are read.
pub const READ: &[&str] =
    &["type_value", "flags", "allocation_id", "pool_id", "physical_device_ordinal", "length"];

pub const COLUMNS: &[Column] = &[
    ("position", UInt64),
    ("physical_device_ordinal", UInt64),
    ("slab_high_water_bytes", UInt64),
    ("pool_reserved_high_water_bytes", UInt64),
    ("pool_materialized_high_water_bytes", UInt64),
    ("queue_inflight_high_water_bytes", UInt64),
    ("buffer_high_water_bytes", UInt64),
    ("pool_waits", UInt64),
];

const SLAB_ACQUIRE: u64 = 1;
const SLAB_RELEASE: u64 = 2;
const POOL_RESERVE: u64 = 3;
const POOL_MATERIALIZE: u64 = 4;
const POOL_RELEASE: u64 = 5;
const POOL_WAIT: u64 = 6;
const QUEUE_ALLOCA: u64 = 7;
const QUEUE_DEALLOCA: u64 = 8;
const BUFFER_ALLOCATE: u64 = 9;
const BUFFER_FREE: u64 = 10;
const BUFFER_IMPORT: u64 = 11;
const BUFFER_UNIMPORT: u64 = 12;

/// The flag of events that are about one reservation.
const HAS_RESERVATION: u64 = 1 << 3;

/// Memory that is taken and given back.
#[derive(Debug, Clone, Copy, Default)]
struct Balance {
    current: u64,
    high_water: u64,
    taken: u64,
    given_back: u64,
}

impl Balance {
    /// Takes memory; false where all that was ever taken leaves 64 bits.
    fn take(&mut self, length: u64) -> bool {
        let (taken, overflows) = self.taken.overflowing_add(length);
        self.taken = taken;
        self.current = self.current.saturating_add(length);
        self.high_water = self.high_water.max(self.current);
        !overflows
    }

    /// Gives memory back, or as much as there is.
    fn give_back(&mut self, length: u64) -> bool {
        let (given_back, overflows) = self.given_back.overflowing_add(length);
        self.given_back = given_back;
        self.current = self.current.saturating_sub(length);
        !overflows
    }
}

/// The memory of a device.
#[derive(Debug, Clone, Copy, Default)]
struct Device {
    slabs: Balance,
    reservations: Balance,
    materializations: Balance,
    queue_allocations: Balance,
    buffers: Balance,
    imports: Balance,
    waits: u64,
}

/// What is materialized of a reservation.
#[derive(Debug, Clone, Copy, Default)]
struct Materialized {
    count: u64,
    bytes: u64,
}

/// The memory of all devices.
#[derive(Debug, Default)]
pub struct Memory {
    pub events: u64,
    ordinals: Groups<1>,
    devices: Vec<Device>,
    /// By device, allocation and pool.
    reservations: Groups<3>,
    materialized: Vec<Materialized>,
}

impl Memory {
    /// Adds a block of memory events.
    pub fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        for row in 0..block.row_count() {
            let [kind, flags, allocation, pool, ordinal, length] =
                [0, 1, 2, 3, 4, 5].map(|nth| block.value(nth, row));
            self.events += 1;
            let is_reservation = flags & HAS_RESERVATION != 0;
            let key = [ordinal, allocation, pool];
            let ends = kind == POOL_RELEASE && is_reservation && self.release(key, length);
            let number = self.ordinals.number([ordinal]);
            if number == self.devices.len() {
                self.devices.push(Device::default());
            }
            let device = self.devices.get_mut(number);
            if !device.is_some_and(|device| device.add(kind, is_reservation, ends, length)) {
                let what = "the memory of its device adds up to more than 64 bits hold".to_owned();
                return Err(block.fault(row, "length", what));
            }
            if kind == POOL_MATERIALIZE && is_reservation {
                self.materialize(key, length);
            }
        }
        Ok(())
    }

    fn materialize(&mut self, key: [u64; 3], length: u64) {
        let number = self.reservations.number(key);
        if number == self.materialized.len() {
            self.materialized.push(Materialized::default());
        }
        if let Some(known) = self.materialized.get_mut(number) {
            known.count += 1;
            known.bytes = known.bytes.saturating_add(length);
        }
    }

    /// Releases a reservation; whether anything of it was materialized.
    fn release(&mut self, key: [u64; 3], length: u64) -> bool {
        let number = self.reservations.find(key);
        let Some(known) = number.and_then(|number| self.materialized.get_mut(number)) else {
            return false;
        };
        if known.count == 0 && known.bytes == 0 {
            return false;
        }
        known.count = known.count.saturating_sub(1);
        known.bytes = known.bytes.saturating_sub(length);
        true
    }

    /// Whether anything waited for a pool.
    pub fn has_waits(&self) -> bool {
        self.devices.iter().any(|device| device.waits > 0)
    }

    /// A row a device, in order of appearance.
    pub fn columns(&self) -> Columns {
        let number = |each: fn(&Device) -> u64| numbers(self.devices.iter().map(each));
        vec![
            positions(self.devices.len()),
            numbers(self.ordinals.part(0)),
            number(|device| device.slabs.high_water),
            number(|device| device.reservations.high_water),
            number(|device| device.materializations.high_water),
            number(|device| device.queue_allocations.high_water),
            number(|device| device.buffers.high_water),
            number(|device| device.waits),
        ]
    }
}

impl Device {
    /// Adds an event; false where a sum leaves 64 bits. `ends` says that a release is of materialized memory.
    fn add(&mut self, kind: u64, is_reservation: bool, ends: bool, length: u64) -> bool {
        match kind {
            SLAB_ACQUIRE => self.slabs.take(length),
            SLAB_RELEASE => self.slabs.give_back(length),
            POOL_RESERVE => !is_reservation || self.reservations.take(length),
            POOL_MATERIALIZE => self.materializations.take(length),
            POOL_RELEASE => {
                self.reservations.give_back(length)
                    && (!ends || self.materializations.give_back(length))
            }
            POOL_WAIT => {
                self.waits += 1;
                true
            }
            QUEUE_ALLOCA => self.queue_allocations.take(length),
            QUEUE_DEALLOCA => self.queue_allocations.give_back(length),
            BUFFER_ALLOCATE => self.buffers.take(length),
            BUFFER_FREE => self.buffers.give_back(length),
            BUFFER_IMPORT => self.imports.take(length),
            BUFFER_UNIMPORT => self.imports.give_back(length),
            _ => true,
        }
    }
}
