//! Tests `render --gpu-packets`: its packets against the rows that they come from, and bundles side by side.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use exporters::perfetto::gpu_proto::{GpuLog, Trace, TracePacket};
use exporters::perfetto::proto;
use libtest_mimic::Trial;
use prost::Message;

use super::differential::BIN;
use super::profile::ours;
use crate::support::ask::{captures, file, root};
use crate::support::{built, random_bundle};
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("bundles_side_by_side_are_told_apart", several),
    ("a_window_and_a_filter_select_packets", selected),
    ("queries_stay_track_events", queries),
    ("the_same_bytes_every_time", deterministic),
];

/// The views and tables whose rows `tests/tools/check_gpu_packets.py` compares.
const ROWS: &[&str] = &[
    "timeline_dispatches",
    "timeline_tracks",
    "timeline_counter_tracks",
    "timeline_counter_samples",
    "timeline_device_metrics",
    "timeline_slices",
    "timeline_instants",
    "timeline_counters",
    "timeline_clocks",
    "problems",
];

/// Number of random bundles to compare.
const SEEDS: u64 = 24;

/// The comparisons with queries, in one process.
pub fn trials() -> Vec<Trial> {
    vec![trial("render_gpu::packets_as_the_queries".into(), || {
        let mut bundles = captures();
        // Bundles about memory have no GPU packets.
        let names = built::ALL.iter().filter(|name| !name.starts_with("memory_"));
        let random = (0..SEEDS).map(|seed| file(&random_bundle::bundle(seed)));
        let built: Vec<_> = names.map(|name| file(&built::named(name))).chain(random).collect();
        bundles.extend(built.iter().map(|file| file.path().to_owned()));
        let folder = tempfile::tempdir().unwrap();
        let places: Vec<_> =
            (0..bundles.len()).map(|nth| folder.path().join(nth.to_string())).collect();
        let drawn = bundles.iter().zip(&places).filter(|(bundle, place)| draw(bundle, place));
        let checked = Command::new(BIN.join("python"))
            .arg(root().join("tests/tools/check_gpu_packets.py"))
            .args(drawn.map(|(_, place)| place))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&checked.stdout);
        assert!(checked.status.success(), "{said}{}", String::from_utf8_lossy(&checked.stderr));
        let words: Vec<&str> = said.split_whitespace().collect();
        let total = |what: &str| -> u64 {
            let pairs = words.windows(2).filter(|pair| pair[1].trim_end_matches(',') == what);
            pairs.map(|pair| pair[0].parse::<u64>().unwrap()).sum()
        };
        let totals = ["stages", "values", "logs"].map(total);
        assert!(
            totals.iter().zip([1000, 100, 30]).all(|(total, least)| *total >= least),
            "{totals:?}"
        );
    })]
}

