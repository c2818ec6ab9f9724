//! A longest common subsequence of two sequences: what `diff` leaves alone.
//!
//! The greedy algorithm of Myers (*An O(ND) difference algorithm and its variations*, Algorithmica 1, 1986): for each number of
//! differences d, it keeps how far each diagonal can be followed. Its time is the length times d, its memory the square of d.

use std::collections::HashMap;
use std::hash::Hash;

/// Sequences with more differences than this have no alignment that is worth the memory (16 MB).
const MOST: usize = 2000;

/// Returns the pairs of a longest common subsequence, by index. Items without a key match nothing. Of sequences with more than
/// [`MOST`] differences, only what they begin and end with.
pub fn common<Key: Eq + Hash>(left: &[Option<Key>], right: &[Option<Key>]) -> Vec<(usize, usize)> {
    let [left, right] = numbered(left, right);
    let front = left.iter().zip(&right).take_while(|(one, other)| one == other).count();
    let (left, right) =
        (left.get(front..).unwrap_or_default(), right.get(front..).unwrap_or_default());
    let back =
        left.iter().rev().zip(right.iter().rev()).take_while(|(one, other)| one == other).count();
    let (one, other) = (left.len() - back, right.len() - back);
    let middle = Paths {
        left: left.get(..one).unwrap_or_default(),
        right: right.get(..other).unwrap_or_default(),
    };
    let mut pairs: Vec<(usize, usize)> = (0..front).map(|nth| (nth, nth)).collect();
    pairs.extend(middle.pairs().into_iter().map(|(one, other)| (front + one, front + other)));
    pairs.extend((0..back).map(|nth| (front + one + nth, front + other + nth)));
    pairs
}

/// Replaces keys by numbers, which are compared faster. Those of items without a key are all different.
pub fn numbered<Key: Eq + Hash>(left: &[Option<Key>], right: &[Option<Key>]) -> [Vec<usize>; 2] {
    let mut known: HashMap<&Key, usize> = HashMap::new();
    let mut next = 0;
    let mut numbered = [Vec::with_capacity(left.len()), Vec::with_capacity(right.len())];
    for (keys, numbers) in [left, right].into_iter().zip(&mut numbered) {
        for key in keys {
            next += 1;
            numbers.push(key.as_ref().map_or(next, |key| *known.entry(key).or_insert(next)));
        }
    }
    numbered
}

/// The sequences whose paths are followed. A place of a path is an index of the left and one of the right sequence; its
/// diagonal is their difference.
struct Paths<'a> {
    left: &'a [usize],
    right: &'a [usize],
}

impl Paths<'_> {
    /// Returns the pairs; none if there are too many differences.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let (width, height) = (signed(self.left.len()), signed(self.right.len()));
        // For each number of differences, how far the diagonals from -d to d are followed, every other one.
        let mut reached: Vec<Vec<isize>> = Vec::new();
        for differences in 0..=signed(MOST) {
            let before = reached.last();
            let mut now = Vec::new();
            for diagonal in (-differences..=differences).step_by(2) {
                let from = before.map_or(0, |before| step(before, differences, diagonal));
                let left = self.followed(from, diagonal);
                now.push(left);
                if left >= width && left - diagonal >= height {
                    reached.push(now);
                    return self.traced(&reached);
                }
            }
            reached.push(now);
        }
        Vec::new()
    }

    /// Follows a diagonal from an index of the left sequence as long as items are equal.
    fn followed(&self, mut left: isize, diagonal: isize) -> isize {
        while self.is_equal(left, left - diagonal) {
            left += 1;
        }
        left
    }

    fn is_equal(&self, left: isize, right: isize) -> bool {
        let item = |items: &[usize], at: isize| {
            usize::try_from(at).ok().and_then(|at| items.get(at).copied())
        };
        item(self.left, left).is_some_and(|one| item(self.right, right) == Some(one))
    }

    /// Walks back from the ends, and returns the pairs in order.
    fn traced(&self, reached: &[Vec<isize>]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let mut left = signed(self.left.len());
        let mut diagonal = left - signed(self.right.len());
        for differences in (0..reached.len()).rev() {
            let before = differences.checked_sub(1).and_then(|nth| reached.get(nth));
            let from = before.map_or(0, |before| step(before, signed(differences), diagonal));
            while left > from {
                left -= 1;
                let pair = (usize::try_from(left), usize::try_from(left - diagonal));
                if let (Ok(one), Ok(other)) = pair {
                    pairs.push((one, other));
                }
            }
            let Some(before) = before else { break };
            let is_down = goes_down(before, signed(differences), diagonal);
            diagonal += if is_down { 1 } else { -1 };
            left = if is_down { from } else { from - 1 };
        }
        pairs.reverse();
        pairs
    }
}

/// Returns where a diagonal is entered with one more difference.
///
/// It is entered from the diagonal above by leaving out an item of the right sequence, or from the one below by leaving out one
/// of the left sequence, whichever gets further.
fn step(before: &[isize], differences: isize, diagonal: isize) -> isize {
    if goes_down(before, differences, diagonal) {
        at(before, differences - 1, diagonal + 1)
    } else {
        at(before, differences - 1, diagonal - 1) + 1
    }
}

/// Whether a diagonal is entered by leaving out an item of the right sequence.
fn goes_down(before: &[isize], differences: isize, diagonal: isize) -> bool {
    diagonal == -differences
        || diagonal != differences
            && at(before, differences - 1, diagonal - 1) < at(before, differences - 1, diagonal + 1)
}

/// Returns how far a diagonal is followed with so many differences.
fn at(reached: &[isize], differences: isize, diagonal: isize) -> isize {
    usize::try_from(diagonal.midpoint(differences))
        .ok()
        .and_then(|nth| reached.get(nth).copied())
        .unwrap_or_default()
}

/// Sequences in memory are shorter than half of all addresses.
fn signed(length: usize) -> isize {
    isize::try_from(length).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    use super::*;

    /// The length of a longest common subsequence, by the table of all beginnings (Wagner and Fischer, J. ACM 21(1), 1974).
    fn length(left: &[Option<u32>], right: &[Option<u32>]) -> usize {
        let mut table = vec![vec![0; right.len() + 1]; left.len() + 1];
        for (i, one) in left.iter().enumerate() {
            for (j, other) in right.iter().enumerate() {
                table[i + 1][j + 1] = if one.is_some() && one == other {
                    table[i][j] + 1
                } else {
                    table[i][j + 1].max(table[i + 1][j])
                };
            }
        }
        table[left.len()][right.len()]
    }

    #[test]
    fn subsequences_are_common_and_longest() {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        for trial in 0..2000 {
            let mut sequence = |letters: u32| -> Vec<Option<u32>> {
                let count = random.next_u32() % 14;
                let letter = |_| Some(random.next_u32() % letters).filter(|it| *it > 0);
                (0..count).map(letter).collect()
            };
            let (left, right) = (sequence(2 + trial % 4), sequence(2 + trial % 4));
            let pairs = common(&left, &right);
            assert!(pairs.iter().all(|(i, j)| left[*i].is_some() && left[*i] == right[*j]));
            assert!(pairs.windows(2).all(|it| it[0].0 < it[1].0 && it[0].1 < it[1].1));
            assert_eq!(pairs.len(), length(&left, &right), "{left:?} {right:?}");
        }
    }

    #[test]
    fn what_has_nothing_in_common_ends() {
        let [left, right] =
            [0, 1].map(|first| (0..3000).map(|nth| Some(2 * nth + first)).collect::<Vec<_>>());
        assert!(common(&left, &right).is_empty());
    }
}
