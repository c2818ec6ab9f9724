"""Compares the GPU packets of `render --gpu-packets` with the rows of the queries that they come from.

    check_gpu_packets.py FOLDER [FOLDER ...]

A folder has `packets.pftrace`, `events.pftrace` (the same without the flag) and the rows of the views and tables named
in ROWS, as JSON lines. The traces are decoded with the messages of the perfetto package. All other events of the two
traces must be the same.
"""

import collections
import json
import sys
from pathlib import Path

import check_trace
from check_trace import protos

ROWS = ("timeline_dispatches", "timeline_tracks", "timeline_counter_tracks", "timeline_counter_samples", "timeline_device_metrics",
        "timeline_slices", "timeline_instants", "timeline_counters", "timeline_clocks", "problems")

SPEC = protos.GpuCounterDescriptor
UNITS = {
    "bytes": ([SPEC.BYTE], []),
    "bytes_per_second": ([SPEC.BYTE], [SPEC.SECOND]),
    "hertz": ([SPEC.HERTZ], []),
}
SEVERITIES = {"error": protos.GpuLog.LOG_SEVERITY_ERROR, "warning": protos.GpuLog.LOG_SEVERITY_WARNING,
              "info": protos.GpuLog.LOG_SEVERITY_INFO}
# What is not in the extra data: columns that are known, and those with fields.
TYPED = {"bundle", "track", "name", "start_ns", "end_ns", "clock", "flows", "byte_offset", "submission_id", "workgroup_count",
         "workgroup_size"}


class Trace(check_trace.Trace):
    """Decodes the GPU packets, too."""

    def __init__(self, data):
        self.specs, self.counters, self.contexts = {}, {}, set()
        self.stages, self.values, self.logs = [], [], []
        super().__init__(data, strict=True)

    def packet(self, packet):
        super().packet(packet)
        sequence = self.sequences.get(packet.trusted_packet_sequence_id)
        for spec in packet.interned_data.gpu_specifications:
            assert spec.iid not in self.specs, "a specification is numbered twice"
            self.specs[spec.iid] = spec
        self.contexts.update(context.iid for context in packet.interned_data.graphics_contexts)
        if packet.HasField("gpu_render_stage_event"):
            self.stages.append((self.time(packet, sequence), packet.gpu_render_stage_event))
        if packet.HasField("gpu_counter_event"):
            event, time = packet.gpu_counter_event, self.time(packet, sequence)
            for spec in event.counter_descriptor.specs:
                assert spec.counter_id not in self.counters, "a counter is described twice"
                self.counters[spec.counter_id] = (event.gpu_id, spec)
            self.values += [(time, counter) for counter in event.counters]
        if packet.HasField("gpu_log"):
            assert self.time(packet, sequence) == 0
            self.logs.append(packet.gpu_log)

    def time(self, packet, sequence):
        time = sequence.time(packet)
        assert time >= sequence.last, f"{time} comes after {sequence.last}"
        sequence.last = time
        return time


def gpu_of(track):
    device = int(track.split("/")[0].removeprefix("device[").removesuffix("]"))
    return device if device < 1 << 31 else 0


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


def dimensions(sizes):
    return sizes if sizes is None else tuple(sizes)


def size(sizes, has):
    return (sizes.x, sizes.y, sizes.z) if has else None


def flow_mark(trace, rows):
    """Returns what sets the flows of the trace apart from those of other bundles: one number for all."""
    of_rows = {row["event_id"]: row["flows"] for row in rows if row["flows"]}
    marks = collections.Counter()
    for _, stage in trace.stages:
        drawn = [json.loads(item.value) for item in stage.extra_data if item.name == "flows"]
        for flows in drawn:
            marks.update(mine ^ other for mine, other in zip(flows, of_rows.get(stage.event_id, [])))
    return marks.most_common(1)[0][0] if marks else 0


def expected_stages(rows, tracks, epoch, mark):
    for row in rows:
        if row["start_ns"] is None or row["end_ns"] is None or row["end_ns"] < row["start_ns"]:
            continue
        extra = {name: text(value) for name, value in row.items() if name not in TYPED and value is not None}
        if row["flows"]:
            extra["flows"] = text([flow ^ mark for flow in row["flows"]])
        submission = row["submission_id"] or 0
        if submission >= 1 << 32:
            extra["submission_id"], submission = text(submission), 0
        queue = tracks[row["track"].rsplit("/", 1)[0]]
        yield (row["name"], gpu_of(row["track"]), queue, row["start_ns"] - epoch, row["end_ns"] - row["start_ns"], row["event_id"],
               submission, row["command_buffer_id"] or 0, dimensions(row["workgroup_count"]),
               dimensions(row["workgroup_size"]), tuple(sorted(extra.items())))


