//! The packets before the GPU packets of a sequence: they describe its hardware queues and counters, and report
//! problems of the bundle.

use std::collections::{BTreeMap, HashSet};

use prost::Message;

use super::gpu_proto::gpu_counter_descriptor::gpu_counter_spec::ValueDirection;
use super::gpu_proto::gpu_counter_descriptor::{GpuCounterSpec, MeasureUnit};
use super::gpu_proto::gpu_counter_event::GpuCounter;
use super::gpu_proto::{
    GpuCounterDescriptor, GpuCounterEvent, GpuRenderStageEvent, InternedData,
    InternedGpuRenderStageSpecification, InternedGraphicsContext, TracePacket,
};
use super::ids::Ids;
use super::lanes::grown;
use super::proto::BuiltinClock;
use super::proto::trace_packet::SequenceFlags;
use super::rows::Rows;
use super::sequence::Sequence;
use super::tracks::{Track, Tracks};

/// The number of the first group of counters; the format reserves small numbers for groups of its own.
const FIRST_GROUP: u32 = 100;

/// The names of the counters that a trace has described. Readers identify counters by name within all sequences.
#[derive(Debug, Default)]
pub struct Counters {
    names: HashSet<(Option<i32>, String)>,
}

/// What precedes the events of a sequence with GPU packets.
#[derive(Debug, Default)]
pub struct Preamble {
    pub packets: Vec<TracePacket>,
    /// The encoded fields by which the packets of each track refer to its queue or counter.
    pub heads: Vec<Vec<u8>>,
}

impl Preamble {
    /// Describes the queues and counters of a sequence, in packets at this time of the trace.
    pub fn of(sequence: &mut Sequence, time: u64, counters: &mut Counters) -> Self {
        let (mut preamble, ids) = (Self::default(), sequence.ids);
        let label = sequence.label.as_ref().map_or_else(String::new, |label| format!("{label}: "));
        preamble.queues(&sequence.tracks, &label, ids);
        preamble.counters(&sequence.tracks, &label, ids, counters);
        preamble.packets.extend(sequence.logs.drain(..).map(|mut log| {
            log.log_message = log.log_message.map(|message| label.clone() + &message);
            TracePacket { gpu_log: Some(log), ..TracePacket::default() }
        }));
        for packet in &mut preamble.packets {
            packet.timestamp = Some(time);
            packet.timestamp_clock_id = Some(BuiltinClock::Boottime as u32);
            packet.trusted_packet_sequence_id = Some(ids.sequence());
            packet.sequence_flags = Some(SequenceFlags::SeqNeedsIncrementalState as u32);
        }
        preamble
    }

    fn queues(&mut self, tracks: &Tracks, label: &str, ids: Ids) {
        let mut data = InternedData::default();
        let context = Some(u64::from(ids.sequence()));
        for (nth, track) in tracks.with_packets(Rows::Stages) {
            let queue = track.parent.unwrap_or(0);
            // Odd, because stages have even numbers.
            let iid = u64::from(queue) * 2 + 1;
            let event = GpuRenderStageEvent {
                hw_queue_iid: Some(iid),
                gpu_id: track.gpu,
                context,
                ..GpuRenderStageEvent::default()
            };
            self.refer(nth, &event);
            if data.gpu_specifications.iter().all(|known| known.iid != Some(iid)) {
                data.gpu_specifications.push(InternedGpuRenderStageSpecification {
                    iid: Some(iid),
                    name: Some(format!("{label}{}", path(tracks, queue))),
                    description: text(&track.description),
                    category: None,
                });
            }
        }
        if !data.gpu_specifications.is_empty() {
            data.graphics_contexts = vec![InternedGraphicsContext { iid: context }];
            self.packets.push(TracePacket { interned_data: Some(data), ..TracePacket::default() });
        }
    }

    /// Describes the counters of each GPU.
    fn counters(&mut self, tracks: &Tracks, label: &str, ids: Ids, counters: &mut Counters) {
        let mut gpus: BTreeMap<Option<i32>, GpuCounterDescriptor> = BTreeMap::new();
        let mut groups: BTreeMap<u32, usize> = BTreeMap::new();
        for (count, (nth, track)) in (0..).zip(tracks.with_packets(Rows::GpuCounters)) {
            let id = Some(ids.counter(count));
            self.refer(nth, &GpuCounter { counter_id: id, ..GpuCounter::default() });
            let descriptor = gpus.entry(track.gpu).or_default();
            let (numerator_units, denominator_units) = units(&track.unit);
            descriptor.specs.push(GpuCounterSpec {
                counter_id: id,
                name: Some(counters.name(tracks, nth, track, label)),
                description: text(&track.description),
                numerator_units: numerator_units.iter().map(|unit| *unit as i32).collect(),
                denominator_units: denominator_units.iter().map(|unit| *unit as i32).collect(),
                // A value is drawn from its time on, as on tracks of counters.
                value_direction: Some(ValueDirection::ForwardsLooking as i32),
            });
            let above = track.parent.unwrap_or(0);
            let place = *groups.entry(above).or_insert(descriptor.counter_groups.len());
            if let Some(group) = grown(&mut descriptor.counter_groups, place) {
                group.group_id = u32::try_from(place).ok().map(|place| FIRST_GROUP + place);
                group.name.get_or_insert_with(|| format!("{label}{}", path(tracks, above)));
                group.counter_ids.extend(id);
            }
        }
        self.packets.extend(gpus.into_iter().map(|(gpu_id, descriptor)| TracePacket {
            gpu_counter_event: Some(GpuCounterEvent {
                counter_descriptor: Some(descriptor),
                counters: Vec::new(),
                gpu_id,
            }),
            ..TracePacket::default()
        }));
    }

