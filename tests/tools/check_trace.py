"""Compares our traces with those of iree-profile-render for the same bundles.

    check_trace.py [--any-size] BUNDLE OURS.pftrace [BUNDLE OURS.pftrace ...]

Both are decoded with the messages of the perfetto package, and must have the same tracks, slices, instants, counters,
flows and annotations, except for the differences listed in docs/differences.md. Ours must also follow the rules of the
format, and be at most three tenths as large. "Theirs" and "the reference" stand for iree-profile-render.
"""

import codecs
import collections
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import iree._runtime_libs as libs
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as protos

EVENT = protos.TrackEvent
PACKET = protos.TracePacket
TOOLS = Path(sys.executable).parent
NATIVE = Path(list(libs.__path__)[0]) / "iree-profile"

# The size limit does not apply to smaller traces, which are mostly tracks and texts that both tools write once.
SMALL = 200_000

# Families without rows in the reference's export, which reports their chunks as unknown.
KNOWN_FAMILIES = {"executable-code-objects", "executable-code-object-loads", "executable-exports"}

# Ids for which 0 means none; ours are NULL and omitted.
IDS = {"submission_id", "command_buffer_id", "executable_id", "allocation_id", "dispatch_event_id"}
# Annotations that need converted ticks.
DERIVED = {"start_driver_host_cpu_time_ns", "end_driver_host_cpu_time_ns", "duration_ns", "iree_duration_ns",
           "clock_fit_first_sample_id", "clock_fit_last_sample_id"}

DEVICE_TIMED = {"dispatch_event", "queue_device_event", "counter_sample"}
NO_DEVICE = '"physical_device_ordinal":4294967295'

Track = collections.namedtuple("Track", "path rank counter ordering unit description")
Event = collections.namedtuple("Event", "kind path name begin end value annotations flows description")


class Trace:
    """Decodes the tracks and events of a file, and checks the rules of the format."""

    def __init__(self, data, strict):
        self.strict = strict
        self.tracks, self.parents, self.names = {}, {}, {}
        self.events = []
        self.open = {}
        self.sequences = {}
        trace = protos.Trace()
        trace.ParseFromString(data)
        for packet in trace.packet:
            self.packet(packet)
        assert not any(self.open.values()), "slices that do not end"

    def packet(self, packet):
        sequence = self.sequences.get(packet.trusted_packet_sequence_id)
        if packet.sequence_flags & PACKET.SEQ_INCREMENTAL_STATE_CLEARED:
            sequence = self.sequences[packet.trusted_packet_sequence_id] = Sequence()
        if packet.HasField("track_descriptor"):
            self.describe(packet.track_descriptor)
        if sequence is None:
            assert not self.strict or packet.HasField("track_descriptor"), "a packet before its sequence begins"
            sequence = self.sequences.setdefault(packet.trusted_packet_sequence_id, Sequence()) if not self.strict else None
        if sequence is not None:
            sequence.learn(packet)
        if packet.HasField("track_event"):
            time = sequence.time(packet)
            assert time >= sequence.last, f"{time} comes after {sequence.last}"
            sequence.last = time
            self.event(packet, time, sequence)

    def describe(self, track):
        assert track.uuid not in self.tracks, "a track is described twice"
        assert not track.HasField("parent_uuid") or track.parent_uuid in self.tracks, "a track stands before its parent"
        path = (self.tracks[track.parent_uuid].path if track.HasField("parent_uuid") else ()) + (track.name,)
        counter = track.HasField("counter")
        unit = (track.counter.unit, track.counter.unit_name) if counter else None
        self.tracks[track.uuid] = Track(path, track.sibling_order_rank, counter, track.child_ordering, unit, track.description)

    def event(self, packet, time, sequence):
        event = packet.track_event
        assert event.track_uuid in self.tracks, "an event on no track"
        track = self.tracks[event.track_uuid]
        running = self.open.setdefault(event.track_uuid, [])
        if event.type == EVENT.TYPE_SLICE_END:
            assert running, f"an end without a begin on {track.path}"
            begin = running.pop()
            self.events.append(begin._replace(end=time))
            return
        assert not (self.strict and running and event.type == EVENT.TYPE_SLICE_BEGIN), f"slices overlap on {track.path}"
        # The JSON export of Perfetto leaves out slices and instants without one.
        if self.strict and event.type != EVENT.TYPE_COUNTER:
            assert len(event.category_iids) == 1 and sequence.texts["event_categories"][event.category_iids[0]]
        name = sequence.name(event)
        annotations = dict(sequence.annotation(item) for item in event.debug_annotations)
        assert len(annotations) == len(event.debug_annotations), "an annotation twice"
        value = None
        if event.type == EVENT.TYPE_COUNTER:
            assert track.counter, f"a value on {track.path}"
            value = event.counter_value if event.HasField("counter_value") else event.double_counter_value
        kind = EVENT.Type.Name(event.type)
        made = Event(kind, track.path, name, time, time, value, annotations, frozenset(event.flow_ids), track.description)
        if event.type == EVENT.TYPE_SLICE_BEGIN:
            running.append(made)
        else:
            self.events.append(made)