/// Writes both traces and the rows of a bundle to a folder. Returns false for a bundle that is rejected.
fn draw(bundle: &Path, place: &Path) -> bool {
    fs::create_dir(place).unwrap();
    let run =
        |arguments: &[&str]| Command::new(ours()).args(arguments).arg(bundle).output().unwrap();
    for (flags, name) in [(&["--gpu-packets"][..], "packets"), (&[], "events")] {
        let path = place.join(format!("{name}.pftrace"));
        let done = run(&[&["render", "-o", path.to_str().unwrap()], flags].concat());
        if done.status.code() == Some(3) {
            return false;
        }
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    for name in ROWS {
        let done = run(&["sql", "--format=jsonl", "-c", &format!("SELECT * FROM {name}")]);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        fs::write(place.join(format!("{name}.jsonl")), done.stdout).unwrap();
    }
    true
}

/// Renders GPU packets of bundles.
fn packets(arguments: &[&str]) -> Vec<TracePacket> {
    Trace::decode(drawn(arguments).as_slice()).unwrap().packet
}

fn drawn(arguments: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("x.pftrace");
    let done = Command::new(ours())
        .args(["render", "--gpu-packets", "-o", trace.to_str().unwrap()])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    fs::read(&trace).unwrap()
}

fn stages(packets: &[TracePacket]) -> usize {
    packets.iter().filter(|packet| packet.gpu_render_stage_event.is_some()).count()
}

fn values(packets: &[TracePacket]) -> usize {
    let events = packets.iter().filter_map(|packet| packet.gpu_counter_event.as_ref());
    events.map(|event| event.counters.len()).sum()
}

fn several() {
    let gpu = file(&built::named("gpu"));
    let lossy = file(&built::named("lossy"));
    let path = |label: &str, path: &Path| format!("{label}={}", path.display());
    let arguments = [path("a", gpu.path()), path("b", gpu.path()), path("c", lossy.path())];
    let drawn = packets(&arguments.each_ref().map(String::as_str));
    let alone = packets(&[&arguments[0]]);
    let of_loss = packets(&[&arguments[2]]);
    assert_eq!(stages(&drawn), 2 * stages(&alone) + stages(&of_loss));
    assert_eq!(values(&drawn), 2 * values(&alone) + values(&of_loss));
    assert!(stages(&alone) > 0 && values(&alone) > 0);
    let mut ids = HashSet::new();
    let mut names = HashSet::new();
    for event in drawn.iter().filter_map(|packet| packet.gpu_counter_event.as_ref()) {
        for spec in event.counter_descriptor.iter().flat_map(|descriptor| &descriptor.specs) {
            assert!(ids.insert(spec.counter_id), "{spec:?}");
            assert!(spec.name().starts_with("a: ") || spec.name().starts_with("b: "), "{spec:?}");
            assert!(names.insert((event.gpu_id, spec.name().to_owned())), "{spec:?}");
        }
    }
    let queues = drawn.iter().filter_map(|packet| packet.interned_data.as_ref());
    let queues =
        queues.flat_map(|data| &data.gpu_specifications).filter(|it| it.category.is_none());
    let labels: HashSet<String> = queues.map(|it| it.name().chars().take(3).collect()).collect();
    assert!(labels.is_subset(&["a: ", "b: ", "c: "].map(str::to_owned).into()), "{labels:?}");
    assert!(labels.len() >= 2, "{labels:?}");
    let logs: Vec<&str> = drawn
        .iter()
        .filter_map(|packet| packet.gpu_log.as_ref().map(GpuLog::log_message))
        .collect();
    assert!(!logs.is_empty() && logs.iter().all(|log| log.starts_with("c: ")), "{logs:?}");
}

fn selected() {
    let vulkan = root().join("tests/data/mlp-vulkan.ireeprof");
    let vulkan = vulkan.to_str().unwrap();
    let filtered = packets(&["--filter=*matmul*", vulkan]);
    assert_eq!(stages(&filtered), 40);
    let part = stages(&packets(&["--window=25%:50%", vulkan]));
    assert!(part > 0 && part < stages(&packets(&[vulkan])), "{part}");
    let gpu = file(&built::named("gpu"));
    let gpu = gpu.path().to_str().unwrap();
    let filtered = packets(&["--filter=*compute*", gpu]);
    assert_eq!(stages(&filtered), 0);
    assert!(values(&filtered) > 0 && values(&filtered) < values(&packets(&[gpu])));
    let described = filtered.iter().filter_map(|packet| packet.gpu_counter_event.as_ref());
    let described = described.flat_map(|event| &event.counter_descriptor).flat_map(|it| &it.specs);
    assert!(described.clone().count() > 0);
    assert!(described.into_iter().all(|spec| spec.name().contains("compute")));
}

fn queries() {
    let slices = "--slices=SELECT name, start_ns, end_ns, event_id FROM timeline_dispatches";
    let vulkan = root().join("tests/data/mlp-vulkan.ireeprof");
    let bytes = drawn(&[slices, vulkan.to_str().unwrap()]);
    let packets = Trace::decode(bytes.as_slice()).unwrap().packet;
    assert_eq!((stages(&packets), values(&packets)), (0, 0));
    let events = proto::Trace::decode(bytes.as_slice()).unwrap().packet;
    let events = events.iter().filter(|packet| packet.track_event.is_some());
    assert_eq!(events.count(), 160, "80 slices begin and end");
}

fn deterministic() {
    let bundle = file(&built::named("generated"));
    let path = bundle.path().to_str().unwrap();
    assert_eq!(drawn(&["--threads", "1", path]), drawn(&["--threads", "4", path]));
}
