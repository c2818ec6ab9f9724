//! Builds the tracks of a timeline: for devices, their queues, the kinds of events on a queue, pools, and diagnostics.

use read::bundle::BundleError;
use read::bundle::cursor::word;
use schemas::place::Places;
use schemas::spec::Kind;

use crate::fold::memory::events::POOL_STATS;
use crate::fold::metadata::Metadata;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, Groups, Relation, blocks, place};
use crate::fold::timeline::paths::{ALLOCATED, device_path, pool_name, pool_path, queue_path};
use crate::fold::timeline::queues::{Queue, queues};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[Output::of(
    "usual_tracks",
    "The tracks of a timeline for devices, queues, pools and diagnostics, with their descriptions; one row per track.",
    || columns().fields(),
)];

/// A kind of events on a queue, which has a track.
struct TrackKind {
    name: &'static str,
    sort_order: i64,
    kind: Kinds,
    /// Whether the track is shown even without events.
    is_shown: bool,
}

/// The source of the times of a track.
enum Kinds {
    /// The host's clock.
    Host,
    /// The host's clock, for operations of command buffers.
    Operations,
    /// The device's clock.
    Device,
    /// A counter track: it has values instead of events.
    Bytes,
}

const PARTS: &[TrackKind] = &[
    TrackKind { name: "host queue events", sort_order: 0, kind: Kinds::Host, is_shown: true },
    TrackKind {
        name: "command buffer operations",
        sort_order: 100,
        kind: Kinds::Operations,
        is_shown: true,
    },
    TrackKind { name: "device queue ops", sort_order: 1000, kind: Kinds::Device, is_shown: false },
    TrackKind { name: "dispatch", sort_order: 2000, kind: Kinds::Device, is_shown: false },
    TrackKind { name: "host execution", sort_order: 3000, kind: Kinds::Host, is_shown: false },
    TrackKind { name: "host memory events", sort_order: 4000, kind: Kinds::Host, is_shown: true },
    TrackKind { name: ALLOCATED, sort_order: 5000, kind: Kinds::Bytes, is_shown: true },
];

/// The place of pools among the tracks of a device.
const POOL_ORDER: i64 = 7000;

/// A row of `usual_tracks`.
struct Track {
    path: String,
    name: String,
    sort_order: i64,
    description: Option<String>,
    unit: Option<&'static str>,
    is_shown: bool,
}

impl Track {
    const fn new(path: String, name: String, sort_order: i64) -> Self {
        Self { path, name, sort_order, description: None, unit: None, is_shown: true }
    }
}

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let queues = queues(call)?;
    // Several rows may have the same path. The first one counts, so device definitions come first.
    let mut tracks = devices(call)?;
    let ordinal = |ordinal: u64| i64::try_from(ordinal).unwrap_or(i64::MAX);
    tracks.extend(queues.iter().map(|queue| {
        let name = device_path(queue.device);
        Track {
            is_shown: queue.is_described,
            ..Track::new(name.clone(), name, ordinal(queue.device))
        }
    }));
    tracks.extend(queues.iter().map(|queue| {
        let place = queue.ordinal.map_or(999_999, ordinal);
        let path = queue_path(queue.device, queue.ordinal);
        Track { is_shown: queue.is_described, ..Track::new(path, queue.name(), place) }
    }));
    for part in PARTS {
        tracks.extend(queues.iter().map(|queue| queue.part(part, call.metadata)));
    }
    tracks.extend(pools(call)?);
    tracks.push(Track::new("diagnostics".into(), "diagnostics".into(), 100_000));
    Ok(vec![columns().relation(&tracks)])
}

fn columns() -> Columns<Track> {
    Columns::<Track>::new()
        .text("track", |track| &track.path)
        .text("name", |track| &track.name)
        .signed("sort_order", |track| track.sort_order)
        .optional_text("description", |track| track.description.as_deref())
        .optional_text("unit", |track| track.unit)
        .flag("is_counter", |track| track.unit.is_some())
        .flag("is_shown", |track| track.is_shown)
}