class Sequence:
    """The incremental state of a packet sequence: interned texts and clocks."""

    def __init__(self):
        self.texts = {"event_categories": {}, "event_names": {}, "debug_annotation_names": {}, "debug_annotation_string_values": {}}
        self.clocks, self.default, self.last = {}, 6, 0
        self.readings = 0

    def learn(self, packet):
        for kind, known in self.texts.items():
            for entry in getattr(packet.interned_data, kind):
                assert entry.iid and entry.iid not in known, "a text is numbered twice"
                known[entry.iid] = entry.str.decode() if kind.endswith("values") else entry.name
        if packet.HasField("trace_packet_defaults"):
            self.default = packet.trace_packet_defaults.timestamp_clock_id
        if packet.HasField("clock_snapshot"):
            by_id = {clock.clock_id: clock for clock in packet.clock_snapshot.clocks}
            assert 6 in by_id, "a snapshot without the clock of the trace"
            self.readings += any(clock > 95 for clock in by_id)
            for clock in by_id.values():
                assert clock.clock_id == 6 or 64 <= clock.clock_id < 128, clock.clock_id
                if clock.is_incremental:
                    # The last timestamp of the clock, and its offset to the trace clock.
                    self.clocks[clock.clock_id] = [clock.timestamp, by_id[6].timestamp - clock.timestamp]

    def time(self, packet):
        clock = packet.timestamp_clock_id or self.default
        if clock == 6:
            return packet.timestamp
        assert clock in self.clocks, f"clock {clock} is used before it is known"
        self.clocks[clock][0] += packet.timestamp
        return sum(self.clocks[clock])

    def name(self, event):
        if event.HasField("name_iid"):
            return self.texts["event_names"][event.name_iid]
        return event.name

    def annotation(self, item):
        name = self.texts["debug_annotation_names"][item.name_iid] if item.HasField("name_iid") else item.name
        kind = item.WhichOneof("value")
        value = getattr(item, kind)
        if kind == "string_value_iid":
            value = self.texts["debug_annotation_string_values"][value]
        return name, value


def is_absent(name, value, theirs):
    """True if theirs writes a value that means absent, which ours omits."""
    bare = name.removeprefix("iree_").removeprefix("host_").removeprefix("counter_sample_")
    if value == 4294967295 and (bare.endswith("_ordinal") or bare in ("command_index", "result", "status_code")):
        return True
    if value == 0 and (bare in IDS or name == "ready_host_time_ns"):
        return True
    if name in DERIVED and value == 0 and (theirs.get("derived_time_available") is False or name == "iree_duration_ns"):
        return True
    return name == "iree_executable_function_name" and value == ""


def is_implied(name, value, place, theirs, said):
    """True if ours omits a value that follows from other values."""
    kind, _, event_name, begin, end, _ = place
    if name in ("type_value", "event_type_value"):
        return theirs.get("op", theirs.get("event_type")) != "unknown"
    if name == "derived_time_available":
        return value is False or "start_driver_host_cpu_time_ns" in theirs
    if name in ("host_time_ns", "ready_host_time_ns") and kind == "TYPE_INSTANT":
        return (name == "ready_host_time_ns") == event_name.startswith("queue_ready:")
    fit = next((line.partition("=")[2].split(" to ") for line in said if line.startswith("clock_fit_samples=")), [])
    return name.startswith("clock_fit_") and str(value) == (fit[0] if "first" in name else fit[-1])


def annotation_faults(ours, theirs, description, place):
    """Returns the differences of the annotations of an event."""
    said = set(description.split("\n"))
    faults = []
    for name, value in theirs.items():
        if name in ours:
            # Ours shows the number of a function without a name.
            if name == "iree_executable_function_name" and value == "":
                continue
            if (type(ours[name]), ours[name]) != (type(value), value):
                faults.append(f"{name} is {ours[name]!r}, not {value!r}")
            continue
        spelled = str(value).lower() if isinstance(value, bool) else str(value)
        whole = f"\n{description}\n"
        if f"{name}={spelled}" in said or f"\n{name}={spelled}\n" in whole or is_absent(name, value, theirs):
            continue
        if is_implied(name, value, place, theirs, said):
            continue
        faults.append(f"{name}={value!r} is missing")
    faults += [f"{name}={value!r} is ours alone" for name, value in ours.items() if name not in theirs]
    return faults


def key(event):
    return (event.kind, event.path, event.name, event.begin, event.end, event.value)


