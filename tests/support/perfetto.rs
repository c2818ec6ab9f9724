//! Reads traces as Perfetto does, also concatenated ones, and checks rules of the format.

use std::collections::{HashMap, HashSet};

use exporters::perfetto::proto::trace_packet::SequenceFlags;
use exporters::perfetto::proto::track_descriptor::SiblingMergeBehavior;
use exporters::perfetto::proto::track_event::Type;
use exporters::perfetto::proto::{
    ClockSnapshot, InternedData, Trace, TracePacket, TrackDescriptor, TrackEvent,
};
use prost::Message;

/// The clock of the trace.
const BOOT_TIME: u32 = 6;

/// An event as Perfetto shows it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    pub kind: i32,
    /// Names of the tracks on the path from the root.
    pub track: Vec<String>,
    pub uuid: u64,
    pub name: String,
    pub category: String,
    /// The time since its sequence begins.
    pub time: u64,
    /// The time in the trace.
    pub trace_time: u64,
    pub value: Option<f64>,
    pub flows: Vec<u64>,
    pub annotations: HashMap<String, String>,
}

/// A track as Perfetto shows it.
#[derive(Debug, Clone)]
pub struct Track {
    /// Names of the tracks on the path from the root.
    pub path: Vec<String>,
    pub description: String,
    is_counter: bool,
}

/// Returns the events of a trace.
pub fn seen(trace: &[u8]) -> Vec<Seen> {
    seen_with_tracks(trace).0
}

/// Returns the events of a trace, and its tracks by uuid.
pub fn seen_with_tracks(trace: &[u8]) -> (Vec<Seen>, HashMap<u64, Track>) {
    let trace = Trace::decode(trace).unwrap();
    let mut reader = Reader::default();
    let events = trace.packet.iter().filter_map(|packet| reader.read(packet)).collect();
    (events, reader.tracks)
}

/// Converts an integer to a counter value.
#[expect(clippy::cast_precision_loss, reason = "the numbers of tests are small")]
const fn whole(value: i64) -> f64 {
    value as f64
}

/// The state of a trace reader. Interned texts and clocks are per sequence.
#[derive(Debug, Default)]
struct Reader {
    tracks: HashMap<u64, Track>,
    sequences: HashSet<u32>,
    names: HashMap<(u32, u64), String>,
    categories: HashMap<(u32, u64), String>,
    keys: HashMap<(u32, u64), String>,
    texts: HashMap<(u32, u64), String>,
    clocks: HashMap<(u32, u32), Clock>,
}

/// An incremental clock.
#[derive(Debug)]
struct Clock {
    start: u64,
    now: u64,
    /// The time in the trace at the start.
    trace_time: u64,
}

impl Reader {
    fn read(&mut self, packet: &TracePacket) -> Option<Seen> {
        let sequence = packet.trusted_packet_sequence_id();
        if packet.sequence_flags() & SequenceFlags::SeqIncrementalStateCleared as u32 != 0 {
            // Clocks and texts of two sequences of one number would be taken for each other.
            assert!(self.sequences.insert(sequence), "sequence {sequence} begins twice");
        }
        if let Some(track) = &packet.track_descriptor {
            self.describe(track);
        }
        if let Some(snapshot) = &packet.clock_snapshot {
            self.start_clocks(sequence, snapshot);
        }
        if let Some(data) = &packet.interned_data {
            self.learn(sequence, data);
        }
        let event = packet.track_event.as_ref()?;
        let number = packet.timestamp_clock_id.unwrap_or(64);
        let clock = self.clocks.get_mut(&(sequence, number)).unwrap();
        clock.now += packet.timestamp();
        let time = clock.now - clock.start;
        let trace_time = clock.trace_time + time;
        Some(Seen { time, trace_time, ..self.event(sequence, event) })
    }

    fn describe(&mut self, track: &TrackDescriptor) {
        // Perfetto merges tracks of one name that have the same parent or none.
        let is_merged = track.sibling_merge_behavior() != SiblingMergeBehavior::None;
        assert_eq!(is_merged, track.parent_uuid.is_some(), "{track:?}");
        let above = track.parent_uuid.map(|above| &self.tracks[&above].path);
        let path = above.into_iter().flatten().map(String::as_str).chain([track.name()]);
        let described = Track {
            path: path.map(str::to_owned).collect(),
            description: track.description().to_owned(),
            is_counter: track.counter.is_some(),
        };
        let known = self.tracks.insert(track.uuid(), described);
        assert!(known.is_none(), "{known:?} has the uuid of {track:?}");
    }

    fn start_clocks(&mut self, sequence: u32, snapshot: &ClockSnapshot) {
        let boot_time = snapshot.clocks.iter().find(|clock| clock.clock_id() == BOOT_TIME);
        let trace_time = boot_time.unwrap().timestamp();
        for clock in snapshot.clocks.iter().filter(|clock| clock.is_incremental()) {
            let start = clock.timestamp();
            let started = Clock { start, now: start, trace_time };
            self.clocks.insert((sequence, clock.clock_id()), started);
        }
    }

    fn learn(&mut self, sequence: u32, data: &InternedData) {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let key = |iid: u64| (sequence, iid);
        self.categories
            .extend(data.event_categories.iter().map(|it| (key(it.iid()), it.name().to_owned())));
        self.names.extend(data.event_names.iter().map(|it| (key(it.iid()), it.name().to_owned())));
        let keys = data.debug_annotation_names.iter();
        self.keys.extend(keys.map(|it| (key(it.iid()), it.name().to_owned())));
        let texts = data.debug_annotation_string_values.iter();
        self.texts.extend(texts.map(|it| (key(it.iid()), text(it.str()))));
    }

    /// Returns an event without its times.
    fn event(&self, sequence: u32, event: &TrackEvent) -> Seen {
        let track = &self.tracks[&event.track_uuid()];
        // Perfetto drops values on other tracks, and other events on those of counters.
        let is_value = event.r#type == Some(Type::Counter as i32);
        assert_eq!(is_value, track.is_counter, "{event:?}");
        let annotations = event.debug_annotations.iter().map(|it| {
            let value = match (
                it.uint_value,
                it.int_value,
                it.double_value,
                it.bool_value,
                it.string_value_iid,
            ) {
                (Some(value), ..) => value.to_string(),
                (_, Some(value), ..) => value.to_string(),
                (_, _, Some(value), ..) => value.to_string(),
                (.., Some(value), _) => value.to_string(),
                (.., Some(text)) => self.texts[&(sequence, text)].clone(),
                _ => it.string_value().to_owned(),
            };
            (self.keys[&(sequence, it.name_iid())].clone(), value)
        });
        let categories = event.category_iids.iter();
        let categories = categories.map(|it| self.categories[&(sequence, *it)].as_str());
        Seen {
            kind: event.r#type.unwrap(),
            track: track.path.clone(),
            uuid: event.track_uuid(),
            name: event
                .name_iid
                .map_or_else(String::new, |name| self.names[&(sequence, name)].clone()),
            category: categories.collect::<Vec<_>>().join(","),
            value: event.double_counter_value.or(event.counter_value.map(whole)),
            flows: event.flow_ids.clone(),
            annotations: annotations.collect(),
            ..Seen::default()
        }
    }
}
