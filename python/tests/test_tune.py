"""Tests of tuning models with IREE's tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import ireescope as ie
import pytest

#: A convolution with batches of any size, for which the compiler chooses badly.
CONVOLUTION = """
func.func @main(%image: tensor<?x64x128xf32>, %filter: tensor<64x64x5xf32>) -> tensor<?x64x124xf32> {
  %first = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %image, %first : tensor<?x64x128xf32>
  %empty = tensor.empty(%batch) : tensor<?x64x124xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64x124xf32>) -> tensor<?x64x124xf32>
  %result = linalg.conv_1d_ncw_fcw ins(%image, %filter : tensor<?x64x128xf32>, tensor<64x64x5xf32>)
    outs(%fill : tensor<?x64x124xf32>) -> tensor<?x64x124xf32>
  return %result : tensor<?x64x124xf32>
}
"""

#: Values of it that are many times as fast.
FAST = {
    "*": {
        "distribution": ["[1, 16, 4, 0, 0]"],
        "vector_common_parallel": ["[1, 8, 4, 0, 0]"],
        "vector_reduction": ["[0, 0, 0, 4, 1]"],
    }
}

RUN = [
    "iree-benchmark-module",
    "--device=local-task",
    "--function=main",
    "--input=8x64x128xf32",
    "--input=64x64x5xf32",
    "--benchmark_min_time=3x",
]

Command = Callable[..., CompletedProcess[str]]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "space.json").write_text(json.dumps(FAST))
    path = tmp_path / "model.mlir"
    path.write_text(CONVOLUTION)
    return path


def test_a_plan_is_made_and_measured_once(model: Path, tools: Path) -> None:
    plan = ie.tune(model, RUN, dry_run=True, tool_folder=tools)
    assert plan.outcome == "planned" and not plan and plan.report is None and plan.speedup is None
    [row] = [row for row in plan.dispatches if row["is_chosen"]]
    assert "conv" in row["dispatch"] and row["time_ns"] > 0 and row["configuration_count"] > 1
    stored = plan.open().sql(f"SELECT {', '.join(plan.dispatches.columns)} FROM tune_dispatches")
    assert list(stored) == list(plan.dispatches)
    assert {it.name: it.unit for it in plan.dispatches.describe()}["time_ns"] == "ns"
    # The times of a bundle are the same, and nothing is run.
    captures = Path(plan.folder) / "captures"
    before = sorted(captures.iterdir())
    again = ie.tune(model, RUN, dry_run=True, tool_folder=tools, profile=captures / "run-2.ireeprof")
    assert list(again.dispatches) == list(plan.dispatches) and sorted(captures.iterdir()) == before
    assert "planned" in repr(plan) and "conv" in plan._repr_html_()


def test_a_faster_model_is_proven_and_the_command_agrees(model: Path, tools: Path, command: Command) -> None:
    told: list[tuple[str, int | None, int | None]] = []
    folder = model.parent / "tuned <here>"
    given = {"output": folder, "space": model.parent / "space.json", "tool_folder": tools, "candidates": 8}
    tuned = ie.tune(model, RUN, progress=lambda *what: told.append(what), **given)
    assert tuned and tuned.outcome == "faster" and tuned.is_in_time, told
    low, high = tuned.speedup_interval
    assert 1 < low <= tuned.speedup <= high and tuned.untuned_ns > tuned.tuned_ns
    assert Path(tuned.spec).exists() and Path(tuned.module).exists() and tuned.flags[0].endswith(tuned.spec)
    assert any(done is not None and total == 8 for _, done, total in told)
    assert any(text.startswith("block ") for text, _, _ in told)
    assert "times as fast" in repr(tuned) and "tuned &lt;here&gt;" in tuned._repr_html_()
    # The folder has the same, and the command only repeats it.
    [run] = list(tuned.open().sql("SELECT state, 1 / time_ratio AS speedup, tuned_ns FROM tune_runs"))
    assert run == {"state": "faster", "speedup": tuned.speedup, "tuned_ns": tuned.tuned_ns}
    stored = tuned.open().sql(f"SELECT {', '.join(tuned.dispatches.columns)} FROM tune_dispatches")
    assert list(stored) == list(tuned.dispatches)
    captures = len(list((folder / "captures").iterdir()))
    said = command(
        "tune", model, "-o", folder, f"--space={given['space']}", f"--iree-bin-dir={tools}", "--candidates=8", "--", *RUN
    )
    assert said.returncode == 0 and said.stdout == tuned.report, said
    resumed = ie.tune(output=folder, resume=True, tool_folder=tools)
    assert resumed.report == tuned.report and resumed.speedup == tuned.speedup
    assert len(list((folder / "captures").iterdir())) == captures
    assert ie.spec.verify(tuned.spec, model, tool_folder=tools)


def test_candidates_are_compiled_for_elsewhere(model: Path, tools: Path) -> None:
    told: list[str] = []
    tuned = ie.tune(
        model,
        output=model.parent / "out",
        compile_only=True,
        candidates=2,
        space=model.parent / "space.json",
        tool_folder=tools,
        progress=lambda text, *_: told.append(text),
    )
    assert tuned.outcome == "compiled" and tuned.counts == {"compiled": 2, "not_applied": 0, "not_compiled": 0}
    assert told and "2 compiled" in repr(tuned)
    assert [row["time_ns"] for row in tuned.dispatches] == [None] * len(tuned.dispatches)


def test_a_search_in_which_nothing_compiles_says_why(model: Path, tools: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("iree-run-module", "iree-benchmark-module"):
        (tmp_path / "bin" / name).symlink_to(tools / name)
    compiler = tmp_path / "bin" / "iree-compile"
    compiler.write_text(
        "#!/bin/sh\ncase \"$*\" in *-spec-path=*candidate*vmfb*) echo \"m.mlir:$$:7: error: no room for $$ tiles\" >&2; exit 1 ;; esac\n"
        f"exec {tools / 'iree-compile'} \"$@\"\n"
    )
    compiler.chmod(0o755)
    told: list[str] = []
    tuned = ie.tune(
        model, RUN, space=tmp_path / "space.json", tool_folder=tmp_path / "bin", progress=lambda text, *_: told.append(text)
    )
    assert not tuned and tuned.outcome == "not_measured" and "not measured" in repr(tuned)
    [row] = [row for row in tuned.dispatches if row["is_chosen"]]
    count = row["tried_count"]
    assert count > 0 and row["measured_count"] == 0 and row["refusal"].startswith("no room for ")
    said = f"0 of {count} configuration{'s' * (count > 1)} compiled (most common reason, {count} time"
    assert said in tuned.report and any(said in text for text in told), told
    stored = tuned.open().sql(f"SELECT {', '.join(tuned.dispatches.columns)} FROM tune_dispatches")
    assert list(stored) == list(tuned.dispatches)


def test_what_was_measured_is_kept_when_it_is_stopped(model: Path, tools: Path) -> None:
    def stop(text: str, done: int | None, total: int | None) -> None:
        if text.startswith("a run takes"):
            raise KeyboardInterrupt

    given = {"space": model.parent / "space.json", "tool_folder": tools, "candidates": 1, "budget": 60}
    with pytest.raises(KeyboardInterrupt):
        ie.tune(model, RUN, progress=stop, **given)
    folder = model.parent / "model.tune"
    assert not (folder / "tuned.mlir").exists() and not list(folder.rglob("*.tmp"))
    captures = len(list((folder / "captures").glob("*.ireeprof")))
    assert captures > 0
    # A later call goes on.
    plan = ie.tune(model, RUN, dry_run=True, **given)
    assert plan.folder == str(folder) and len(list((folder / "captures").glob("*.ireeprof"))) == captures


def test_wrong_parameters_leave_no_folder(model: Path, tools: Path, tmp_path: Path) -> None:
    real = {"tool_folder": tools}
    for given, text in (
        ({"command": []}, "command is the command that runs the model"),
        ({"command": "iree-benchmark-module --function=main"}, "command is a list of words"),
        ({"command": ["iree-run-module", "--module=m.vmfb"]}, "leave out the module"),
        ({"dispatches": "*softmax*", "dry_run": True}, r"[Nn]o dispatch matches dispatches=\*softmax\*"),
        ({"cover": -1}, "cover is a share of 1"),
        ({"top": 0}, "top is a number at least 1"),
        ({"budget": 0}, "budget is a positive number of seconds"),
        ({"budget": 0.5}, "budget=0.5 is too short"),
        ({"output": tmp_path, "resume": True}, "has no run of tune to go on with"),
        ({"resume": True}, "resume=True needs output"),
    ):
        with pytest.raises(ie.UsageError, match=text):
            ie.tune(**{"model": model, "command": RUN, **real, **given})
        assert not (tmp_path / "model.tune").exists()
    with pytest.raises(ie.UsageError, match="name a model"):
        ie.tune(command=RUN, **real)
    with pytest.raises(ie.InputError, match="cannot read"):
        ie.tune(tmp_path / "no.mlir", RUN, **real)
    bad = tmp_path / "bad.mlir"
    bad.write_text("func.func @main() { return 1 }")
    with pytest.raises(ie.InputError, match="iree-compile refuses"):
        ie.tune(bad, RUN, **real)
    with pytest.raises(ie.ResourceError, match="there is no iree-compile"):
        ie.tune(model, RUN, tool_folder=tmp_path)


def test_options_of_opening_name_the_device_of_peaks(
    data: Path, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(data / "cache"))
    run = ["iree-benchmark-module", "--function=main", "--input=256x512xf32", "--input=512x128xf32"]
    plan = ie.tune(
        data / "models" / "matmul.mlir",
        [*run, "--benchmark_min_time=3x"],
        output=tmp_path / "out",
        device="local-sync",
        dry_run=True,
        opening={"device": "AMD EPYC"},
        tool_folder=tools,
    )
    assert all(row["roof_fraction"] > 0 for row in plan.dispatches) and plan.dispatches
    [words] = plan.open().sql("SELECT command FROM tune_runs").fetchall()
    assert words[0].endswith("--device=local-sync")
