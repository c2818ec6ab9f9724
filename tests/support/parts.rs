//! Takes a bundle apart into its file records and typed records, and puts it together again with lengths that agree.

use super::layouts::{LAYOUTS, Layout, layout};

/// The content types of the format, without their suffix.
const PREFIX: &str = "application/vnd.iree.hal.profile.";

/// A bundle in parts.
#[derive(Debug, Clone)]
pub struct Parts {
    /// The file header, and bytes before the first record.
    pub head: Vec<u8>,
    pub chunks: Vec<Part>,
}

/// A file record: a chunk, or the begin or end of a session.
#[derive(Debug, Clone)]
pub struct Part {
    /// The header. Its lengths are set by [`Parts::bytes`].
    pub header: Vec<u8>,
    pub content_type: Vec<u8>,
    pub name: Vec<u8>,
    pub records: Vec<Vec<u8>>,
    /// What follows the typed records: the bytes of a trace, or a payload that is not stepped through.
    pub rest: Vec<u8>,
}

/// Reads the little-endian number in `bytes`.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

impl Parts {
    /// Takes an undamaged bundle apart. Of one that was cut, the whole records are taken, and its length is set.
    pub fn of(bytes: &[u8]) -> Self {
        let mut at = number(&bytes[8..12]) as usize;
        let mut parts = Self { head: bytes[..at].to_vec(), chunks: Vec::new() };
        while let Some(header) = bytes.get(at..at + 104) {
            let Some(record) = bytes.get(at..at + number(&header[..8]) as usize) else { break };
            if record.is_empty() {
                break;
            }
            parts.chunks.push(Part::of(record));
            at += record.len();
        }
        parts
    }

    /// Returns the bytes of the bundle.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head.clone();
        bytes[8..12].copy_from_slice(&(self.head.len() as u32).to_le_bytes());
        self.chunks.iter().for_each(|part| part.write(&mut bytes));
        let length = bytes.len() as u64;
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        bytes
    }

    /// Returns the numbers of a field in all records of its family.
    pub fn values(&self, family: &str, at: usize, width: usize) -> Vec<u64> {
        let same = self.chunks.iter().filter(|part| part.family() == family);
        let records = same.flat_map(|part| &part.records);
        records.filter_map(|record| record.get(at..at + width)).map(number).collect()
    }
}

impl Part {
    fn of(record: &[u8]) -> Self {
        let at = |offset: usize| number(&record[offset..offset + 4]) as usize;
        let (header, rest) = record.split_at(at(56));
        let (content_type, rest) = rest.split_at(at(60));
        let (name, payload) = rest.split_at(at(64));
        let mut part = Self {
            header: header.to_vec(),
            content_type: content_type.to_vec(),
            name: name.to_vec(),
            records: Vec::new(),
            rest: payload.to_vec(),
        };
        if let Some(layout) = part.layout() {
            while part.rest.len() >= layout.size {
                let length = number(&part.rest[..4]) as usize;
                if length < layout.size || length > part.rest.len() {
                    break;
                }
                let rest = part.rest.split_off(length);
                part.records.push(std::mem::replace(&mut part.rest, rest));
                if part.family() == "executable-traces" {
                    break;
                }
            }
        }
        part
    }

    /// Returns the family of the chunk; empty if it is unknown.
    pub fn family(&self) -> &str {
        let suffix = self.content_type.strip_prefix(PREFIX.as_bytes());
        suffix.and_then(|suffix| std::str::from_utf8(suffix).ok()).unwrap_or_default()
    }

    /// Sets the family of the chunk.
    pub fn set_family(&mut self, family: &str) {
        self.content_type = format!("{PREFIX}{family}").into_bytes();
    }

    /// Returns the layout of the typed records; `None` for unknown families.
    pub fn layout(&self) -> Option<&'static Layout> {
        layout_of(self.family()).map(layout)
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let mut header = self.header.clone();
        let payload = self.records.iter().map(Vec::len).sum::<usize>() + self.rest.len();
        let whole = header.len() + self.content_type.len() + self.name.len() + payload;
        for (at, width, length) in [
            (0, 8, whole),
            (8, 8, payload),
            (56, 4, header.len()),
            (60, 4, self.content_type.len()),
            (64, 4, self.name.len()),
        ] {
            header[at..at + width].copy_from_slice(&(length as u64).to_le_bytes()[..width]);
        }
        for part in [&header, &self.content_type, &self.name] {
            bytes.extend_from_slice(part);
        }
        self.records.iter().for_each(|record| bytes.extend_from_slice(record));
        bytes.extend_from_slice(&self.rest);
    }
}

/// Returns the name of the layout of a family.
fn layout_of(family: &str) -> Option<&'static str> {
    let singular = match family {
        "executable-exports" => "executable-function",
        other => other.strip_suffix('s')?,
    }
    .replace('-', "_");
    let names = [format!("{singular}_record"), singular];
    let known = |name: &String| LAYOUTS.records.get_key_value(name).map(|(name, _)| name.as_str());
    names.iter().find_map(known)
}
