//! A proxy between the program and a server on loopback: it counts what passes, and delays, cuts or refuses some of it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::random::Random;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The answer comes late.
    Late,
    /// The answer ends in its middle.
    Cut,
    /// The server does what is asked, but nothing of its answer comes.
    Lost,
    /// The server is busy.
    Busy,
    /// A condition does not hold.
    Condition,
}

/// Decides by the first line of a request.
type Decide = dyn Fn(&str, &mut Random) -> Fault + Send + Sync;

/// What passed.
#[derive(Debug, Default)]
pub struct Passed {
    pub gets: AtomicU64,
    /// Parts of objects, from one byte to another, that are read now, and most at once so far.
    pub reading: AtomicU64,
    pub most: AtomicU64,
    pub puts: AtomicU64,
    pub lists: AtomicU64,
    /// Bytes of answers.
    pub bytes: AtomicU64,
}

/// A running proxy.
pub struct Proxy {
    pub port: u16,
    pub passed: Arc<Passed>,
}

impl Proxy {
    /// Starts a proxy of the server at a port. Without `conditions`, the server sees none.
    pub fn start(
        server: u16,
        conditions: bool,
        decide: impl Fn(&str, &mut Random) -> Fault + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let passed = Arc::new(Passed::default());
        let (counts, decide): (_, Arc<Decide>) = (Arc::clone(&passed), Arc::new(decide));
        let random = Arc::new(Mutex::new(Random(u64::from(port))));
        // The server looks at a condition and then writes: what is written goes one by one.
        let writing = Arc::new(Mutex::new(()));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (counts, decide) = (Arc::clone(&counts), Arc::clone(&decide));
                let (random, writing) = (Arc::clone(&random), Arc::clone(&writing));
                thread::spawn(move || {
                    // Clients that are killed break their connections.
                    let _ = serve(
                        client,
                        server,
                        conditions,
                        &counts,
                        |line| decide(line, &mut random.lock().unwrap()),
                        &writing,
                    );
                });
            }
        });
        Self { port, passed }
    }

    /// Returns what passed so far: reads, writes, lists, and bytes of answers.
    pub fn counts(&self) -> [u64; 4] {
        let Passed { gets, puts, lists, bytes, .. } = &*self.passed;
        [gets, puts, lists, bytes].map(|count| count.load(Ordering::SeqCst))
    }
}

/// A part that is read.
struct Reading<'a>(&'a Passed);

impl<'a> Reading<'a> {
    fn begin(counts: &'a Passed) -> Self {
        let reading = counts.reading.fetch_add(1, Ordering::SeqCst) + 1;
        counts.most.fetch_max(reading, Ordering::SeqCst);
        Self(counts)
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.0.reading.fetch_sub(1, Ordering::SeqCst);
    }
}

fn serve(
    mut client: TcpStream,
    server: u16,
    conditions: bool,
    counts: &Passed,
    decide: impl Fn(&str) -> Fault,
    writing: &Mutex<()>,
) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut part = [0; 8192];
    let (head, mut body) = loop {
        let count = client.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        request.extend_from_slice(&part[..count]);
        if let Some(at) = request.windows(4).position(|it| it == b"\r\n\r\n") {
            let body = request.split_off(at + 4);
            break (String::from_utf8_lossy(&request).into_owned(), body);
        }
    };
    let lines: Vec<&str> = head.trim_end().split("\r\n").collect();
    let value = |name: &str| {
        let found = lines.iter().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        });
        found.unwrap_or_default()
    };
    let length = value("content-length").parse().unwrap_or(0);
    while body.len() < length {
        let count = client.read(&mut part)?;
        if count == 0 {
            return Ok(());
        }
        body.extend_from_slice(&part[..count]);
    }
    let count = match lines[0] {
        line if line.contains("list-type") => &counts.lists,
        line if line.starts_with("PUT") => &counts.puts,
        _ => &counts.gets,
    };
    count.fetch_add(1, Ordering::SeqCst);
    let is_part =
        value("range").trim_start_matches("bytes=").starts_with(|it: char| it.is_ascii_digit());
    let _reading = is_part.then(|| Reading::begin(counts));
    let fault = decide(lines[0]);
    let refused = match fault {
        Fault::Busy => Some("503 Service Unavailable"),
        Fault::Condition => Some("412 Precondition Failed"),
        _ => None,
    };
    if let Some(refused) = refused {
        let answer =
            format!("HTTP/1.1 {refused}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return client.write_all(answer.as_bytes());
    }
    let is_dropped = |line: &str| {
        let name = line.split(':').next().unwrap().to_ascii_lowercase();
        name == "connection" || (!conditions && name.starts_with("if-"))
    };
    let kept: Vec<&str> = lines.iter().filter(|line| !is_dropped(line)).copied().collect();
    let head = kept.join("\r\n") + "\r\nConnection: close\r\n\r\n";
    let answer = {
        let _one = lines[0].starts_with("PUT").then(|| writing.lock().unwrap());
        let mut upstream = TcpStream::connect(("127.0.0.1", server))?;
        upstream.write_all(head.as_bytes())?;
        upstream.write_all(&body)?;
        let mut answer = Vec::new();
        upstream.read_to_end(&mut answer)?;
        answer
    };
    let until = match fault {
        Fault::Cut => answer.len() / 2,
        Fault::Lost => 0,
        _ => answer.len(),
    };
    if fault == Fault::Late {
        thread::sleep(Duration::from_millis(300));
    }
    counts.bytes.fetch_add(until as u64, Ordering::SeqCst);
    client.write_all(&answer[..until])?;
    client.shutdown(Shutdown::Both)
}
