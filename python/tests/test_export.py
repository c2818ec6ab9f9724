"""`export`, `render` and `Rows.write`: the files of the command, whole or not at all."""

from __future__ import annotations

import gzip
import os
import signal
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ireescope as ie


def same(one: Path, other: Path) -> bool:
    return one.read_bytes() == other.read_bytes()


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def bundle(data: Path) -> Path:
    return data / "mlp-local-task.ireeprof"


def test_the_stream_is_that_of_the_command(bundle: Path, data: Path, tmp_path: Path, command: Callable) -> None:
    other = data / "two-vulkan.ireeprof"
    command("export", bundle, other, "-o", tmp_path / "by-command.jsonl")
    done = ie.export([bundle, other], tmp_path / "own.jsonl")
    assert same(tmp_path / "own.jsonl", tmp_path / "by-command.jsonl")
    assert done.format == "ireeperf-jsonl" and done.bundles == ["mlp-local-task", "two-vulkan"] and done.rows is None
    packed = ie.export([bundle, other], tmp_path / "own.jsonl.gz")
    assert gzip.decompress(Path(packed.path).read_bytes()) == (tmp_path / "own.jsonl").read_bytes()


@pytest.mark.parametrize("format", ["csv", "arrow"])
def test_a_table_is_that_of_the_command(format: str, bundle: Path, tmp_path: Path, command: Callable) -> None:
    theirs, own = tmp_path / f"by-command.{format}", tmp_path / f"own.{format}"
    flags = [f"--format={format}", "--tables=dispatches", "--where=duration_ns > 1000"]
    command("export", *flags, bundle, "-o", theirs)
    done = ie.export(bundle, own, tables="dispatches", where="duration_ns > 1000")
    assert same(own, theirs)
    rows = ie.open(bundle).sql("SELECT count(*) FROM dispatches WHERE duration_ns > 1000").fetchone()
    assert (done.rows,) == rows and done.format == format


def test_a_folder_has_the_rows(bundle: Path, data: Path, tmp_path: Path, command: Callable) -> None:
    done = ie.export(f"first={bundle}", tmp_path / "own")
    assert done == (str(tmp_path / "own"), "parquet", ["first"], [], None)
    again = ie.export([f"first={bundle}", data / "two-vulkan.ireeprof"], tmp_path / "own", threads=1)
    assert again.replaced == ["first"] and again.bundles == ["first", "two-vulkan"]
    command("export", "--format=parquet", f"first={bundle}", data / "two-vulkan.ireeprof", "-o", tmp_path / "by-command")
    own, theirs = ie.open(tmp_path / "own"), ie.open(tmp_path / "by-command")
    assert own.tables == theirs.tables
    for table in ["dispatches", "memory_events", "executables"]:
        rows = [sorted(map(repr, each[table].fetchall())) for each in (own, theirs)]
        assert rows[0] == rows[1] != []


def test_a_folder_of_some_tables(bundle: Path, tmp_path: Path) -> None:
    done = ie.export(bundle, tmp_path / "own", format="parquet", tables=["dispatches"], where="duration_ns > 1000")
    assert [path.name for path in Path(done.path).iterdir() if path.is_dir()] == ["dispatches"]
    found = ie.open(done.path).sql("SELECT count(*) FROM dispatches").fetchone()
    assert found == ie.open(bundle).sql("SELECT count(*) FROM dispatches WHERE duration_ns > 1000").fetchone()


def test_one_file_of_parquet(bundle: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    done = ie.export(bundle, tmp_path / "own.parquet", tables="dispatches")
    assert parquet.read_table(done.path).num_rows == done.rows


@pytest.mark.parametrize("flags", [{}, {"window": "25%:50%"}, {"filter": "*matmul*"}, {"gpu_packets": True}, {"clock": "host"}])
def test_a_timeline_is_that_of_the_command(
    flags: dict[str, Any], bundle: Path, data: Path, tmp_path: Path, command: Callable
) -> None:
    words = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in flags.items()]
    bundles = [f"a={bundle}", f"b={data / 'two-vulkan.ireeprof'}"]
    command("render", *words, *bundles, "-o", tmp_path / "by-command.pftrace")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ie.IreescopeWarning)
        drawn = ie.render(bundles, tmp_path / "own.pftrace", **flags)
    assert same(tmp_path / "own.pftrace", tmp_path / "by-command.pftrace")
    assert drawn.bytes == os.path.getsize(drawn.path) and list(drawn.counts) == ["a", "b"]
    assert drawn.total.slices == sum(counts.slices for counts in drawn.counts.values())
    first = "SELECT min(start_ns) FROM timeline_span"
    assert drawn.begins == {name: ie.open(name_and_path).sql(first).fetchone()[0] for name, name_and_path in zip("ab", bundles)}


