"""`capture` and `fill`, with real tools."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ireescope as ie

INPUTS = ["--input=256x512xf32=1", "--input=512x128xf32=2"]

# What ends a run by Ctrl-C has this long, in seconds, on a machine that may be busy.
SOON = 1.0


@pytest.fixture(scope="module")
def module(tools: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("module") / "matmul.vmfb"
    flags = ["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"]
    subprocess.run([tools / "iree-compile", *flags, data / "models" / "matmul.mlir", "-o", path], check=True)
    return path


@pytest.fixture
def words(module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Returns the words of a benchmark of so many iterations. The working directory is that for the test."""
    monkeypatch.chdir(tmp_path)

    def of(iterations: int = 3, *more: str) -> list[str]:
        benchmark = ["iree-benchmark-module", f"--module={module}", "--device=local-task", "--function=main"]
        return [*benchmark, f"--benchmark_min_time={iterations}x", *INPUTS, *more]

    return of


def running(module: Path) -> list[str]:
    """Returns the processes that use the module."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = file.read_bytes()
        except OSError:
            continue
        if str(module).encode() in line:
            found.append(line.decode())
    return found


def test_a_capture_answers(words: Callable, tools: Path, command: Callable, tmp_path: Path) -> None:
    told: list[str] = []
    captured = ie.capture(words(), for_="kernel-time", tool_folder=tools, progress=lambda text, *_: told.append(text))
    assert captured.folder == str(tmp_path / "matmul.capture") and captured.missing == []
    assert captured.bundles == [str(tmp_path / "matmul.capture" / "run-1.ireeprof")]
    assert "answered by host-execution of run-1" in captured.answers["kernel-time"]
    assert told[0].startswith("run-1: host-execution") and "recorded host-execution" in told[-1]
    [run] = captured.runs
    of_table = captured.open().sql("SELECT run, outcome, asked, got, command, duration_ns, exit_code FROM runs")
    assert next(iter(of_table)) == {name: run[name] for name in of_table.columns}
    units = {column.name: column.unit for column in captured.runs.describe()}
    assert units["duration_ns"] == "ns"
    top = command("top", "--format=jsonl", captured.folder).stdout
    assert [json.loads(line)["key"] for line in top.splitlines() if '"key"' in line] == [
        row["key"] for row in captured.open().top()
    ]
    assert "<dt>kernel-time</dt>" in captured._repr_html_() and captured.folder in repr(captured)


def test_runs_are_those_of_the_command(words: Callable, tools: Path, command: Callable, tmp_path: Path) -> None:
    given: dict[str, Any] = {"for_": ["kernel-time", "memory"], "repeat": 2, "statistics": True, "flush_interval_ms": 50}
    captured = ie.capture(words(), output="own", tool_folder=tools, **given)
    flags = ["--for=kernel-time,memory", "--repeat=2", "--print-device-statistics", "--flush-interval-ms=50"]
    command("capture", "-o", "theirs", "--iree-bin-dir", tools, *flags, "--", *words())
    query = "SELECT run, outcome, questions, asked, got, refused, counters FROM runs ORDER BY run"
    theirs = ie.open("theirs").sql(query).fetchall()
    assert captured.open().sql(query).fetchall() == theirs and len(theirs) == len(captured.runs) > 2


def test_a_dry_run_runs_nothing(words: Callable, tools: Path, tmp_path: Path) -> None:
    planned = ie.capture(words(), for_=["kernel-time"], tool_folder=tools, repeat=3, dry_run=True)
    assert [(row["run"], row["outcome"], row["path"]) for row in planned.runs] == [("run-1 to run-3", "planned", None)]
    assert "--device_profiling_mode=host-execution" in next(iter(planned.runs))["command"]
    assert os.listdir(tmp_path) == [] and planned.bundles == []
    assert any("not supported by local-task" in note for note in planned.notes)
    lacking = ie.capture(["iree-run-module"], tool_folder=tmp_path, dry_run=True)
    assert "tool_folder" in lacking.notes[0]


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"for_": "nothing"}, ie.UsageError, "no question `nothing`"),
        ({"modes": "nothing"}, ie.UsageError, "no mode `nothing`"),
        ({"repeat": 0}, ie.UsageError, "repeat is from 1"),
        ({"time_limit": -1.0}, ie.UsageError, "time_limit is"),
        ({"modes": "executable-traces"}, ie.UsageError, "all=True"),
        ({"for_": "counters"}, ie.ResourceError, "not supported by local-task"),
    ],
)
def test_what_is_wrong(
    given: dict[str, Any], error: type[Exception], text: str, words: Callable, tools: Path, tmp_path: Path
) -> None:
    with pytest.raises(error, match=text):
        ie.capture(words(), tool_folder=tools, **given)
    assert os.listdir(tmp_path) == []


def test_commands_that_are_wrong(words: Callable, tools: Path, tmp_path: Path) -> None:
    with pytest.raises(ie.UsageError, match="give the tool"):
        ie.capture([])
    with pytest.raises(TypeError, match="list of words"):
        ie.capture("iree-run-module --module=m.vmfb")
    with pytest.raises(ie.UsageError, match="device_profiling_output is set"):
        ie.capture(words(3, "--device_profiling_output=x"), tool_folder=tools)
    with pytest.raises(ie.ResourceError, match="there is no iree-run-module .* tool_folder"):
        ie.capture(["iree-run-module"], tool_folder=tmp_path)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(ie.UsageError, match="neither empty nor a capture set"):
        ie.capture(words(), tool_folder=tools, output="other")


def test_a_tool_that_fails_says_why(words: Callable, tools: Path, tmp_path: Path) -> None:
    with pytest.raises(ie.ResourceError, match="INVALID_ARGUMENT; input list and function mismatch"):
        ie.capture(words()[:-1], tool_folder=tools)
    assert os.listdir(tmp_path) == []


def test_the_environment_and_the_directory(words: Callable, tools: Path, module: Path, tmp_path: Path) -> None:
    line = [f"--module={module.name}" if word.startswith("--module") else word for word in words()]
    variables = {"IREE_BENCHMARK_NOTHING": 1}
    captured = ie.capture(line, for_="kernel-time", tool_folder=tools, directory=module.parent, environment=variables)
    [(directory,)] = captured.open().sql("SELECT directory FROM runs").fetchall()
    assert directory == str(module.parent) and Path(captured.folder).parent == tmp_path


def test_gaps_are_filled(words: Callable, tools: Path) -> None:
    folder = ie.capture(words(), for_="kernel-time", tool_folder=tools).folder
    assert ie.fill(folder, tool_folder=tools) is None
    filled = ie.fill(folder, for_=["kernel-time", "memory"], tool_folder=tools)
    assert filled is not None and [row["questions"] for row in filled.runs] == ["memory"]
    assert "answered by memory-events of run-2" in filled.answers["memory"]
    assert ie.fill(folder, for_=["kernel-time", "memory"], tool_folder=tools) is None
    never = ie.fill(folder, for_="counters", tool_folder=tools)
    assert never is not None and never.missing == ["counters"] and not never.runs
    assert "not supported by local-task" in never.answers["counters"]


def test_a_bundle_becomes_part_of_a_set(words: Callable, tools: Path, data: Path, tmp_path: Path) -> None:
    bundle = data / "queue-only.ireeprof"
    with pytest.raises(ie.UsageError, match="unknown; give the tool"):
        ie.fill(bundle, output="own")
    filled = ie.fill(bundle, output="own", command=words(), tool_folder=tools)
    assert filled is not None and filled.folder == str(tmp_path / "own")
    assert sorted(filled.open().bundles) == ["queue-only", "run-1"]
    with pytest.raises(ie.InputError, match="nothing"):
        ie.fill("nothing")


def test_a_harmful_command_needs_consent(words: Callable, tools: Path, tmp_path: Path) -> None:
    folder = ie.capture(words(), for_="kernel-time", tool_folder=tools).folder
    manifest = Path(folder) / "manifest.json"
    content = json.loads(manifest.read_text())
    content["runs"][0]["process"]["arguments"].append(f"--trace_execution_output={tmp_path / 'harm'}")
    manifest.write_text(json.dumps(content))
    with pytest.raises(ie.UsageError, match="not known to be safe"):
        ie.fill(folder, for_="memory", tool_folder=tools)
    asked: list[tuple[list[str], list[str]]] = []

    def refuse(line: list[str], reasons: list[str]) -> bool:
        asked.append((line, reasons))
        return False

    with pytest.raises(ie.UsageError, match="consent"):
        ie.fill(folder, for_="memory", tool_folder=tools, consent=refuse)
    [(line, reasons)] = asked
    assert line[0] == "iree-benchmark-module" and any("trace_execution_output" in reason for reason in reasons)
    filled = ie.fill(folder, for_="memory", tool_folder=tools, consent=lambda *_: True)
    assert filled is not None and "--trace_execution_output" in next(iter(filled.runs))["command"]


def test_ctrl_c_ends_the_tool(words: Callable, tools: Path, module: Path, tmp_path: Path) -> None:
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    def tell(text: str, *_: object) -> None:
        # The tool has run for a while, and has written a part of its bundle.
        if text.endswith("B)") and not pressed:
            threading.Timer(0.2, press).start()
            pressed.append(0)

    with pytest.raises(KeyboardInterrupt):
        ie.capture(words(10**6), for_="kernel-time", tool_folder=tools, flush_interval_ms=10, progress=tell)
    assert time.monotonic() - pressed[-1] < SOON
    assert running(module) == [] and os.listdir(tmp_path) == []


def test_an_exception_keeps_the_runs_before(words: Callable, tools: Path, module: Path) -> None:
    def tell(text: str, *_: object) -> None:
        if text.startswith("run-2") and text.endswith("B)"):
            raise ValueError(text)

    with pytest.raises(ValueError, match="run-2"):
        ie.capture(
            words(800), for_="kernel-time", tool_folder=tools, repeat=3, flush_interval_ms=10, progress=tell
        )
    assert running(module) == []
    [folder] = os.listdir()
    kept = sorted(name for name in os.listdir(folder) if name.endswith("ireeprof"))
    assert kept == ["run-1.ireeprof"] and not [name for name in os.listdir(folder) if name.startswith("run-2")]
    assert ie.open(folder).sql("SELECT run, outcome FROM runs").fetchall() == [("run-1", "captured")]


def test_a_time_limit_keeps_what_is_recorded(words: Callable, tools: Path) -> None:
    captured = ie.capture(
        words(10**6), for_="kernel-time", tool_folder=tools, flush_interval_ms=10, time_limit=0.5
    )
    assert [row["outcome"] for row in captured.runs] == ["time_limit"]
    assert captured.answers["kernel-time"].startswith("partly answered")
