//! Finds all contradictions of a bundle.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use super::clocks::{Timelines, is_ended};
use super::found::{Amount, Contradiction, Evidence, Kind};
use super::ids::Ids;
use super::queue::{QUEUE_DEVICE_EVENTS, QUEUE_EVENTS};
use super::recorded::CommandBuffers;
use super::side::{Device, Prerequisites, Side};
use super::tiles::{Tiles, Workers};
use crate::fold::clocks::CLOCK_CORRELATIONS;
use crate::fold::dispatches::{OnDevice, OnHost, Timed};
use crate::fold::health::chunks::chunks;
use crate::fold::shared::{Chunks, Grouped, side_by_side};

/// Contradictions, and other facts that follow from holding families against each other.
#[derive(Debug, Default)]
pub struct CrossChecks {
    /// The most telling first.
    pub contradictions: Vec<Contradiction>,
    pub tiles: Tiles,
    /// The time in which dispatches ran, by the better clock, in nanoseconds: at most over all devices, and at least on the
    /// busiest.
    pub busy_ns: Option<[f64; 2]>,
    /// How many functions ran in command buffers without any dispatch, and how many ran.
    pub left_out: [u64; 2],
}

const MEMORY: Places<2> = Places::new("memory_events", ["event_id", "physical_device_ordinal"]);
const REGIONS: Places<2> =
    Places::new("command_region_events", ["event_id", "physical_device_ordinal"]);

/// Reads `bundle` and finds what contradicts itself.
pub fn find(bundle: &Arc<Bundle>, threads: usize) -> Result<CrossChecks, BundleError> {
    let known = Prerequisites {
        buffers: CommandBuffers::read(bundle)?,
        timelines: Timelines::read(bundle)?,
        workers: Workers::read(bundle)?,
    };
    let has = |tables: &[&'static str]| !Chunks::of(bundle, tables).is_empty();
    let is_host_timed = has(&[OnHost::TABLE]);
    let is_device_timed = has(&[OnDevice::TABLE, QUEUE_DEVICE_EVENTS, CLOCK_CORRELATIONS]);
    let host = || is_host_timed.then(|| Side::<OnHost>::read(bundle, &known)).transpose();
    let rest = || {
        // Either side reads the queue's events.
        let is_read = is_device_timed || !is_host_timed;
        let device = is_read.then(|| Side::<OnDevice>::read(bundle, &known)).transpose()?;
        Ok::<_, BundleError>((device, repeated(bundle, &MEMORY)?, repeated(bundle, &REGIONS)?))
    };
    let (host, rest) = side_by_side(threads, host, rest);
    let (mut host, (mut device, memory, regions)) = (host?, rest?);
    let of_host = host.as_mut().map(Side::repeated);
    let of_device = device.as_mut().map(Side::repeated);
    let [spans, ..] = of_host.unwrap_or_default();
    let [dispatches, _, operations] = of_device.unwrap_or_default();
    let [_, queue, _] = of_device.or(of_host).unwrap_or_default();
    let executions_are_counted = queue == 0
        && is_whole(bundle, &[OnDevice::TABLE, OnHost::TABLE, QUEUE_EVENTS, "command_operations"]);
    let mut found = Search {
        known: &known,
        executions_are_counted,
        left_out: [0; 2],
        contradictions: Vec::new(),
    };
    let ns = |[session, device]: &[u64; 2], ticks: f64| {
        known.timelines.of(*session, *device).and_then(|timeline| timeline.ns(ticks))
    };
    let mut held = CrossChecks::default();
    if let Some(device) = device {
        found.add_side(&device, ns);
        held.busy_ns = busy(&device.devices, ns);
        found.add_clocks(&device);
    }
    found.add_ids(OnDevice::TABLE, dispatches);
    found.add_ids(QUEUE_EVENTS, queue);
    found.add_ids(QUEUE_DEVICE_EVENTS, operations);
    if let Some(host) = host {
        found.add_side(&host, |_, ns| Some(ns));
        held.busy_ns = held.busy_ns.or_else(|| busy(&host.devices, |_, ns| Some(ns)));
        found.add_tiles(&host.tiles, &host.devices);
        held.tiles = host.tiles;
    }
    found.add_ids(OnHost::TABLE, spans);
    found.add_ids(MEMORY.table, memory);
    found.add_ids(REGIONS.table, regions);
    held.left_out = found.left_out;
    held.contradictions = found.contradictions;
    held.contradictions.sort_by_key(|it| it.kind);
    Ok(held)
}

/// Counts the ids of a table that occur more than once.
fn repeated(bundle: &Bundle, id: &Places<2>) -> Result<u64, BundleError> {
    let mut ids = Ids::default();
    Chunks::of(bundle, &[id.table]).each(|block| {
        block.each_row(id.layout, |row| {
            let [event_id, device] = row.numbers(id);
            ids.add([block.header.session_id, device], event_id);
            Ok(())
        })
    })?;
    Ok(ids.repeated())
}

/// The contradictions so far.
struct Search<'a> {
    known: &'a Prerequisites,
    /// Whether executions of command buffers and their dispatches were recorded once each.
    executions_are_counted: bool,
    left_out: [u64; 2],
    contradictions: Vec<Contradiction>,
}

/// Converts ticks of a device in a session to nanoseconds; `None` if its clock has no fit.
type ToNs<'a> = &'a dyn Fn(&[u64; 2], f64) -> Option<f64>;

