//! Places for statements that are planned, so that many at once do not hinder each other.
//!
//! Where many wait, a place that is free goes to the newest and to the oldest in turns: a burst of statements hardly delays
//! the next client (LIFO under overload, as in B. Maurer, "Fail at Scale", 2015), and none waits for ever. A statement that plans for
//! long keeps its place for a while only.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// Statements that are planned at once.
const PLACES: usize = 4;
/// The longest time that a statement keeps its place.
const LONGEST: Duration = Duration::from_millis(100);

/// Places for statements that are planned.
#[derive(Debug)]
pub struct Places(Mutex<State>);

#[derive(Debug)]
struct State {
    free: usize,
    /// Those that wait, the newest last.
    waiting: VecDeque<oneshot::Sender<Place>>,
    /// Whether the next place is for the oldest.
    is_oldest: bool,
}

/// The place of a statement. It is free again when this is dropped.
#[derive(Debug)]
struct Place(Arc<Places>);

/// The place of a statement until it is planned, or has been for long.
#[derive(Debug)]
pub struct Held {
    /// Dropping it ends what keeps the place.
    _done: oneshot::Sender<()>,
}

impl Default for Places {
    fn default() -> Self {
        Self(Mutex::new(State { free: PLACES, waiting: VecDeque::new(), is_oldest: false }))
    }
}

impl Places {
    /// Waits for a place.
    pub async fn take(self: &Arc<Self>) -> Held {
        let (sender, turn) = oneshot::channel();
        self.0.lock().waiting.push_back(sender);
        self.give();
        let place = turn.await;
        let (done, ended) = oneshot::channel::<()>();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(LONGEST, ended).await;
            drop(place);
        });
        Held { _done: done }
    }

    /// Gives free places to those that wait.
    fn give(self: &Arc<Self>) {
        while let Some(next) = self.next() {
            // A place that is not taken is given on when it is dropped.
            drop(next.send(Place(Arc::clone(self))));
        }
    }

    /// Returns the next one that waits, if a place is free for it.
    fn next(&self) -> Option<oneshot::Sender<Place>> {
        let mut state = self.0.lock();
        let State { free, waiting, is_oldest } = &mut *state;
        waiting.retain(|waits| !waits.is_closed());
        if *free == 0 {
            return None;
        }
        let next = if *is_oldest { waiting.pop_front() } else { waiting.pop_back() }?;
        (*free, *is_oldest) = (*free - 1, !*is_oldest);
        Some(next)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.0.lock().free += 1;
        self.0.give();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_newest_and_the_oldest_are_next() {
        let places = Arc::new(Places::default());
        let mut held = Vec::new();
        for _ in 0..PLACES {
            held.push(places.take().await);
        }
        let order = Arc::new(Mutex::new(Vec::new()));
        let tasks: Vec<_> = (0..6)
            .map(|number| {
                let (places, order) = (Arc::clone(&places), Arc::clone(&order));
                tokio::spawn(async move {
                    let held = places.take().await;
                    order.lock().push(number);
                    // Longer than it may keep its place.
                    tokio::time::sleep(LONGEST * 5).await;
                    drop(held);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        // One that goes leaves its turn to others.
        tasks[1].abort();
        drop(held);
        tokio::time::sleep(LONGEST * 3).await;
        let order = order.lock().clone();
        assert_eq!(order.len(), 5);
        assert!(
            order[..4].contains(&5) && order[..4].contains(&0) && !order.contains(&1),
            "{order:?}"
        );
    }
}
