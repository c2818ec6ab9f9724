"""Races: runs two commands in turns until it is decided which is faster."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Callable, NamedTuple, Sequence

from ireescope import _native
from ireescope.comparison import Comparison, Limits, compare, judging
from ireescope.errors import warn
from ireescope.opening import OpenOptions, options

if TYPE_CHECKING:
    from typing_extensions import Unpack


_ENDS = {
    "decided": "the verdict is decided",
    "all runs": "all runs are done",
    "time limit": "the time limit is reached",
}


class Race(NamedTuple):
    """A race that is over."""

    #: Why it ended: `decided` (the verdict is), `all runs` or `time limit`.
    end: str
    #: The folder of its captures, which `ireescope.compare(race=...)` compares again and `ireescope.open` opens.
    folder: str
    #: The comparison of both sides.
    comparison: Comparison

    def __repr__(self) -> str:
        return f"{self._heading()}\n\n{self.comparison!r}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self._heading())}</p>{self.comparison._repr_html_()}"

    def _heading(self) -> str:
        return f"{self.folder}: {_ENDS[self.end]}"


def race(
    *,
    base: Sequence[str | os.PathLike[str]],
    new: Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None = None,
    runs: int = 20,
    until_decided: bool = False,
    time_limit: float | None = None,
    noise_floor: float | None = None,
    seed: int = 1,
    fail_on: Limits = (),
    tool_folder: str | os.PathLike[str] | None = None,
    progress: Callable[[str, int | None, int | None], object] | None = None,
    **given: Unpack[OpenOptions],
) -> Race:
    """Runs two commands in turns, captures their kernel times, and compares these.

        race = ie.race(
            base=["iree-benchmark-module", "--module=a.vmfb", "--benchmark_min_time=20x"],
            new=["iree-benchmark-module", "--module=b.vmfb", "--benchmark_min_time=20x"],
            output="ab.race",
            until_decided=True,
        )

    `base` and `new` are the words of commands: a tool of IREE and its arguments. After a run of each to warm up, blocks of four
    runs (base, new, new, base, or the reverse, at random by `seed`) measure both sides. Neighboring runs are compared, which
    cancels the drift of the machine, and the interval holds however often it is looked at.

    `output` is the folder of the captures; by default, `MODULE.race` in the working directory, or `MODULE.race-2` and so on if
    that exists. A race of the same commands that ended early goes on. `runs` is the number of runs of each side, rounded up to
    an even number; with `until_decided`, the race ends as soon as the verdict on the total is decided. No block begins after
    `time_limit` seconds. Differences up to the share `noise_floor`, by default 0.01, do not matter. `fail_on` are limits of the
    comparison, as in `ireescope.compare`. `tool_folder` has the tools, if they are not on the PATH or in an activated Python
    environment. `progress` is called with a text, and the number of runs done and of all that may be.

    Raises `ResourceError` if a tool is missing or fails, `VerdictError` if there are no times or the sides have different
    work, and `UsageError` if a parameter is wrong or the folder has other captures. Warns if the machine did not treat the
    sides alike. What was captured before an exception stays in the folder; Ctrl-C stops the tool that runs and keeps the runs
    before.
    """
    racing = {
        "folder": output,
        "runs": runs,
        "until_decided": until_decided,
        "time_limit": time_limit,
        "noise_floor": noise_floor,
        "seed": seed,
        "tool_folder": tool_folder,
    }
    # What is wrong with the limits is said before anything runs.
    judged = judging("median", noise_floor, fail_on, None, False)
    end, folder, warnings = _native.racing.race(_words(base), _words(new), racing, judged, options(given), progress)
    for text in warnings:
        warn(text)
    comparison = compare(race=folder, noise_floor=noise_floor, fail_on=fail_on, **given)
    return Race(end, os.fspath(folder), comparison)


def _words(command: Sequence[str | os.PathLike[str]]) -> list[str]:
    if isinstance(command, (str, os.PathLike)):
        raise TypeError("a command is a list of words, such as ['iree-run-module', '--module=m.vmfb']")
    return [os.fspath(word) for word in command]
