//! Keeps the longest dispatches, and chooses among equally long ones as `iree-profile` does.

use std::cmp::Reverse;

use crate::fold::dispatches::Ids;

/// Number of dispatches that are kept.
const COUNT: usize = 8;

/// A dispatch with its duration and the number of its group.
#[derive(Debug, Clone, Copy)]
pub struct Long {
    pub duration: u64,
    pub group: usize,
    pub dispatch: Dispatch,
}

/// The printed fields of a dispatch.
#[derive(Debug, Clone, Copy)]
pub struct Dispatch {
    pub ids: Ids,
    /// Device, ordinal and stream.
    pub queue: [u64; 3],
    /// Number of tiles and the sum of their durations; only of host spans.
    pub tiles: [u64; 2],
}

/// The longest dispatches so far.
///
/// Replacement follows `iree-profile`: a longer dispatch takes the slot of the first of the shortest kept ones.
/// Equally long dispatches are printed in the order of their slots, which is not always that of the file.
#[derive(Debug, Default)]
pub struct Longest {
    places: Vec<Long>,
    /// Slot and duration of the shortest, once all slots are taken. It makes the test for a new dispatch one
    /// comparison.
    shortest: Option<(usize, u64)>,
}

impl Longest {
    /// Whether a dispatch of this duration would be kept.
    #[inline]
    pub(crate) fn has_room(&self, duration: u64) -> bool {
        self.shortest.is_none_or(|(_, shortest)| duration > shortest)
    }

    /// Stores a dispatch; call [`Self::has_room`] first.
    #[cold]
    pub fn keep(&mut self, long: Long) {
        match self.shortest.and_then(|(place, _)| self.places.get_mut(place)) {
            Some(place) => *place = long,
            None => self.places.push(long),
        }
        if self.places.len() >= COUNT {
            let durations = self.places.iter().map(|long| long.duration).enumerate();
            self.shortest = durations.min_by_key(|(_, duration)| *duration);
        }
    }

    /// Returns the dispatches, longest first.
    pub fn sorted(&self) -> Vec<Long> {
        let mut sorted = self.places.clone();
        sorted.sort_by_key(|long| Reverse(long.duration));
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equally_long_ones_the_first_places_win() {
        let ids =
            |event_id| Ids { event_id, submission_id: 0, command_buffer_id: 0, command_index: 0 };
        let dispatch = |event_id| Dispatch { ids: ids(event_id), queue: [0; 3], tiles: [0; 2] };
        let mut longest = Longest::default();
        for (event, duration) in (1..).zip([3, 3, 5, 3, 3, 3, 3, 3, 3, 5, 4]) {
            if longest.has_room(duration) {
                longest.keep(Long { duration, group: 0, dispatch: dispatch(event) });
            }
        }
        let events: Vec<u64> =
            longest.sorted().iter().map(|long| long.dispatch.ids.event_id).collect();
        assert_eq!(events, [10, 3, 11, 4, 5, 6, 7, 8]);
    }
}
