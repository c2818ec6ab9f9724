"""Histories: the same answers as the command, and what happens to the folder."""

from __future__ import annotations

import datetime
import json
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ireescope as ie

TASK = "mlp-local-task.ireeprof"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(run: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize(("given", "flags"), [
    ({}, []),
    ({"limit": 1}, ["--limit=1"]),
    ({"labels": {"model": "mlp"}}, ["--label=model=mlp"]),
    ({"labels": ["model=mlp", "machine=ci-5"]}, ["--label=model=mlp", "--label=machine=ci-5"]),
    ({"branch": "other"}, ["--branch=other"]),
])
def test_entries_are_those_of_the_command(data: Path, command: Run, given: dict[str, Any], flags: list[str]) -> None:
    got = ie.History(data / "history").entries(**given)
    assert list(got) == lines(command("history", "list", data / "history", *flags, "--format=jsonl"))


@pytest.mark.parametrize(("given", "flags"), [
    ({}, []),
    ({"new": "5da3", "window": 2}, ["5da3", "--window=2"]),
    ({"new": "39b5", "branch": "main"}, ["39b5", "--branch=main"]),
    ({"across": "machine", "summary": "min", "noise_floor": 0.05}, ["--across=machine", "--stat=min", "--noise-floor=5%"]),
    ({"new": "TASK", "labels": {"model": "mlp"}}, ["TASK", "--label=model=mlp"]),
])
def test_a_check_is_that_of_the_command(data: Path, command: Run, given: dict[str, Any], flags: list[str]) -> None:
    given = {name: data / TASK if value == "TASK" else value for name, value in given.items()}
    flags = [str(data / TASK) if flag == "TASK" else flag for flag in flags]
    got = ie.History(data / "history").check(**given)
    ran = command("history", "check", data / "history", *flags, "--format=jsonl")
    assert got.comparison is not None and list(got.comparison.rows) == lines(ran)
    assert f"{got.name} is compared with {got.baseline}" in ran.stderr
    assert got.branch == "main" and set(got.labels) <= {"machine=ci-4", "model=mlp"}


@pytest.mark.parametrize(("given", "flags", "code"), [
    ({"fail_on": {"total": 0.05}}, ["--fail-on=total:5%"], 1),
    ({"fail_on": {"total": 0.5}}, ["--fail-on=total:50%"], 0),
    ({"budget": "total.time_ns = 1000"}, [], 1),
])
def test_limits_are_those_of_the_command(data: Path, command: Run, given: dict[str, Any], flags: list[str], code: int) -> None:
    got = ie.History(data / "history").check(**given)
    assert got.check() is (code == 0) and str(got.comparison.gate_text) in repr(got)
    if flags:
        ran = command("history", "check", data / "history", *flags)
        assert ran.returncode == code
        assert str(got.comparison.gate_text).replace("fail_on", "--fail-on") in ran.stderr


def test_a_history_grows(data: Path, tmp_path: Path, command: Run) -> None:
    history = ie.History(tmp_path / "results")
    bundles = [data / TASK, f"again={data / TASK}"]
    with pytest.raises(ie.UsageError):
        history.add(data / "history")
    assert not Path(history.folder).exists()
    time = datetime.datetime(2026, 1, 1, 10, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    first = history.add(data / TASK, commit="abc", labels={"model": "mlp", "machine": "a"}, time=time)
    assert first.runs == 1 and first.is_new and len(first.entry) == 12
    again = history.add(data / TASK, commit="abc", labels=["machine=a", "model=mlp"], time="2026-01-01T08:00:00Z")
    assert again == (first.entry, 1, False)
    # The command computes the same id.
    flags = ["--commit=abc", "--label=model=mlp", "--label=machine=a", "--time=2026-01-01T08:00:00Z"]
    assert command("history", "add", history.folder, data / TASK, *flags).stdout.split() == [first.entry]
    with pytest.raises(ie.VerdictError, match="nothing to compare with: main .* with machine=a,model=mlp"):
        history.check()
    passed = history.check(first_run="pass", fail_on="slower")
    assert passed.comparison is None and passed.baseline is None and passed.check() and "nothing" in repr(passed)
    with pytest.warns(ie.IreescopeWarning, match="is a copy of"):
        second = history.add(bundles, labels="model=mlp", branch="topic", time=datetime.date(2026, 1, 2), with_tables=True)
    assert [row["run_count"] for row in history.entries()] == [1, 2]
    assert ie.open(history.folder).sql("SELECT count(*) > 0 FROM host_execution_events").fetchone() == (True,)
    assert history.accept(branch="main", time="2026-01-03") == (f"{first.entry} (abc)", "main")
    assert history.accept(second.entry[:6]).branch == "topic"
    assert [row["accepted_time"] is None for row in history.entries()] == [False, False]
    with pytest.raises(ie.VerdictError, match="is the accepted baseline of main itself"):
        history.check(first.entry)
    assert history.check(data / TASK, branch="main").comparison.verdict == "same"
    assert history.compact() == (1, 3) and history.compact() == (0, 0)
    assert len(history.entries()) == 2


def test_a_change_is_found(data: Path, tmp_path: Path, command: Run) -> None:
    history = ie.History(tmp_path / "history")
    for day in range(1, 25):
        bundle = data / f"{'mlp' if day < 13 else 'matmul'}-vulkan.ireeprof"
        history.add(bundle, commit=f"c{day}", time=f"2026-01-{day:02}")
    drift = history.drift()
    expected = lines(command("history", "drift", history.folder, "--format=jsonl"))
    assert list(drift.changes) == expected and len(expected) == 1
    (change,) = drift.changes
    assert (change["scope"], change["previous_commit"], change["commit"]) == ("total", "c12", "c13")
    assert (drift.branch, drift.labels, drift.clock, drift.entries) == ("main", [], "device", 24)
    assert (drift.first_time, drift.last_time) == ("2026-01-01T00:00:00Z", "2026-01-24T00:00:00Z")
    assert "24 entries" in repr(drift) and "<table" in drift._repr_html_()
    few = history.drift(last=3, filter="*matmul*")
    assert not few.changes and few.entries == 3 and "no change found" in repr(few)


@pytest.mark.parametrize(("call", "error", "text"), [
    (lambda it: it.check(labels="model=bert"), ie.VerdictError, "no such entry"),
    (lambda it: it.check("ffff"), ie.VerdictError, "has no entry ffff"),
    (lambda it: it.check(window=0), ie.UsageError, "at least one"),
    (lambda it: it.check(first_run="fail"), ie.UsageError, "unjudged or pass"),
    (lambda it: it.check("missing.ireeprof"), ie.InputError, "missing.ireeprof"),
    (lambda it: it.check(labels="model"), ie.UsageError, "KEY=VALUE"),
    (lambda it: it.accept("ffff"), ie.VerdictError, "has no entry ffff"),
    (lambda it: it.accept(time="yesterday"), ie.UsageError, "write a time like"),
    (lambda it: it.drift(filter="*matmull*"), ie.UsageError, "did you mean"),
    (lambda it: ie.History(it.folder + "/none").entries(), ie.InputError, "no such folder"),
    (lambda it: ie.History(it.folder + "/none").drift(), ie.InputError, "no such folder"),
    (lambda it: ie.History(it.folder + "/month=2026-01").compact(), ie.InputError, "is no history"),
])
def test_errors_are_exceptions(data: Path, call: Callable[[ie.History], object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(ie.History(data / "history"))


def test_a_folder_that_cannot_be_written_is_an_error(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises((ie.ResourceError, ie.InputError)):
        ie.History(tmp_path / "file" / "history").add(data / TASK)


def test_damage_is_an_error(data: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(data / "history", tmp_path / "history")
    damaged = next(folder.rglob("history_runs.parquet"))
    damaged.write_bytes(b"damaged")
    with pytest.raises(ie.InputError) as raised:
        ie.History(folder).check()
    assert raised.value.path == str(damaged)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.03, 0.1])
def test_ctrl_c_leaves_no_half_entry(data: Path, tmp_path: Path, delay: float) -> None:
    folder = tmp_path / "history"
    script = """
        import os, signal, sys, threading, time
        import ireescope
        def press():
            time.sleep(float(sys.argv[3]))
            os.kill(os.getpid(), signal.SIGINT)
        try:
            threading.Thread(target=press).start()
            ireescope.History(sys.argv[1]).add(sys.argv[2], with_tables=True)
            time.sleep(1)
        except KeyboardInterrupt:
            os._exit(7)
        """
    words = [sys.executable, "-c", textwrap.dedent(script), str(folder), str(data / TASK), str(delay)]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 7, ran.stderr
    pieces = {path.parent.name for path in folder.rglob("*.parquet")}
    assert len(pieces) <= 1 and not [name for name in pieces if "." in name]
    if pieces:
        assert len(ie.History(folder).entries()) == 1
        assert ie.History(folder).check(data / TASK).comparison.verdict == "same"


def test_ctrl_c_ends_waiting_for_others(data: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(data / "history", tmp_path / "history")
    script = """
        import fcntl, os, signal, sys, threading, time
        import ireescope
        def press():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)
        with open(sys.argv[1] + "/history.json") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            try:
                threading.Thread(target=press).start()
                ireescope.History(sys.argv[1]).compact()
            except KeyboardInterrupt:
                os._exit(7)
        """
    words = [sys.executable, "-c", textwrap.dedent(script), str(folder)]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 7, ran.stderr
    assert ie.History(folder).compact() == (1, 3)
