"""Computes memory over time and busy times again from the raw tables, and compares them with the views of ireescope.

Usage: check_views.py IREESCOPE BUNDLE...

The raw tables are read with DuckDB. Prints a line for each bundle, and exits with 1 if any differs.
"""

import collections
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

OPENS = {1: "slab", 3: "pool_reservation", 7: "queue_allocation", 9: "buffer_allocation", 11: "imported_buffer"}
CLOSES = {2: "slab", 5: "pool_reservation", 8: "queue_allocation", 10: "buffer_allocation", 12: "imported_buffer"}

# Union of spans per group, as gaps and islands.
UNION = """
    SELECT {keys}, sum(greatest(0, e - greatest(s, coalesce(before, s)))) AS busy, max(e) - min(s) AS span, sum(e - s) AS total
    FROM (
        SELECT *, max(e) OVER (PARTITION BY {keys} ORDER BY s, e ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
        FROM (SELECT {keys}, CAST({start} AS HUGEINT) AS s, CAST({end} AS HUGEINT) AS e FROM {table} WHERE {valid})
    )
    GROUP BY {keys} ORDER BY {keys}
"""
ON_DEVICE = {"start": "start_tick", "end": "end_tick", "valid": "start_tick > 0 AND end_tick >= start_tick"}
ON_HOST = {
    "start": "start_host_time_ns", "end": "end_host_time_ns",
    "valid": "start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns",
}
NO_DEVICE = 4294967295
QUEUE = "session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id"


