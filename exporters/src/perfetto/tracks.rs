//! The tree of tracks. A track is named by a path; the part before the last `/` is the path of its parent.

use std::collections::HashMap;

use arrow::array::{BooleanArray, Int64Array, RecordBatch, StringViewArray};
use arrow::datatypes::DataType;
use foldhash::fast::RandomState;

use super::columns::{at, column};
use super::proto::counter_descriptor::Unit;
use super::proto::track_descriptor::{ChildTracksOrdering, SiblingMergeBehavior};
use super::proto::{CounterDescriptor, TrackDescriptor};
use super::rows::Rows;
use crate::encoder::EncodeError;

/// The tracks of one sequence.
#[derive(Debug)]
pub struct Tracks {
    all: Vec<Track>,
    by_path: HashMap<Box<str>, u32, RandomState>,
}

/// A track.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Track {
    pub name: String,
    /// A human-readable description.
    pub description: String,
    /// The unit of a counter's values.
    pub unit: String,
    /// The sort order among siblings.
    pub rank: Option<i32>,
    pub is_counter: bool,
    /// True if it has slices or instants.
    has_events: bool,
    /// True if the track is written even if it has no events.
    pub is_shown: bool,
    pub parent: Option<u32>,
    has_children: bool,
    /// The GPU of the track: the number in brackets of its ancestor below the root.
    pub gpu: Option<i32>,
    /// The kind of the GPU packets on the track, if any.
    pub packets: Option<Rows>,
    /// True if a row has described the track.
    is_declared: bool,
}

impl Tracks {
    /// Creates a tree with only a root of this name, the track number 0.
    pub fn new(name: &str) -> Self {
        let root = Track { name: name.into(), is_shown: true, rank: Some(0), ..Track::default() };
        Self { all: vec![root], by_path: HashMap::from_iter([("".into(), 0)]) }
    }

    /// Adds lines to the description of the root.
    pub(crate) fn describe_root(&mut self, lines: &str) {
        if let Some(root) = self.all.first_mut() {
            if !root.description.is_empty() {
                root.description.push('\n');
            }
            root.description.push_str(lines);
        }
    }

    /// Returns the number of the track at `path`, and creates the track and its ancestors if they are missing.
    pub fn at(&mut self, path: &str) -> u32 {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let parent = self.at(above);
        let number = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        let gpu =
            if parent == 0 { ordinal(name) } else { self.get(parent).and_then(|above| above.gpu) };
        self.all.push(Track { name: name.into(), parent: Some(parent), gpu, ..Track::default() });
        if let Some(above) = self.all.get_mut(parent as usize) {
            above.has_children = true;
        }
        self.by_path.insert(path.into(), number);
        number
    }

    /// Returns the number of the track at `path` for the values of a counter, or for other events. A track of Perfetto has
    /// one or the other, and drops what its descriptor does not announce: whichever comes second gets a track of the same
    /// name beside it.
    pub fn holding(&mut self, path: &str, is_counter: bool) -> u32 {
        let number = self.at(path);
        let Some(track) = self.all.get_mut(number as usize) else { return number };
        let is_other = if is_counter { track.has_events } else { track.is_counter };
        if is_other {
            let name = track.name.clone();
            let beside = self.holding(&format!("{path}\0"), is_counter);
            if let Some(track) = self.all.get_mut(beside as usize) {
                track.name = name;
            }
            return beside;
        }
        track.is_counter = is_counter;
        track.has_events = !is_counter;
        number
    }

    /// Returns the track of this number.
    pub fn get(&self, number: u32) -> Option<&Track> {
        self.all.get(number as usize)
    }

    /// Notes that a track has GPU packets of this kind.
    pub(crate) fn note_packets(&mut self, number: u32, kind: Rows) {
        if let Some(track) = self.all.get_mut(number as usize) {
            track.packets = Some(kind);
        }
    }

    /// Returns the tracks with GPU packets of this kind, with their numbers.
    pub(crate) fn with_packets(&self, kind: Rows) -> impl Iterator<Item = (u32, &Track)> {
        (0..).zip(&self.all).filter(move |(_, track)| track.packets == Some(kind))
    }

    /// Returns the number of tracks.
    pub fn count(&self) -> u32 {
        u32::try_from(self.all.len()).unwrap_or(u32::MAX)
    }

