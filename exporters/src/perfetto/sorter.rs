//! Sorts events by ascending time in bounded memory, with an external merge sort (Knuth, TAOCP vol. 3, 5.4): a full
//! buffer is sorted and spilled to an unnamed temporary file, called a run, and the runs are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// Maximum bytes of events in memory.
const BUFFER: usize = 32 << 20;

/// Total bytes of the read buffers of all runs.
const AHEAD: usize = 16 << 20;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Slice,
    Instant,
    Counter,
    /// The reading of a device clock.
    Clock,
}

/// The fixed-size part of an event, from which the sort key is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub time: i64,
    /// The end of a slice.
    pub end: i64,
    pub track: u32,
    pub clock: u8,
    pub kind: Kind,
}

/// The sort key: the time; at equal times slices before other events, and shorter slices before longer ones.
type Place = (i64, bool, i64);

impl Event {
    fn place(&self) -> Place {
        (self.time, self.kind != Kind::Slice, self.end)
    }
}

/// A stable sorter: events with equal keys stay in the order in which they were added.
#[derive(Debug)]
pub struct Sorter {
    capacity: usize,
    chunk: Chunk,
    /// The sorted runs, in the order in which they were spilled.
    runs: Vec<File>,
}

/// An event, and the start and end offsets of its bytes in the chunk.
type Placed = (Event, usize, usize);

/// The events in memory.
#[derive(Debug, Default)]
struct Chunk {
    events: Vec<Placed>,
    bytes: Vec<u8>,
}

impl Sorter {
    /// Creates a sorter that holds up to this many bytes in memory.
    pub fn holding(capacity: usize) -> Self {
        Self { capacity, chunk: Chunk::default(), runs: Vec::new() }
    }

    /// Returns the buffer to which the bytes of the next event are appended.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        if self.chunk.bytes.capacity() == 0 {
            // Reserves the whole buffer: the system maps its pages on first write, while a growing buffer is copied
            // repeatedly.
            self.chunk.bytes.reserve_exact(self.capacity.min(BUFFER));
            self.chunk.events.reserve_exact(self.capacity.min(BUFFER) / size_of::<Placed>());
        }
        &mut self.chunk.bytes
    }

    /// Adds an event, whose bytes are at the end of the buffer from `start` on. Sorts and spills a full buffer.
    pub fn push(&mut self, event: Event, start: usize) -> io::Result<()> {
        self.chunk.events.push((event, start, self.chunk.bytes.len()));
        let held = self.chunk.bytes.len() + self.chunk.events.len() * size_of::<Placed>();
        if held < self.capacity {
            return Ok(());
        }
        let mut file = BufWriter::with_capacity(1 << 16, tempfile::tempfile()?);
        self.chunk.sort();
        for (event, start, end) in &self.chunk.events {
            write(&mut file, event, self.chunk.bytes.get(*start..*end).unwrap_or_default())?;
        }
        self.runs.push(file.into_inner().map_err(io::IntoInnerError::into_error)?);
        self.chunk.events.clear();
        self.chunk.bytes.clear();
        Ok(())
    }

    /// Calls `each` with every event in order: a k-way merge of the runs, through a heap of their first events, and of
    /// the last chunk.
    pub fn finish<E: From<io::Error>>(
        mut self,
        mut each: impl FnMut(&Event, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.chunk.sort();
        let Chunk { events, bytes } = &self.chunk;
        let mut rest = events
            .iter()
            .map(|(event, start, end)| (event, bytes.get(*start..*end).unwrap_or_default()));
        let ahead = (AHEAD / (self.runs.len() + 1)).clamp(1 << 12, 1 << 20);
        let mut runs = Vec::with_capacity(self.runs.len());
        for mut file in self.runs {
            file.seek(SeekFrom::Start(0))?;
            runs.push(Run { file: BufReader::with_capacity(ahead, file), bytes: Vec::new() });
        }
        let mut heads = BinaryHeap::new();
        for (nth, run) in runs.iter_mut().enumerate() {
            heads.extend(run.next()?.map(|event| Reverse((event.place(), nth, Whole(event)))));
        }
        let mut last = rest.next();
        loop {
            // The runs hold earlier events than the chunk, so they come first at equal keys.
            if let Some((event, bytes)) = last
                && heads.peek().is_none_or(|Reverse((place, ..))| event.place() < *place)
            {
                each(event, bytes)?;
                last = rest.next();
                continue;
            }
            let Some(Reverse((_, nth, Whole(event)))) = heads.pop() else { return Ok(()) };
            if let Some(run) = runs.get_mut(nth) {
                each(&event, &run.bytes)?;
                heads.extend(run.next()?.map(|event| Reverse((event.place(), nth, Whole(event)))));
            }
        }
    }
}