    /// Stores the fields by which the packets of a track refer to its queue or counter.
    fn refer(&mut self, track: u32, message: &impl Message) {
        if let Some(head) = grown(&mut self.heads, track as usize) {
            *head = message.encode_to_vec();
        }
    }
}

impl Counters {
    /// Returns the name of a counter, with its unit if the format has none like it. Readers merge counters of one name,
    /// so further ones have longer names.
    fn name(&mut self, tracks: &Tracks, nth: u32, track: &Track, label: &str) -> String {
        let is_said =
            track.unit.is_empty() || track.unit == "count" || !units(&track.unit).0.is_empty();
        let unit = if is_said { String::new() } else { format!(" ({})", track.unit) };
        let whole = path(tracks, nth);
        let numbered = (nth..).map(|number| format!("{whole} {number}"));
        let names = [track.name.clone(), whole.clone()].into_iter().chain(numbered);
        let mut names = names.map(|name| format!("{label}{name}{unit}"));
        names.find(|name| self.names.insert((track.gpu, name.clone()))).unwrap_or_default()
    }
}

/// Returns the names of a track and of those above it, below the GPU.
fn path(tracks: &Tracks, number: u32) -> String {
    let above = |number: &u32| tracks.get(*number).and_then(|track| track.parent);
    let upwards: Vec<u32> = std::iter::successors(Some(number), above).collect();
    // The last two are the GPU and the root.
    let below = upwards.len().saturating_sub(2).max(1);
    let names = upwards.iter().take(below).filter_map(|number| tracks.get(*number));
    let names: Vec<&str> = names.map(|track| track.name.as_str()).collect();
    names.into_iter().rev().collect::<Vec<_>>().join("/")
}

fn text(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns the units of the format for a unit: those above and those below the fraction line.
fn units(unit: &str) -> (&'static [MeasureUnit], &'static [MeasureUnit]) {
    match unit {
        "bytes" => (&[MeasureUnit::Byte], &[]),
        "bytes_per_second" => (&[MeasureUnit::Byte], &[MeasureUnit::Second]),
        "hertz" => (&[MeasureUnit::Hertz], &[]),
        "ns" => (&[MeasureUnit::Nanosecond], &[]),
        _ => (&[], &[]),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, RecordBatch, StringArray};

    use super::super::sequence::Selection;
    use super::*;

    /// Returns a sequence with these counters: path, name and unit.
    fn sequence(ids: Ids, counters: &[(&str, &str, &str)]) -> Sequence {
        let column = |of: fn(&(&str, &str, &str)) -> String| -> ArrayRef {
            Arc::new(counters.iter().map(|it| Some(of(it))).collect::<StringArray>())
        };
        let columns = [
            ("track", column(|(track, ..)| (*track).to_owned())),
            ("name", column(|(_, name, _)| (*name).to_owned())),
            ("unit", column(|(.., unit)| (*unit).to_owned())),
        ];
        let mut sequence = Sequence::new("root", ids, Selection::default());
        sequence.tracks(&RecordBatch::try_from_iter(columns).unwrap()).unwrap();
        for (path, ..) in counters {
            let track = sequence.tracks.at(path);
            sequence.tracks.note_packets(track, Rows::GpuCounters);
        }
        sequence
    }

    #[test]
    fn counters_of_one_name_are_told_apart() {
        let given = [
            ("device[0]/a/0", "WAVES", "count"),
            ("device[0]/b/0", "WAVES", "count"),
            ("device[1]/a/0", "WAVES", "cycles"),
            ("device[0]/b/1", "clock", "hertz"),
            ("device[0]/b/2", "traffic", "bytes_per_second"),
        ];
        let mut counters = Counters::default();
        let ids = [Ids::of(7), Ids::of(7).next()];
        let packets =
            ids.map(|ids| Preamble::of(&mut sequence(ids, &given), 0, &mut counters).packets);
        let events: Vec<_> =
            packets.iter().flatten().flat_map(|it| &it.gpu_counter_event).collect();
        let described = events.iter().flat_map(|event| {
            let specs = event.counter_descriptor.iter().flat_map(|it| &it.specs);
            specs.map(|spec| (event.gpu_id(), spec.counter_id(), spec.name().to_owned()))
        });
        let [first, second] = ids.map(|ids| ids.counter(0));
        let wanted = [
            (0, first, "WAVES"),
            (0, first + 1, "b/WAVES"),
            (0, first + 3, "clock"),
            (0, first + 4, "traffic"),
            (1, first + 2, "WAVES (cycles)"),
            (0, second, "a/WAVES"),
            (0, second + 1, "b/WAVES 5"),
            (0, second + 3, "b/clock"),
            (0, second + 4, "b/traffic"),
            (1, second + 2, "a/WAVES (cycles)"),
        ];
        assert_eq!(
            described.collect::<Vec<_>>(),
            wanted.map(|(gpu, id, name)| (gpu, id, name.to_owned()))
        );
        let descriptor = events[0].counter_descriptor.as_ref().unwrap();
        let traffic = &descriptor.specs[3];
        let units = [&traffic.numerator_units, &traffic.denominator_units];
        assert_eq!(units, [&[MeasureUnit::Byte as i32], &[MeasureUnit::Second as i32]]);
        let groups: Vec<_> = descriptor
            .counter_groups
            .iter()
            .map(|it| (it.name(), it.counter_ids.clone()))
            .collect();
        assert_eq!(groups, [("a", vec![first]), ("b", vec![first + 1, first + 3, first + 4])]);
    }
}
