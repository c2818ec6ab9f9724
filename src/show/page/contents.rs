//! What a report has.

use crate::panel::Panel;

/// A report.
#[derive(Debug, Clone, Default)]
pub struct Page {
    /// What it is about, such as the names of the captures.
    pub subject: String,
    /// The panels, the first with the verdict as its title.
    pub panels: Vec<Panel>,
    /// The arguments of commands after their own, such as the captures.
    pub bundles: Vec<String>,
}

impl Page {
    /// Returns the command that prints what a panel shows.
    pub(super) fn command(&self, panel: &Panel) -> String {
        let words = ["ireescope".to_owned()].into_iter().chain(panel.command.iter().cloned());
        let words: Vec<String> = words.chain(self.bundles.iter().cloned()).collect();
        shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
    }
}
