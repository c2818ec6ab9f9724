//! Tests what `render` does with several bundles, and that its traces can be concatenated.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;

use exporters::perfetto::gpu_proto::{self, GpuRenderStageEvent};
use exporters::perfetto::proto::track_event::Type;
use prost::Message;
use tempfile::NamedTempFile;

use super::render::render;
use crate::Test;
use crate::support::ask::{cell, engine, file, root, rows};
use crate::support::built;
use crate::support::perfetto::{Seen, seen, seen_with_tracks};

pub const TESTS: &[Test] = &[
    ("arrows_stay_within_their_bundle", arrows),
    ("arrows_of_queries_stay_within_their_bundle", arrows_of_queries),
    ("concatenated_traces_show_both_bundles_whole", concatenated),
    ("concatenated_gpu_packets_are_told_apart", concatenated_packets),
    ("each_bundle_says_its_zero", zeros),
    ("the_clock_of_the_host_keeps_the_order_of_captures", host_clock),
    ("a_bundle_without_times_is_not_placed_by_the_clock_of_the_host", untimed),
    ("events_have_the_category_of_their_view", categories),
];

const VULKAN: &str = "mlp-vulkan.ireeprof";
const TASK: &str = "mlp-local-task.ireeprof";
const HOST: &str = "--clock=host";

/// Renders a trace.
fn trace(arguments: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pftrace");
    let done = render(arguments, &path);
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    std::fs::read(&path).unwrap()
}

fn named(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}

/// Two bundles with the same ids: of the second, a queue event has another time.
fn twins() -> [NamedTempFile; 2] {
    let bytes = built::named("gpu");
    let [time, later] = [60_100_i64, 60_101].map(i64::to_le_bytes);
    let place = bytes.windows(8).position(|part| part == time).unwrap();
    let mut other = bytes.clone();
    other[place..place + 8].copy_from_slice(&later);
    [file(&bytes), file(&other)]
}

/// Returns the roots of the ends of each flow.
fn ends(events: &[Seen]) -> HashMap<u64, Vec<&str>> {
    let mut ends: HashMap<u64, Vec<&str>> = HashMap::new();
    for event in events {
        for flow in &event.flows {
            ends.entry(*flow).or_default().push(&event.track[0]);
        }
    }
    ends
}

/// Checks that the ends of each flow are below one root, and that each root has this number of flows.
fn check_arrows(events: &[Seen], flows: usize, roots: &[&str]) {
    let mut of_roots: BTreeMap<&str, usize> = BTreeMap::new();
    for (flow, ends) in ends(events) {
        assert!(ends.iter().all(|root| *root == ends[0]), "flow {flow} crosses: {ends:?}");
        *of_roots.entry(ends[0]).or_default() += 1;
    }
    assert_eq!(of_roots, roots.iter().map(|root| (*root, flows)).collect());
}

fn arrows() {
    let [one, other] = twins();
    let alone = seen(&trace(&[one.path().to_str().unwrap()]));
    let flows = ends(&alone);
    assert!(flows.values().any(|ends| ends.len() > 1), "{flows:?}");
    let of = [("a", one.path()), ("b", other.path()), ("c", one.path())];
    let of = of.map(|(name, path)| named(name, path));
    let events = seen(&trace(&of.each_ref().map(String::as_str)));
    check_arrows(&events, flows.len(), &["a", "b", "c"]);
    // An arrow has as many ends as in the trace of the bundle alone.
    let counts =
        |events: &[Seen]| -> BTreeSet<usize> { ends(events).values().map(Vec::len).collect() };
    assert_eq!(counts(&events), counts(&alone));
}

fn arrows_of_queries() {
    let [one, other] = twins();
    let of = [named("a", one.path()), named("b", other.path())];
    let query = "--slices=SELECT name, start_ns, end_ns, make_array(submission_id) AS flows FROM timeline_dispatches";
    let events = seen(&trace(&[query, &of[0], &of[1]]));
    check_arrows(&events, 1, &["a", "b"]);
}

fn concatenated() {
    let [one, other] = twins();
    let twins = [&one, &other].map(|file| file.path().to_str().unwrap());
    for [first, second] in [[VULKAN, TASK], twins] {
        let traces = [trace(&[first]), trace(&[second])];
        assert_eq!(trace(&[first]), traces[0], "the same bytes every time");
        let [(mut events, tracks_of_first), (of_second, tracks_of_second)] =
            traces.each_ref().map(|trace| seen_with_tracks(trace));
        events.extend(of_second);
        // The reader checks that sequences and tracks have numbers of their own.
        let (both, all_tracks) = seen_with_tracks(&traces.concat());
        assert_eq!(both, events, "{first} and {second}");
        assert_eq!(all_tracks.len(), tracks_of_first.len() + tracks_of_second.len());
        let roots = all_tracks.values().filter(|track| track.path.len() == 1);
        let roots: BTreeSet<&str> = roots.map(|root| root.description.as_str()).collect();
        assert_eq!(roots.len(), 2, "{roots:?}");
    }
}