def test_a_clock_has_a_name(bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(ie.UsageError, match="clock is `own` or `host`, not `gpu`"):
        ie.render(bundle, tmp_path / "own.pftrace", clock="gpu")


def test_queries_are_drawn(bundle: Path, tmp_path: Path, command: Callable) -> None:
    sql = "SELECT name AS track, name, start_ns, end_ns FROM timeline_slices"
    command("render", f"--slices={sql}", bundle, "-o", tmp_path / "by-command.pftrace")
    drawn = ie.render(bundle, tmp_path / "own.pftrace", slices=sql, only_sql=True)
    assert same(tmp_path / "own.pftrace", tmp_path / "by-command.pftrace")
    assert drawn.total.slices > 0 == drawn.total.counters
    both = ie.render(bundle, tmp_path / "both.pftrace", slices=[sql])
    assert both.total.slices > drawn.total.slices and both.total.counters > 0


def test_an_empty_timeline_warns(bundle: Path, tmp_path: Path) -> None:
    with pytest.warns(ie.IreescopeWarning, match="No slice name matches filter=nothing"):
        assert ie.render(bundle, tmp_path / "own.pftrace", filter="nothing").total.slices == 0


@pytest.mark.parametrize("format", ["csv", "tsv", "json", "jsonl", "parquet", "arrow", "markdown", "box", "line"])
def test_rows_are_written_like_results(format: str, bundle: Path, tmp_path: Path, command: Callable) -> None:
    sql, theirs = "SELECT key, duration_ns FROM dispatches ORDER BY byte_offset", tmp_path / "by-command"
    command("sql", "-c", sql, "--format", format, "-o", theirs, bundle)
    assert ie.open(bundle).sql(sql).write(tmp_path / "own", format) == 80
    assert same(tmp_path / "own", theirs)


def test_the_extension_chooses(bundle: Path, tmp_path: Path) -> None:
    ie.open(bundle).top().write(tmp_path / "top.CSV")
    assert (tmp_path / "top.CSV").read_text().startswith("timing_source,key,")
    with pytest.raises(ie.UsageError, match="extension"):
        ie.open(bundle).top().write(tmp_path / "top.xyz")


@pytest.mark.parametrize(
    ("output", "given", "error", "text"),
    [
        ("x.csv", {}, ie.UsageError, "one table"),
        ("x.csv", {"tables": ["dispatches", "queues"]}, ie.UsageError, "one table"),
        ("x.csv", {"tables": "nothing"}, ie.UsageError, "no table nothing"),
        ("x.csv", {"tables": "dispatches", "where": "a ="}, ie.UsageError, "Expected"),
        ("x", {"tables": "nothing"}, ie.UsageError, "nothing"),
        ("x", {"where": "nothing > 1"}, ie.UsageError, "no column nothing"),
        ("x.xyz", {"tables": "dispatches"}, ie.UsageError, "extension"),
        ("x.jsonl", {"where": "true"}, ie.UsageError, "whole bundles"),
        ("x", {"format": "nothing", "tables": "dispatches"}, ie.UsageError, "no format `nothing`"),
        ("no/x.csv", {"tables": "dispatches"}, ie.ResourceError, "cannot write"),
        ("", {"tables": "dispatches"}, ie.UsageError, "contains files"),
    ],
)
def test_what_is_wrong(
    output: str, given: dict[str, Any], error: type[Exception], text: str, bundle: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").touch()
    with pytest.raises(error, match=text):
        ie.export(bundle, tmp_path / output, **given)
    assert os.listdir(tmp_path) == ["other"]


def test_a_bundle_is_not_replaced(bundle: Path, tmp_path: Path) -> None:
    own = tmp_path / "m.ireeprof"
    own.write_bytes(bundle.read_bytes())
    for call in [
        lambda: ie.export(own, own, format="csv", tables="dispatches"),
        lambda: ie.export(own, own, format="ireeperf-jsonl"),
        lambda: ie.render(own, own),
    ]:
        with pytest.raises(ie.UsageError, match="is open as a bundle"):
            call()
    assert same(own, bundle)


@pytest.mark.parametrize("name", ["x", "x.jsonl", "x.jsonl.gz", "x.csv", "x.pftrace"])
def test_an_exception_leaves_nothing(name: str, bundle: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        if name == "x.pftrace":
            ie.render(bundle, tmp_path / name, progress=interrupted)
        else:
            tables = ["dispatches"] if name == "x.csv" else []
            ie.export(bundle, tmp_path / name, tables=tables, progress=interrupted)
    assert os.listdir(tmp_path) == []


def test_an_exception_keeps_what_was_there(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("before")
    with pytest.raises(KeyboardInterrupt):
        ie.export(bundle, tmp_path / "x.csv", tables="dispatches", progress=interrupted)
    ie.export(bundle, tmp_path / "x", tables="dispatches")
    with pytest.raises(KeyboardInterrupt):
        ie.export(f"other={bundle}", tmp_path / "x", tables="dispatches", progress=interrupted)
    assert (tmp_path / "x.csv").read_text() == "before"
    assert sorted(os.listdir(tmp_path)) == ["x", "x.csv"]
    assert ie.open(tmp_path / "x").sql("SELECT DISTINCT bundle FROM dispatches").fetchall() == [("mlp-local-task",)]


def test_ctrl_c_ends_an_endless_query(bundle: Path, tmp_path: Path) -> None:
    rows = ie.open(bundle).sql("SELECT count(*) FROM range(1000000000000) AS one(a) WHERE a % 7 = 8")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        rows.write(tmp_path / "x.csv")
    timer.join()
    assert os.listdir(tmp_path) == []


def test_progress_is_told(bundle: Path, tmp_path: Path) -> None:
    told: list[tuple[str, int | None, int | None]] = []
    ie.export(bundle, tmp_path / "x", progress=lambda *it: told.append(it))
    assert told[0][:2] == ("exporting", 0) and told[-1][1] == told[-1][2] is not None
    told.clear()
    ie.render(bundle, tmp_path / "x.pftrace", progress=lambda *it: told.append(it))
    assert told[0][:2] == ("drawing", 0) and told[-1][1] == told[-1][2] is not None