def order(event):
    return [str(event.annotations.get(name, "")) for name in ("event_id", "iree_host_execution_event_id", "sample_id", "iree_metric_sample_id", "iree_counter_sample_id", "source_record_index", "category")]


def is_own(path):
    """True for counters of memory: ours leave out what pools show to be released, and have what pools tell."""
    return path[-1] == "queue allocation bytes" or path[-1].endswith("] bytes reserved")


def wanted(events):
    """Returns their events, without duplicates and events that ours omits, adjusted for intended differences."""
    kept, seen = [], set()
    for event in events:
        content = str(event.annotations.get("content_type", "")).rsplit(".", 1)[-1]
        if event.annotations.get("category") == "unknown_chunk" and content in KNOWN_FAMILIES:
            continue
        if event.kind == "TYPE_SLICE_BEGIN" and event.end >= 1 << 63:
            # The end is out of range for a device clock.
            continue
        whole = (key(event), tuple(sorted((name, str(value)) for name, value in event.annotations.items())))
        if event.name.startswith("cb#") and event.annotations["op"] != "dispatch" and event.kind == "TYPE_INSTANT":
            # Theirs appends a function name, but the operation has no function.
            event = event._replace(name=" ".join(event.name.split(" ")[:3] + [event.annotations["op"]]))
        if event.annotations.get("category"):
            # Ours places diagnostics at the start of the trace instead of at host time 0.
            event = event._replace(begin=0, end=0)
        if is_own(event.path):
            continue
        # Ours draws a counter once, even if several records describe it.
        if "iree_counter_sample_id" in event.annotations and whole in seen:
            continue
        seen.add(whole)
        kept.append(event)
    return kept


def since_first(events):
    """Makes times relative to the first compared event, because omitted events may precede it."""
    first = min((event.begin for event in events if not event.annotations.get("category")), default=0)
    shifted = [event._replace(begin=event.begin - first, end=event.end - first) for event in events]
    return [before if before.annotations.get("category") else event for before, event in zip(events, shifted)]


def compare(ours, theirs):
    faults = []
    groups = [collections.defaultdict(list), collections.defaultdict(list)]
    for group, events in zip(groups, ([event for event in ours.events if not is_own(event.path)], wanted(theirs.events))):
        for event in since_first(events):
            group[key(event)].append(event)
    for place in sorted(set(groups[0]) | set(groups[1]), key=str):
        mine, other = (sorted(group[place], key=order) for group in groups)
        if len(mine) != len(other):
            faults.append(f"{len(mine)} of ours, {len(other)} of theirs: {place}")
            continue
        for one, two in zip(mine, other):
            found = annotation_faults(one.annotations, two.annotations, one.description, place)
            faults += [f"{place}: {fault}" for fault in found]
    return faults + track_faults(ours, theirs) + flow_faults(ours, theirs)


def track_faults(ours, theirs):
    """Returns the differences of the tracks; tracks of one path are distinguished by their rank."""
    mine, other = ({(track.path, track.rank, track.counter) for track in trace.tracks.values()} for trace in (ours, theirs))
    used = {event.path[:length] for event in wanted(theirs.events) for length in range(1, len(event.path) + 1)}
    faults = [f"no track {track}" for track in other - mine if track[0] in used]
    no_device = {track for track in mine if len(track[0]) > 1 and track[0][1].startswith("device[4294967295]")}
    faults += [f"track {track} is ours alone" for track in mine - other - no_device if not track[0][-1].endswith("] bytes reserved")]
    orders = {track.path: track.ordering for track in theirs.tracks.values()}
    parents = {path[:-1] for path, _, _ in mine}
    for track in ours.tracks.values():
        if track.path in parents and track.path in orders and track.ordering != orders[track.path]:
            faults.append(f"track {track.path} orders its children as {track.ordering}")
    return faults


def flow_faults(ours, theirs):
    def ties(trace):
        events = collections.defaultdict(list)
        for event in since_first(trace.events):
            for flow in event.flows:
                events[flow].append(str(key(event)))
        return collections.Counter(tuple(sorted(tied)) for tied in events.values())

    mine, other = ties(ours), ties(theirs)
    return [f"flow of ours alone: {tie}" for tie in mine - other] + [f"no flow {tie}" for tie in other - mine]


def recorded_faults(ours, rows):
    paths = {track.path for track in ours.tracks.values()}
    faults = []
    for row in rows:
        if row["record_type"] == "queue" and row["queue_ordinal"] != 4294967295 and row["physical_device_ordinal"] != 4294967295:
            device, queue = f"device[{row['physical_device_ordinal']}]", f"queue[{row['queue_ordinal']}]"
            if not any(len(path) == 3 and path[1].split(" ")[0] == device and path[2].split(" ")[0] == queue for path in paths):
                faults.append(f"no track of {device} {queue}")
    return faults


