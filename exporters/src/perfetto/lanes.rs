//! Assigns overlapping slices of one track to lanes, which are drawn as separate tracks.
//!
//! Greedy interval partitioning (Kleinberg and Tardos, Algorithm Design, 4.1): in order of their starts, each slice
//! takes the lowest free lane. This uses the minimum number of lanes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The lanes of all tracks. Slices must be added by ascending start.
#[derive(Debug, Default)]
pub struct Lanes {
    tracks: Vec<Track>,
}

#[derive(Debug, Default)]
struct Track {
    /// End and lane of the slices that may still be open; a min-heap by end.
    busy: BinaryHeap<Reverse<(i64, u32)>>,
    free: BinaryHeap<Reverse<u32>>,
    count: u32,
}

impl Lanes {
    /// Returns the lowest lane of `track` that is free at `start`, and occupies it until `end`.
    pub fn take(&mut self, track: u32, start: i64, end: i64) -> u32 {
        let Some(track) = grown(&mut self.tracks, track as usize) else { return 0 };
        while let Some(Reverse((until, lane))) = track.busy.peek().copied()
            && until <= start
        {
            track.busy.pop();
            track.free.push(Reverse(lane));
        }
        let lane = if let Some(Reverse(lane)) = track.free.pop() {
            lane
        } else {
            track.count += 1;
            track.count - 1
        };
        track.busy.push(Reverse((end, lane)));
        lane
    }
}

/// Returns the n-th item of a list, after appending default items if the list is shorter.
pub fn grown<T: Default>(items: &mut Vec<T>, nth: usize) -> Option<&mut T> {
    if items.len() <= nth {
        items.resize_with(nth + 1, T::default);
    }
    items.get_mut(nth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlaps_move_down_and_free_lanes_are_used_again() {
        let mut lanes = Lanes::default();
        let slices = [(0, 10), (2, 4), (3, 20), (4, 6), (10, 12), (30, 31)];
        let taken: Vec<u32> =
            slices.iter().map(|(start, end)| lanes.take(1, *start, *end)).collect();
        assert_eq!(taken, [0, 1, 2, 1, 0, 0]);
        assert_eq!(lanes.take(2, 0, 1), 0, "tracks have lanes of their own");
    }
}
