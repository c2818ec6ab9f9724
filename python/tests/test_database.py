"""Opening, SQL and the reports: the same answers as the command."""

from __future__ import annotations

import io
import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import ireescope

BUNDLE = "mlp-local-task.ireeprof"
REPORTS = ["summary", "explain", "dispatch", "executable", "command", "queue", "memory", "counter", "statistics", "cat"]

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(run: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("query", [
    "SELECT key, sum(duration_ns) AS t, avg(duration_ns) AS mean FROM dispatches GROUP BY key ORDER BY t DESC",
    "SELECT * FROM invocations ORDER BY byte_offset",
    "CREATE VIEW v AS SELECT 1 AS x; SELECT x + 1 AS y FROM v",
])
def test_sql_is_that_of_the_command(data: Path, command: Run, query: str) -> None:
    if "byte_offset" in query:
        query = "SELECT * FROM dispatches ORDER BY byte_offset, timing_source"
    expected = lines(command("sql", "--format=jsonl", "-c", query, data / BUNDLE))
    assert list(ireescope.open(data / BUNDLE).sql(query)) == expected


@pytest.mark.parametrize("by", ["function", "shape", "op", "executable", "bundle", "invocation", "device", "queue"])
def test_top_is_that_of_the_command(data: Path, command: Run, by: str) -> None:
    expected = lines(command("top", "--format=jsonl", f"--by={by}", data / BUNDLE))
    got = [row for row in ireescope.open(data / BUNDLE).top(by=by)]
    assert [row["key"] for row in got] == [line["key"] for line in expected]
    assert [row["total_ns"] for row in got] == [line["total_ns"] for line in expected]


@pytest.mark.parametrize("report", REPORTS)
def test_reports_are_those_of_the_command(data: Path, command: Run, report: str) -> None:
    expected = lines(command(report, "--format=jsonl", data / BUNDLE))
    got = getattr(ireescope.open(data / BUNDLE), report)()
    counts: dict[str, int] = {}
    for line in expected:
        counts[str(line["type"])] = counts.get(str(line["type"]), 0) + 1
    # Some types have several reports, of devices and of the host.
    assert sum(counts.values()) == sum(len(rows) for rows in got.values())
    assert all(set(line) - {"type"} <= {c for rows in got.values() for c in rows.columns} for line in expected)


def test_doctor_and_gaps_are_those_of_the_command(data: Path, command: Run) -> None:
    db = ireescope.open(data / BUNDLE)
    doctor = [json.loads(line) for line in command("doctor", "--format=jsonl", data / BUNDLE).stdout.splitlines()]
    assert [row["finding"] for row in db.doctor()] == [line["finding"] for line in doctor]
    gaps = [json.loads(line) for line in command("gaps", "--format=jsonl", data / BUNDLE).stdout.splitlines()]
    assert [(row["question"], row["answerable"]) for row in db.gaps()] == [
        (line["question"], line["answerable"]) for line in gaps
    ]
    assert [row["question"] for row in db.gaps(for_=["memory"])] == ["memory"]
    assert [row["question"] for row in db.gaps("memory")] == ["memory"]


def test_what_can_be_opened(data: Path, tmp_path: Path) -> None:
    path = data / BUNDLE
    whole = path.read_bytes()
    with path.open("rb") as file:
        opened = [
            ireescope.open(path),
            ireescope.open(str(path)),
            ireescope.open(f"mlp-local-task={path}"),
            ireescope.open([path]),
            ireescope.open(str(data / "mlp-local-task*")),
            ireescope.open(whole),
            ireescope.open(io.BytesIO(whole)),
            ireescope.open(file),
            ireescope.open(path, copied=True, threads=1, memory_limit=1 << 30),
        ]
    counts = [db.sql("SELECT count(*), sum(duration_ns) FROM dispatches").fetchall() for db in opened]
    assert counts == [counts[0]] * len(opened) and counts[0][0][0] > 0
    assert opened[-2].bundles.keys() == {"mlp-local-task"}
    two = ireescope.open(path, f"other={path}")
    assert two.bundles.keys() == {"mlp-local-task", "other"}
    assert ireescope.open().sql("SELECT 1 + 1 AS two").fetchall() == [(2,)]


def test_rows(data: Path) -> None:
    db = ireescope.open(data / BUNDLE)
    rows = db.sql("SELECT key, duration_ns FROM dispatches WHERE key LIKE '%matmul%' ORDER BY byte_offset")
    assert rows.columns == ["key", "duration_ns"]
    column = rows.describe()[1]
    assert (column.name, column.type, column.unit) == ("duration_ns", "Int64", "ns") and column.doc
    # A query runs whenever it is read.
    assert rows.fetchall() == rows.fetchall() and len(rows) == len(rows.fetchall()) == 40
    assert rows.fetchone() == rows.fetchall()[0] and rows.read() is not rows and rows.read().read()
    assert "more" in repr(rows) and bool(rows)
    nothing = db.sql("SELECT key FROM dispatches WHERE false")
    assert not nothing and nothing.fetchone() is None and "0 rows" in repr(nothing)
    assert db.sql("SELECT NULL AS a, true AS b, 2.5 AS c, [1, 2] AS d, TIMESTAMP '2026-01-02 03:04:05' AS e").fetchone() == (
        None, True, 2.5, [1, 2], "2026-01-02T03:04:05",
    )


def test_variables(data: Path) -> None:
    db = ireescope.open(data / BUNDLE)
    query = "SELECT count(*) FROM dispatches WHERE duration_ns > $least AND key LIKE $name"
    assert db.sql(query, least=0, name="%softmax%").fetchall() == [(20,)]
    assert db.sql("SELECT $x IS NULL", x=None).fetchall() == [(True,)]
    assert db.sql("SELECT $x", x="a'b").fetchall() == [("a'b",)]
    with pytest.raises(ireescope.UsageError, match="has no value"):
        db.sql(query, least=0)


def test_definitions_stay(data: Path) -> None:
    db = ireescope.open(data / BUNDLE)
    assert db.sql("CREATE VIEW slow AS SELECT * FROM dispatches WHERE duration_ns > 50000").fetchall() == []
    assert "slow" in db.tables and len(db["slow"]) == len(db.sql("SELECT * FROM slow"))


def test_errors(data: Path, tmp_path: Path) -> None:
    db = ireescope.open(data / BUNDLE)
    for call in [
        lambda: db.sql("SELECT x FROM dispatches"),
        lambda: db.sql("SELEC 1"),
        lambda: db.sql(""),
        lambda: db["no such table"],
        lambda: db.top(by="colour"),
        lambda: db.top(warmup="some"),
        lambda: db.gaps(for_=["nothing"]),
        lambda: db.report("nothing"),
        lambda: db.memory(dispatch_events=True),
        lambda: ireescope.open(data / BUNDLE, read_only_sql=True).sql("CREATE VIEW v AS SELECT 1"),
    ]:
        with pytest.raises(ireescope.UsageError):
            call()
    with pytest.raises(TypeError, match="no option color"):
        ireescope.open(data / BUNDLE, color=True)  # type: ignore[call-arg]
    with pytest.raises(ireescope.InputError) as missing:
        ireescope.open(tmp_path / "missing.ireeprof")
    assert missing.value.path == str(tmp_path / "missing.ireeprof") and missing.value.offset is None
    with pytest.raises(ireescope.ResourceError, match="memory_limit"):
        ireescope.open(data / BUNDLE, memory_limit=1 << 10).sql("SELECT * FROM dispatches ORDER BY duration_ns").read()


def test_damage_has_its_place(data: Path, tmp_path: Path) -> None:
    whole = bytearray((data / BUNDLE).read_bytes())
    # The length of a record in the middle of the file.
    offset = ireescope.open(data / BUNDLE).sql(
        "SELECT min(byte_offset) FROM dispatches WHERE timing_source = 'host'"
    ).fetchall()[0][0]
    whole[offset : offset + 4] = b"\xff\xff\xff\x7f"
    path = tmp_path / "damaged.ireeprof"
    path.write_bytes(whole)
    db = ireescope.open(path)
    with pytest.raises(ireescope.InputError) as damaged:
        db["host_execution_events"].read()
    assert damaged.value.path == str(path) and damaged.value.offset == offset
    assert f"byte {offset}" in str(damaged.value)
    assert "error" in {row["severity"] for row in db.doctor()}


def test_warnings(data: Path) -> None:
    with pytest.warns(ireescope.IreescopeWarning, match="killed"):
        ireescope.open(data / "killed.ireeprof")


def test_threads_ask_at_once(data: Path) -> None:
    db = ireescope.open(data / BUNDLE)
    expected = [db.sql("SELECT count(*), sum(duration_ns) FROM dispatches").fetchall(), db.top().fetchall()]
    got: list[object] = []

    def ask() -> None:
        for _ in range(20):
            got.append([db.sql("SELECT count(*), sum(duration_ns) FROM dispatches").fetchall(), db.top().fetchall()])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(got) == 160 and all(answer == expected for answer in got)


def test_names_in_html_are_escaped(data: Path) -> None:
    db = ireescope.open(f"<b>&\"name={data / BUNDLE}")
    for shown in [db._repr_html_(), db.sql("SELECT '<script>' AS \"<i>\", bundle FROM dispatches LIMIT 1")._repr_html_()]:
        assert "<script>" not in shown and "<b>&" not in shown and "<i>" not in shown and "&lt;" in shown
    assert "<table" in db.top()._repr_html_() and "<h4>" in db.memory()._repr_html_()
