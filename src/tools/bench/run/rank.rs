//! Ranks the configurations of an operation, and compares them with the compiler's default.

use super::row::{DispatchRun, Outcome};
use crate::bench::configuration::Configuration;

/// Fills in `rank` and `vs_default` of the rows of an operation.
///
/// The fastest configuration and all whose intervals overlap its interval share rank 1. The others are ranked in the
/// same way: if three share rank 1, the next rank is 4. Without intervals only equal times share a rank. Rows that failed
/// or have no times get no rank.
pub fn rank(rows: &mut [&mut DispatchRun]) {
    let default = Configuration::DEFAULT.name();
    let default = rows.iter().find(|row| row.configuration == default);
    let default_ns = default.and_then(|row| time(row));
    for row in &mut *rows {
        row.rank = None;
        row.vs_default = time(row)
            .zip(default_ns)
            .map(|(own, default)| own / default)
            .filter(|ratio| ratio.is_finite());
    }
    let measured = rows.iter_mut().filter_map(|row| Some((time(row)?, &mut **row)));
    let mut left: Vec<(f64, &mut DispatchRun)> = measured.collect();
    left.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut next = 1;
    while let Some((fastest, row)) = left.first() {
        let high = row.median_high_ns.unwrap_or(*fastest);
        let (tied, slower): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(time, row)| row.median_low_ns.unwrap_or(*time) <= high);
        let rank = next;
        next += tied.len() as u64;
        for (_, row) in tied {
            row.rank = Some(rank);
        }
        left = slower;
    }
}

/// Returns the time of a row that passed.
fn time(row: &DispatchRun) -> Option<f64> {
    row.median_ns.filter(|ns| row.outcome == Outcome::Passed && !ns.is_nan())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(median: f64, interval: Option<(f64, f64)>) -> DispatchRun {
        DispatchRun {
            configuration: format!("tile_config_{median}"),
            median_ns: Some(median),
            median_low_ns: interval.map(|(low, _)| low),
            median_high_ns: interval.map(|(_, high)| high),
            ..DispatchRun::default()
        }
    }

    fn ranks(rows: &mut [DispatchRun]) -> Vec<Option<u64>> {
        rank(&mut rows.iter_mut().collect::<Vec<_>>());
        rows.iter().map(|row| row.rank).collect()
    }

    #[test]
    fn overlapping_intervals_share_a_rank() {
        let mut rows = [
            row(30.0, Some((29.0, 31.0))),
            row(10.0, Some((9.0, 11.0))),
            row(11.5, Some((11.0, 12.0))),
            // Slower than the next, but too uncertain to be told from the fastest.
            row(20.0, Some((8.0, 40.0))),
            row(15.0, Some((14.0, 16.0))),
        ];
        assert_eq!(ranks(&mut rows), [5, 1, 1, 1, 4].map(Some));
    }

    #[test]
    fn without_intervals_only_equal_times_share_a_rank() {
        let mut rows = [row(3.0, None), row(1.0, None), row(3.0, None), row(4.0, None)];
        assert_eq!(ranks(&mut rows), [2, 1, 2, 4].map(Some));
    }

    #[test]
    fn what_failed_has_no_rank_and_is_no_default() {
        let mut rows = [row(1.0, None), row(2.0, None), DispatchRun::default()];
        rows[0].outcome = Outcome::Failed;
        rows[0].configuration = Configuration::DEFAULT.name();
        assert_eq!(ranks(&mut rows), [None, Some(1), None]);
        assert_eq!(rows[1].vs_default, None);
        rows[0].outcome = Outcome::Passed;
        assert_eq!(ranks(&mut rows), [Some(1), Some(2), None]);
        assert_eq!(rows.each_ref().map(|row| row.vs_default), [Some(1.0), Some(2.0), None]);
    }
}