impl Default for Sorter {
    fn default() -> Self {
        Self::holding(BUFFER)
    }
}

impl Chunk {
    fn sort(&mut self) {
        // The events of each record type are mostly in order, and the standard library's sort exploits ascending runs.
        self.events.sort_by_key(|(event, ..)| event.place());
    }
}

/// An event that compares equal to all others, so that the heap orders by key and run number only.
struct Whole(Event);

impl PartialEq for Whole {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Whole {}

impl PartialOrd for Whole {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Whole {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

/// A reader of a sorted run.
struct Run {
    file: BufReader<File>,
    /// The bytes of the last event read.
    bytes: Vec<u8>,
}

/// Bytes of the header before an event's bytes in a run.
const HEAD: usize = 8 + 8 + 4 + 4 + 1 + 1;

/// Writes the header and the bytes of an event to a run.
fn write(file: &mut impl Write, event: &Event, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    let mut head = Vec::with_capacity(HEAD);
    head.extend(event.time.to_le_bytes());
    head.extend(event.end.to_le_bytes());
    head.extend(event.track.to_le_bytes());
    head.extend(length.to_le_bytes());
    head.extend([event.clock, event.kind as u8]);
    file.write_all(&head)?;
    file.write_all(bytes)
}

impl Run {
    /// Reads the next event, and its bytes into `self.bytes`. Returns `None` at the end of the run.
    fn next(&mut self) -> io::Result<Option<Event>> {
        if self.file.buffer().is_empty() && io::BufRead::fill_buf(&mut self.file)?.is_empty() {
            return Ok(None);
        }
        let event = Event {
            time: i64::from_le_bytes(self.take()?),
            end: i64::from_le_bytes(self.take()?),
            track: u32::from_le_bytes(self.take()?),
            clock: 0,
            kind: Kind::Slice,
        };
        let length = u32::from_le_bytes(self.take()?);
        let [clock, kind] = self.take()?;
        let kind = match kind {
            0 => Kind::Slice,
            1 => Kind::Instant,
            2 => Kind::Counter,
            _ => Kind::Clock,
        };
        self.bytes.resize(length as usize, 0);
        self.file.read_exact(&mut self.bytes)?;
        Ok(Some(Event { clock, kind, ..event }))
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(capacity: usize) -> Vec<(i64, i64, Vec<u8>)> {
        let mut sorter = Sorter::holding(capacity);
        let mut state = 1_u32;
        for number in 0..5000_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let time = i64::from(state >> 22) - 100;
            let kind =
                [Kind::Slice, Kind::Instant, Kind::Counter, Kind::Clock][(state % 4) as usize];
            let end = if kind == Kind::Slice { time + i64::from(state % 7) } else { 0 };
            let start = sorter.buffer().len();
            sorter.buffer().extend(number.to_le_bytes().iter().take((state % 5) as usize));
            sorter.push(Event { time, end, track: number, clock: 3, kind }, start).unwrap();
        }
        let mut all = Vec::new();
        sorter
            .finish(|event, bytes| {
                assert_eq!(event.clock, 3);
                assert_eq!(bytes, &event.track.to_le_bytes()[..bytes.len()]);
                all.push((event.time, i64::from(event.track), bytes.to_vec()));
                Ok::<_, io::Error>(())
            })
            .unwrap();
        all
    }

    #[test]
    fn files_and_memory_give_the_same_order() {
        let in_memory = sorted(usize::MAX);
        assert_eq!(in_memory.len(), 5000);
        assert!(in_memory.is_sorted_by_key(|(time, ..)| *time));
        assert_eq!(sorted(10_000), in_memory);
        assert_eq!(sorted(0), in_memory);
    }
}