impl Search<'_> {
    /// Adds what the dispatches of one clock show.
    fn add_side<T: Timed>(
        &mut self,
        side: &Side<'_, T>,
        ns: impl Fn(&[u64; 2], f64) -> Option<f64>,
    ) {
        let devices = &side.devices;
        self.add(Kind::OutlastingDispatches, T::TABLE, devices, &ns, |device| {
            (device.outlasting, device.dispatches, device.time)
        });
        self.add(Kind::UnorderedDispatches, T::TABLE, devices, &ns, |device| {
            (device.unordered, device.dispatches, device.time)
        });
        self.add(Kind::UncoveredEvents, T::TABLE, devices, &ns, |device| {
            (device.uncovered, device.events, 0)
        });
        let as_ns = |_: &[u64; 2], ns| Some(ns);
        self.add(Kind::EarlySubmissions, T::TABLE, devices, &as_ns, |device| {
            (device.early, device.submissions, 0)
        });
        if self.executions_are_counted {
            self.left_out = self.left_out.max(side.due.left_out(&self.known.buffers));
            let [count, total] = side.due.missing(&self.known.buffers);
            self.put(
                count,
                |it| Contradiction { table: T::TABLE, total, ..it },
                Kind::MissingDispatches,
            );
        }
    }

    /// Adds a kind of contradiction over all devices that show it.
    fn add(
        &mut self,
        kind: Kind,
        table: &'static str,
        devices: &Grouped<2, Device>,
        ns: ToNs<'_>,
        shown: impl Fn(&Device) -> (Evidence, u64, u128),
    ) {
        let all = devices.iter().map(|(place, device)| (place, shown(device)));
        let those: Vec<_> = all.filter(|(_, (shown, ..))| shown.count > 0).collect();
        let amount = |of: &dyn Fn(&(Evidence, u64, u128)) -> f64, add: fn(f64, f64) -> f64| {
            let ticks = those.iter().map(|(_, shown)| of(shown)).fold(0.0, add);
            let times = those.iter().map(|(place, shown)| ns(place, of(shown)));
            let ns = times.collect::<Option<Vec<f64>>>();
            ns.map_or(Amount::Ticks(ticks), |ns| Amount::Ns(ns.into_iter().fold(0.0, add)))
        };
        let sum = |one: f64, other: f64| one + other;
        let count = those.iter().map(|(_, (shown, ..))| shown.count).sum();
        let made = |it| Contradiction {
            table,
            device: those.first().map(|([_, device], _)| *device).filter(|_| those.len() == 1),
            total: those.iter().map(|(_, (_, total, _))| *total).sum(),
            sum: Some(amount(&|(shown, ..)| float(shown.sum), sum)),
            most: Some(amount(&|(shown, ..)| float(shown.most.into()), f64::max)),
            of: Some(amount(&|(.., time)| float(*time), sum)),
            ..it
        };
        self.put(count, made, kind);
    }

    /// Adds the clocks that are ahead of the host.
    fn add_clocks(&mut self, side: &Side<'_, OnDevice>) {
        for (place, timeline) in self.known.timelines.all() {
            let Some((ns, [count, total])) = timeline.ahead(side.earliest.of(place)) else {
                continue;
            };
            let most = Some(Amount::Ns(float(ns.into())));
            let made = |it| Contradiction {
                table: "clock_correlations",
                device: Some(place[1]),
                total,
                most,
                ..it
            };
            self.put(count, made, Kind::ShiftedClock);
        }
    }

    fn add_ids(&mut self, table: &'static str, count: u64) {
        self.put(count, |it| Contradiction { table, ..it }, Kind::RepeatedIds);
    }

    fn add_tiles(&mut self, tiles: &Tiles, devices: &Grouped<2, Device>) {
        let Evidence { count, sum, most } = tiles.excessive;
        let made = |it| Contradiction {
            table: OnHost::TABLE,
            total: devices.values().iter().map(|device| device.dispatches).sum(),
            sum: Some(Amount::Ns(float(sum))),
            most: Some(Amount::Ns(float(most.into()))),
            ..it
        };
        self.put(count, made, Kind::ExcessiveTiles);
    }

    /// Adds a contradiction if any record shows it.
    fn put(&mut self, count: u64, made: impl FnOnce(Contradiction) -> Contradiction, kind: Kind) {
        let plain = Contradiction {
            kind,
            table: "",
            device: None,
            count,
            total: count,
            sum: None,
            most: None,
            of: None,
        };
        if count > 0 {
            self.contradictions.push(made(plain));
        }
    }
}

/// Whether the records of some tables are complete: all sessions ended, and nothing was dropped or damaged.
fn is_whole(bundle: &Bundle, tables: &[&'static str]) -> bool {
    let sessions = &bundle.directory.sessions;
    let lost = chunks(bundle).map(|chunks| {
        let mut those = tables.iter().filter_map(|table| chunks.get(&Some(*table)));
        those.any(|it| it.is_lossy() || it.damaged > 0)
    });
    !lost.unwrap_or(true) && sessions.iter().all(|it| is_ended(bundle, it.session_id))
}

/// Returns the time in which dispatches ran, see [`CrossChecks::busy_ns`]; `None` if there are none, or a clock has no fit.
fn busy(
    devices: &Grouped<2, Device>,
    ns: impl Fn(&[u64; 2], f64) -> Option<f64>,
) -> Option<[f64; 2]> {
    let ran = devices.iter().filter(|(_, device)| device.dispatches > 0);
    let times = ran.map(|(place, device)| {
        let [most, least] = device.busy.map(float);
        Some([ns(place, most)?, ns(place, least)?])
    });
    let times = times.collect::<Option<Vec<_>>>().filter(|times| !times.is_empty())?;
    Some(times.into_iter().fold([0.0; 2], |[sum, top], [most, least]| [sum + most, least.max(top)]))
}

#[expect(clippy::cast_precision_loss, reason = "amounts are rounded when they are told")]
const fn float(amount: u128) -> f64 {
    amount as f64
}
