//! How far a long command has come: a bar on a terminal, once it is clear that it takes a while.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// What takes less is over before anybody wonders.
const PATIENCE: Duration = Duration::from_secs(2);

/// The bar, which shows itself late or never.
pub struct Progress {
    title: &'static str,
    started: Instant,
    total: u64,
    /// Of the parts that are done.
    done: u64,
    is_terminal: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// A bar for this much work, in bytes of input or parts of an output.
    pub fn new(title: &'static str, total: u64) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        Self { title, started: Instant::now(), total, done: 0, is_terminal, bar: None }
    }

    /// Says how far the current part is.
    pub fn at(&mut self, amount: u64) {
        if !self.is_terminal || self.bar.is_none() && self.started.elapsed() < PATIENCE {
            return;
        }
        let (title, total) = (self.title, self.total);
        let bar = self.bar.get_or_insert_with(|| shown(title, total));
        bar.set_position(self.done.saturating_add(amount));
    }

    /// Says that a part of this size is done.
    pub const fn finish_part(&mut self, amount: u64) {
        self.done = self.done.saturating_add(amount);
    }

    /// What it is of.
    pub const fn title(&self) -> &'static str {
        self.title
    }

    /// Whether anybody sees it.
    pub const fn is_shown(&self) -> bool {
        self.bar.is_some()
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn shown(title: &'static str, total: u64) -> ProgressBar {
    let bar = ProgressBar::new(total).with_message(title);
    // Without the style, the bar is plainer; nothing else is lost.
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {eta} left") {
        bar.set_style(style);
    }
    bar
}
