//! Connections: accepted up to a number, and ended where nobody calls.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::{Stream, stream};
use prometheus_client::metrics::gauge::Gauge;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};
use tonic::Status;
use tonic::transport::server::Connected;

use super::errors::told;
use crate::client::{Client, Door};
use crate::service::Service;

/// The longest time until the first call.
pub(crate) const LOGIN: Duration = Duration::from_secs(10);

/// Returns the connections of clients, as they come.
pub fn incoming(
    service: Arc<Service>,
    listener: TcpListener,
) -> impl Stream<Item = io::Result<Connection>> + Send {
    let places = Arc::new(Semaphore::new(service.limits.connections));
    stream::unfold((service, listener, places), |(service, listener, places)| async move {
        let connection = next(&service, &listener, &places).await;
        Some((Ok(connection), (service, listener, places)))
    })
}

async fn next(service: &Service, listener: &TcpListener, places: &Arc<Semaphore>) -> Connection {
    loop {
        let (socket, address) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Such as too many open files: others may close theirs.
                tracing::warn!("cannot accept a connection: {error}");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(places).try_acquire_owned() else {
            service.metrics.refused.get_or_create(&Door::FlightSql.into()).inc();
            continue;
        };
        if let Err(error) = prepare(&socket) {
            tracing::debug!(client = %address, "the connection has ended: {error}");
            continue;
        }
        let open = service.metrics.connections.get_or_create(&Door::FlightSql.into()).clone();
        open.inc();
        return Connection {
            socket,
            caller: Caller { address, calls: Arc::default(), client: Arc::default() },
            idle: service.limits.idle,
            look: Box::pin(sleep(LOGIN)),
            has_ended: false,
            open,
            _place: place,
        };
    }
}

/// Lets the system notice clients that are gone without a word, and send what is small at once.
fn prepare(socket: &TcpStream) -> io::Result<()> {
    let often = socket2::TcpKeepalive::new()
        .with_time(Duration::from_mins(1))
        .with_interval(Duration::from_secs(10));
    socket2::SockRef::from(socket).set_tcp_keepalive(&often)?;
    socket.set_nodelay(true)
}

/// A connection of a client.
pub struct Connection {
    socket: TcpStream,
    caller: Caller,
    /// How long it may be idle.
    idle: Duration,
    /// When to look whether it is.
    look: Pin<Box<Sleep>>,
    has_ended: bool,
    open: Gauge,
    _place: OwnedSemaphorePermit,
}

/// Who calls over a connection.
#[derive(Clone)]
pub struct Caller {
    pub address: SocketAddr,
    pub calls: Arc<Calls>,
    client: Arc<Mutex<Option<Arc<Client>>>>,
}

/// The calls of a connection.
#[derive(Default)]
pub struct Calls(Mutex<Count>);

#[derive(Default)]
struct Count {
    running: usize,
    /// When the last one has begun or ended.
    last: Option<Instant>,
}

/// A call for as long as it runs.
pub struct Call(Arc<Calls>);

impl Calls {
    /// Notes a call.
    pub fn begin(self: &Arc<Self>) -> Call {
        self.count(|running| running + 1);
        Call(Arc::clone(self))
    }

    fn count(&self, next: impl Fn(usize) -> usize) {
        let mut count = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *count = Count { running: next(count.running), last: Some(Instant::now()) };
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.count(|running| running.saturating_sub(1));
    }
}

impl Caller {
    /// Returns the client, for a user.
    pub fn client(&self, service: &Service, user: &str) -> Result<Arc<Client>, Status> {
        let mut known = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = known.as_ref().filter(|client| client.user == user) {
            return Ok(Arc::clone(client));
        }
        let made = service.client(Door::FlightSql, self.address, user);
        let made = made.map_err(|error| told(&error))?;
        *known = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Connected for Connection {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.caller.clone()
    }
}

impl Connection {
    /// Returns after how long to look again; `None` if it has been idle for too long.
    fn left(&self) -> Option<Duration> {
        let count = self.caller.calls.0.lock().unwrap_or_else(PoisonError::into_inner);
        match count.last {
            None => None,
            Some(_) if count.running > 0 => Some(self.idle),
            Some(last) => self.idle.checked_sub(last.elapsed()).filter(|left| !left.is_zero()),
        }
    }

    /// Whether it has been idle for too long.
    fn poll_ended(&mut self, context: &mut Context<'_>) -> bool {
        while !self.has_ended && self.look.as_mut().poll(context).is_ready() {
            match self.left() {
                Some(left) => self.look.as_mut().reset(Instant::now() + left),
                None => self.has_ended = true,
            }
        }
        self.has_ended
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.dec();
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.poll_ended(context) {
            // As if the client had closed it.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
