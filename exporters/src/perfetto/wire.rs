//! A hand-written encoder of the protobuf wire format (protobuf.dev/programming-guides/encoding), for messages that are
//! written millions of times: it appends bytes to a reused buffer.
//!
//! The tests decode its output with the messages of `proto`, which checks the field numbers.

use prost::encoding::{WireType, encode_varint, encoded_len_varint};

/// The tag before a field: field number and wire type.
#[derive(Debug, Clone, Copy)]
pub struct Tag(u64);

impl Tag {
    const fn new(field: u32, kind: WireType) -> Self {
        Self((field as u64) << 3 | kind as u64)
    }

    /// The tag of a varint field.
    pub const fn number(field: u32) -> Self {
        Self::new(field, WireType::Varint)
    }

    /// The tag of a length-delimited field: bytes, text or a message.
    pub const fn bytes(field: u32) -> Self {
        Self::new(field, WireType::LengthDelimited)
    }

    /// The tag of a 64-bit field.
    pub const fn eight(field: u32) -> Self {
        Self::new(field, WireType::SixtyFourBit)
    }
}

/// Fields of `TracePacket`.
pub mod packet {
    use super::Tag;
    pub(crate) const OF_TRACE: Tag = Tag::bytes(1);
    pub const TIMESTAMP: Tag = Tag::number(8);
    pub const SEQUENCE: Tag = Tag::number(10);
    pub const EVENT: Tag = Tag::bytes(11);
    pub(crate) const INTERNED: Tag = Tag::bytes(12);
    pub const FLAGS: Tag = Tag::number(13);
    pub(crate) const GPU_COUNTER: Tag = Tag::bytes(52);
    pub(crate) const STAGE: Tag = Tag::bytes(53);
    pub const CLOCK: Tag = Tag::number(58);
}

/// Fields of `InternedData` and of its entries.
pub mod interned {
    use super::Tag;
    pub(crate) const CATEGORY: Tag = Tag::bytes(1);
    pub const NAME: Tag = Tag::bytes(2);
    pub const KEY: Tag = Tag::bytes(3);
    pub(crate) const STAGE: Tag = Tag::bytes(24);
    pub const TEXT: Tag = Tag::bytes(29);
    pub(crate) const ENTRY_ID: Tag = Tag::number(1);
    pub(crate) const ENTRY_TEXT: Tag = Tag::bytes(2);
    pub(crate) const ENTRY_CATEGORY: Tag = Tag::number(4);
}

/// Fields of `TrackEvent`.
pub mod event {
    use super::Tag;
    pub(crate) const CATEGORY_ID: Tag = Tag::number(3);
    pub(crate) const ANNOTATION: Tag = Tag::bytes(4);
    pub const TYPE: Tag = Tag::number(9);
    pub(crate) const NAME_ID: Tag = Tag::number(10);
    pub(crate) const TRACK: Tag = Tag::number(11);
    pub const NAME: Tag = Tag::bytes(23);
    pub(crate) const WHOLE_VALUE: Tag = Tag::number(30);
    pub const VALUE: Tag = Tag::eight(44);
    pub(crate) const FLOW: Tag = Tag::eight(47);
}

/// Fields of `DebugAnnotation`.
pub mod annotation {
    use super::Tag;
    pub(crate) const KEY_ID: Tag = Tag::number(1);
    pub const BOOL: Tag = Tag::number(2);
    pub const UNSIGNED: Tag = Tag::number(3);
    pub(crate) const SIGNED: Tag = Tag::number(4);
    pub const DOUBLE: Tag = Tag::eight(5);
    pub const TEXT: Tag = Tag::bytes(6);
    pub const KEY: Tag = Tag::bytes(10);
    pub(crate) const TEXT_ID: Tag = Tag::number(17);
}

/// Fields of `GpuRenderStageEvent` and of its `ExtraData`.
pub mod stage {
    use super::Tag;
    pub(crate) const EXTRA: Tag = Tag::bytes(6);
    pub(crate) const STAGE_ID: Tag = Tag::number(14);
    pub const NAME: Tag = Tag::bytes(17);
    pub(crate) const EXTRA_NAME: Tag = Tag::bytes(1);
    pub(crate) const EXTRA_VALUE: Tag = Tag::bytes(2);
}

