//! Progress bars and spinners. They appear after some time, and as `indicatif` draws on terminals only, only there.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::report::text::time;
use crate::workspace;

/// The bar appears after this time.
const PATIENCE: Duration = Duration::from_secs(2);

/// What takes longer is announced.
pub const LONG: Duration = Duration::from_secs(30);

/// A spinner appears after this time.
const SOON: Duration = Duration::from_millis(500);

/// The progress of a command. The bar is removed when this is dropped.
pub struct Progress {
    pub title: &'static str,
    started: Instant,
    total: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Creates a progress bar for this much work, in any unit.
    pub fn new(title: &'static str, total: u64) -> Self {
        Self { title, started: Instant::now(), total, bar: None }
    }

    /// Sets how much is done.
    pub fn at(&mut self, position: u64) {
        let elapsed = self.started.elapsed();
        if self.bar.is_none() && (elapsed < PATIENCE || position == 0) {
            return;
        }
        let (title, total) = (self.title, self.total);
        if self.bar.is_none() {
            let left = left(elapsed, position, total);
            if left >= LONG {
                eprintln!("ireescope: {title} takes about {} more", time(left));
            }
        }
        let bar = self.bar.get_or_insert_with(|| shown(title, total));
        bar.set_position(position);
    }

    /// True if there is a bar.
    pub const fn is_shown(&self) -> bool {
        self.bar.is_some()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Returns a listener that shows progress as a bar. The bar is removed when the listener is dropped, and begins again when
/// nothing is done.
pub fn bar(title: &'static str) -> impl FnMut(workspace::Progress) + Send {
    let mut bar: Option<Progress> = None;
    move |workspace::Progress { done, total }| {
        if done == 0 {
            bar = None;
        }
        bar.get_or_insert_with(|| Progress::new(title, total)).at(done);
    }
}

/// Returns how long the rest takes if it goes on like what is done.
fn left(elapsed: Duration, done: u64, total: u64) -> Duration {
    let left = u128::from(total.saturating_sub(done));
    let ns = elapsed.as_nanos() * left / u128::from(done.max(1));
    Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
}

fn shown(title: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total).with_message(title);
    // On failure the bar keeps its default style.
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {eta} remaining")
    {
        bar.set_style(style);
    }
    bar
}

/// A spinner for runs whose length is unknown, which is shown or not.
#[derive(Default)]
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Shows a message if the run takes long already.
    pub fn turn(&mut self, elapsed: Duration, message: impl FnOnce() -> String) {
        if elapsed >= SOON {
            let spinner = self.0.get_or_insert_with(ProgressBar::new_spinner);
            spinner.set_message(message());
            spinner.tick();
        }
    }

    /// Removes the spinner, so that lines can be printed.
    pub fn clear(&mut self) {
        if let Some(spinner) = self.0.take() {
            spinner.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_what_the_parts_before_it_took() {
        let second = Duration::from_secs(1);
        assert_eq!(left(second * 4, 2, 10), second * 16);
        assert_eq!(left(second, 10, 10), Duration::ZERO);
        // A hundredth of a terabyte.
        assert_eq!(left(second, 10_000_000_000, 1_000_000_000_000), second * 99);
    }
}
