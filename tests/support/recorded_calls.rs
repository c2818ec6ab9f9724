//! Builds the bundle that would be recorded of calls that were played.

use std::collections::BTreeMap;

use super::builder::{Bundle, Chunk, record};
use super::random_program::{Driver, LIBRARY, Scene};

/// A queue operation.
pub struct Operation {
    pub time: i64,
    pub kind: i128,
    /// Device and queue.
    pub on: [usize; 2],
    pub submission: u64,
    pub waits: i128,
    pub allocation: i128,
    pub length: i128,
}

/// A dispatch.
pub struct Dispatch {
    /// Device and queue.
    pub on: [usize; 2],
    pub submission: u64,
    pub buffer: i128,
    pub function: usize,
    pub number: u32,
    pub replay: usize,
    pub start: i64,
    pub end: i64,
    pub call: Option<usize>,
}

/// What was recorded.
pub struct Record<'a> {
    pub scene: &'a Scene,
    pub operations: &'a [Operation],
    pub dispatches: &'a [Dispatch],
}

impl Record<'_> {
    /// Builds the bundle.
    pub fn bundle(&self) -> Vec<u8> {
        let mut bundle = Bundle::new().begin(1, "played");
        if self.scene.has_names {
            bundle = bundle.chunk("executable-functions", Chunk::PLAIN, &self.functions());
        }
        let operations: Vec<Vec<u8>> = self.operations.iter().map(operation).collect();
        bundle = bundle.chunk("queue-events", Chunk::PLAIN, &operations);
        for (device, queue) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let of = (1..).zip(self.dispatches).filter(|(_, it)| it.on == [device, queue]);
            let stream = 10 * device as u64 + queue as u64;
            let (on, queue) = (device as u32, queue as u32);
            let chunk = Chunk { device: on, queue, stream, ..Chunk::PLAIN };
            let (suffix, records): (_, Vec<Vec<u8>>) = match self.scene.driver {
                Driver::Gpu => {
                    bundle =
                        bundle.chunk("clock-correlations", Chunk::PLAIN, &correlations(device));
                    ("dispatch-events", of.map(|(id, it)| self.on_device(id, it)).collect())
                }
                _ => ("host-execution-events", of.map(|(id, it)| self.on_host(id, it)).collect()),
            };
            if !records.is_empty() {
                bundle = bundle.chunk(suffix, chunk, &records);
            }
        }
        bundle.end(1, 0).finish()
    }

    /// Returns executable and ordinal: CPUs have an executable for each device, GPUs for each dispatch; a replay loads all
    /// again.
    fn function(&self, it: &Dispatch) -> [i128; 2] {
        let function = match it.function {
            usize::MAX => 9,
            LIBRARY => 8,
            function => function as i128,
        };
        let number = 100 * function + i128::from(it.number);
        let (replay, device) = (100_000 * it.replay as i128, 10_000 * it.on[0] as i128);
        match self.scene.driver {
            Driver::Gpu => [1 + replay + number, 0],
            _ => [1 + replay + device, number],
        }
    }

    fn functions(&self) -> Vec<Vec<u8>> {
        let mut seen = BTreeMap::new();
        for it in self.dispatches {
            let function = self.scene.functions.get(it.function);
            let function = match it.function {
                LIBRARY => "library",
                _ => function.map_or("_initializer_0", |function| &function.name),
            };
            seen.insert(self.function(it), format!("{function}_dispatch_{}_matmul", it.number));
        }
        let function = |([executable, ordinal], name): (&[i128; 2], &String)| {
            let fields = [
                ("executable_id", *executable),
                ("function_ordinal", *ordinal),
                ("name_length", name.len() as i128),
            ];
            record("executable_function_record", &fields, name.as_bytes())
        };
        seen.iter().map(function).collect()
    }

    fn on_device(&self, id: i128, it: &Dispatch) -> Vec<u8> {
        let [executable, ordinal] = self.function(it);
        let fields = [
            ("event_id", id),
            ("submission_id", it.submission.into()),
            ("command_buffer_id", it.buffer),
            ("executable_id", executable),
            ("function_ordinal", ordinal),
            ("start_tick", ticks(it.start)),
            ("end_tick", ticks(it.end)),
        ];
        record("dispatch_event", &fields, &[])
    }

    fn on_host(&self, id: i128, it: &Dispatch) -> Vec<u8> {
        let [executable, ordinal] = self.function(it);
        let fields = [
            ("type", 2),
            ("event_id", id),
            ("submission_id", it.submission.into()),
            ("command_buffer_id", it.buffer),
            ("executable_id", executable),
            ("function_ordinal", ordinal),
            ("physical_device_ordinal", it.on[0] as i128),
            ("queue_ordinal", it.on[1] as i128),
            ("stream_id", stream(it.on)),
            ("start_host_time_ns", it.start.into()),
            ("end_host_time_ns", it.end.into()),
        ];
        record("host_execution_event", &fields, &[])
    }
}
const fn stream([device, queue]: [usize; 2]) -> i128 {
    10 * device as i128 + queue as i128
}

fn operation(it: &Operation) -> Vec<u8> {
    let fields = [
        ("type", it.kind),
        ("host_time_ns", it.time.into()),
        ("submission_id", it.submission.into()),
        ("allocation_id", it.allocation),
        ("payload_length", it.length),
        ("physical_device_ordinal", it.on[0] as i128),
        ("queue_ordinal", it.on[1] as i128),
        ("stream_id", stream(it.on)),
        ("wait_count", it.waits),
    ];
    record("queue_event", &fields, &[])
}

/// A tick is 10 ns, from 7 ms before the clock of the host.
fn ticks(time: i64) -> i128 {
    i128::from(time + 7_000_000) / 10
}

fn correlations(device: usize) -> Vec<Vec<u8>> {
    let sample = |(id, time): (i128, i64)| {
        let fields = [
            ("flags", 0b1011),
            ("physical_device_ordinal", device as i128),
            ("sample_id", id),
            ("device_tick", ticks(time)),
            ("host_cpu_timestamp_ns", time.into()),
            ("host_time_begin_ns", i128::from(time) - 200),
            ("host_time_end_ns", i128::from(time) + 200),
        ];
        record("clock_correlation_record", &fields, &[])
    };
    [(1, 900_000), (2, 900_000_000)].into_iter().map(sample).collect()
}
