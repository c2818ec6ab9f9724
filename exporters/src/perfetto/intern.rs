//! Interns names, keys and texts: each is written once in an `InternedData` message, and events refer to its number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::gpu_proto::interned_gpu_render_stage_specification::RenderStageCategory;
use super::wire::{self, Tag, interned};

/// Maximum bytes of interned texts of one kind. Further texts are written inline in each event.
const KEPT: usize = 8 << 20;

/// Bytes of definitions after which a new packet starts.
const PACKET: usize = 1 << 16;

/// The category of stages.
const COMPUTE: u64 = RenderStageCategory::Compute as u64;

/// The kind of an interned text. Each kind is numbered separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Categories of events.
    Category,
    /// Names of events.
    Name,
    /// Names of annotations.
    Key,
    /// Values of annotations.
    Text,
    /// Stages of GPUs. Their numbers are even, because hardware queues have numbers of the same kind.
    Stage,
}

/// The interned texts of one sequence.
#[derive(Debug, Default)]
pub struct Interner {
    categories: Known,
    names: Known,
    keys: Known,
    texts: Known,
    stages: Known,
    /// The concatenated encoded entries of `InternedData`.
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
    /// Returns the number of `text`, counted from 1, and defines the text if it is new. Returns `None` for a new text
    /// that exceeds the limit of its kind.
    pub fn number(&mut self, kind: Kind, text: &str) -> Option<u64> {
        let (known, tag) = match kind {
            Kind::Category => (&mut self.categories, interned::CATEGORY),
            Kind::Name => (&mut self.names, interned::NAME),
            Kind::Key => (&mut self.keys, interned::KEY),
            Kind::Text => (&mut self.texts, interned::TEXT),
            Kind::Stage => (&mut self.stages, interned::STAGE),
        };
        if let Some(number) = known.numbers.get(text) {
            return Some(*number);
        }
        if known.bytes + text.len() > KEPT {
            return None;
        }
        // 64 bytes approximate the size of a map entry.
        known.bytes += text.len() + 64;
        let step = if kind == Kind::Stage { 2 } else { 1 };
        let number = (known.numbers.len() as u64 + 1) * step;
        known.numbers.insert(text.into(), number);
        self.define(kind, tag, number, text);
        Some(number)
    }

    fn define(&mut self, kind: Kind, tag: Tag, number: u64, text: &str) {
        let mut entry = Vec::with_capacity(text.len() + 16);
        wire::number(&mut entry, interned::ENTRY_ID, number);
        wire::bytes(&mut entry, interned::ENTRY_TEXT, text.as_bytes());
        if kind == Kind::Stage {
            wire::number(&mut entry, interned::ENTRY_CATEGORY, COMPUTE);
        }
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

    use super::super::gpu_proto::{self, InternedGpuRenderStageSpecification};
    use super::super::proto::InternedData;
    use super::*;

    #[test]
    fn a_text_is_defined_once_for_each_kind() {
        let mut interner = Interner::default();
        assert_eq!(interner.number(Kind::Name, "a"), Some(1));
        assert_eq!(interner.number(Kind::Name, "b"), Some(2));
        assert_eq!(interner.number(Kind::Name, "a"), Some(1));
        assert_eq!(interner.number(Kind::Text, "b"), Some(1));
        assert_eq!(interner.number(Kind::Category, "b"), Some(1));
        let messages: Vec<_> = interner.messages().collect();
        assert_eq!(messages.len(), 1);
        let data = InternedData::decode(messages[0]).unwrap();
        let names: Vec<_> = data.event_names.iter().map(|name| name.name.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("b")]);
        assert_eq!(data.debug_annotation_string_values.len(), 1);
        assert_eq!(data.event_categories[0].name(), "b");
        let mut stages = Interner::default();
        assert_eq!([Some(2), Some(4)], ["a", "b"].map(|name| stages.number(Kind::Stage, name)));
        let data = gpu_proto::InternedData::decode(stages.messages().next().unwrap()).unwrap();
        let compute = |stage: &InternedGpuRenderStageSpecification| {
            (stage.iid, stage.category) == (Some(4), Some(RenderStageCategory::Compute as i32))
        };
        assert!(data.gpu_specifications.last().is_some_and(compute), "{data:?}");
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