def unit_faults(ours):
    """Returns faults for counters without a unit whose metadata has one."""
    faults = []
    for track in ours.tracks.values():
        said = dict(line.split("=", 1) for line in track.description.split("\n") if "=" in line)
        has_unit = said.get("iree_metric_unit", "none") not in ("none", "unknown") or said.get("iree_counter_unit", "0") in ("1", "2", "3")
        if track.counter and has_unit and track.unit == (0, ""):
            faults.append(f"track {track.path} has no unit")
    return faults


def is_timed(row):
    """True if a clock correlation has an aligned device tick and a bracket of host times."""
    return row["flags"] & 0b11001 == 0b1001


def is_untimed(event):
    if event.name != "clock correlation" or event.kind != "TYPE_INSTANT":
        return False
    return not is_timed(event.annotations) or "physical_device_ordinal" not in event.annotations


def is_rendered(line):
    """True if the reference is given a row: it fails on devices without ordinals, and fits clocks to absent times."""
    if '"record_type":"device"' in line:
        return NO_DEVICE not in line
    return '"record_type":"clock_correlation"' not in line or (is_timed(json.loads(line)) and NO_DEVICE not in line)


def check(bundle, path, may_be_large):
    with tempfile.TemporaryDirectory() as folder:
        rows, theirs = Path(folder) / "rows.jsonl", Path(folder) / "theirs.pftrace"
        exported = subprocess.run([NATIVE, "export", "--format=ireeperf-jsonl", f"--output={rows}", bundle], capture_output=True)
        if exported.returncode:
            return "refused"
        # The reference only reads UTF-8, so other bytes are mapped to code points as ours does.
        codecs.register_error("spelled", lambda fault: ("".join(chr(0x10FF00 + byte) for byte in fault.object[fault.start:fault.end]), fault.end))
        text = rows.read_bytes().decode(errors="spelled")
        # The reference fails on a device without an ordinal.
        kept = [line for line in text.split("\n") if is_rendered(line)]
        all_rows = [json.loads(line) for line in text.split("\n") if line]
        rows.write_text("\n".join(kept))
        rendered = subprocess.run([TOOLS / "iree-profile-render", "--quiet", rows, "-o", theirs], capture_output=True, text=True)
        if rendered.returncode:
            return f"not rendered: {rendered.stderr.splitlines()[-1]}"
        theirs, ours = theirs.read_bytes(), Path(path).read_bytes()
    rows = all_rows
    # The reference has a clock for events without a device; ours assigns them to device 0.
    unplaced = {row["record_type"] for row in rows if row.get("physical_device_ordinal") == 4294967295}
    if "clock_correlation" in unplaced and unplaced & DEVICE_TIMED:
        return "not compared: a clock of no device"
    # Clocks belong to a session, but the reference fits one per device to all.
    clocks, number = set(), 0
    for row in rows:
        number += row["record_type"] == "session" and row["event"] == "begin"
        if row["record_type"] == "clock_correlation":
            clocks.add((row["physical_device_ordinal"], number))
    if len({device for device, _ in clocks}) < len(clocks):
        return "not compared: a device with a clock in each of several sessions"
    # Ids are scoped to a session, but the reference looks them up across sessions.
    session, described = None, set()
    for row in rows:
        if row["record_type"] == "session" and row["event"] == "begin":
            session, described = row["session_id"], set()
        if row["record_type"] == "device_metric_descriptor":
            described.add(row["source_id"])
        if row["record_type"] == "device_metric_sample" and row["source_id"] not in described:
            return "not compared: metrics that their session does not describe"
    decoded = Trace(ours, strict=True)
    decoded.events = [event for event in decoded.events if not is_untimed(event)]
    faults = compare(decoded, Trace(theirs, strict=False)) + recorded_faults(decoded, rows) + unit_faults(decoded)
    readings = sum(row["record_type"] == "clock_correlation" and is_timed(row) for row in rows)
    if sum(sequence.readings for sequence in decoded.sequences.values()) != readings:
        faults.append("not every clock correlation is a snapshot")
    if may_be_large is False and len(theirs) > SMALL and len(ours) * 10 > len(theirs) * 3:
        faults.append(f"{len(ours)} bytes are more than three tenths of {len(theirs)}")
    shown = "\n  ".join(faults[:int(os.environ.get('SHOWN', 12))])
    assert not faults, f"{bundle}: {len(faults)} differences\n  {shown}"
    return f"{len(decoded.events)} events agree, {len(ours)} of {len(theirs)} bytes"


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--any-size"]
    may_be_large = len(arguments) < len(sys.argv[1:])
    failed = 0
    for bundle, path in zip(arguments[::2], arguments[1::2]):
        try:
            print(f"{bundle}: {check(bundle, path, may_be_large)}")
        except AssertionError as fault:
            failed += 1
            print(f"{bundle}: {fault}")
    sys.exit(1 if failed else 0)