/// What packets refer to by number.
#[derive(Debug, Default)]
struct Numbers {
    counters: HashSet<u32>,
    contexts: HashSet<u64>,
    /// The flows of stages.
    flows: HashSet<String>,
}

fn numbers(trace: &[u8]) -> Numbers {
    let mut numbers = Numbers::default();
    for packet in gpu_proto::Trace::decode(trace).unwrap().packet {
        let described = packet.gpu_counter_event.and_then(|event| event.counter_descriptor);
        let specs = described.iter().flat_map(|descriptor| &descriptor.specs);
        numbers.counters.extend(specs.filter_map(|spec| spec.counter_id));
        let data = packet.interned_data.iter();
        numbers.contexts.extend(
            data.flat_map(|it| &it.graphics_contexts).map(gpu_proto::InternedGraphicsContext::iid),
        );
        if let Some(GpuRenderStageEvent { extra_data, .. }) = &packet.gpu_render_stage_event {
            let flows = extra_data.iter().filter(|item| item.name() == "flows");
            numbers.flows.extend(flows.map(|item| item.value().to_owned()));
        }
    }
    numbers
}

fn concatenated_packets() {
    let twins = twins();
    let packets = |nth: usize| trace(&["--gpu-packets", twins[nth].path().to_str().unwrap()]);
    let traces = [packets(0), packets(1)];
    let [one, other] = traces.each_ref().map(|trace| numbers(trace));
    let sizes = |of: &Numbers| (of.counters.len(), of.contexts.len(), of.flows.len());
    assert_eq!(sizes(&one), sizes(&other));
    assert!(sizes(&one).0 > 1 && sizes(&one).1 == 1 && sizes(&one).2 > 0, "{one:?}");
    let both = numbers(&traces.concat());
    let (counters, contexts, flows) = sizes(&one);
    assert_eq!(sizes(&both), (2 * counters, 2 * contexts, 2 * flows));
    // A stage names the flow that its other end has.
    let flows_of_events: HashSet<String> = seen(&traces[0])
        .iter()
        .flat_map(|event| &event.flows)
        .map(|flow| format!("[{flow}]"))
        .collect();
    assert!(one.flows.is_subset(&flows_of_events), "{one:?} {flows_of_events:?}");
}

