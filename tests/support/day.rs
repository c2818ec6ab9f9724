//! Which cases are tried today: some of many, chosen by a seed that is the day, so that all are tried in time.

use std::time::SystemTime;

/// Whether all cases are tried: `tests/run --full` sets this variable.
pub fn is_full() -> bool {
    std::env::var_os("IREESCOPE_FULL").is_some()
}

/// The seed: `IREESCOPE_SEED`, or the number of days since 1970. The suite prints it.
pub fn seed() -> usize {
    let given = std::env::var("IREESCOPE_SEED").ok();
    let given = given.map(|text| text.parse().expect("IREESCOPE_SEED is a number"));
    given.unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("after 1970");
        usize::try_from(now.as_secs() / 86_400).expect("a day")
    })
}

/// Whether a case is tried, of which one in `of` is tried a day. In `of` days, each is.
pub fn is_tried(case: usize, of: usize) -> bool {
    is_full() || case.wrapping_add(seed()).is_multiple_of(of)
}
