"""Tests of measuring dispatches with IREE's tools."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import ireescope as ie
import pytest

#: A small operation, as parameters and as flags.
SMALL = {"types": "f32", "problem_m": 32, "problem_n": (32,), "problem_k": "32", "operation_kind": "matmul"}
FLAGS = ["--types=f32", "--problem-m=32", "--problem-n=32", "--problem-k=32", "--operation-kind=matmul"]
#: One dispatch of it, measured quickly.
ONE = {"dispatches": "default", "default_config": True, "processes": 2, "batch_size": 4, "benchmark_repetitions": 2}

Command = Callable[..., CompletedProcess[str]]


def test_dry_run_has_the_lines_of_the_command(tmp_path: Path, command: Command) -> None:
    for mode in ("generate", "compile", "verify", "profile", "run"):
        plan = ie.bench(tmp_path, mode=mode, dry_run=True, **SMALL)
        said = command("bench", mode, "--dry-run", f"--generated-dir={tmp_path}", *FLAGS)
        assert said.returncode == 0, said
        assert plan.commands == said.stdout.splitlines()
        assert plan.rows is None and plan.dispatches == 1 and plan.mode == mode
    assert not os.listdir(tmp_path)


def test_generate_writes_what_the_command_writes(tmp_path: Path, command: Command) -> None:
    mine, other = tmp_path / "mine", tmp_path / "other"
    made = ie.bench(mine, mode="generate", **SMALL, device="vulkan")
    said = command("bench", "generate", f"--generated-dir={other}", *FLAGS, "--device=vulkan")
    assert said.returncode == 0, said
    files = [path.relative_to(other) for path in sorted(other.rglob("*")) if path.is_file()]
    assert files and files == [path.relative_to(mine) for path in sorted(mine.rglob("*")) if path.is_file()]
    for file in files:
        assert (mine / file).read_bytes() == (other / file).read_bytes()
    assert [os.path.exists(path) for path in made.sources] == [True]
    assert all(reason for _, reason in made.skipped)
    assert "generate" in repr(made) and "<p>" in made._repr_html_()


def test_run_measures_verifies_and_remembers(tmp_path: Path, tools: Path, command: Command) -> None:
    told: list[tuple[str, int | None, int | None]] = []
    done = ie.bench(
        tmp_path,
        **SMALL,
        **ONE,
        epilogue="none",
        tool_folder=tools,
        report=tmp_path / "all.csv",
        tags={"cpu": "any"},
        progress=lambda *what: told.append(what),
    )
    assert done and (done.dispatches, done.passed, done.failed, done.wrong, done.known) == (1, 1, 0, 0, 0)
    [row] = list(done.rows)
    assert (row["verification"], row["outcome"], row["process_count"]) == ("SUCCESS", "passed", 2)
    assert row["median_ns"] > 0 and row["timing_source"]
    assert any(text.startswith("compiled ") and (done, total) == (1, 1) for text, done, total in told)
    assert any(text.startswith("measuring ") for text, _, _ in told)
    # The rows are those of SQL over the folder.
    assert list(done.open()["dispatch_runs"]) == [row]
    assert {column.name: column.unit for column in done.rows.describe()}["median_ns"] == "ns"
    with open(tmp_path / "all.csv", newline="", encoding="utf-8") as file:
        [line] = list(csv.DictReader(file))
    assert line["cpu"] == "any" and float(line["Runtime(ms)"]) == row["runtime_ms"]
    # The command and another call know it.
    said = command(
        "bench", "run", f"--generated-dir={tmp_path}", f"--iree-bin-dir={tools}", *FLAGS, "--epilogue=none",
        "--default-config", "--dispatches=default", "--processes=2", "--batch-size=4", "--benchmark-repetitions=2",
    )  # fmt: skip
    assert said.returncode == 0 and "1 of 1 dispatches were measured before" in said.stderr, said
    again = ie.bench(tmp_path, **SMALL, **ONE, epilogue="none", tool_folder=tools)
    assert again.known == 1 and [it["median_ns"] for it in again.rows] == [row["median_ns"]]
    assert row["configuration"] in again._repr_html_() and "1 of 1" in repr(again)


def test_failures_are_rows(tmp_path: Path, tools: Path) -> None:
    flags = ["--no-such-flag"]
    done = ie.bench(tmp_path, **SMALL, **ONE, epilogue="none", tool_folder=tools, compiler_flags=flags)
    assert not done and (done.passed, done.failed) == (0, 1)
    [row] = list(done.rows)
    assert (row["stage"], row["outcome"]) == ("compile", "failed") and "no-such-flag" in row["message"]


def test_a_missing_tool_is_an_error_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(ie.ResourceError, match="there is no iree-compile.*parameter `tool_folder`"):
        ie.bench(tmp_path, **SMALL, **ONE, epilogue="none", tool_folder=tmp_path / "none")


def test_an_exception_of_progress_ends_it_and_leaves_no_half_file(tmp_path: Path, tools: Path) -> None:
    def stop(text: str, done: int | None, total: int | None) -> None:
        if text.startswith("measuring"):
            raise KeyboardInterrupt

    report = tmp_path / "all.jsonl"
    report.write_text("before\n")
    with pytest.raises(KeyboardInterrupt):
        ie.bench(tmp_path, **SMALL, **ONE, epilogue="none", tool_folder=tools, report=report, progress=stop)
    assert report.read_text() == "before\n"
    assert not list(tmp_path.rglob("*.tmp"))
    # It goes on afterwards.
    done = ie.bench(tmp_path, **SMALL, **ONE, epilogue="none", tool_folder=tools, report=report)
    assert done and [json.loads(line)["outcome"] for line in report.read_text().splitlines()] == ["passed"]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"types": "f31"}, "unknown"),
        ({"problem_m": "1:x"}, "not a valid sweep"),
        ({"device": "abacus"}, "device is one of local-task"),
        ({"mode": "measure"}, "mode is one of generate"),
        ({"processes": 0}, "processes is a number from 1 to 1000"),
        ({"run_limit": 0}, "run_limit is a positive number of seconds"),
        ({"dispatches": "nothing like it"}, "no dispatch matches"),
        ({"append": True}, "append needs report"),
        ({"compiler_flags": "--a"}, "compiler_flags is a list of words"),
    ],
)
def test_wrong_parameters_are_told(tmp_path: Path, given: dict[str, object], text: str) -> None:
    with pytest.raises(ie.UsageError, match=text):
        ie.bench(tmp_path, **{**SMALL, "dry_run": True, **given})
    assert not os.listdir(tmp_path)


@pytest.mark.filterwarnings("ignore:.*is skipped")
def test_the_predefined_list_is_a_warning(tmp_path: Path) -> None:
    with pytest.warns(ie.IreescopeWarning, match="predefined"):
        assert ie.bench(tmp_path, dry_run=True, types="f32").dispatches > 10


def test_peaks_are_stored(tmp_path: Path, tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    told: list[str] = []
    rows = ie.peaks(size=16, name="small <one>", tool_folder=tools, progress=lambda text, *_: told.append(text))
    assert {row["device"] for row in rows} == {"small <one>"}
    assert "f32" in {row["dtype"] for row in rows} and told
    stored = list(ie.open().sql(f"SELECT {', '.join(rows.columns)} FROM device_peaks WHERE device = 'small <one>'"))
    # The file is JSON, which is read to the last digit but one.
    by_type = {row["dtype"]: row for row in rows}
    assert len(stored) == len(by_type)
    for row in stored:
        assert row == pytest.approx(by_type[row["dtype"]])
    with pytest.raises(ie.UsageError, match="size is a number from 16"):
        ie.peaks(size=3, tool_folder=tools)