/// Returns the lines `name=value` in the descriptions of the roots, by the names of the roots.
fn roots(trace: &[u8]) -> BTreeMap<String, BTreeMap<String, String>> {
    let (_, tracks) = seen_with_tracks(trace);
    let roots = tracks.values().filter(|track| track.path.len() == 1);
    let lines = |text: &str| -> BTreeMap<String, String> {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    roots.map(|root| (root.path[0].clone(), lines(&root.description))).collect()
}

/// Returns the first host time of a bundle.
fn first(bundle: &str) -> u64 {
    let engine = engine(&root().join("tests/data").join(bundle));
    cell(&engine, "SELECT start_ns FROM timeline_span").parse().unwrap()
}

fn zeros() {
    let alone = roots(&trace(&[VULKAN]));
    assert_eq!(alone.keys().collect::<Vec<_>>(), ["IREE HAL profile"]);
    let said = |label: &str, zero: u64, bundle: &str| {
        let lines = [
            ("bundle", label.to_owned()),
            ("zero_host_time_ns", zero.to_string()),
            ("first_host_time_ns", first(bundle).to_string()),
        ];
        lines.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
    };
    assert_eq!(alone["IREE HAL profile"], said("mlp-vulkan", first(VULKAN), VULKAN));
    // A bundle that the user named has its name, also alone.
    let of = [format!("gpu={VULKAN}"), format!("cpu={TASK}")];
    assert_eq!(roots(&trace(&[&of[0]]))["gpu"], said("gpu", first(VULKAN), VULKAN));
    let both = roots(&trace(&[&of[0], &of[1]]));
    assert_eq!(both["gpu"], said("gpu", first(VULKAN), VULKAN));
    assert_eq!(both["cpu"], said("cpu", first(TASK), TASK));
    let by_host = roots(&trace(&[HOST, &of[0], &of[1]]));
    assert_eq!(by_host["gpu"], said("gpu", 0, VULKAN));
    assert_eq!(by_host["cpu"], said("cpu", 0, TASK));
}

fn host_clock() {
    let of = [format!("gpu={VULKAN}"), format!("cpu={TASK}")];
    let [own, by_host] =
        [&[][..], &[HOST]].map(|flags| seen(&trace(&[flags, &[of[0].as_str(), &of[1]]].concat())));
    assert_eq!(own.len(), by_host.len());
    let firsts = HashMap::from([("gpu", first(VULKAN)), ("cpu", first(TASK))]);
    assert!(firsts["cpu"] < firsts["gpu"], "tests/data/capture.sh captures on local-task before");
    for (own, by_host) in own.iter().zip(&by_host) {
        assert_eq!(by_host.trace_time - own.trace_time, firsts[own.track[0].as_str()], "{own:?}");
        assert_eq!((own.time, &own.name), (by_host.time, &by_host.name));
    }
    // All begin at 0 by their own clocks; by that of the host, times are those in the tables.
    for root in ["gpu", "cpu"] {
        let of_root = own.iter().filter(|event| event.track[0] == root);
        assert_eq!(of_root.map(|event| event.trace_time).min(), Some(0));
    }
    let query = "SELECT name, CAST(time_ns AS VARCHAR) FROM timeline_queue_events ORDER BY 2, 1";
    let mut wanted = rows(&engine(&root().join("tests/data").join(TASK)), query);
    let submitted = |event: &&Seen| event.track[0] == "cpu" && event.category == "queue_events";
    let drawn = by_host.iter().filter(submitted);
    let mut drawn: Vec<Vec<String>> =
        drawn.map(|event| vec![event.name.clone(), event.trace_time.to_string()]).collect();
    drawn.sort();
    wanted.sort();
    assert!(!wanted.is_empty());
    assert_eq!(drawn, wanted);
    // The same as the concatenated traces of each.
    let parts = [trace(&[HOST, &of[0]]), trace(&[HOST, &of[1]])];
    assert_eq!(seen(&parts.concat()), by_host);
    // Packets before the events are at the beginning of the bundle, so that the trace does not begin before.
    let packets = gpu_proto::Trace::decode(&*trace(&[HOST, "--gpu-packets", VULKAN])).unwrap();
    let described = packets.packet.iter().filter(|packet| packet.interned_data.is_some());
    let times: Vec<u64> = described.filter_map(|packet| packet.timestamp).collect();
    assert_eq!(times, [first(VULKAN)]);
}

fn untimed() {
    let lost = file(&built::named("lossy"));
    let of = [named("lost", lost.path()), format!("gpu={VULKAN}")];
    let own = seen(&trace(&[&of[0], &of[1]]));
    let is_lost = |event: &&Seen| event.track[0] == "lost";
    assert_eq!(own.iter().filter(is_lost).count(), 4, "it has diagnostics, which have no time");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.pftrace");
    for flags in [&[HOST][..], &[HOST, "--gpu-packets"]] {
        let done = render(&[flags, &[of[0].as_str(), &of[1]]].concat(), &path);
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
        assert!(said.contains("lost: nothing is drawn. It has no host times"), "{said}");
        let bytes = std::fs::read(&path).unwrap();
        let events = seen(&bytes);
        assert_eq!(events.iter().filter(is_lost).count(), 0);
        let earliest = events.iter().map(|event| event.trace_time).min();
        assert!(earliest >= Some(first(VULKAN)), "{earliest:?}");
        let packets = gpu_proto::Trace::decode(bytes.as_slice()).unwrap().packet;
        assert!(packets.iter().all(|packet| packet.gpu_log.is_none()), "its logs have no place");
    }
    let whole = seen(&trace(&[HOST, &of[1]]));
    assert_eq!(seen(&trace(&[HOST, &of[0], &of[1]])), whole);
}

fn categories() {
    for (bundle, wanted) in [
        (
            VULKAN,
            &[
                "clock_correlations",
                "dispatches",
                "memory_events",
                "queue_device_events",
                "queue_events",
            ][..],
        ),
        (TASK, &["command_operations", "host_executions", "memory_events", "queue_events"]),
    ] {
        let engine = engine(&root().join("tests/data").join(bundle));
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for event in seen(&trace(&[bundle])) {
            let has_one =
                [Type::SliceBegin, Type::Instant].iter().any(|it| *it as i32 == event.kind);
            // The JSON export of Perfetto leaves out what has none.
            assert_eq!(!event.category.is_empty(), has_one, "{event:?}");
            *counts.entry(event.category).or_default() += usize::from(has_one);
        }
        counts.remove("");
        for (category, count) in &counts {
            let query = format!("SELECT count(*) FROM timeline_{category}");
            assert_eq!(cell(&engine, &query), count.to_string(), "{category}");
        }
        let names: Vec<&str> =
            counts.keys().map(String::as_str).filter(|it| *it != "queue_ready").collect();
        assert_eq!(names, wanted, "{bundle}");
    }
    let slices = "--slices=SELECT name, start_ns, end_ns FROM timeline_dispatches";
    let instants = "--instants=SELECT name, time_ns FROM timeline_instants";
    let events = seen(&trace(&[slices, instants, VULKAN]));
    let names: BTreeSet<&str> = events.iter().map(|event| event.category.as_str()).collect();
    assert_eq!(names, ["", "instants", "slices"].into());
}
