//! Arrow Flight SQL, for ADBC, JDBC and other clients that take columns: [`serve_flight_sql`] accepts connections.
//!
//! `door.rs` answers calls: statements by the engine, and questions about relations and the server by `about.rs`. `incoming.rs`
//! accepts and ends connections, `logins.rs` finds out who calls, `handles.rs` keeps what clients have prepared, `parameters.rs`
//! reads the values of parameters, `statements.rs` plans, and `sending.rs` sends rows as they come.

mod about;
mod actions;
mod door;
mod errors;
mod handles;
mod incoming;
mod logins;
mod parameters;
mod relations;
mod sending;
mod statements;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::server::Router;
use tonic::transport::{Identity, Server, ServerTlsConfig};

use self::handles::Handles;
use self::incoming::{LOGIN, incoming};
use self::logins::Logins;
use self::statements::Flight;
use super::access::Access;
use super::error::ServeError;
use super::service::Service;

/// Most bytes of a message of a client. The largest are statements and the values of parameters.
const LARGEST: usize = 16 << 20;
/// Most bytes of the headers of a call.
const HEADERS: u32 = 16 << 10;
/// Most calls of a connection at once; clients wait with more.
const CALLS: u32 = 100;
/// How often a client is asked whether it is still there, and how long it has to answer.
const PING: Duration = Duration::from_mins(1);
const PONG: Duration = Duration::from_secs(20);

/// Listens at an address. Returns it with the port that the system chose, and what accepts and serves connections until
/// the service is asked to stop.
pub async fn serve_flight_sql(
    service: Arc<Service>,
    access: Access,
    address: &str,
) -> Result<(SocketAddr, impl Future<Output = ()> + Send + use<>), ServeError> {
    let (listener, local) = access.listen(address).await?;
    let handles = Arc::new(Handles::default());
    let router = router(&service, &access, &handles)?;
    let served = async move {
        let mut stopping = service.stopping();
        let connections = incoming(Arc::clone(&service), listener);
        let serve =
            router.serve_with_incoming_shutdown(connections, async move { stopping.wait().await });
        tokio::select! {
            served = serve => {
                if let Err(error) = served {
                    tracing::error!("Flight SQL is not served any more: {error}");
                }
            }
            () = handles.expire() => {}
        }
    };
    Ok((local, served))
}

fn router(
    service: &Arc<Service>,
    access: &Access,
    handles: &Arc<Handles>,
) -> Result<Router, ServeError> {
    let mut server = Server::builder()
        .max_concurrent_streams(CALLS)
        .http2_max_header_list_size(HEADERS)
        .http2_keepalive_interval(Some(PING))
        .http2_keepalive_timeout(Some(PONG));
    if let Some(certificate) = &access.tls {
        // Tells what is wrong with it.
        certificate.acceptor(&[b"h2"])?;
        // tonic takes the cryptography that the process has, which may have chosen before.
        let _ = aws_lc_rs::default_provider().install_default();
        let identity = Identity::from_pem(&certificate.chain, &certificate.key);
        let config = ServerTlsConfig::new().identity(identity).timeout(LOGIN);
        server = server.tls_config(config).map_err(|error| ServeError::System {
            action: "serve with the certificate",
            source: io::Error::other(error),
        })?;
    }
    let logins = Arc::new(Logins::new(Arc::clone(service), access.passwords.clone()));
    let flight = Flight::new(Arc::clone(service), Arc::clone(&logins), Arc::clone(handles));
    let door = FlightServiceServer::new(flight).max_decoding_message_size(LARGEST);
    let door = InterceptedService::new(door, move |request| logins.admit(request));
    Ok(server.add_service(door))
}
