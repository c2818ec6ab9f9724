//! Builds bundles byte by byte, including shapes that the available machines cannot capture.

use super::layouts::layout;

/// A bundle under construction.
#[derive(Debug, Clone)]
pub struct Bundle {
    bytes: Vec<u8>,
}

/// The header fields of a chunk that tests can set.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    pub session: u64,
    pub stream: u64,
    pub device: u32,
    pub queue: u32,
    pub flags: u64,
    pub dropped: u64,
    pub name: &'a str,
}

impl Chunk<'static> {
    /// A chunk of session 1 without a device.
    pub const PLAIN: Self = Self {
        session: 1,
        stream: 0,
        device: u32::MAX,
        queue: u32::MAX,
        flags: 0,
        dropped: 0,
        name: "test",
    };
}

impl Default for Chunk<'_> {
    fn default() -> Self {
        Chunk::PLAIN
    }
}

/// Encodes a record: fields by name (`name[i]` for array elements), all other fields zero, then the tail. Sets the
/// record length.
pub fn record(name: &str, fields: &[(&str, i128)], tail: &[u8]) -> Vec<u8> {
    let mut bytes = fixed(name, fields);
    bytes.extend_from_slice(tail);
    let length = u32::try_from(bytes.len()).expect("a record is small");
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Encodes the fixed fields of a layout, without setting lengths.
pub fn fixed(name: &str, fields: &[(&str, i128)]) -> Vec<u8> {
    let layout = layout(name);
    let mut bytes = vec![0; layout.size];
    for (path, value) in fields {
        let (field, index) = match path.strip_suffix(']').and_then(|path| path.rsplit_once('[')) {
            Some((field, index)) => (field, index.parse().expect("an index")),
            None => (*path, 0),
        };
        let found = layout.fields.iter().find(|known| known.name == field);
        let found = found.unwrap_or_else(|| panic!("{name} has no field {field}"));
        assert!(index < found.count, "{name}.{field} has {} elements", found.count);
        let (width, at) = (found.width(), found.offset + index * found.width());
        bytes[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    }
    bytes
}

/// Encodes a reading of all clocks: the tick of the device, and the time of the driver's clock and of IREE's before and after.
pub fn clock_correlation(device: i128, id: i128, tick: i128, times_ns: [i128; 3]) -> Vec<u8> {
    let [driver, begin, end] = times_ns;
    let fields = [
        ("flags", 0b1011),
        ("physical_device_ordinal", device),
        ("sample_id", id),
        ("device_tick", tick),
        ("host_cpu_timestamp_ns", driver),
        ("host_time_begin_ns", begin),
        ("host_time_end_ns", end),
    ];
    record("clock_correlation_record", &fields, &[])
}

/// Encodes an operation of the command buffer 1: a barrier, or a dispatch of one workgroup of a function of the executable 1.
pub fn command_operation(index: i128, function: Option<i128>) -> Vec<u8> {
    const NONE: i128 = 0xffff_ffff;
    let is_dispatch = i128::from(function.is_some());
    let fields = [
        ("command_buffer_id", 1),
        ("command_index", index),
        ("type", 1 + is_dispatch),
        ("flags", 1 - is_dispatch),
        ("executable_id", is_dispatch),
        ("function_ordinal", function.unwrap_or_default()),
        ("block_ordinal", NONE),
        ("block_command_ordinal", NONE),
        ("target_block_ordinal", NONE),
        ("alternate_block_ordinal", NONE),
        ("workgroup_count[0]", 1),
        ("workgroup_count[1]", 1),
        ("workgroup_count[2]", 1),
    ];
    record("command_operation_record", &fields, &[])
}

impl Default for Bundle {
    fn default() -> Self {
        Self::new()
    }
}

impl Bundle {
    /// Creates a bundle with a file header of format 1.6; [`Bundle::finish`] sets the length.
    pub fn new() -> Self {
        Self::with_header(&[("version_major", 1), ("version_minor", 6), ("header_length", 24)])
    }

    /// Creates a bundle with these fields in its file header.
    pub fn with_header(fields: &[(&str, i128)]) -> Self {
        let magic = ("magic", i128::from(u32::from_le_bytes(*b"IRPF")));
        let all: Vec<_> = std::iter::once(magic).chain(fields.iter().copied()).collect();
        Self { bytes: fixed("file_header", &all) }
    }

    /// Appends raw bytes.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Appends a file record; `fields` override the computed lengths.
    #[must_use]
    pub fn record(
        mut self,
        fields: &[(&str, i128)],
        content_type: &[u8],
        name: &[u8],
        payload: &[u8],
    ) -> Self {
        let length = |bytes: &[u8]| bytes.len() as i128;
        let total = 104 + length(content_type) + length(name) + length(payload);
        let mut all = vec![
            ("record_length", total),
            ("header_length", 104),
            ("content_type_length", length(content_type)),
            ("name_length", length(name)),
            ("payload_length", length(payload)),
        ];
        all.extend_from_slice(fields);
        self.bytes.extend(fixed("file_record_header", &all));
        self.raw(content_type).raw(name).raw(payload)
    }

    /// Appends the begin record of a session.
    #[must_use]
    pub fn begin(self, session: u64, name: &str) -> Self {
        self.session_record(1, session, 0, name)
    }

    /// Appends the end record of a session.
    #[must_use]
    pub fn end(self, session: u64, status: u32) -> Self {
        self.session_record(3, session, status, "")
    }

    fn session_record(self, record_type: i128, session: u64, status: u32, name: &str) -> Self {
        let fields = [
            ("record_type", record_type),
            ("session_id", session.into()),
            ("session_status_code", status.into()),
            ("physical_device_ordinal", u32::MAX.into()),
            ("queue_ordinal", u32::MAX.into()),
        ];
        self.record(&fields, b"application/vnd.iree.hal.profile.session", name.as_bytes(), &[])
    }

    /// Appends a chunk of the family `suffix`.
    #[must_use]
    pub fn chunk(self, suffix: &str, chunk: Chunk<'_>, records: &[Vec<u8>]) -> Self {
        let content_type = format!("application/vnd.iree.hal.profile.{suffix}");
        let fields = [
            ("record_type", 2),
            ("session_id", chunk.session.into()),
            ("stream_id", chunk.stream.into()),
            ("physical_device_ordinal", chunk.device.into()),
            ("queue_ordinal", chunk.queue.into()),
            ("chunk_flags", chunk.flags.into()),
            ("dropped_record_count", chunk.dropped.into()),
        ];
        self.record(&fields, content_type.as_bytes(), chunk.name.as_bytes(), &records.concat())
    }

    /// Returns the bytes, with the file length in the file header.
    pub fn finish(mut self) -> Vec<u8> {
        let length = self.bytes.len() as u64;
        self.bytes[16..24].copy_from_slice(&length.to_le_bytes());
        self.bytes
    }

    /// Returns the bytes of an interrupted capture, whose file length is 0.
    pub fn unfinished(self) -> Vec<u8> {
        self.bytes
    }
}
