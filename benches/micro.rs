//! Benchmarks inner loops, in bytes of input per second, with a copy of the bytes as the baseline:
//! `cargo bench --bench micro`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a program of the benchmarks, which makes its own input"
)]

#[path = "../tests/support/builder.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod builder;
mod generator;
#[path = "../tests/support/layouts.rs"]
mod layouts;

use std::hint::black_box;
use std::io::Cursor;
use std::sync::{Arc, LazyLock};

use arrow::array::RecordBatch;
use divan::Bencher;
use divan::counter::BytesCount;
use exporters::perfetto::{Rows, Selection, Trace, TraceClock};
use exporters::report_jsonl::{Key, Lines, ReportJsonl, head};
use exporters::{Format, Target};
use ireescope::bundle::{self, Bundle, sources};
use ireescope::engine::{Engine, Options, Parameters};
use ireescope::fold::clock;
use ireescope::record::{Feed, chunks};
use ireescope::table::{Decoder, Lookups};

const DISPATCHES: u64 = 200_000;

fn main() {
    divan::main();
}

/// A generated capture of a GPU and a CPU.
static FILE: LazyLock<tempfile::TempPath> = LazyLock::new(|| {
    let mut bytes = Cursor::new(Vec::new());
    let capture = generator::Capture {
        dispatches: DISPATCHES,
        device: true,
        host: true,
        per_submission: false,
        seed: 1,
    };
    capture.write(&mut bytes).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes.into_inner()).unwrap();
    file.into_temp_path()
});

static BUNDLE: LazyLock<Arc<Bundle>> = LazyLock::new(|| Arc::new(open()));

fn open() -> Bundle {
    let path = FILE.to_str().unwrap().to_owned();
    bundle::open(&sources::expand(&[path]).unwrap()[0], &bundle::OpenOptions::default()).unwrap()
}

/// Returns the concatenated payloads of the chunks of a table.
fn payload(table: &str) -> Vec<u8> {
    let family = schemas::find(table).unwrap().reads().unwrap();
    let chunks = chunks(&[Arc::clone(&BUNDLE)], family);
    let records = chunks.iter().flat_map(|chunks| &chunks.records);
    let payload = records.map(|record| BUNDLE.payload(*record).0);
    payload.collect::<Vec<_>>().concat()
}

/// Runs a fixed query, and returns its batches.
fn batches(kind: sql::Kind, name: &str) -> Vec<RecordBatch> {
    let engine = Engine::new(vec![open()], Options { threads: Some(1), ..Options::default() });
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    runtime
        .block_on(async {
            engine.prepare(kind, name, &Parameters::default()).await?.answer().await
        })
        .unwrap()
        .batches
}

const TABLES: &[&str] = &["dispatch_events", "host_execution_events", "memory_events"];

/// The baseline: copies the chunks.
#[divan::bench(args = TABLES)]
fn copy(bencher: Bencher, table: &str) {
    let from = payload(table);
    let mut to = vec![0; from.len()];
    bencher.counter(BytesCount::of_slice(&from)).bench_local(|| {
        to.copy_from_slice(black_box(&from));
        black_box(&to);
    });
}

/// Decodes every column of a table.
#[divan::bench(args = TABLES)]
fn decode(bencher: Bencher, table: &str) {
    decode_columns(bencher, table, |_| true);
}

/// Decodes two columns of a table.
#[divan::bench(args = ["dispatch_events"])]
fn decode_times(bencher: Bencher, table: &str) {
    decode_columns(bencher, table, |column| column.ends_with("_tick"));
}

fn decode_columns(bencher: Bencher, table: &str, wanted: impl Fn(&str) -> bool + Sync) {
    let table = schemas::find(table).unwrap();
    let family = *table.reads().unwrap();
    let columns = table.columns().into_iter().filter(|column| wanted(&column.name));
    let columns: Arc<[schemas::Column]> = columns.collect();
    let bytes = payload(table.name).len();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let feed = Feed::new(family, chunks(&[Arc::clone(&BUNDLE)], &family).into(), None);
        loop {
            let segments = feed.claim().unwrap();
            if segments.is_empty() {
                break;
            }
            let mut decoder = Decoder::new(table, &columns).unwrap();
            for segment in segments {
                decoder.append(segment, &Lookups::default());
            }
            black_box(decoder.finish().unwrap());
        }
    });
}

/// Converts device ticks to nanoseconds.
#[divan::bench]
fn convert_clock(bencher: Bencher) {
    let ticks: Vec<u64> = (0..DISPATCHES).map(|nth| 1_000_000 + 977 * nth).collect();
    bencher.counter(BytesCount::of_slice(&ticks)).bench_local(|| {
        let fit = black_box((1_000, 5_000, 24_000_000, 240_000_123));
        let times = ticks.iter().map(|tick| clock::map(*tick, fit.0, fit.1, fit.2, fit.3));
        black_box(times.flatten().fold(0i64, i64::wrapping_add))
    });
}

/// Encodes rows as ireeperf-jsonl; counts the bytes of the arrays.
#[divan::bench(args = ["dispatch_event", "host_execution_event"])]
fn encode_ireeperf(bencher: Bencher, name: &str) {
    let batches = batches(sql::Kind::Export, name);
    let view = sql::find(sql::Kind::Export, name).unwrap();
    let key = |column: &sql::ColumnDoc| Key {
        name: column.name.clone(),
        digits: column.print.digits,
        optional: column.print.optional,
        hidden: column.print.hidden,
    };
    let keys = view.header().columns.iter().filter(|column| column.name != "bundle");
    let encoder = ReportJsonl::new(head(name, None), keys.map(key).collect());
    bencher.counter(BytesCount::new(size(&batches))).bench_local(|| {
        for batch in &batches {
            let mut lines = Lines::default();
            encoder.start(batch).unwrap().encode(0..batch.num_rows(), &mut lines);
            black_box(lines);
        }
    });
}

/// Encodes slices of a Perfetto trace; counts the bytes of the arrays.
#[divan::bench(args = ["timeline_dispatches", "timeline_host_executions"])]
fn encode_perfetto(bencher: Bencher, name: &str) {
    let mut batches = batches(sql::Kind::View, name);
    for batch in &mut batches {
        let position = batch.schema_ref().index_of("byte_offset").unwrap();
        batch.remove_column(position);
    }
    bencher.counter(BytesCount::new(size(&batches))).bench_local(|| {
        let mut trace = Trace::new(Box::new(std::io::sink()), TraceClock::Own);
        let mut sequence = trace.sequence("bench", 1, Selection::default());
        for batch in &batches {
            sequence.rows(Rows::Slices, name, batch).unwrap();
        }
        trace.write(sequence).unwrap();
        trace.finish().unwrap();
    });
}

/// Encodes a table as Parquet; counts the bytes of the arrays.
#[divan::bench(args = ["dispatches"])]
fn encode_parquet(bencher: Bencher, name: &str) {
    let batches = batches(sql::Kind::View, name);
    bencher.counter(BytesCount::new(size(&batches))).bench_local(|| {
        let target = Target { file: true, ..Target::default() };
        let schema = batches[0].schema();
        let mut encoder =
            Format::Parquet.encoder(&schema, Box::new(std::io::sink()), target).unwrap();
        for batch in &batches {
            encoder.batch(batch).unwrap();
        }
        encoder.finish().unwrap();
    });
}

fn size(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::get_array_memory_size).sum()
}
