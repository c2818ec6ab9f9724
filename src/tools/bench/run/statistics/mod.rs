//! Statistics of the run times of a dispatch, which several processes measured.
//!
//! Runs within a process share its memory layout, its threads and the state of the machine, so they say nothing about
//! how processes differ. The unit of replication is therefore the process (Georges, Buytaert and Eeckhout, 2007): each
//! contributes one value, the median of its runs.

#[cfg(test)]
#[path = "../../../../../tests/support/normal.rs"]
mod normal;
#[cfg(test)]
mod tests;

use model::statistics::{float, median, quantile, sorted};

/// Confidence level of the interval.
const CONFIDENCE: f64 = 0.95;

/// Minimum number of processes for an interval: the level of the range of five values is 93.75 %.
pub const PROCESSES: usize = 6;

/// Statistics of times in nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Number of runs in all processes.
    pub count: usize,
    /// The median of each process, in order.
    pub(crate) process_medians: Vec<f64>,
    /// Median of the medians of the processes.
    pub median: f64,
    /// Bounds of the 95 % confidence interval of this median; `None` if there are fewer than [`PROCESSES`].
    pub interval: Option<(f64, f64)>,
    /// Minimum, mean and 90th percentile of all runs.
    pub min: f64,
    pub mean: f64,
    pub p90: f64,
}

impl Statistics {
    /// Computes the statistics of the times of each process; `None` if there are none.
    pub fn of(processes: &[Vec<f64>]) -> Option<Self> {
        let all = sorted(&processes.concat());
        let min = *all.first()?;
        let process_medians: Vec<f64> = processes.iter().map(|times| median(times)).collect();
        Some(Self {
            count: all.len(),
            median: median(&process_medians),
            interval: interval(&sorted(&process_medians)),
            process_medians,
            min,
            mean: all.iter().sum::<f64>() / float(all.len()),
            p90: quantile(&all, 0.9),
        })
    }
}

/// Returns the confidence interval of the median by interpolated order statistics (Hettmansperger and Sheather, 1986).
/// It makes no assumption about the distribution of the values, which must be independent and sorted.
///
/// The median lies between the k-th smallest and the k-th largest of n values unless fewer than k of them, a binomial
/// number, are on one side. The interval lies between the last of these pairs that is confident enough and the next.
fn interval(sorted: &[f64]) -> Option<(f64, f64)> {
    let count = sorted.len();
    let n = float(count);
    // Probability that exactly `k - 1`, and that fewer than `k`, of the values are below the median.
    let mut exactly = 0.5_f64.powf(n);
    let mut fewer = exactly;
    for k in 1..=count / 2 {
        let rank = float(k);
        let level = 1.0 - 2.0 * fewer;
        exactly *= (n - rank + 1.0) / rank;
        fewer += exactly;
        let next = 1.0 - 2.0 * fewer;
        if level < CONFIDENCE {
            return None;
        }
        if next < CONFIDENCE {
            let share = (level - CONFIDENCE) / (level - next);
            let weight = (n - rank) * share / (rank + (n - 2.0 * rank) * share);
            let between = |outer: usize, inner: usize| {
                let (outer, inner) = (sorted.get(outer)?, sorted.get(inner)?);
                Some(outer + (inner - outer) * weight)
            };
            return Some((between(k - 1, k)?, between(count - k, count - k - 1)?));
        }
    }
    None
}
