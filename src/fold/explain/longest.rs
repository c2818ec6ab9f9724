//! The longest dispatches, of those that come first where some are equally long.

use std::cmp::Reverse;

use crate::fold::dispatches::rows::Ids;

/// How many are kept.
const COUNT: usize = 8;

/// A dispatch, how long it took, and the number of its function's group.
#[derive(Debug, Clone, Copy)]
pub struct Long {
    pub duration: u64,
    pub group: usize,
    pub dispatch: Dispatch,
}

/// What is told of it.
#[derive(Debug, Clone, Copy)]
pub struct Dispatch {
    pub ids: Ids,
    /// Device, ordinal and stream.
    pub queue: [u64; 3],
    /// Tiles and their time, of host spans.
    pub tiles: [u64; 2],
}

/// The longest dispatches so far.
///
/// The order is that of `iree-profile`: a longer dispatch takes the place of the first of the shortest that are kept,
/// and dispatches of one length are printed by place, which is not always by time.
#[derive(Debug, Default)]
pub struct Longest {
    places: Vec<Long>,
    /// The place of the shortest, and its duration, once all places are taken.
    shortest: Option<(usize, u64)>,
}

impl Longest {
    /// Whether a dispatch of that duration is kept.
    #[inline]
    pub fn has_room(&self, duration: u64) -> bool {
        self.shortest.is_none_or(|(_, shortest)| duration > shortest)
    }

    /// Keeps a dispatch for which there is room.
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

    /// The dispatches, longest first.
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