class Bundle:
    def __init__(self, ireescope, path, folder):
        self.ireescope, self.path, self.folder = ireescope, path, Path(folder)

    def ours(self, query, refusal=None):
        """Returns the rows of a query of ireescope; None if it is refused with these words."""
        output = self.folder / "answer.parquet"
        done = subprocess.run([self.ireescope, "sql", "-c", query, "-o", output, self.path], capture_output=True, text=True)
        if refusal and refusal in done.stderr:
            return None
        assert done.returncode == 0, done.stderr
        rows = duckdb.sql(f"SELECT * FROM '{output}'").fetchall()
        output.unlink()
        return rows

    def raw(self, table):
        """Writes a raw table, and returns how DuckDB names it."""
        output = self.folder / f"{table}.parquet"
        if not output.exists():
            done = subprocess.run([self.ireescope, "sql", "-c", f"SELECT * FROM {table}", "-o", output, self.path], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
        return f"'{output}'"

    def busy(self):
        """Compares the time in which dispatches ran: of devices, and of the executions of command buffers."""
        compared = 0
        union = lambda table, keys, how, more="": duckdb.sql(
            UNION.format(keys=keys, table=self.raw(table), **{**how, "valid": how["valid"] + more})
        ).fetchall()
        device = "session_id, physical_device_ordinal"
        theirs = union("dispatch_events", device, ON_DEVICE)
        # As iree-profile, explain refuses dispatches of functions without metadata.
        ours = self.ours(f"SELECT {device}, busy_ticks, span_ticks, dispatch_ticks FROM explain_utilizations('*', NULL, 0) WHERE dispatch_ticks > 0 AND timing_source = 'device' ORDER BY {device}", "has no metadata")
        theirs = sorted((row[0], NO_DEVICE if row[1] is None else row[1], *row[2:]) for row in theirs if row[4] > 0)
        compared += same("busy devices", ours, theirs) if ours is not None else 0
        # Where the device timed none, the host's spans count.
        if not theirs and ours is not None:
            theirs = union("host_execution_events", device, ON_HOST, " AND type_value = 2")
            ours = self.ours(f"SELECT {device}, busy_ticks, span_ticks, dispatch_ticks FROM explain_utilizations('*', NULL, 0) WHERE dispatch_ticks > 0 ORDER BY {device}", "has no metadata")
            theirs = sorted((row[0], NO_DEVICE if row[1] is None else row[1], *row[2:]) for row in theirs if row[4] > 0)
            compared += same("busy devices by the host's clock", ours, theirs) if ours is not None else 0
        of_buffer = " AND command_buffer_id > 0"
        keys = QUEUE + ", command_buffer_id"
        for table, source, how, more, ticks in [
            ("dispatch_events", "device", ON_DEVICE, of_buffer, "busy_ticks"),
            ("host_execution_events", "host", ON_HOST, of_buffer + " AND type_value = 2", "busy_ns"),
        ]:
            theirs = [row[:-2] for row in union(table, keys, how, more)]
            ours = self.ours(f"SELECT {keys}, {ticks} FROM command_executions WHERE timing_source = '{source}' AND {ticks} IS NOT NULL ORDER BY {keys}")
            compared += same(f"busy executions of {table}", ours, theirs)
        theirs = dict((row[:5], row[5]) for row in union("host_execution_events", QUEUE, ON_HOST, " AND submission_id > 0 AND type_value <> 3"))
        ours = self.ours(f"SELECT {QUEUE}, host_busy_ns FROM queue_submissions WHERE host_busy_ns IS NOT NULL")
        assert all(theirs[row[:5]] == row[5] for row in ours), "host_busy_ns differs"
        return compared + len(ours)

    def memory(self):
        """Compares lifetimes, memory over time and peaks."""
        columns = "session_id, physical_device_ordinal, pool_id, type_value, allocation_id, length, host_time_ns, byte_offset, flag_pool_reservation, flag_pool_stats, pool_bytes_reserved, pool_reservation_count"
        events = [Event(*row) for row in duckdb.sql(f"SELECT {columns} FROM {self.raw('memory_events')} ORDER BY host_time_ns, byte_offset").fetchall()]
        spans = simulate(events)
        theirs = sorted((span.event.byte_offset, span.kind, span.event.length, span.end, span.by) for span in spans)
        ours = self.ours("SELECT byte_offset, kind, bytes, end_ns, end_shown_by FROM memory_lifetimes ORDER BY byte_offset")
        same("lifetimes", ours, theirs)
        peaks = {}
        for key, changes in by_pool(spans).items():
            live = peaks[key] = 0
            for _, _, delta in sorted(changes):
                live += delta
                peaks[key] = max(peaks[key], live)
        peaks = {key: peak for key, peak in peaks.items() if peak < 1 << 63}
        keys = "session_id, physical_device_ordinal, pool_id, kind"
        of_live = {row[:4]: row[4] for row in self.ours(f"SELECT {keys}, max(peak_bytes) FROM memory_live GROUP BY {keys}")}
        of_peaks = {row[:4]: row[4] for row in self.ours(f"SELECT {keys}, peak_bytes FROM memory_peaks WHERE rank = 1 AND pool_id IS NOT NULL")}
        for key, peak in peaks.items():
            found = (of_live.get(key), of_peaks.get(key))
            assert found == (peak, peak), f"{key} peaks at {peak}, not {found}"
        return len(spans) + len(peaks)


Event = collections.namedtuple("Event", "session device pool type allocation length time byte_offset reserves tells bytes count")


class Span:
    def __init__(self, kind, event):
        self.kind, self.event, self.end, self.end_offset, self.by = kind, event, None, None, None

    def close(self, event, by):
        self.end, self.end_offset, self.by = event.time, event.byte_offset, by


def simulate(events):
    """Returns the allocations. Recorded releases first; then what pools tell, event by event."""
    spans, live = [], collections.defaultdict(list)
    for event in events:
        kind = OPENS.get(event.type)
        if kind and (event.type != 3 or event.reserves):
            spans.append(Span(kind, event))
            live[event.session, event.device, kind, event.allocation].append(spans[-1])
        kind = CLOSES.get(event.type)
        if kind:
            held = live[event.session, event.device, kind, event.allocation]
            of_pool = [span for span in held if span.event.pool == event.pool or (kind == "queue_allocation" and not event.pool)]
            if of_pool:
                of_pool[-1].close(event, "release")
                held.remove(of_pool[-1])
    place = lambda event: (event.session, event.device, event.pool)
    reservations = [span for span in spans if span.kind == "pool_reservation"]
    told = {}
    for event in events:
        is_reserved = event.type == 3 and event.reserves
        if place(event) in told and (is_reserved or event.type == 5):
            sign = 1 if is_reserved else -1
            told[place(event)] = (told[place(event)][0] + sign * event.length, told[place(event)][1] + sign)
        if not event.tells or not event.pool:
            continue
        now = (event.time, event.byte_offset)
        here = [
            span for span in reservations
            if place(span.event) == place(event) and (span.event.time, span.event.byte_offset) <= now
            and (span.end is None or (span.end, span.end_offset) > now)
        ]
        candidates = [span for span in here if span.end is None and span.event is not event]
        own = [span for span in here if span.end is None and span.event is event]
        if place(event) in told:
            missing, count = told[place(event)][0] - event.bytes, told[place(event)][1] - event.count
            for _ in range(count):
                fitting = [span for span in candidates if span.event.length == missing]
                fitting += [span for span in candidates if 0 <= missing - span.event.length <= max(4096, span.event.length)]
                if not fitting:
                    break
                fitting[0].close(event, "pool statistics")
                candidates.remove(fitting[0])
                missing -= fitting[0].event.length
        held = [span for span in here if span.by == "release"]
        most_bytes = max(event.bytes - sum(span.event.length for span in held + own), 0)
        most = max(event.count - len(held + own), 0)
        while candidates and (len(candidates) > most or sum(span.event.length for span in candidates) > most_bytes):
            candidates.pop(0).close(event, "pool statistics")
        told[place(event)] = (event.bytes, event.count)
    backing = {(place(span.event), span.event.allocation): span for span in reservations}
    for span in spans:
        reservation = backing.get((place(span.event), span.event.allocation))
        if span.kind == "queue_allocation" and span.end is None and reservation and reservation.end is not None and reservation.end >= span.event.time:
            span.end, span.end_offset = reservation.end, reservation.end_offset
            span.by = "reservation" if reservation.by == "release" else reservation.by
    return spans


def by_pool(spans):
    """Returns the changes of each pool and kind: time, byte offset and bytes."""
    changes = collections.defaultdict(list)
    for span in spans:
        key = (span.event.session, span.event.device, span.event.pool, span.kind)
        changes[key].append((span.event.time, span.event.byte_offset, span.event.length))
        if span.end is not None:
            changes[key].append((span.end, span.end_offset, -span.event.length))
    return changes


def same(what, ours, theirs):
    assert len(ours) == len(theirs), f"{what}: {len(ours)} rows, not {len(theirs)}"
    for one, two in zip(ours, theirs):
        assert tuple(one) == tuple(two), f"{what}: {one} is not {two}"
    return len(ours)


if __name__ == "__main__":
    failed = 0
    for bundle in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            try:
                of = Bundle(sys.argv[1], bundle, folder)
                print(f"{bundle}: {of.busy()} busy times and {of.memory()} spans and peaks agree")
            except AssertionError as fault:
                failed += 1
                print(f"{bundle}: {fault}")
    sys.exit(1 if failed else 0)
