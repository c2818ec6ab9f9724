//! Progress bars and spinners. They appear after some time, and as `indicatif` draws on terminals only, only there.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The bar appears after this time.
const PATIENCE: Duration = Duration::from_secs(2);

/// A spinner appears after this time.
const SOON: Duration = Duration::from_millis(500);

/// The progress of a command that consists of parts. The bar is removed when this is dropped.
pub struct Progress {
    pub title: &'static str,
    started: Instant,
    total: u64,
    /// The total size of the finished parts.
    done: u64,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Creates a progress bar for this much work, in any unit.
    pub fn new(title: &'static str, total: u64) -> Self {
        Self { title, started: Instant::now(), total, done: 0, bar: None }
    }

    /// Sets the position within the current part.
    pub fn at(&mut self, amount: u64) {
        if self.bar.is_none() && self.started.elapsed() < PATIENCE {
            return;
        }
        let (title, total) = (self.title, self.total);
        let bar = self.bar.get_or_insert_with(|| shown(title, total));
        bar.set_position(self.done.saturating_add(amount));
    }

    /// Ends a part of this size.
    pub const fn finish_part(&mut self, amount: u64) {
        self.done = self.done.saturating_add(amount);
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
