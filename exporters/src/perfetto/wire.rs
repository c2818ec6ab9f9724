//! The wire format by hand, for what is written millions of times: bytes go straight into a buffer that is reused.
//!
//! The tests read what this writes with the messages of `proto`, so that both know the same fields.

use prost::encoding::{WireType, encoded_len_varint};

/// The byte or two in front of a field.
#[derive(Debug, Clone, Copy)]
pub struct Tag(u64);

impl Tag {
    const fn new(field: u32, kind: WireType) -> Self {
        Self((field as u64) << 3 | kind as u64)
    }

    /// A field of a varint.
    pub const fn number(field: u32) -> Self {
        Self::new(field, WireType::Varint)
    }

    /// A field of bytes, text or a message.
    pub const fn bytes(field: u32) -> Self {
        Self::new(field, WireType::LengthDelimited)
    }

    /// A field of eight bytes.
    pub const fn eight(field: u32) -> Self {
        Self::new(field, WireType::SixtyFourBit)
    }
}

/// Fields of `TracePacket`.
pub mod packet {
    use super::Tag;
    pub const OF_TRACE: Tag = Tag::bytes(1);
    pub const TIMESTAMP: Tag = Tag::number(8);
    pub const SEQUENCE: Tag = Tag::number(10);
    pub const EVENT: Tag = Tag::bytes(11);
    pub const INTERNED: Tag = Tag::bytes(12);
    pub const FLAGS: Tag = Tag::number(13);
    pub const CLOCK: Tag = Tag::number(58);
}

/// Fields of `InternedData` and of its entries.
pub mod interned {
    use super::Tag;
    pub const NAME: Tag = Tag::bytes(2);
    pub const KEY: Tag = Tag::bytes(3);
    pub const TEXT: Tag = Tag::bytes(29);
    pub const ENTRY_ID: Tag = Tag::number(1);
    pub const ENTRY_TEXT: Tag = Tag::bytes(2);
}

/// Fields of `TrackEvent`.
pub mod event {
    use super::Tag;
    pub const ANNOTATION: Tag = Tag::bytes(4);
    pub const TYPE: Tag = Tag::number(9);
    pub const NAME_ID: Tag = Tag::number(10);
    pub const TRACK: Tag = Tag::number(11);
    pub const NAME: Tag = Tag::bytes(23);
    pub const WHOLE_VALUE: Tag = Tag::number(30);
    pub const VALUE: Tag = Tag::eight(44);
    pub const FLOW: Tag = Tag::eight(47);
}

/// Fields of `DebugAnnotation`.
pub mod annotation {
    use super::Tag;
    pub const KEY_ID: Tag = Tag::number(1);
    pub const BOOL: Tag = Tag::number(2);
    pub const UNSIGNED: Tag = Tag::number(3);
    pub const SIGNED: Tag = Tag::number(4);
    pub const DOUBLE: Tag = Tag::eight(5);
    pub const TEXT: Tag = Tag::bytes(6);
    pub const KEY: Tag = Tag::bytes(10);
    pub const TEXT_ID: Tag = Tag::number(17);
}

/// Bytes that a varint takes.
#[inline]
pub const fn length(value: u64) -> usize {
    encoded_len_varint(value)
}

/// Bits that a varint of eight bytes holds.
const EIGHT_BYTES: u32 = 56;

/// The lowest 56 bits, seven to a byte: halves are moved apart, then quarters, then eighths.
#[inline]
const fn spread(value: u64) -> u64 {
    let halves = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let quarters = (halves & 0x0000_3fff_0000_3fff) | (halves & 0x0fff_c000_0fff_c000) << 2;
    (quarters & 0x007f_007f_007f_007f) | (quarters & 0x3f80_3f80_3f80_3f80) << 1
}

/// What says of each byte of a word that another follows.
const MORE: u64 = 0x8080_8080_8080_8080;

/// Appends a varint.
#[inline]
pub fn varint(buffer: &mut Vec<u8>, value: u64) {
    let mut short = ShortField::new();
    short.varint(value);
    short.append(buffer);
}

/// Appends a number.
#[inline]
pub fn number(buffer: &mut Vec<u8>, tag: Tag, value: u64) {
    let mut short = ShortField::new();
    short.number(tag, value);
    short.append(buffer);
}

/// Appends eight bytes.
#[inline]
pub fn eight(buffer: &mut Vec<u8>, tag: Tag, value: u64) {
    varint(buffer, tag.0);
    buffer.extend_from_slice(&value.to_le_bytes());
}

/// Appends bytes, text or an encoded message.
#[inline]
pub fn bytes(buffer: &mut Vec<u8>, tag: Tag, bytes: &[u8]) {
    open(buffer, tag, bytes.len());
    buffer.extend_from_slice(bytes);
}

/// Appends what stands in front of `length` bytes.
#[inline]
pub fn open(buffer: &mut Vec<u8>, tag: Tag, length: usize) {
    number(buffer, tag, length as u64);
}