/// Fields of `GpuCounterEvent` and of its `GpuCounter`.
pub(crate) mod gpu_counter {
    use super::Tag;
    pub(crate) const VALUE_OF: Tag = Tag::bytes(2);
    pub(crate) const WHOLE_VALUE: Tag = Tag::number(2);
    pub const VALUE: Tag = Tag::eight(3);
}

/// Appends a varint.
#[inline]
fn varint(buffer: &mut Vec<u8>, value: u64) {
    if value < 0x80 {
        // The fast path: most values are small.
        buffer.extend_from_slice(&value.to_le_bytes()[..1]);
    } else {
        encode_varint(value, buffer);
    }
}

/// Appends a varint field.
#[inline]
pub fn number(buffer: &mut Vec<u8>, tag: Tag, value: u64) {
    varint(buffer, tag.0);
    varint(buffer, value);
}

/// Appends a 64-bit field.
#[inline]
pub fn eight(buffer: &mut Vec<u8>, tag: Tag, value: u64) {
    varint(buffer, tag.0);
    buffer.extend_from_slice(&value.to_le_bytes());
}

/// Appends a field of bytes, text or an encoded message.
#[inline]
pub fn bytes(buffer: &mut Vec<u8>, tag: Tag, bytes: &[u8]) {
    open(buffer, tag, bytes.len());
    buffer.extend_from_slice(bytes);
}

/// Appends the tag and length of a field whose `length` bytes the caller appends.
#[inline]
pub fn open(buffer: &mut Vec<u8>, tag: Tag, length: usize) {
    varint(buffer, tag.0);
    varint(buffer, length as u64);
}

/// Returns the encoded length of a varint field.
#[inline]
pub(crate) const fn number_length(tag: Tag, value: u64) -> usize {
    encoded_len_varint(tag.0) + encoded_len_varint(value)
}

/// Returns the encoded length of a field of `count` bytes.
#[inline]
pub(crate) const fn bytes_length(tag: Tag, count: usize) -> usize {
    number_length(tag, count as u64) + count
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::super::{gpu_proto, proto};
    use super::*;

    #[test]
    fn what_is_written_by_hand_reads_as_messages() {
        let mut fields = Vec::new();
        number(&mut fields, annotation::KEY_ID, 300);
        number(&mut fields, annotation::TEXT_ID, 7);
        let mut written = Vec::new();
        number(&mut written, event::CATEGORY_ID, 6);
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
            category_iids: vec![6],
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
    fn gpu_packets_have_their_fields() {
        let mut extra = Vec::new();
        bytes(&mut extra, stage::EXTRA_NAME, b"n");
        bytes(&mut extra, stage::EXTRA_VALUE, b"v");
        let mut written = Vec::new();
        bytes(&mut written, stage::EXTRA, &extra);
        number(&mut written, stage::STAGE_ID, 4);
        bytes(&mut written, stage::NAME, b"s");
        let read = gpu_proto::GpuRenderStageEvent::decode(written.as_slice()).unwrap();
        let item = &read.extra_data[0];
        assert_eq!((item.name(), item.value()), ("n", "v"));
        assert_eq!((read.stage_iid, read.name.as_deref()), (Some(4), Some("s")));
        let mut values = [Vec::new(), Vec::new()];
        number(&mut values[0], gpu_counter::WHOLE_VALUE, (-3_i64).cast_unsigned());
        eight(&mut values[1], gpu_counter::VALUE, 0.5_f64.to_bits());
        let mut written = Vec::new();
        for value in &values {
            bytes(&mut written, gpu_counter::VALUE_OF, value);
        }
        let read = gpu_proto::GpuCounterEvent::decode(written.as_slice()).unwrap();
        let values: Vec<_> =
            read.counters.iter().map(|it| (it.int_value, it.double_value)).collect();
        assert_eq!(values, [(Some(-3), None), (None, Some(0.5))]);
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
