//! Sorts events by ascending time in bounded memory, with an external merge sort (Knuth, TAOCP vol. 3, 5.4): a full
//! buffer is sorted and spilled to an unnamed temporary file, called a run, and the runs are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

use super::rows::Rows;

/// Maximum bytes of events in memory.
const BUFFER: usize = 32 << 20;

/// Total bytes of the read buffers of all runs.
const AHEAD: usize = 16 << 20;

/// The fixed-size part of an event, from which the sort key is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub time: i64,
    /// The end of a slice.
    pub end: i64,
    pub track: u32,
    pub clock: u8,
    pub kind: Rows,
}

/// The sort key: the time; at equal times slices before other events, and shorter slices before longer ones.
type Place = (i64, bool, i64);

impl Event {
    fn place(&self) -> Place {
        (self.time, !self.kind.are_spans(), self.end)
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
        let mut heads = BinaryHeap::new();
        for (nth, mut file) in self.runs.into_iter().enumerate() {
            file.seek(SeekFrom::Start(0))?;
            let mut run = Run { file: BufReader::with_capacity(ahead, file), bytes: Vec::new() };
            let event = run.next()?;
            heads.extend(event.map(|event| Reverse((event.place(), nth))));
            runs.push((run, event));
        }
        let mut last = rest.next();
        loop {
            // The runs hold earlier events than the chunk, so they come first at equal keys.
            if let Some((event, bytes)) = last
                && heads.peek().is_none_or(|Reverse((place, _))| event.place() < *place)
            {
                each(event, bytes)?;
                last = rest.next();
                continue;
            }
            let Some(Reverse((_, nth))) = heads.pop() else { return Ok(()) };
            if let Some((run, Some(event))) = runs.get_mut(nth) {
                each(event, &run.bytes)?;
                if let Some(next) = run.next()? {
                    heads.push(Reverse((next.place(), nth)));
                    *event = next;
                }
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

struct Run {
    file: BufReader<File>,
    /// The bytes of the last event read.
    bytes: Vec<u8>,
}

/// Bytes of the header before an event's bytes in a run.
const HEAD: usize = 8 + 8 + 4 + 4 + 1 + 1;

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
        let time = i64::from_le_bytes(self.take()?);
        let end = i64::from_le_bytes(self.take()?);
        let track = u32::from_le_bytes(self.take()?);
        let length = u32::from_le_bytes(self.take()?);
        let [clock, kind] = self.take()?;
        let kind = match kind {
            0 => Rows::Slices,
            1 => Rows::Instants,
            2 => Rows::Counters,
            3 => Rows::Clocks,
            4 => Rows::Stages,
            _ => Rows::GpuCounters,
        };
        self.bytes.resize(length as usize, 0);
        self.file.read_exact(&mut self.bytes)?;
        Ok(Some(Event { time, end, track, clock, kind }))
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

    fn sorted(capacity: usize) -> Vec<(i64, u8, i64, Vec<u8>)> {
        let mut sorter = Sorter::holding(capacity);
        let mut state = 1_u32;
        for number in 0..5000_u32 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let time = i64::from(state >> 22) - 100;
            let kind = [
                Rows::Slices,
                Rows::Instants,
                Rows::Counters,
                Rows::Clocks,
                Rows::Stages,
                Rows::GpuCounters,
            ][(state % 6) as usize];
            let end = if kind.are_spans() { time + i64::from(state % 7) } else { 0 };
            let start = sorter.buffer().len();
            sorter.buffer().extend(number.to_le_bytes().iter().take((state % 5) as usize));
            sorter.push(Event { time, end, track: number, clock: 3, kind }, start).unwrap();
        }
        let mut all = Vec::new();
        sorter
            .finish(|event, bytes| {
                assert_eq!(event.clock, 3);
                assert_eq!(bytes, &event.track.to_le_bytes()[..bytes.len()]);
                all.push((event.time, event.kind as u8, i64::from(event.track), bytes.to_vec()));
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