/// What stands in front of an event, put together before it is appended: growing a buffer by a few bytes at a time costs more
/// than the bytes. A copy of a length that is known while compiling is a few moves, so all of it is copied, and what was
/// not put there is cut off.
#[derive(Debug, Clone, Copy)]
pub struct Short<const BYTES: usize> {
    bytes: [u8; BYTES],
    length: usize,
}

/// The fields of one number, or of an annotation with its number.
pub type ShortField = Short<48>;

/// All fields in front of an event.
pub type ShortEvent = Short<80>;

impl<const BYTES: usize> Short<BYTES> {
    /// Nothing yet.
    #[inline]
    pub const fn new() -> Self {
        Self { bytes: [0; BYTES], length: 0 }
    }

    /// Puts the lowest bytes of a word behind the others.
    #[inline]
    fn put(&mut self, word: u64, count: usize) {
        let place = self.bytes.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut);
        debug_assert!(place.is_some(), "more than what stands in front of an event");
        if let Some(place) = place {
            *place = word.to_le_bytes();
            self.length += count;
        }
    }

    /// Puts a varint there.
    #[inline]
    pub fn varint(&mut self, value: u64) {
        if value < 0x80 {
            // Most are small.
            self.put(value, 1);
        } else if value >> EIGHT_BYTES == 0 {
            let count = length(value);
            self.put(spread(value) | MORE >> (8 * (9 - count)), count);
        } else {
            self.put(spread(value) | MORE, 8);
            let rest = value >> EIGHT_BYTES;
            self.put((rest & 0x7f) | (rest & 0x80) << 1 | (rest & 0x80), length(rest));
        }
    }

    /// Puts a number there.
    #[inline]
    pub fn number(&mut self, tag: Tag, value: u64) {
        self.varint(tag.0);
        self.varint(value);
    }

    /// Appends all of it.
    #[inline]
    pub fn append(&self, buffer: &mut Vec<u8>) {
        let end = buffer.len() + self.length;
        buffer.extend_from_slice(&self.bytes);
        buffer.truncate(end);
    }
}

/// Bytes that a number takes with its tag.
#[inline]
pub const fn number_length(tag: Tag, value: u64) -> usize {
    length(tag.0) + length(value)
}

/// Bytes that `count` bytes take with what stands in front of them.
#[inline]
pub const fn bytes_length(tag: Tag, count: usize) -> usize {
    length(tag.0) + length(count as u64) + count
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::proto;
    use super::*;

    #[test]
    fn varints_are_those_of_the_format() {
        let powers = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) | 0x55]);
        for value in powers.chain([u64::MAX, u64::MAX - 1]) {
            let (mut ours, mut wanted) = (vec![7], vec![7]);
            varint(&mut ours, value);
            prost::encoding::encode_varint(value, &mut wanted);
            assert_eq!(ours, wanted, "{value}");
        }
    }

    #[test]
    fn what_is_written_by_hand_reads_as_messages() {
        let mut fields = Vec::new();
        number(&mut fields, annotation::KEY_ID, 300);
        number(&mut fields, annotation::TEXT_ID, 7);
        let mut written = Vec::new();
        number(&mut written, event::TYPE, 1);
        number(&mut written, event::TRACK, u64::MAX);
        number(&mut written, event::NAME_ID, 4);
        bytes(&mut written, event::ANNOTATION, &fields);
        number(&mut written, event::WHOLE_VALUE, (-3_i64).cast_unsigned());
        eight(&mut written, event::VALUE, 0.5_f64.to_bits());
        eight(&mut written, event::FLOW, 9);
        bytes(&mut written, event::NAME, b"n");
        let read = proto::TrackEvent::decode(written.as_slice()).unwrap();
        let wanted = proto::TrackEvent {
            debug_annotations: vec![proto::DebugAnnotation {
                name_iid: Some(300),
                string_value_iid: Some(7),
                ..Default::default()
            }],
            r#type: Some(1),
            name_iid: Some(4),
            track_uuid: Some(u64::MAX),
            name: Some("n".into()),
            counter_value: Some(-3),
            double_counter_value: Some(0.5),
            flow_ids: vec![9],
        };
        assert_eq!(read, wanted);
        assert_eq!(number_length(annotation::TEXT_ID, 300), 4);
    }

    #[test]
    fn values_of_annotations_have_their_fields() {
        let mut written = Vec::new();
        number(&mut written, annotation::BOOL, 1);
        number(&mut written, annotation::UNSIGNED, u64::MAX);
        number(&mut written, annotation::SIGNED, (-1_i64).cast_unsigned());
        eight(&mut written, annotation::DOUBLE, 2.5_f64.to_bits());
        bytes(&mut written, annotation::TEXT, b"t");
        bytes(&mut written, annotation::KEY, b"k");
        let read = proto::DebugAnnotation::decode(written.as_slice()).unwrap();
        assert_eq!((read.bool_value, read.uint_value), (Some(true), Some(u64::MAX)));
        assert_eq!((read.int_value, read.double_value), (Some(-1), Some(2.5)));
        assert_eq!((read.string_value.as_deref(), read.name.as_deref()), (Some("t"), Some("k")));
    }
}
