//! Which of functions that look alike stand against each other: those whose times are closest.
//!
//! Of repeated layers without content hashes, the order in a call tells which is which; but if one was left out, or two were
//! exchanged, the order alone has several readings. The one in which the least has changed is taken.

use std::collections::HashMap;
use std::hash::Hash;

use super::common::numbered;

/// The largest table of lengths and costs, 32 MB.
const MOST: usize = 4_000_000;

/// Costs that an exchange takes away are at least this: a factor of 1.3.
const LARGE: f64 = 0.26;

/// Returns the pairs of a longest common subsequence: of all longest ones, that with the least sum of costs, by the table of all
/// ends (Wagner and Fischer, J. ACM 21(1), 1974). Items without a key match nothing. `None` if the table would be too large.
pub(super) fn closest<Key: Eq + Hash>(
    left: &[Option<Key>],
    right: &[Option<Key>],
    cost: impl Fn(usize, usize) -> f64,
) -> Option<Vec<(usize, usize)>> {
    let [left, right] = numbered(left, right);
    if left == right {
        return Some((0..left.len()).map(|nth| (nth, nth)).collect());
    }
    let width = right.len() + 1;
    let size = (left.len() + 1).checked_mul(width).filter(|size| *size <= MOST)?;
    let mut table: Vec<(u32, f32)> = vec![(0, 0.0); size];
    let at = |table: &[(u32, f32)], i: usize, j: usize| {
        table.get(i * width + j).copied().unwrap_or_default()
    };
    let better = |one: (u32, f32), other: (u32, f32)| {
        if other.0 > one.0 || other.0 == one.0 && other.1 < one.1 { other } else { one }
    };
    let paired = |table: &[(u32, f32)], i: usize, j: usize| {
        let (length, sum) = at(table, i + 1, j + 1);
        #[expect(clippy::cast_possible_truncation, reason = "costs are compared roughly")]
        let own = cost(i, j) as f32;
        (length + 1, sum + own)
    };
    for (i, one) in left.iter().enumerate().rev() {
        for (j, other) in right.iter().enumerate().rev() {
            let mut best = better(at(&table, i + 1, j), at(&table, i, j + 1));
            if one == other {
                best = better(best, paired(&table, i, j));
            }
            if let Some(place) = table.get_mut(i * width + j) {
                *place = best;
            }
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while let (Some(one), Some(other)) = (left.get(i), right.get(j)) {
        let best = at(&table, i, j);
        if one == other && paired(&table, i, j) == best {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if at(&table, i + 1, j) == best {
            i += 1;
        } else {
            j += 1;
        }
    }
    Some(pairs)
}

/// Exchanges the partners of pairs that look alike, if that takes away more than half of their costs.
///
/// Only pairs whose own cost is large take part. The closest become partners first.
pub(super) fn exchange(pairs: &mut [(usize, usize)], cost: impl Fn(usize, usize) -> f64) {
    let far: Vec<usize> = (0..pairs.len())
        .filter(|nth| pairs.get(*nth).is_some_and(|(one, other)| cost(*one, *other) > LARGE))
        .collect();
    let of: Vec<(usize, usize)> = far.iter().filter_map(|nth| pairs.get(*nth).copied()).collect();
    let mut all: Vec<(f64, usize, usize)> = Vec::new();
    for (one, _) in &of {
        all.extend(of.iter().map(|(_, other)| (cost(*one, *other), *one, *other)));
    }
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut partners, mut taken) = (HashMap::new(), HashMap::new());
    let mut sum = 0.0;
    for (own, one, other) in all {
        if !partners.contains_key(&one) && !taken.contains_key(&other) {
            partners.insert(one, other);
            taken.insert(other, one);
            sum += own;
        }
    }
    let before: f64 = of.iter().map(|(one, other)| cost(*one, *other)).sum();
    if 2.0 * sum < before {
        for (one, other) in pairs {
            *other = partners.get(one).copied().unwrap_or(*other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(left: &[f64], right: &[f64]) -> impl Fn(usize, usize) -> f64 {
        let (left, right) = (left.to_vec(), right.to_vec());
        move |one, other| (left[one].ln() - right[other].ln()).abs()
    }

    #[test]
    fn times_tell_what_was_left_out() {
        let [base, new] = [vec![Some("m"); 5], vec![Some("m"); 4]];
        let cost = distance(&[1.0, 5.0, 1.1, 5.2, 1.0], &[1.0, 1.1, 5.2, 1.0]);
        assert_eq!(closest(&base, &new, cost), Some(vec![(0, 0), (2, 1), (3, 2), (4, 3)]));
        // As many as possible match, whatever their times.
        let cost = distance(&[1.0, 9.0], &[9.0, 1.0]);
        assert_eq!(closest(&base[..2], &new[..2], cost), Some(vec![(0, 0), (1, 1)]));
        let none: [Option<&str>; 2] = [None, None];
        assert_eq!(closest(&none, &base, |_, _| 0.0), Some(Vec::new()));
        let long = vec![Some(1); 3000];
        assert_eq!(closest(&long, &long[1..], |_, _| 0.0), None);
    }

    #[test]
    fn exchanges_leave_less_that_changed() {
        let found = |left: &[f64], right: &[f64]| {
            let mut pairs: Vec<_> = (0..left.len()).map(|nth| (nth, nth)).collect();
            exchange(&mut pairs, distance(left, right));
            pairs
        };
        assert_eq!(found(&[1.0, 5.0, 2.0], &[5.1, 1.0, 2.0]), [(0, 1), (1, 0), (2, 2)]);
        // A layer that is slower has no other partner, and small changes are none.
        assert_eq!(found(&[1.0, 1.0], &[5.0, 1.0]), [(0, 0), (1, 1)]);
        assert_eq!(found(&[1.0, 1.1], &[1.1, 1.0]), [(0, 0), (1, 1)]);
    }
}
