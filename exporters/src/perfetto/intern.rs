//! Interning: names, keys and texts are written once and then referred to by number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::wire::{self, Tag, interned};

/// Bytes of interned texts of one kind. Further texts are written out where they are used.
const KEPT: usize = 8 << 20;

/// Bytes of definitions after which a packet ends.
const PACKET: usize = 1 << 16;

/// The kind of an interned text; each kind has numbers of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Names of events.
    Name,
    /// Names of annotations.
    Key,
    /// Values of annotations.
    Text,
}

/// The interned texts of one sequence.
#[derive(Debug, Default)]
pub struct Interner {
    names: Known,
    keys: Known,
    texts: Known,
    /// Encoded entries of `InternedData`, back to back.
    definitions: Vec<u8>,
    /// The offsets in `definitions` at which packets end.
    ends: Vec<usize>,
}

#[derive(Debug, Default)]
struct Known {
    numbers: HashMap<Box<str>, u64, RandomState>,
    bytes: usize,
}

impl Interner {
    /// Returns the number of `text`, from 1 on, and defines it if it is new. Returns `None` for a new text if the limit
    /// of its kind is reached.
    pub fn number(&mut self, kind: Kind, text: &str) -> Option<u64> {
        let (known, tag) = match kind {
            Kind::Name => (&mut self.names, interned::NAME),
            Kind::Key => (&mut self.keys, interned::KEY),
            Kind::Text => (&mut self.texts, interned::TEXT),
        };
        if let Some(number) = known.numbers.get(text) {
            return Some(*number);
        }
        if known.bytes + text.len() > KEPT {
            return None;
        }
        // 64 bytes: about the size of an entry of the map.
        known.bytes += text.len() + 64;
        let number = known.numbers.len() as u64 + 1;
        known.numbers.insert(text.into(), number);
        self.define(tag, number, text);
        Some(number)
    }

    /// Appends the definition of a text.
    fn define(&mut self, tag: Tag, number: u64, text: &str) {
        let mut entry = Vec::with_capacity(text.len() + 16);
        wire::number(&mut entry, interned::ENTRY_ID, number);
        wire::bytes(&mut entry, interned::ENTRY_TEXT, text.as_bytes());
        wire::bytes(&mut self.definitions, tag, &entry);
        let start = self.ends.last().copied().unwrap_or(0);
        if self.definitions.len() - start >= PACKET {
            self.ends.push(self.definitions.len());
        }
    }

    /// Returns the definitions as encoded `InternedData` messages, one per packet.
    pub fn messages(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ends = self.ends.iter().copied().chain([self.definitions.len()]);
        starts
            .zip(ends)
            .filter_map(|(start, end)| self.definitions.get(start..end))
            .filter(|part| !part.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::proto::InternedData;
    use super::*;

    #[test]
    fn a_text_is_defined_once_for_each_kind() {
        let mut interner = Interner::default();
        assert_eq!(interner.number(Kind::Name, "a"), Some(1));
        assert_eq!(interner.number(Kind::Name, "b"), Some(2));
        assert_eq!(interner.number(Kind::Name, "a"), Some(1));
        assert_eq!(interner.number(Kind::Text, "b"), Some(1));
        let messages: Vec<_> = interner.messages().collect();
        assert_eq!(messages.len(), 1);
        let data = InternedData::decode(messages[0]).unwrap();
        let names: Vec<_> = data.event_names.iter().map(|name| name.name.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("b")]);
        assert_eq!(data.debug_annotation_string_values.len(), 1);
    }

    #[test]
    fn what_is_kept_is_bounded_and_comes_in_packets() {
        let mut interner = Interner::default();
        let texts = (0..200_000).map(|number| format!("text number {number}"));
        let kept = texts.filter(|text| interner.number(Kind::Text, text).is_some()).count();
        assert!(kept > 50_000 && kept < 200_000, "{kept}");
        assert!(interner.messages().all(|message| message.len() < 2 * PACKET));
        let defined =
            |part| InternedData::decode(part).unwrap().debug_annotation_string_values.len();
        assert_eq!(interner.messages().map(defined).sum::<usize>(), kept);
    }
}
