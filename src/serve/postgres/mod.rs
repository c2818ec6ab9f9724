//! PostgreSQL's protocol, for psql, drivers and dashboards: [`serve_postgres`] accepts connections.
//!
//! `connection.rs` reads the messages of a client, `session.rs` takes them, and `answers.rs` has what statements answer. Statements
//! go to the engine, those about `pg_catalog` to `catalogue`, and those about the session (SET, BEGIN) to `commands.rs`, whose
//! settings are in `settings.rs`. Values are written and read in `values`.

mod answers;
mod catalogue;
mod commands;
mod connection;
mod copied;
mod copy;
mod cursors;
mod duration;
mod errors;
mod meanings;
mod messages;
mod parameters;
mod planned;
mod planner;
mod prepared;
mod response;
mod session;
mod settings;
mod startup;
mod statements;
mod values;
mod version;
mod words;

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use base::said;
use futures::FutureExt;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use self::connection::Shared;
use super::access::Access;
use super::client::Door;
use super::error::ServeError;
use super::service::Service;

/// Listens at an address. Returns it with the port that the system chose, and what accepts and serves connections until
/// the service is asked to stop and statements that run have ended.
pub async fn serve_postgres(
    service: Arc<Service>,
    access: Access,
    address: &str,
) -> Result<(SocketAddr, impl Future<Output = ()> + Send + use<>), ServeError> {
    let (listener, local) = access.listen(address).await?;
    let shared = Arc::new(Shared::new(Arc::clone(&service), &access)?);
    Ok((local, accept(service, shared, listener)))
}

async fn accept(service: Arc<Service>, shared: Arc<Shared>, listener: TcpListener) {
    let mut stopping = service.stopping();
    let places = Arc::new(Semaphore::new(service.limits.connections));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopping.wait() => break,
        };
        let (socket, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Such as too many open files: others may close theirs.
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                continue;
            }
        };
        let shared = Arc::clone(&shared);
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            service.metrics.refused.get_or_create(&Door::Postgres.into()).inc();
            tokio::spawn(async move { shared.refuse(socket).await });
            continue;
        };
        let (metrics, open) = (Arc::clone(&service.metrics), Door::Postgres.into());
        tokio::spawn(async move {
            let gauge = metrics.connections.get_or_create(&open).clone();
            gauge.inc();
            match AssertUnwindSafe(shared.serve(socket)).catch_unwind().await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::debug!(client = %address, "the connection has ended: {error}");
                }
                Err(panic) => tracing::error!(
                    client = %address,
                    "a bug in ireescope or one of its libraries: {}",
                    said(panic.as_ref())
                ),
            }
            gauge.dec();
            drop(place);
        });
    } // Connections end after their statements.
    let all = u32::try_from(service.limits.connections).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}
