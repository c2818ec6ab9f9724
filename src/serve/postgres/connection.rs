//! One connection: reads the messages of a client, and ends it where it takes too much.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use pgwire::api::cancel::DefaultCancelHandler;
use pgwire::api::{ClientInfo, NoopHandler, PgWireConnectionState, RandomPidSecretKeyGenerator};
use pgwire::error::PgWireError;
use pgwire::messages::PgWireFrontendMessage;
use pgwire::tokio::server::{
    MaybeTls, PgWireMessageServerCodec, negotiate_tls, process_error, process_message,
};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::codec::{Framed, FramedParts};

use super::errors::fatal;
use super::messages::Bounded;
use super::planner::Stored;
use super::session::Session;
use super::startup::Logins;
use crate::access::Access;
use crate::error::ServeError;
use crate::service::Service;

/// The longest time in which a client logs in.
const LOGIN: Duration = Duration::from_secs(10);
/// The longest time in which a client takes an error.
const ERROR: Duration = Duration::from_secs(5);

type Socket = Framed<Bounded<MaybeTls>, PgWireMessageServerCodec<Stored>>;

/// What the connections of a server share.
pub struct Shared {
    service: Arc<Service>,
    tls: Option<TlsAcceptor>,
    logins: Logins,
    session: Arc<Session>,
}

impl Shared {
    pub fn new(service: Arc<Service>, access: &Access) -> Result<Self, ServeError> {
        let tls = access.tls.as_ref().map(|it| it.acceptor(&[b"postgresql"])).transpose()?;
        let keys = Arc::new(RandomPidSecretKeyGenerator::default());
        let logins =
            Logins::new(Arc::clone(&service), access.passwords.as_ref(), tls.is_some(), keys);
        let session = Arc::new(Session::new(Arc::clone(&service)));
        Ok(Self { service, tls, logins, session })
    }

    /// Serves a client until it leaves, is idle for too long, or the server stops.
    pub async fn serve(&self, socket: TcpStream) -> io::Result<()> {
        let beside = Beside::of(&socket)?;
        let Some(mut socket) = self.greeted(socket).await? else { return Ok(()) };
        let login = Arc::new(self.logins.login());
        let cancel = Arc::new(DefaultCancelHandler::new(Arc::clone(&self.logins.connections)));
        let mut stopping = self.service.stopping();
        let begun = tokio::time::Instant::now();
        loop {
            let has_logged_in = !matches!(
                socket.state(),
                PgWireConnectionState::AwaitingStartup
                    | PgWireConnectionState::AuthenticationInProgress
            );
            let patience = if has_logged_in {
                self.service.limits.idle
            } else {
                LOGIN.saturating_sub(begun.elapsed())
            };
            let message = tokio::select! {
                message = timeout(patience, socket.next()) => message,
                () = stopping.wait() => {
                    return end(&mut socket, fatal("57P01", "the server stops")).await;
                }
            };
            let message = match message {
                Ok(Some(Ok(message))) => message,
                Ok(Some(Err(error))) => return end(&mut socket, wrong(&error)).await,
                Err(_) if has_logged_in => {
                    return end(
                        &mut socket,
                        fatal("57P05", "the connection was idle for too long"),
                    )
                    .await;
                }
                Ok(None) | Err(_) => return Ok(()),
            };
            if matches!(message, PgWireFrontendMessage::Terminate(_)) {
                return Ok(());
            }
            let is_extended = message.is_extended_query();
            let answered = process_message(
                message,
                &mut socket,
                Arc::clone(&login),
                Arc::clone(&self.session),
                Arc::clone(&self.session),
                Arc::new(NoopHandler),
                Arc::clone(&cancel),
            );
            let answered = tokio::select! {
                answered = answered => answered,
                () = beside.gone() => return Ok(()),
            };
            if let Err(error) = answered {
                if matches!(error, PgWireError::IoError(_)) {
                    return Ok(());
                }
                let told = timeout(ERROR, process_error(&mut socket, error, is_extended));
                told.await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
            }
        }
    }

    /// Tells a client that there are too many connections.
    pub async fn refuse(&self, socket: TcpStream) {
        if let Ok(Some(mut socket)) = self.greeted(socket).await {
            // Clients read an error only after they have introduced themselves.
            let _ = timeout(ERROR, socket.next()).await;
            let _ = end(&mut socket, fatal("53300", "there are too many connections")).await;
        }
    }

    /// Agrees on TLS with a client.
    async fn greeted(&self, socket: TcpStream) -> io::Result<Option<Socket>> {
        keep_alive(&socket)?;
        let negotiated = timeout(LOGIN, negotiate_tls::<Stored>(socket, self.tls.clone())).await;
        let Some(socket) = negotiated.map_err(|_| io::ErrorKind::TimedOut)?? else {
            return Ok(None);
        };
        let parts = socket.into_parts();
        let bounded = Bounded::new(parts.io, &parts.read_buf)?;
        let mut bounded = FramedParts::new(bounded, parts.codec);
        bounded.read_buf = parts.read_buf;
        bounded.write_buf = parts.write_buf;
        Ok(Some(Framed::from_parts(bounded)))
    }
}

/// A second handle of a connection, which notices that its client is gone while a statement computes and nothing is read.
struct Beside(TcpStream);

impl Beside {
    fn of(socket: &TcpStream) -> io::Result<Self> {
        let handle = socket2::SockRef::from(socket).try_clone()?;
        Ok(Self(TcpStream::from_std(handle.into())?))
    }

    /// Waits until the client has closed the connection. What it has sent and is not yet read hides that.
    async fn gone(&self) {
        loop {
            match self.0.peek(&mut [0]).await {
                Ok(0) | Err(_) => return,
                Ok(_) => tokio::time::sleep(Duration::from_secs(1)).await,
            }
        }
    }
}

/// Lets the system notice clients that are gone without a word.
fn keep_alive(socket: &TcpStream) -> io::Result<()> {
    let often = socket2::TcpKeepalive::new()
        .with_time(Duration::from_mins(1))
        .with_interval(Duration::from_secs(10));
    socket2::SockRef::from(socket).set_tcp_keepalive(&often)
}

/// Returns what a client is told whose messages cannot be read.
fn wrong(error: &PgWireError) -> PgWireError {
    fatal("08P01", error.to_string())
}

/// Tells a client why its connection ends.
async fn end(socket: &mut Socket, error: PgWireError) -> io::Result<()> {
    let told = timeout(ERROR, process_error(socket, error, false)).await;
    told.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
}
