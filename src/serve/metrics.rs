//! Counts for Prometheus, at an address of their own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::access::Access;
use super::client::Door;
use super::error::ServeError;

/// What a server counts.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Statements that run or wait for their turn.
    pub running: Gauge,
    pub connections: Family<OfDoor, Gauge>,
    pub refused: Family<OfDoor, Counter>,
    statements: Family<Ended, Counter>,
    seconds: Family<OfDoor, Histogram, fn() -> Histogram>,
    rows: Family<OfDoor, Counter>,
    bytes: Family<OfDoor, Counter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub struct OfDoor {
    door: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    door: &'static str,
    outcome: &'static str,
}

impl From<Door> for OfDoor {
    fn from(door: Door) -> Self {
        Self { door: door.name() }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let running = Gauge::default();
        let (connections, refused) = (Family::default(), Family::default());
        let (statements, rows, bytes) = (Family::default(), Family::default(), Family::default());
        let of_seconds: fn() -> Histogram = || Histogram::new(exponential_buckets(0.001, 4.0, 10));
        let seconds = Family::new_with_constructor(of_seconds);
        let mut registry = Registry::with_prefix("ireescope");
        let all = &mut registry;
        all.register("statements_running", "Statements that run or wait", running.clone());
        all.register("connections", "Open connections", connections.clone());
        all.register("connections_refused", "Refused, as there were too many", refused.clone());
        all.register("statements", "Statements that have ended", statements.clone());
        all.register("statement_seconds", "Time until the last row", seconds.clone());
        all.register("rows", "Rows of results", rows.clone());
        all.register("result_bytes", "Bytes of results, as Arrow arrays", bytes.clone());
        Self { registry, running, connections, refused, statements, seconds, rows, bytes }
    }
}

impl Metrics {
    /// Counts a statement that has ended.
    pub fn ended(&self, door: Door, outcome: &'static str, time: Duration, rows: u64, bytes: u64) {
        let of = OfDoor::from(door);
        self.statements.get_or_create(&Ended { door: door.name(), outcome }).inc();
        self.seconds.get_or_create(&of).observe(time.as_secs_f64());
        self.rows.get_or_create(&of).inc_by(rows);
        self.bytes.get_or_create(&of).inc_by(bytes);
    }

    /// Returns the counts in the text format of Prometheus.
    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a text does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Listens at an address and tells the counts at `/metrics`. They are told without TLS and passwords, so only to this machine.
pub async fn serve_metrics(
    metrics: Arc<Metrics>,
    address: &str,
) -> Result<(SocketAddr, impl Future<Output = ()> + Send + use<>), ServeError> {
    let (listener, local) =
        Access::default().listen(address).await.map_err(|error| match error {
            ServeError::Exposed(address) => ServeError::ExposedMetrics(address),
            other => other,
        })?;
    let answer = move || {
        let text = metrics.text();
        async move {
            ([(CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text)
        }
    };
    let router = Router::new().route("/metrics", get(answer));
    let served = async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!("the counts are not served any more: {error}");
        }
    };
    Ok((local, served))
}