def drawn_stages(trace):
    for time, stage in trace.stages:
        spec = trace.specs[stage.stage_iid]
        assert spec.category == spec.COMPUTE and stage.context in trace.contexts
        extra = [(item.name, item.value) for item in stage.extra_data]
        assert len(dict(extra)) == len(extra), "extra data twice"
        launch = stage.launch
        yield (spec.name, stage.gpu_id, trace.specs[stage.hw_queue_iid].name, time, stage.duration, stage.event_id,
               stage.submission_id, stage.command_buffer_handle, size(launch.grid_size, launch.HasField("grid_size")),
               size(launch.workgroup_size, launch.HasField("workgroup_size")), tuple(sorted(extra)))


def expected_values(rows, tracks, epoch):
    for row in rows:
        value = row["value"] if row["whole_value"] is None else row["whole_value"]
        if row["time_ns"] is not None and value is not None:
            track = tracks[row["track"]]
            unit = track["unit"]
            name = track["name"] + (f" ({unit})" if unit not in (None, "count", *UNITS) else "")
            numerator, denominator = UNITS.get(unit, ([], []))
            yield (gpu_of(row["track"]), name, track["description"], (tuple(numerator), tuple(denominator)), row["time_ns"] - epoch, value)


def drawn_values(trace, names):
    """Names that are the same as another's on the GPU are longer; they end with the short name or begin with a path."""
    for time, counter in trace.values:
        gpu, spec = trace.counters[counter.counter_id]
        assert spec.value_direction == spec.VALUE_DIRECTION_FORWARDS_LOOKING
        name = names[(gpu, spec.description)]
        assert name in spec.name, f"{spec.name} is not {name}"
        value = getattr(counter, counter.WhichOneof("value"))
        yield (gpu, name, spec.description, (tuple(spec.numerator_units), tuple(spec.denominator_units)), time, value)


def is_packet(event):
    if event.kind == "TYPE_COUNTER":
        return event.path[2] in ("dispatch-scoped counters", "range counters", "device metrics")
    return event.kind == "TYPE_SLICE_BEGIN" and event.path[-1].split(" lane ")[0] == "dispatch"


def differences(what, mine, wanted):
    mine, wanted = collections.Counter(mine), collections.Counter(wanted)
    return [f"{what} only in the trace: {it}" for it in mine - wanted] + [f"{what} not in the trace: {it}" for it in wanted - mine]


def check(folder):
    trace = Trace((folder / "packets.pftrace").read_bytes())
    usual = Trace((folder / "events.pftrace").read_bytes())
    assert not (usual.stages or usual.values or usual.logs), "GPU packets without the flag"
    rows = {name: [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()] for name in ROWS}
    slices = [row for row in rows["timeline_slices"] if None not in (row["start_ns"], row["end_ns"]) and row["end_ns"] >= row["start_ns"]]
    counters = [row for row in rows["timeline_counters"] if (row["value"], row["whole_value"]) != (None, None)]
    points = rows["timeline_instants"] + counters + rows["timeline_clocks"]
    # A trace starts with whatever is drawn first, at times below 0 too, which `timeline_span` leaves out.
    times = [row["start_ns"] for row in slices] + [row["time_ns"] for row in points]
    epoch = min((time for time in times if time is not None), default=0)
    tracks = {}
    for row in rows["timeline_tracks"] + rows["timeline_counter_tracks"]:
        tracks.setdefault(row["track"], row)
    names = {path: row["name"] for path, row in tracks.items()}
    faults = differences("stage", drawn_stages(trace), expected_stages(rows["timeline_dispatches"], names, epoch, flow_mark(trace, rows["timeline_dispatches"])))
    wanted = list(expected_values(rows["timeline_counter_samples"] + rows["timeline_device_metrics"], tracks, epoch))
    faults += differences("value", drawn_values(trace, {value[::2][:1] + (value[2],): value[1] for value in wanted}), wanted)
    described = [(gpu, spec.name) for gpu, spec in trace.counters.values()]
    assert len(set(described)) == len(described), "two counters of one name"
    messages = [("" if row["byte_offset"] is None else f"at byte {row['byte_offset']}: ") + row["problem"] for row in rows["problems"]]
    logs = [(SEVERITIES[row["severity"]], row["kind"], message) for row, message in zip(rows["problems"], messages)]
    faults += differences("log", [(log.severity, log.tag, log.log_message) for log in trace.logs], logs)
    others = [event for event in usual.events if not is_packet(event)]
    faults += differences("event", map(str, trace.events), map(str, others))
    shown = "\n  ".join(faults[:12])
    assert not faults, f"{len(faults)} differences\n  {shown}"
    return f"{len(trace.stages)} stages, {len(trace.values)} values and {len(trace.logs)} logs agree"


if __name__ == "__main__":
    failed = False
    for folder in map(Path, sys.argv[1:]):
        try:
            print(f"{folder}: {check(folder)}")
        except AssertionError as fault:
            failed = True
            print(f"{folder}: {fault}")
    sys.exit(failed)
