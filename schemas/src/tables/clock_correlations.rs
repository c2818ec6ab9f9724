//! Samples that tie device ticks to host clocks.

use crate::fields::{device, flags, ns, tick, u64};
use crate::flags as bits;
use crate::spec::{Family, Table, Unit};

/// The declaration of the table `clock_correlations`.
pub static TABLE: Table = Table::family(
    "clock_correlations",
    Family::fixed(&["clock-correlations"], 72),
    "One simultaneous reading of a device's clock and the host clocks.",
    &[
        flags(4, bits::CLOCK_CORRELATION),
        device(8),
        u64("sample_id", 16, "Id of the sample within the device, ascending."),
        tick("device_tick", 24, "Tick of the device clock."),
        u64("host_cpu_timestamp_ns", 32, "Host CPU time that the driver paired with the tick.").unit(Unit::Ns),
        u64("host_system_timestamp", 40, "Time of the driver's system clock, in its own ticks.").unit(Unit::Ticks),
        u64("host_system_frequency_hz", 48, "Frequency of `host_system_timestamp`.").unit(Unit::Hertz),
        ns("host_time_begin_ns", 56, "IREE's host time just before the reading."),
        ns("host_time_end_ns", 64, "IREE's host time just after the reading."),
    ],
);
