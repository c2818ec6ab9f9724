//! Bundles with instruction traces, code objects and their loads.

use super::builder::{Bundle, Chunk, clock_correlation, record};

/// The executable of the functions `matmul` and `softmax`.
pub const EXECUTABLE: i128 = 7;

/// A bundle with instruction traces under construction.
#[derive(Debug)]
pub struct Traced {
    bundle: Bundle,
    /// The session of what is appended.
    session: u64,
}

impl Traced {
    /// Creates a bundle with two functions, and a dispatch of each.
    pub fn new() -> Self {
        Self { bundle: Bundle::new(), session: 0 }.begin()
    }

    /// Ends the session, and begins another with the same functions and dispatches.
    pub fn session(mut self) -> Self {
        self.bundle = self.bundle.end(self.session, 0);
        self.begin()
    }

    fn begin(self) -> Self {
        let session = self.session + 1;
        let function = |ordinal: i128, name: &str| {
            let fields = [
                ("executable_id", EXECUTABLE),
                ("function_ordinal", ordinal),
                ("name_length", name.len() as i128),
            ];
            record("executable_function_record", &fields, name.as_bytes())
        };
        let dispatch = |event: i128, function: i128| {
            let fields = [
                ("event_id", event),
                ("submission_id", 5),
                ("executable_id", EXECUTABLE),
                ("function_ordinal", function),
                ("command_index", u32::MAX.into()),
                ("workgroup_count[0]", 4),
                ("workgroup_count[1]", 2),
                ("workgroup_count[2]", 1),
                ("workgroup_size[0]", 64),
                ("workgroup_size[1]", 1),
                ("workgroup_size[2]", 1),
                ("start_tick", 1000),
                ("end_tick", 1000 + 10 * event),
            ];
            record("dispatch_event", &fields, &[])
        };
        let executable = record("executable_record", &[("executable_id", EXECUTABLE)], &[]);
        let all = Chunk { session, ..Chunk::PLAIN };
        let on = Chunk { device: 0, queue: 0, ..all };
        let functions = [function(0, "matmul"), function(1, "softmax")];
        let bundle = self
            .bundle
            .begin(session, "amdgpu")
            .chunk("executables", all, &[executable])
            .chunk("executable-functions", all, &functions)
            .chunk("dispatch-events", on, &[dispatch(11, 0), dispatch(12, 1)]);
        Self { bundle, session }
    }

    /// Appends two readings of the clock of device 0: 100 ticks are 1000 ns, and tick 1000 is at 50,500 ns.
    pub fn clocks(self) -> Self {
        let reading = |id: i128, tick: i128, time: i128| {
            clock_correlation(0, id, tick, [time, time + 500, time + 500])
        };
        self.chunk("clock-correlations", reading(1, 1_000, 50_000))
            .chunk("clock-correlations", reading(2, 101_000, 1_050_000))
    }

    /// Appends the image of a code object.
    pub fn image(self, code_object: i128, data: &[u8]) -> Self {
        let fields = [
            ("executable_id", EXECUTABLE),
            ("code_object_id", code_object),
            ("data_length", data.len() as i128),
        ];
        self.chunk(
            "executable-code-objects",
            record("executable_code_object_record", &fields, data),
        )
    }

    /// Appends the load of a code object onto a device.
    pub fn load(self, code_object: i128, device: i128, delta: i128, size: i128) -> Self {
        let fields = [
            ("physical_device_ordinal", device),
            ("executable_id", EXECUTABLE),
            ("code_object_id", code_object),
            ("load_delta", delta),
            ("load_size", size),
        ];
        self.chunk(
            "executable-code-object-loads",
            record("executable_code_object_load_record", &fields, &[]),
        )
    }

    /// Appends a trace of the dispatch `10 + trace` on a device.
    pub fn trace(self, trace: i128, device: i128, data: &[u8]) -> Self {
        let fields = [
            ("format", 1),
            ("flags", 1),
            ("trace_id", trace),
            ("dispatch_event_id", 10 + trace),
            ("submission_id", 5),
            ("executable_id", EXECUTABLE),
            ("command_index", u32::MAX.into()),
            ("function_ordinal", trace - 1),
            ("physical_device_ordinal", device),
            ("shader_engine", 1),
            ("data_length", data.len() as i128),
        ];
        let mut traced = record("executable_trace_record", &fields, &[]);
        traced.extend_from_slice(data);
        self.chunk("executable-traces", traced)
    }

    fn chunk(self, family: &str, record: Vec<u8>) -> Self {
        let all = Chunk { session: self.session, ..Chunk::PLAIN };
        Self { bundle: self.bundle.chunk(family, all, &[record]), ..self }
    }

    /// Returns the bytes of the bundle.
    pub fn finish(self) -> Vec<u8> {
        self.bundle.end(self.session, 0).finish()
    }
}

/// Returns an ELF image of 64 bits with these bytes at the address 4096.
pub fn image(code: &[u8]) -> Vec<u8> {
    let mut image = vec![0; 120];
    let mut put = |at: usize, value: u64, width: usize| {
        image[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
    };
    // The file header: where the program headers are, their size and number.
    put(0, u64::from_le_bytes(*b"\x7fELF\x02\x01\x01\x00"), 8);
    put(32, 64, 8);
    put(54, 56, 2);
    put(56, 1, 2);
    // A segment that is loaded: offset, address and size.
    put(64, 1, 4);
    put(72, 120, 8);
    put(80, 4096, 8);
    put(96, code.len() as u64, 8);
    image.extend_from_slice(code);
    image
}
