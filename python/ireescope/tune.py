"""Finds configurations of a model's dispatches that are faster, and proves that they are."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Sequence, Union

from ireescope import _native
from ireescope.bench import Names, Progress, names, words
from ireescope.opening import options
from ireescope.rows import Rows

if TYPE_CHECKING:
    from ireescope.database import Database
    from ireescope.opening import OpenOptions

#: A file or folder.
Path = Union[str, "os.PathLike[str]"]


class Tuned:
    """How tuning ended. `bool(tuned)` is whether the tuned model is proven to be faster."""

    __slots__ = ("_done", "dispatches", "folder")

    def __init__(self, done: _native._Tuned) -> None:
        self._done = done
        #: The folder of the trials and results.
        self.folder = os.fspath(done["folder"])
        #: The dispatches of the model: their times in an iteration of the untuned model in nanoseconds, whether they were
        #: chosen, and if not why; how many of their configurations were tried and measured, and why the others were not; and
        #: if the tuned model is faster, what was gained: `best_configuration`, `time_ratio` and its interval. The columns are those of `tune_dispatches` in docs/tables.md.
        self.dispatches = Rows(done["dispatches"])

    @property
    def outcome(self) -> str:
        """`faster`, `not_faster`, `not_measured` (no candidate compiled and ran), `nothing_to_tune`, `planned` (by `dry_run`)
        or `compiled` (by `compile_only`)."""
        return self._done["outcome"]

    @property
    def is_in_time(self) -> bool:
        """Whether there was time to decide. If not, the same call with a longer budget goes on."""
        return self._done["is_in_time"]

    @property
    def speedup(self) -> float | None:
        """How many times as fast the tuned model is; `None` unless the outcome is `faster`."""
        ratio = self._done["ratio"]
        return None if ratio is None else 1 / ratio[0]

    @property
    def speedup_interval(self) -> tuple[float, float] | None:
        """The 95 % interval of `speedup`, which holds however often it was looked at."""
        ratio = self._done["ratio"]
        return None if ratio is None else (1 / ratio[2], 1 / ratio[1])

    @property
    def untuned_ns(self) -> float | None:
        """The time of an iteration of the untuned model in nanoseconds; `None` unless the outcome is `faster`."""
        return None if self._done["ns"] is None else self._done["ns"][0]

    @property
    def tuned_ns(self) -> float | None:
        """The time of an iteration of the tuned model in nanoseconds; `None` unless the outcome is `faster`."""
        return None if self._done["ns"] is None else self._done["ns"][1]

    @property
    def spec(self) -> str | None:
        """The file of the tuning spec; `None` unless the outcome is `faster`."""
        return None if self._done["spec"] is None else os.fspath(self._done["spec"])

    @property
    def module(self) -> str | None:
        """The file of the tuned module; `None` unless the outcome is `faster`."""
        return None if self._done["module"] is None else os.fspath(self._done["module"])

    @property
    def flags(self) -> list[str]:
        """The flags with which `iree-compile` reads the spec for this target."""
        return list(self._done["flags"])

    @property
    def report(self) -> str | None:
        """The text of `report.md` in the folder: what was gained, and how, or why nothing was. `None` without a search."""
        return self._done["report"]

    @property
    def counts(self) -> dict[str, int] | None:
        """With `compile_only`, the numbers of candidates: `compiled` and applied, `not_applied` and `not_compiled`."""
        counts = self._done["counts"]
        return None if counts is None else dict(zip(("compiled", "not_applied", "not_compiled"), counts))

    def open(self) -> Database:
        """Opens the folder: all trials there, with the captures."""
        from ireescope.database import open

        return open(self.folder)

    def __bool__(self) -> bool:
        return self.outcome == "faster"

    def __repr__(self) -> str:
        return f"<ireescope.Tuned of {self.folder}: {self._summary()}>"

    def _repr_html_(self) -> str:
        report = f'<pre style="white-space:pre-wrap">{html.escape(self.report)}</pre>' if self.report else ""
        head = f"<p>{html.escape(self.folder)}: {html.escape(self._summary())}</p>"
        return head + report + self.dispatches._repr_html_()

    def _summary(self) -> str:
        if self.speedup is not None and self.speedup_interval is not None:
            low, high = self.speedup_interval
            return f"{self.speedup:.2f} times as fast (95 % interval {low:.2f} to {high:.2f})"
        if self.counts is not None:
            return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in self.counts.items())
        late = "" if self.is_in_time else ", the time ended first"
        return self.outcome.replace("_", " ") + late


def tune(
    model: Path | None = None,
    command: Sequence[Path] = (),
    *,
    output: Path | None = None,
    resume: bool = False,
    device: str | None = None,
    compiler_flags: Sequence[str] = (),
    compile_only: bool = False,
    dry_run: bool = False,
    profile: Path | Sequence[Path] = (),
    cover: float | None = None,
    top: int | None = None,
    dispatches: Names = (),
    budget: float | None = None,
    candidates: int | None = None,
    patience: int | None = None,
    noise_floor: float | None = None,
    seed: int | None = None,
    compile_limit: float | None = None,
    run_limit: float | None = None,
    space: Path | None = None,
    opening: OpenOptions | None = None,
    tool_folder: Path | None = None,
    progress: Progress | None = None,
) -> Tuned:
    """Tunes a model: tries configurations of the dispatches that take the most time, all of them in one module at a time, and
    measures each dispatch in a profile of the model. What wins is raced against the untuned model with new runs, its results
    are compared, and only what is faster stays.

        tuned = ie.tune("model.mlir", ["iree-benchmark-module", "--device=local-task", "--function=main",
                                       "--input=1x224x224x3xf32", "--benchmark_min_time=5x"])

    `model` is MLIR, and `command` the words of the command that runs it, without `--module`. `output` is the folder of trials
    and results (MODEL.tune by default), to which a model that is faster adds `tuned.mlir` (the spec), `tuned.vmfb` and
    `report.md`. What the folder knows is not measured again: Ctrl-C ends the run, and the same call goes on with it. With
    `resume`, the model, the flags of the compiler, the command and the options are those of the last run of the folder,
    unless others are given.

    - `device` replaces `--device` of the command; `compiler_flags` are by default those for the processor of this machine.
    - `compile_only` compiles candidates for a device that is elsewhere, and runs nothing; `dry_run` returns what would be
      tuned, and measures nothing but the model as it is.
    - `profile` are bundles with times of the untuned model, instead of runs; `opening` are the options of opening bundles, such as
      `{"device": "AMD EPYC"}` for the peaks of a device.
    - `cover`: tune dispatches until they cover this share of the time, of 1 (0.95 by default); `top`: at most so many;
      `dispatches`: only those whose names match one of these patterns.
    - `budget`: the time of the whole run in seconds (600); `candidates`: measure at most so many (400); `patience`: end the
      search of a dispatch after so many rounds without a better candidate (6).
    - `noise_floor`: gains up to this share, of 1, do not count (0.02); `seed`: of the search, the inputs and the order of the
      proof (1); `space`: a JSON file of values to try instead of generated ones.
    - `compile_limit` and `run_limit`: seconds for a compilation and a run (120); what takes longer is refused.

    Raises `UsageError` for wrong parameters, and then leaves no new folder; `InputError` if the compiler refuses the model;
    `ResourceError` if a tool is missing or fails, or another run is using the folder; and `VerdictError` if results cannot be
    compared or no clock timed the model.
    """
    done = _native.tuning.run(
        {
            "model": model,
            "command": words("command", command),
            "compiler_flags": words("compiler_flags", compiler_flags),
            "output": output,
            "resume": resume,
            "device": device,
            "tool_folder": tool_folder,
            "compile_only": compile_only,
            "dry_run": dry_run,
        },
        {
            "profile": [os.fspath(path) for path in ([profile] if isinstance(profile, (str, os.PathLike)) else profile)],
            "cover": cover,
            "top": top,
            "dispatches": names(dispatches),
            "budget": budget,
            "candidates": candidates,
            "patience": patience,
            "noise_floor": noise_floor,
            "seed": seed,
            "compile_limit": compile_limit,
            "run_limit": run_limit,
            "space": space,
        },
        options(opening or {}),
        progress,
    )
    return Tuned(done)
