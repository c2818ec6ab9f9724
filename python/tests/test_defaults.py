"""The defaults of functions are those of the commands, whose help tells those of the library."""

from __future__ import annotations

import inspect
import re
import subprocess
from collections.abc import Callable

import pytest

import ireescope

Run = Callable[..., "subprocess.CompletedProcess[str]"]

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def defaults(command: Run, *words: str) -> dict[str, str]:
    """Returns the defaults that the help of a command tells, by flag."""
    text = command(*words, "--help").stdout
    options = re.split(r"^ +(?:-\w, )?--", text, flags=re.M)[1:]
    found = ((re.match(r"[a-z0-9-]+", option), re.search(r"\[default:\s+([^\],]+)", option)) for option in options)
    return {name[0]: value[1].strip() for name, value in found if name and value}


def value(text: str) -> object:
    """Returns a number, a share, a time in seconds, or the text itself."""
    if found := re.fullmatch(r"(\d+(?:\.\d+)?)([%smh]?)", text):
        number, unit = float(found[1]), found[2]
        return number / 100 if unit == "%" else number * UNITS.get(unit, 1.0)
    return text


@pytest.mark.parametrize(
    ("words", "function", "flags"),
    [
        (["top"], ireescope.Database.top, ["by", "sort", "warmup"]),
        (["compare"], ireescope.compare, ["measure", "stat=summary", "warmup"]),
        (["race"], ireescope.race, ["repeat=runs", "seed"]),
        (["capture"], ireescope.capture, ["repeat"]),
        (["fill"], ireescope.fill, ["repeat"]),
        (["history", "add"], ireescope.History.add, ["branch", "warmup"]),
        (["history", "check"], ireescope.History.check, ["stat=summary", "warmup"]),
        (["history", "drift"], ireescope.History.drift, ["last"]),
        (["spec", "verify"], ireescope.spec.verify, ["compile-timeout=compile_limit", "run-timeout=run_limit"]),
        (["spec", "write"], ireescope.spec.write, ["compile-timeout=compile_limit", "run-timeout=run_limit"]),
        (["spec", "merge"], ireescope.spec.merge, ["compile-timeout=compile_limit", "run-timeout=run_limit"]),
        (["spec", "knobs"], ireescope.spec.knobs, ["compile-timeout=compile_limit"]),
        (
            ["bench", "run"],
            ireescope.bench,
            [
                "generated-dir=output",
                "device",
                "cuda-arch=cuda_arch",
                "rocm-target=rocm_target",
                "target-cpu=target_cpu",
                "processes",
                "benchmark-repetitions=benchmark_repetitions",
                "warmup-repetitions=warmup_repetitions",
                "batch-size=batch_size",
                "compile-timeout=compile_limit",
                "run-timeout=run_limit",
            ],
        ),
    ],
)
def test_of_signatures(command: Run, words: list[str], function: Callable[..., object], flags: list[str]) -> None:
    told, parameters = defaults(command, *words), inspect.signature(function).parameters
    for pair in flags:
        flag, _, name = pair.partition("=")
        assert value(told[flag]) == parameters[name or flag].default, (words, pair)


def test_of_tune(command: Run) -> None:
    told, text = defaults(command, "tune"), inspect.getdoc(ireescope.tune) or ""
    names = {"noise-floor": "noise_floor", "compile-timeout": "compile_limit", "run-timeout": "run_limit"}
    for flag in ["cover", "budget", "candidates", "patience", "noise-floor", "seed", "compile-timeout", "run-timeout"]:
        name = names.get(flag, flag)
        found = re.search(rf"`{name}`[^()]*\((\d+(?:\.\d+)?)(?: by default)?\)", text)
        assert found and float(found[1]) == value(told[flag]), flag
        assert inspect.signature(ireescope.tune).parameters[name].default is None
