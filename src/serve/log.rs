//! What is told of each statement: one line in the log, and counts.

use std::sync::Arc;
use std::time::Instant;

use super::client::Client;
use super::error::ServeError;
use super::metrics::Metrics;

/// Most letters of a statement in a line of the log.
const LETTERS: usize = 160;

/// A statement that runs. Told of when it ends, in any way.
#[derive(Debug)]
pub struct Record {
    client: Arc<Client>,
    metrics: Arc<Metrics>,
    text: Arc<str>,
    begun: Instant,
    pub rows: u64,
    pub bytes: u64,
    outcome: Option<(&'static str, String)>,
}

impl Record {
    pub fn begin(client: &Arc<Client>, metrics: &Arc<Metrics>, text: &Arc<str>) -> Self {
        metrics.running.inc();
        Self {
            client: Arc::clone(client),
            metrics: Arc::clone(metrics),
            text: Arc::clone(text),
            begun: Instant::now(),
            rows: 0,
            bytes: 0,
            outcome: None,
        }
    }

    /// Notes that the statement has given all of its rows.
    pub fn done(&mut self) {
        self.outcome = Some(("ok", String::new()));
    }

    /// Notes why it has none, or no more.
    pub fn failed(&mut self, error: &ServeError) {
        self.outcome = Some((error.word(), error.to_string()));
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        // Whoever drops it before its end does not want its rows.
        let (outcome, error) = self.outcome.take().unwrap_or(("stopped", String::new()));
        let time = self.begun.elapsed();
        self.metrics.running.dec();
        self.metrics.ended(self.client.door, outcome, time, self.rows, self.bytes);
        let mut text: String = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((end, _)) = text.char_indices().nth(LETTERS) {
            text.truncate(end);
            text.push('…');
        }
        let (client, door, rows) = (&self.client, self.client.door.name(), self.rows);
        let ms = (time.as_secs_f64() * 1e6).round() / 1e3;
        tracing::info!(%client, door, ms, rows, outcome, error, statement = text);
    }
}
