//! A spinner for runs that take long. It appears only on a terminal.

use std::time::Duration;

use indicatif::ProgressBar;

/// The spinner appears after this time.
const PATIENCE: Duration = Duration::from_millis(500);

/// A spinner, which is shown or not.
#[derive(Default)]
pub struct Spinner(Option<ProgressBar>);

impl Spinner {
    /// Shows a message if the run takes long already.
    pub fn turn(&mut self, elapsed: Duration, message: impl FnOnce() -> String) {
        if elapsed >= PATIENCE {
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
