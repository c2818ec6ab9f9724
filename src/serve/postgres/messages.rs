//! Follows the messages of a client as their bytes arrive, so that none is larger than allowed: pgwire collects a message
//! of up to a gigabyte before it looks at it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Most bytes of a message. The largest are statements.
const LARGEST: usize = 16 << 20;
/// Most bytes of the first message, with which a client introduces itself.
const LARGEST_FIRST: usize = 10_000;

/// A connection whose client may send messages of limited size only.
pub struct Bounded<S> {
    inner: S,
    follower: Follower,
}

impl<S> Bounded<S> {
    /// Follows what comes over a connection; `read` has come already.
    pub fn new(inner: S, read: &[u8]) -> io::Result<Self> {
        let mut follower = Follower::default();
        follower.follow(read)?;
        Ok(Self { inner, follower })
    }
}

/// Where in its messages a client is.
#[derive(Debug, Default)]
struct Follower {
    /// The bytes of a header that have come: a type, except for the first message, and a length.
    header: Vec<u8>,
    /// The bytes of the message that are still to come.
    left: usize,
    /// Messages that have begun.
    count: usize,
}

impl Follower {
    fn follow(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let skipped = self.left.min(bytes.len());
            self.left -= skipped;
            bytes = bytes.get(skipped..).unwrap_or_default();
            let of_header = if self.count == 0 { 4 } else { 5 };
            let wanted = of_header - self.header.len();
            let taken = wanted.min(bytes.len());
            self.header.extend_from_slice(bytes.get(..taken).unwrap_or_default());
            bytes = bytes.get(taken..).unwrap_or_default();
            if self.header.len() < of_header {
                continue;
            }
            let length = self.header.last_chunk().map_or(0, |length| u32::from_be_bytes(*length));
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            let largest = if self.count == 0 { LARGEST_FIRST } else { LARGEST };
            if length > largest || length < 4 {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    format!("a message of {length} bytes, where at most {largest} are allowed"),
                ));
            }
            self.left = length - 4;
            self.header.clear();
            self.count += 1;
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(self.follower.follow(read))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: Option<u8>, length: u32) -> Vec<u8> {
        let rest = vec![0; usize::try_from(length).unwrap().saturating_sub(4)];
        kind.into_iter().chain(length.to_be_bytes()).chain(rest).collect()
    }

    #[test]
    fn messages_are_followed_across_reads() {
        let bytes = [message(None, 50), message(Some(b'Q'), 100), message(Some(b'S'), 4)].concat();
        for size in 1..bytes.len() {
            let mut follower = Follower::default();
            for part in bytes.chunks(size) {
                follower.follow(part).unwrap();
            }
            assert_eq!((follower.count, follower.left, follower.header.len()), (3, 0, 0));
        }
    }

    #[test]
    fn large_messages_are_refused_by_their_header() {
        let mut follower = Follower::default();
        assert!(follower.follow(&u32::MAX.to_be_bytes()).is_err());
        let mut follower = Follower::default();
        follower.follow(&message(None, 50)).unwrap();
        let mut large = vec![b'Q'];
        large.extend((17_u32 << 20).to_be_bytes());
        assert!(follower.follow(&large).is_err());
    }
}