/// Returns the tracks of the defined devices, named by UUID.
fn devices(call: &Call<'_>) -> Result<Vec<Track>, BundleError> {
    const DEVICE: Places<2> = Places::new("devices", ["flags", "physical_device_ordinal"]);
    let uuid = place(DEVICE.table, "physical_device_uuid");
    let mut tracks = Vec::new();
    blocks(call.bundle, &[DEVICE.table], |block| {
        for row in block.rows() {
            let [flags, device] = row.numbers(&DEVICE);
            let mut name = device_path(device);
            if let Some((at, Kind::Uuid { bit, .. })) = uuid
                && flags >> bit & 1 == 1
            {
                let bytes: [u8; 16] = word(row.bytes(), at);
                name += &format!(" {:032x}", u128::from_be_bytes(bytes));
            }
            let place = i64::try_from(device).unwrap_or(i64::MAX);
            tracks.push(Track::new(device_path(device), name, place));
        }
        Ok(())
    })?;
    Ok(tracks)
}

/// Returns the tracks of the pools that tell how much is reserved of them.
fn pools(call: &Call<'_>) -> Result<Vec<Track>, BundleError> {
    const EVENT: Places<3> =
        Places::new("memory_events", ["flags", "physical_device_ordinal", "pool_id"]);
    let mut pools: Groups<2> = Groups::default();
    blocks(call.bundle, &[EVENT.table], |block| {
        for row in block.rows() {
            let [flags, device, pool] = row.numbers(&EVENT);
            if flags & POOL_STATS != 0 && pool != 0 {
                // Events without a device belong to device 0.
                pools.number([if device == ABSENT { 0 } else { device }, pool]);
            }
        }
        Ok(())
    })?;
    let track = |[device, pool]: &[u64; 2]| {
        let (path, name) = (pool_path(*device, *pool), pool_name(*pool));
        Track { unit: Some("bytes"), is_shown: false, ..Track::new(path, name, POOL_ORDER) }
    };
    Ok(pools.keys().iter().map(track).collect())
}

impl Queue {
    fn name(&self) -> String {
        match (self.ordinal, self.stream) {
            (None, _) => "device-scope events".to_owned(),
            (Some(queue), None) => format!("queue[{queue}]"),
            (Some(queue), Some(stream)) => format!("queue[{queue}] stream={stream}"),
        }
    }

    fn part(&self, part: &TrackKind, metadata: &Metadata) -> Track {
        let path = format!("{}/{}", queue_path(self.device, self.ordinal), part.name);
        Track {
            description: self.description(&part.kind, metadata),
            unit: matches!(part.kind, Kinds::Bytes).then_some("bytes"),
            is_shown: part.is_shown && self.is_described,
            ..Track::new(path, part.name.to_owned(), part.sort_order)
        }
    }

    /// Returns the description, in the format of `iree-profile-render`.
    fn description(&self, kind: &Kinds, metadata: &Metadata) -> Option<String> {
        let mut lines = vec![format!("physical_device_ordinal={}", self.device)];
        lines.extend(self.ordinal.map(|queue| format!("queue_ordinal={queue}")));
        match kind {
            Kinds::Host => lines.extend(
                [
                    "host_time_domain=iree_host_time_ns",
                    "iree_perfetto_time_domain=iree_host_time_ns",
                ]
                .map(str::to_owned),
            ),
            Kinds::Operations => {
                lines = [
                    "iree_perfetto_time_domain=iree_host_time_ns",
                    "iree_perfetto_timing_source=host_execution_event",
                ]
                .map(str::to_owned)
                .into();
            }
            Kinds::Device => {
                let samples = metadata.fit(self.device).map(|fit| fit.samples());
                let samples = samples.as_deref().unwrap_or("none");
                let domain = metadata.host_line(self.device).map_or("none", |line| line.domain);
                lines.extend([
                    "device_tick_domain=device_tick".to_owned(),
                    "derived_time_domain=driver_host_cpu_timestamp_ns".to_owned(),
                    "derived_time_basis=first_last_clock_correlation".to_owned(),
                    format!("clock_fit_samples={samples}"),
                    "duration_time_domain=device_tick_duration_ns".to_owned(),
                    "valid=true".to_owned(),
                    format!("iree_perfetto_time_domain={domain}"),
                ]);
            }
            Kinds::Bytes => return None,
        }
        Some(lines.join("\n"))
    }
}
