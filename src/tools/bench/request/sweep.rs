//! Parses sweeps over an extent.

use crate::bench::error::BenchError;

/// Maximum number of values of a sweep.
const MOST: usize = 1 << 16;

/// Parses a comma-separated list of values and ranges: `256`, `128,256` or `64:1024:128`. The end of a range is
/// exclusive, as in IREE's dispatch profiler; the default of the step is 1.
pub fn sweep(given: &str) -> Result<Vec<u64>, BenchError> {
    let error = |reason: String| BenchError::Sweep { given: given.to_owned(), reason };
    let mut values = Vec::new();
    for part in given.split(',') {
        let numbers = part
            .split(':')
            .map(|text| text.trim().parse().map_err(|_| error(format!("{text:?} is not a number"))))
            .collect::<Result<Vec<u64>, _>>()?;
        match *numbers.as_slice() {
            [value] => values.push(value),
            [start, end] => values.extend((start..end).take(MOST + 1)),
            [_, _, 0] => return Err(error("the step must not be 0".to_owned())),
            [start, end, step] => {
                let step = usize::try_from(step).unwrap_or(usize::MAX);
                values.extend((start..end).step_by(step).take(MOST + 1));
            }
            _ => return Err(error(format!("{part:?} has more parts than start, end and step"))),
        }
        if values.len() > MOST {
            return Err(error(format!("it has more than {MOST} values")));
        }
    }
    if values.contains(&0) {
        return Err(error("an extent must not be 0".to_owned()));
    }
    if values.is_empty() {
        return Err(error("it is empty (the end of a range is exclusive)".to_owned()));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_are_values_lists_and_ranges() {
        assert_eq!(sweep("256").expect("a value"), [256]);
        assert_eq!(sweep("128, 256").expect("a list"), [128, 256]);
        assert_eq!(sweep("64:1024:320").expect("a range"), [64, 384, 704]);
        assert_eq!(sweep("3:5").expect("a range"), [3, 4]);
        assert_eq!(sweep("1,64:192:64").expect("both"), [1, 64, 128]);
    }

    #[test]
    fn a_range_ends_before_its_end() {
        assert_eq!(sweep("64:128:64").expect("one value"), [64]);
        assert_eq!(sweep("64:1024:128").expect("a range").last(), Some(&960));
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        for given in ["", "x", "1:2:3:4", "1:9:0", "5:5", "0", "-1", "1:99999999", "1,,2"] {
            let error = sweep(given).expect_err(given).to_string();
            assert!(error.contains(&format!("{given:?}")), "{error}");
        }
    }

    #[test]
    fn a_range_to_the_largest_number_ends() {
        let last = u64::MAX;
        let values = sweep(&format!("{}:{last}:2", last - 3)).expect("two values");
        assert_eq!(values, [last - 3, last - 1]);
    }
}
