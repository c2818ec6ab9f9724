"""Tests of tuning specs with IREE's compiler."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import ireescope as ie
import pytest

CPU = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
]

Command = Callable[..., CompletedProcess[str]]


def lines(said: CompletedProcess[str]) -> list[dict[str, Any]]:
    """Returns the rows that a command printed as JSON lines."""
    return [json.loads(line) for line in said.stdout.splitlines()]


def full(rows: ie.Rows) -> list[dict[str, Any]]:
    """Returns rows as JSON lines have them."""
    return json.loads(json.dumps(list(rows)))


@pytest.fixture(scope="module")
def matmul(data: Path) -> Path:
    return data / "models" / "matmul.mlir"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, matmul: Path, tools: Path) -> Path:
    """A spec that is applied."""
    path = tmp_path_factory.mktemp("spec") / "tuned.mlir"
    told: list[str] = []
    trial = ie.spec.write(
        matmul,
        path,
        dispatch="*matmul*",
        set={"distribution": [64, 64, 0], "vector_common_parallel[1]": 8},
        compiler_flags=CPU,
        tool_folder=tools,
        progress=lambda text, done, total: told.append(text),
    )
    assert trial and trial.path == str(path) and path.exists() and len(told) == 2
    assert trial.reason is None and "applied" in trial.summary and trial.results is None
    assert trial.flags[0].endswith(f"={path}") and "applied" in repr(trial) and "<table" in trial._repr_html_()
    return path


def test_knobs_are_those_of_the_command(data: Path, command: Command) -> None:
    dumps, bundle = data / "configurations" / "mlp", data / "mlp-local-task.ireeprof"
    for words, given in (
        ([], {}),
        ([f"--profile={bundle}"], {"profile": bundle}),
        (["--filter=*matmul*"], {"filter": "*matmul*"}),
    ):
        said = command("spec", "knobs", dumps, "--format=jsonl", *words)
        assert said.returncode == 0, said
        rows = ie.spec.knobs(dumps, **given)
        assert full(rows) == lines(said) and rows
    times = [row["total_ns"] for row in ie.spec.knobs([dumps], profile=[str(bundle)])]
    assert times == sorted(times, reverse=True) and times[0] > 0
    with pytest.warns(ie.IreescopeWarning, match="no dispatch matches"):
        assert not ie.spec.knobs(dumps, filter="nothing")


def test_knobs_of_a_model(matmul: Path, tools: Path, command: Command) -> None:
    rows = ie.spec.knobs(matmul, compiler_flags=CPU, tool_folder=tools)
    said = command("spec", "knobs", matmul, "--format=jsonl", f"--iree-bin-dir={tools}", "--", *CPU)
    assert said.returncode == 0, said
    assert full(rows) == lines(said)
    assert {row["operation"] for row in rows} == {"linalg.matmul"}


def test_a_spec_is_shown_and_compared(data: Path, command: Command) -> None:
    first, other = (data / "specs" / name for name in ("first.mlir", "other.mlir"))
    for path in (first, other, data / "specs" / "softmax.mlir"):
        assert full(ie.spec.show(path)) == lines(command("spec", "show", path, "--format=jsonl"))
    rows = ie.spec.diff(first, other)
    assert full(rows) == lines(command("spec", "diff", first, other, "--format=jsonl")) and rows
    assert not ie.spec.diff(first, first)


def test_verify_answers_as_the_command(written: Path, matmul: Path, data: Path, tools: Path, command: Command) -> None:
    for model, is_good in ((matmul, True), (data / "models" / "mlp.mlir", False)):
        trial = ie.spec.verify(written, model, compiler_flags=CPU, tool_folder=tools)
        said = command("spec", "verify", written, model, "--format=jsonl", f"--iree-bin-dir={tools}", "--", *CPU)
        assert said.returncode == (0 if is_good else 1), said
        assert full(trial.rows) == lines(said)
        assert bool(trial) == is_good
    assert trial.reason == "1 of 1 matcher not applied" and [row["result"] for row in trial.rows] == ["never"]


def test_what_the_compiler_refuses_is_told(written: Path, matmul: Path, tools: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.mlir"
    broken.write_text(written.read_text().replace("transform.annotate", "transform.annotat"))
    trial = ie.spec.verify(broken, matmul, compiler_flags=CPU, tool_folder=tools)
    assert not trial and "custom op 'transform.annotat' is unknown" in trial.reason
    assert not trial.rows and trial.flags == [] and "refuses" in repr(trial)


def test_results_are_compared(written: Path, matmul: Path, tools: Path) -> None:
    flags = ["--device=local-task", "--function=main", "--input=256x512xf32", "--input=512x128xf32"]
    trial = ie.spec.verify(
        written, matmul, check_results=True, run_flags=flags, compiler_flags=CPU, tool_folder=tools
    )
    assert trial and trial.results and "random" in trial.results
    with pytest.raises(ie.VerdictError, match="results cannot be compared"):
        ie.spec.verify(
            written, matmul, check_results=True, run_flags=["--function=no"], compiler_flags=CPU, tool_folder=tools
        )


def test_a_spec_with_other_results_is_not_written(matmul: Path, tools: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "iree-compile").symlink_to(tools / "iree-compile")
    tool = tmp_path / "bin" / "iree-run-module"
    tool.write_text(
        "#!/bin/sh\nvalue=AAAA\ncase \"$*\" in *untuned*) value=BBBB ;; esac\necho 'result[0]: hal.buffer_view'\n"
        "echo '1xi32=1'\nfor word; do case \"$word\" in --output=@*) printf $value > \"${word#--output=@}\" ;; esac; done\n"
    )
    tool.chmod(0o755)
    output = tmp_path / "none.mlir"
    trial = ie.spec.write(
        matmul,
        output,
        dispatch="*",
        set={"distribution": [64, 64, 0]},
        check_results=True,
        run_flags=["--function=main"],
        compiler_flags=CPU,
        tool_folder=tmp_path / "bin",
    )
    assert not trial and trial.path is None and trial.results is None and not output.exists()
    assert "the results differ from those of the untuned model: result 0" in trial.reason


def test_specs_are_joined(written: Path, tools: Path, tmp_path: Path, matmul: Path, command: Command) -> None:
    same, other = tmp_path / "same.mlir", tmp_path / "other.mlir"
    shutil.copy(written, same)
    other.write_text(written.read_text().replace("[64, 64, 0]", "[32, 64, 0]"))
    output, theirs = tmp_path / "out.mlir", tmp_path / "theirs.mlir"
    merged = ie.spec.merge([written, same], output)
    assert merged and merged.path == str(output) and merged.matchers == 1 and not merged.conflicts
    assert [path for path, _ in merged.repeated] == [str(same)] and merged.trial is None
    assert command("spec", "merge", written, same, "-o", theirs).returncode == 0
    assert output.read_bytes() == theirs.read_bytes()
    # Conflicts need a choice.
    output.unlink()
    merged = ie.spec.merge([written, other], output)
    assert not merged and not output.exists() and merged.path is None and 'prefer="first"' in merged.reason
    said = command("spec", "merge", written, other, "-o", output)
    assert said.returncode == 1 and "1 conflict" in said.stderr
    [conflict] = list(merged.conflicts)
    assert (conflict["spec"], conflict["hidden_spec"]) == (str(written), str(other))
    assert (conflict["knob"], conflict["value"], conflict["hidden_value"]) == ("distribution", "[64, 64, 0]", "[32, 64, 0]")
    assert "conflict" in repr(merged) and "<table" in merged._repr_html_()
    for prefer, value in (("first", "[64, 64, 0]"), ("last", "[32, 64, 0]")):
        merged = ie.spec.merge(
            [written, other], output, prefer=prefer, model=matmul, compiler_flags=CPU, tool_folder=tools
        )
        assert merged and merged.trial and merged.trial.path == str(output)
        assert value in {row["value"] for row in ie.spec.show(output)}


def test_wrong_requests_are_told(data: Path, matmul: Path, tools: Path, tmp_path: Path, written: Path) -> None:
    output, real = tmp_path / "none.mlir", {"compiler_flags": CPU, "tool_folder": tools}
    for dispatch, values, text in (
        ("*", {"distribution[9]": 1}, r"\[9\] is no index of \["),
        ("*", {"distributon": [1]}, "there is no knob distributon"),
        ("x", {"a": 1}, "there are:\n  main_dispatch_0_matmul"),
        ("*", {"distribution": "[1"}, "the value of distribution"),
        ("*", {}, "set has no knob"),
    ):
        with pytest.raises(ie.UsageError, match=text):
            ie.spec.write(matmul, output, dispatch=dispatch, set=values, **real)
    with pytest.raises(ie.UsageError, match="prefer is first or last"):
        ie.spec.merge([written, written], output, prefer="best")
    with pytest.raises(ie.UsageError, match="two files"):
        ie.spec.merge([written], output)
    with pytest.raises(ie.UsageError, match="run_flags need check_results"):
        ie.spec.verify(written, matmul, run_flags=["--function=main"], **real)
    with pytest.raises(ie.InputError) as caught:
        ie.spec.show(tmp_path / "no.mlir")
    assert caught.value.path == str(tmp_path / "no.mlir")
    with pytest.raises(ie.InputError, match="cannot read the tuning spec"):
        ie.spec.show(matmul)
    refused = tmp_path / "model.mlir"
    refused.write_text("func.func @main(")
    with pytest.raises(ie.InputError, match="iree-compile refuses"):
        ie.spec.knobs(refused, **real)
    with pytest.raises(ie.ResourceError, match="there is no iree-compile.*tool_folder"):
        ie.spec.knobs(matmul, tool_folder=tmp_path)
    with pytest.raises(ie.ResourceError, match="timed out.*compile_limit"):
        ie.spec.knobs(matmul, compile_limit=0.001, **real)
    assert not output.exists()


def test_an_exception_of_progress_leaves_no_spec(matmul: Path, tools: Path, tmp_path: Path) -> None:
    def stop(text: str, done: int | None, total: int | None) -> None:
        raise KeyboardInterrupt

    output = tmp_path / "none.mlir"
    with pytest.raises(KeyboardInterrupt):
        ie.spec.write(matmul, output, dispatch="*", set={"distribution": [64, 64, 0]}, tool_folder=tools, progress=stop)
    assert not list(tmp_path.iterdir())


def test_ctrl_c_ends_the_compiler(matmul: Path, tools: Path, tmp_path: Path) -> None:
    compiler = tmp_path / "iree-compile"
    compiler.write_text(
        f"#!/bin/sh\ncase \"$1\" in --*) exec '{tools}/iree-compile' \"$@\" ;; esac\n"
        f"echo $$ > '{tmp_path}/process'\nexec sleep 60\n"
    )
    compiler.chmod(0o755)

    def interrupt() -> None:
        while not (tmp_path / "process").exists():
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ie.spec.knobs(matmul, tool_folder=tmp_path)
    assert time.monotonic() - begun < 30
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "process").read_text()), 0)
