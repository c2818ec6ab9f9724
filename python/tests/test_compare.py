"""Comparisons and their limits: the same answers as the command."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import ireescope as ie

TASK = "mlp-local-task.ireeprof"
VULKAN = "mlp-vulkan.ireeprof"
MATMUL = "matmul-vulkan.ireeprof"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def lines(run: subprocess.CompletedProcess[str]) -> list[dict[str, object]]:
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.parametrize("measure", ["kernel-time", "queue-time", "iteration-time", "wall"])
@pytest.mark.parametrize("by", ["iteration", "run"])
@pytest.mark.parametrize("pair", [(VULKAN, MATMUL), (TASK, "mlp-local-sync.ireeprof")])
def test_a_comparison_is_that_of_the_command(data: Path, command: Run, measure: str, by: str, pair: tuple[str, str]) -> None:
    base, new = (data / name for name in pair)
    flags = [f"--measure={measure}", f"--iterations={'auto' if by == 'iteration' else 'none'}"]
    compared = command("compare", f"base={base}", f"new={new}", *flags, "--format=jsonl")
    got = ie.compare(base=base, new=new, measure=measure, by=by)
    assert list(got.rows) == lines(compared)
    # The names of options differ.
    shown = command("compare", f"base={base}", f"new={new}", *flags).stdout.replace("--stat=mean", 'summary="mean"')
    assert got.text == shown


@pytest.mark.parametrize(("given", "flags"), [
    ({"summary": "min"}, ["--stat=min"]),
    ({"summary": "mean", "warmup": 2}, ["--stat=mean", "--warmup=2"]),
    ({"warmup": "keep"}, ["--warmup=keep"]),
    ({"warmup": 0}, ["--warmup=0"]),
    ({"filter": "*matmul*", "noise_floor": 0.5}, ["--filter=*matmul*", "--noise-floor=50%"]),
    ({"control": "*softmax*"}, ["--control=*softmax*"]),
    ({"calls": 20}, ["--calls=20"]),
])
def test_options_are_those_of_the_command(data: Path, command: Run, given: dict[str, Any], flags: list[str]) -> None:
    sides = [f"a={data / VULKAN}", f"b={data / VULKAN}"]
    compared = ie.compare(base=sides[0], new=sides[1], **given)
    assert compared.sides == ["a", "b"]
    assert list(compared.rows) == lines(command("compare", *sides, *flags, "--format=jsonl"))


def test_a_comparison_is_that_of_sql(data: Path) -> None:
    db = ie.open(f"a={data / VULKAN}", f"b={data / MATMUL}")
    got = ie.compare(base=f"a={data / VULKAN}", new=f"b={data / MATMUL}").rows
    (side, *rest) = got.columns
    assert side == "side"
    ours = [tuple(row[name] for name in rest) for row in got]
    theirs = db.sql(f"SELECT {', '.join(rest)} FROM comparison('a', 'b')").fetchall()
    assert sorted(map(str, ours)) == sorted(map(str, theirs))


def test_a_total_has_its_verdict(data: Path) -> None:
    got = ie.compare(base=data / VULKAN, new=data / MATMUL)
    total = next(row for row in got.rows if row["matched_by"] == "total")
    assert got.verdict == total["verdict"] == "not comparable"
    assert got.ratio == total["ratio"] and got.reason == total["reason"]
    assert got.interval == (total["ratio_low"], total["ratio_high"])
    (it,) = got.totals
    assert (it.side, it.base_ns, it.new_ns) == ("new", total["base_ns"], total["new_ns"])
    assert got.gate is None and got.gate_text is None
    with pytest.raises(ie.UsageError, match="no limits"):
        got.check()
    same = ie.compare(base=data / TASK, new=data / TASK)
    assert (same.verdict, same.ratio, same.interval, same.reason) == ("same", 1.0, (1.0, 1.0), None)


def test_what_a_side_can_be(data: Path, tmp_path: Path) -> None:
    shutil.copy(data / TASK, tmp_path / "first.ireeprof")
    shutil.copy(data / "loop-local-task.ireeprof", tmp_path / "second.ireeprof")
    both = [tmp_path / "first.ireeprof", tmp_path / "second.ireeprof"]
    with both[1].open("rb") as file:
        sides = [
            both,
            tuple(map(str, both)),
            tmp_path,
            str(tmp_path / "*.ireeprof"),
            [both[0].read_bytes(), file],
            [f"one={both[0]}", f"two={both[1]}"],
        ]
        compared = [ie.compare(base=side, new=data / TASK) for side in sides]
    first = compared[0]
    assert first.sides == ["base", "new"] and "base: 2 runs" in first.text
    # The reasons have the labels of bundles.
    figures = [[(row["base_function"], row["base_ns"], row["new_ns"]) for row in it.rows] for it in compared]
    assert all(it == figures[0] for it in figures)
    assert ie.compare(base=f"main={both[0]}", new=f"branch={both[1]}").sides == ["main", "branch"]
    assert ie.compare(base=both[0].read_bytes(), new=both[1].read_bytes()).sides == ["base", "new"]


def test_several_new_sides_are_compared(data: Path, command: Run) -> None:
    sides = {"task": data / TASK, "matmul": [data / "matmul-local-task.ireeprof"], "same=again": data / TASK}
    got = ie.compare(base=f"start={data / TASK}", new=sides)
    assert got.sides == ["start", "task", "matmul", "same=again"]
    assert [(it.side, it.verdict) for it in got.totals] == [
        ("task", "same"), ("matmul", "not comparable"), ("same=again", "same")
    ]
    words = [f"start={data / TASK}", f"task={data / TASK}", f"matmul={data / 'matmul-local-task.ireeprof'}"]
    expected = lines(command("compare", *words, "--format=jsonl"))
    assert [row for row in got.rows if row["side"] != "same=again"] == expected
    with pytest.raises(ie.UsageError, match="3 new sides"):
        print(got.verdict)


@pytest.mark.parametrize(("new", "fail_on", "gate"), [
    (VULKAN, {"slower": 0.02, "total": 0.005}, "passed"),
    (VULKAN, "slower", "passed"),
    (MATMUL, ["total:1%"], "unjudged"),
    (MATMUL, {"slower": 0.125}, "unjudged"),
])
def test_limits_are_those_of_the_command(data: Path, command: Run, new: str, fail_on: Any, gate: str) -> None:
    got = ie.compare(base=data / VULKAN, new=data / new, fail_on=fail_on)
    rules = fail_on if isinstance(fail_on, list) else [fail_on]
    if isinstance(fail_on, dict):
        rules = [f"{what}:{share * 100:g}%" for what, share in fail_on.items()]
    flags = [f"--fail-on={rule}" for rule in rules]
    ran = command("compare", f"base={data / VULKAN}", f"new={data / new}", *flags)
    assert got.gate == gate and ran.returncode == {"passed": 0, "unjudged": 5}[gate]
    assert got.gate_text is not None and got.gate_text.replace("fail_on", "--fail-on") in ran.stderr
    if gate == "unjudged":
        with pytest.raises(ie.VerdictError, match="cannot be judged"):
            got.check()
    else:
        assert got.check() is True


def test_a_budget_is_a_file_or_a_text(data: Path, tmp_path: Path) -> None:
    text = '[total]\ntime_ns = 1\n[functions."*_softmax_*"]\nslower = "3%"\n'
    path = tmp_path / "limits=all.toml"
    path.write_text(text)
    for budget in [text, "total.time_ns = 1", path, str(path)]:
        got = ie.compare(base=data / TASK, new=data / TASK, budget=budget)
        assert got.gate == "broken" and got.check() is False
        assert "budget" in str(got.gate_text) and "more than 1 ns" in str(got.gate_text)
    assert ie.compare(base=data / TASK, new=data / TASK, budget=data / "budget.toml").check()
    assert "failures=\"1\"" in got.to_junit()
    with pytest.raises(ie.UsageError, match="no function is called softmaxx; .*did you mean main_dispatch_2_softmax"):
        ie.compare(base=data / TASK, new=data / TASK, budget='[functions."softmaxx"]\nslower = "3%"')


def test_what_is_shown(data: Path, command: Run) -> None:
    got = ie.compare(base=data / VULKAN, new=f"<b>={data / MATMUL}", fail_on="slower")
    assert repr(got) == f"{got.text.rstrip()}\n\n{got.gate_text}"
    assert "&lt;b&gt;" in got._repr_html_() and "<b>" not in got._repr_html_()
    assert max(map(len, got.to_text(width=90).splitlines()[4:6])) <= 90
    markdown = command("compare", f"base={data / VULKAN}", f"<b>={data / MATMUL}", "--format=markdown", "--limit=0").stdout
    assert got.to_markdown(limit=0) == markdown.replace("--stat=mean", 'summary="mean"')
    assert "4 more functions" in ie.compare(base=data / TASK, new=data / TASK).to_text(limit=0)


@pytest.mark.parametrize(("given", "error", "text"), [
    ({"base": "TASK"}, ie.UsageError, "base and new"),
    ({"base": "TASK", "new": "TASK", "race": "x"}, ie.UsageError, "alone"),
    ({"base": "TASK", "new": []}, ie.UsageError, "new has no bundles"),
    ({"base": "TASK", "new": {}}, ie.UsageError, "no sides"),
    ({"race": "TASK"}, ie.UsageError, "is no capture set"),
    ({"base": "TASK", "new": "TASK", "measure": "time"}, ie.UsageError, "measure is one of kernel-time"),
    ({"base": "TASK", "new": "TASK", "by": "call"}, ie.UsageError, "by is one of iteration, run"),
    ({"base": "TASK", "new": "TASK", "summary": "max"}, ie.UsageError, "summary is one of"),
    ({"base": "TASK", "new": "TASK", "warmup": "x"}, ie.UsageError, "warmup is"),
    ({"base": "TASK", "new": "TASK", "noise_floor": -0.1}, ie.UsageError, "noise_floor is a share"),
    ({"base": "TASK", "new": "TASK", "noise_floor": float("nan")}, ie.UsageError, "noise_floor is a share"),
    ({"base": "TASK", "new": "TASK", "fail_on": {"faster": 0.1}}, ie.UsageError, "a rule is slower"),
    ({"base": "TASK", "new": "TASK", "fail_on": {"slower": -0.1}}, ie.UsageError, "share like 2%"),
    ({"base": "TASK", "new": "TASK", "budget": "nothing.toml"}, ie.UsageError, "budget nothing.toml"),
    ({"base": "TASK", "new": "TASK", "budget": "[total]\nfaster = 1"}, ie.UsageError, "unknown field"),
    ({"base": "TASK", "new": "TASK", "filter": "*matmull*"}, ie.UsageError, "did you mean main_dispatch_0_matmul"),
    ({"base": "TASK", "new": "TASK", "control": "x"}, ie.UsageError, "no control function"),
    ({"base": "TASK", "new": "VULKAN"}, ie.VerdictError, "base has host, new has device"),
    ({"base": "TASK", "new": "missing.ireeprof"}, ie.InputError, "no bundle at missing.ireeprof"),
    ({"base": "TASK", "new": "TASK", "nothing": 1}, TypeError, "no option nothing"),
])
def test_errors_are_exceptions(data: Path, given: dict[str, Any], error: type[Exception], text: str) -> None:
    paths = {"TASK": data / TASK, "VULKAN": data / VULKAN}
    given = {name: paths.get(value, value) if isinstance(value, str) else value for name, value in given.items()}
    with pytest.raises(error, match=text):
        ie.compare(**given)


def test_damage_has_a_place(data: Path, tmp_path: Path) -> None:
    path = tmp_path / "damaged.ireeprof"
    path.write_bytes((data / TASK).read_bytes()[:100] + b"\xff" * 100)
    with pytest.raises(ie.InputError) as raised:
        ie.compare(base=data / TASK, new=path)
    assert raised.value.path == str(path)


def test_warnings_are_those_of_opening(data: Path) -> None:
    with pytest.warns(ie.IreescopeWarning):
        ie.compare(base=data / "killed.ireeprof", new=data / "killed.ireeprof")
