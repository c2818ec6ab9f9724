"""Races between IREE's tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ireescope as ie

Run = Callable[..., "subprocess.CompletedProcess[str]"]

#: Runs a race, presses Ctrl-C when so many runs are done, and says what is left.
INTERRUPTED = """
    import os, signal, sys
    import ireescope
    def press(text, done, total):
        if done == 3:
            os.kill(os.getpid(), signal.SIGINT)
    try:
        ireescope.race(base=sys.argv[3:], new=sys.argv[3:], output=sys.argv[1], tool_folder=sys.argv[2], runs=10, progress=press)
    except KeyboardInterrupt:
        print("interrupted")
    """


@pytest.fixture(scope="module")
def words(tools: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The words of a command that takes some milliseconds."""
    module = tmp_path_factory.mktemp("model") / "matmul.vmfb"
    line = [tools / "iree-compile", "--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"]
    subprocess.run([*line, data / "models" / "matmul.mlir", "-o", module], check=True, capture_output=True)
    inputs = ["--input=256x512xf32=1", "--input=512x128xf32=2"]
    flags = ["--device=local-task", "--function=main", "--benchmark_min_time=5x"]
    return ["iree-benchmark-module", f"--module={module}", *inputs, *flags]


def manifest(folder: Path) -> list[dict[str, Any]]:
    return json.loads(next(folder.glob("*.json")).read_text())["runs"]


def test_a_race_is_run_and_compared(words: list[str], tools: Path, tmp_path: Path, command: Run) -> None:
    told: list[tuple[str, int | None, int | None]] = []
    raced = ie.race(
        base=words,
        new=words,
        output=tmp_path / "ab.race",
        runs=3,
        noise_floor=10.0,
        fail_on={"total": 20.0},
        tool_folder=tools,
        progress=lambda *what: told.append(what),
    )
    assert (raced.end, raced.folder) == ("all runs", str(tmp_path / "ab.race"))
    sides = [run.get("side") for run in manifest(tmp_path / "ab.race")]
    assert sides.count("base") == sides.count("new") == 4, "rounded up to an even number"
    assert told[-1][1:] == (8, 8) and any("block 2" in text for text, _, _ in told)
    assert raced.comparison.sides == ["base", "new"] and raced.comparison.gate == "passed"
    assert "all runs are done" in repr(raced) and "<pre>" in raced._repr_html_()
    flags = ["--noise-floor=1000%", "--format=jsonl"]
    compared = command("compare", raced.folder, *flags)
    assert list(raced.comparison.rows) == [json.loads(line) for line in compared.stdout.splitlines()]
    assert ie.compare(race=raced.folder, noise_floor=10.0).verdict == raced.comparison.verdict
    with pytest.raises(ie.UsageError, match="cancels the drift"):
        ie.compare(race=raced.folder, control="")
    with pytest.raises(ie.UsageError, match="other commands .* another output"):
        ie.race(base=[*words, "--benchmark_repetitions=2"], new=words, output=raced.folder, tool_folder=tools)
    assert ie.open(raced.folder).sql("SELECT count(*) > 0 FROM dispatches").fetchone() == (True,)


def test_a_race_ends_when_it_is_decided(words: list[str], tools: Path, tmp_path: Path) -> None:
    # Within such a floor, everything is the same.
    raced = ie.race(
        base=words, new=words, output=tmp_path / "r", noise_floor=1000.0, runs=30, until_decided=True, tool_folder=tools
    )
    assert raced.end == "decided" and raced.comparison.verdict == "same"
    assert len(manifest(tmp_path / "r")) < 62


def test_a_time_limit_ends_a_race(words: list[str], tools: Path, tmp_path: Path) -> None:
    raced = ie.race(base=words, new=words, output=tmp_path / "r", runs=1000, time_limit=2.0, tool_folder=tools)
    assert raced.end == "time limit" and "time limit" in repr(raced)
    with pytest.raises(ie.VerdictError, match="no run counts yet"):
        ie.race(base=words, new=words, output=tmp_path / "none", time_limit=0.001, tool_folder=tools)


def test_ctrl_c_keeps_the_runs_and_the_race_goes_on(words: list[str], tools: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    line = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), str(folder), str(tools), *words]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=120, check=False)
    assert ran.stdout == "interrupted\n", ran.stderr
    # No tool runs on.
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert words[1].encode() not in process.read_bytes(), process
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    whole = [run for run in manifest(folder) if run.get("side") and run["outcome"] == "captured"]
    assert 3 <= len(whole) <= 5
    told: list[str] = []
    raced = ie.race(
        base=words, new=words, output=folder, runs=4, tool_folder=tools, progress=lambda text, *_: told.append(text)
    )
    assert raced.end == "all runs" and told[0] == f"going on from {len(whole)} runs in {folder}"
    assert not [path for path in folder.iterdir() if ".tmp" in path.name]


def test_an_exception_of_progress_ends_the_race(words: list[str], tools: Path, tmp_path: Path) -> None:
    def fail(text: str, done: int | None, total: int | None) -> None:
        raise RuntimeError("enough")

    begun = time.monotonic()
    with pytest.raises(RuntimeError, match="enough"):
        ie.race(base=words, new=words, output=tmp_path / "r", runs=1000, tool_folder=tools, progress=fail)
    assert time.monotonic() - begun < 20


def test_a_tool_that_fails_is_an_error(words: list[str], tools: Path, tmp_path: Path) -> None:
    broken = [*words[:1], "--module=missing.vmfb", *words[2:]]
    with pytest.raises(ie.ResourceError, match="iree-benchmark-module failed"):
        ie.race(base=words, new=broken, output=tmp_path / "r", tool_folder=tools)


@pytest.mark.parametrize(("given", "error", "text"), [
    ({"base": []}, ie.UsageError, "give the tool"),
    ({"base": "iree-run-module"}, TypeError, "a list of words"),
    ({"base": ["iree-run-module", "--device_profiling_mode=x"]}, ie.UsageError, "is set by this command"),
    ({"tool_folder": "nowhere"}, ie.ResourceError, "there is no iree-run-module in .*nowhere.*set tool_folder"),
    ({"runs": 1}, ie.UsageError, "runs is a number from 2 to 10000, not 1"),
    ({"time_limit": 0.0}, ie.UsageError, "time_limit is a positive number"),
    ({"time_limit": float("nan")}, ie.UsageError, "time_limit is a positive number"),
    ({"noise_floor": -1.0}, ie.UsageError, "noise_floor is"),
    ({"fail_on": "faster"}, ie.UsageError, "a rule is"),
    ({"nothing": 1}, TypeError, "no option nothing"),
])
def test_errors_are_exceptions(tmp_path: Path, given: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        ie.race(**{"base": ["iree-run-module"], "new": ["iree-run-module"], "output": tmp_path / "r", **given})
    assert not os.path.exists(tmp_path / "r")