    /// Applies rows that describe tracks. If several rows describe one track, the first one counts.
    pub fn declare(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        let texts = |name| column::<StringViewArray>(batch, name, &DataType::Utf8View);
        let [paths, names, descriptions, units] =
            [texts("track")?, texts("name")?, texts("description")?, texts("unit")?];
        let ranks = column::<Int64Array>(batch, "sort_order", &DataType::Int64)?;
        let flags = |name| column::<BooleanArray>(batch, name, &DataType::Boolean);
        let [counters, shown] = [flags("is_counter")?, flags("is_shown")?];
        for row in 0..batch.num_rows() {
            let Some(path) = at(paths.as_ref(), row) else { continue };
            let number = self.at(path) as usize;
            let Some(track) = self.all.get_mut(number).filter(|track| !track.is_declared) else {
                continue;
            };
            track.is_declared = true;
            if let Some(name) = at(names.as_ref(), row) {
                name.clone_into(&mut track.name);
            }
            at(descriptions.as_ref(), row).unwrap_or_default().clone_into(&mut track.description);
            at(units.as_ref(), row).unwrap_or_default().clone_into(&mut track.unit);
            track.rank = at(ranks.as_ref(), row).and_then(|rank| i32::try_from(rank).ok());
            track.is_counter = at(counters.as_ref(), row).unwrap_or_default();
            track.is_shown = at(shown.as_ref(), row).unwrap_or_default();
        }
        Ok(())
    }
}

impl Track {
    /// Returns the descriptor of a lane of the track; lane 0 is the track itself.
    pub fn descriptor(&self, uuid: u64, parent: Option<u64>, lane: u32) -> TrackDescriptor {
        let name = if lane == 0 { self.name.clone() } else { format!("{} lane {lane}", self.name) };
        let lane = i32::try_from(lane).unwrap_or(i32::MAX);
        TrackDescriptor {
            uuid: Some(uuid),
            name: Some(name),
            parent_uuid: parent,
            counter: self.is_counter.then(|| counter(&self.unit)),
            child_ordering: self.has_children.then_some(ChildTracksOrdering::Explicit as i32),
            sibling_order_rank: self.rank.map(|rank| rank.saturating_add(lane)),
            description: (!self.description.is_empty()).then(|| self.description.clone()),
            // Readers merge tracks of one name, such as the roots of two traces that were concatenated.
            sibling_merge_behavior: parent.is_none().then_some(SiblingMergeBehavior::None as i32),
        }
    }
}

/// Returns the number in brackets at the end of a name.
fn ordinal(name: &str) -> Option<i32> {
    name.strip_suffix(']')?.rsplit_once('[')?.1.parse().ok()
}

/// Returns the descriptor of a counter, with the format's enum value for its unit or, if there is none, the name.
fn counter(unit: &str) -> CounterDescriptor {
    let known = match unit {
        "bytes" => Some(Unit::SizeBytes),
        "count" => Some(Unit::Count),
        "ns" => Some(Unit::TimeNs),
        _ => None,
    };
    CounterDescriptor {
        unit: known.map(|unit| unit as i32),
        unit_name: (known.is_none() && !unit.is_empty()).then(|| unit.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_makes_the_tracks_above() {
        let mut tracks = Tracks::new("root");
        let leaf = tracks.at("a/b/c");
        assert_eq!(tracks.at("a/b/c"), leaf);
        assert_eq!(tracks.count(), 4);
        let above = tracks.get(leaf).unwrap().parent.unwrap();
        assert_eq!(tracks.get(above).unwrap().name, "b");
        assert_eq!(tracks.at("a/b"), above);
        let top = tracks.at("a");
        assert_eq!(tracks.get(top).unwrap().parent, Some(0));
        let queue = tracks.at("device[3]/queue[1]");
        assert_eq!(tracks.get(queue).unwrap().gpu, Some(3), "the number is that of the device");
        let unknown = tracks.at("device[4294967295]/queue[1]");
        assert_eq!(tracks.get(unknown).unwrap().gpu, None);
    }

    #[test]
    fn lanes_stand_behind_their_track() {
        let track = Track { name: "x".into(), rank: Some(20), ..Track::default() };
        let lane = track.descriptor(9, Some(1), 2);
        assert_eq!((lane.name.as_deref(), lane.sibling_order_rank), (Some("x lane 2"), Some(22)));
        assert_eq!(lane.sibling_merge_behavior, None);
        assert_eq!(counter("watts").unit_name.as_deref(), Some("watts"));
        assert_eq!(counter("bytes").unit, Some(Unit::SizeBytes as i32));
    }
}
