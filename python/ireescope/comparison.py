"""Comparisons: whether one side is faster than another, where, and how certain that is."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence, Union

from ireescope import _native
from ireescope.errors import UsageError, VerdictError
from ireescope.opening import OpenOptions, Source, flat, named, options
from ireescope.rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The bundles of a side, which are its runs.
Bundles = Union[Source, Sequence[Source]]

#: What a gate limits: the share by which each function and the total (`slower`), or only the total (`total`), may be slower;
#: or the same as texts, such as `slower:2%`.
Limits = Union[Mapping[str, float], str, Sequence[str]]

# How many functions a text lists.
LISTED = 20


class Interval(NamedTuple):
    """The 95 % interval of a ratio."""

    low: float
    high: float


class Total(NamedTuple):
    """The verdict on all functions of a side together. Times are means of an iteration."""

    side: str
    #: `faster`, `slower`, `likely faster`, `likely slower`, `same`, `ambiguous` or `not comparable`.
    verdict: str
    #: Why it is not comparable; `None` if it is.
    reason: str | None
    #: The time of the side, divided by that of the baseline; `None` if it cannot be told.
    ratio: float | None
    interval: Interval | None
    base_ns: int
    new_ns: int
    #: Differences up to this share do not matter.
    noise_floor: float | None
    #: How many more runs of each side would decide an ambiguous verdict.
    further_runs: int | None


class Comparison:
    """What a comparison says, and whether its limits are kept. Made by `ireescope.compare`."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.comparing.Comparison) -> None:
        self._native = native

    @property
    def sides(self) -> list[str]:
        """The names of the sides, the baseline first."""
        return self._native.sides

    @property
    def rows(self) -> Rows:
        """A row for the total of each new side, whose `matched_by` is `total`, then one for each match of functions, by how much
        they add to the difference. The columns are those of `report.comparison` in docs/tables.md."""
        return Rows(self._native.rows)

    @property
    def totals(self) -> list[Total]:
        """The verdict on each new side."""
        return [_total(row) for row in self.rows if row["matched_by"] == "total"]

    @property
    def verdict(self) -> str:
        """The verdict on the total: `faster`, `slower`, `likely faster`, `likely slower`, `same`, `ambiguous` or `not
        comparable`. With several new sides, this and the next ones raise `UsageError`; see `totals`."""
        return self._total.verdict

    @property
    def ratio(self) -> float | None:
        """The time of the new side, divided by that of the baseline; `None` if it cannot be told."""
        return self._total.ratio

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the ratio."""
        return self._total.interval

    @property
    def reason(self) -> str | None:
        """Why the sides are not comparable; `None` if they are."""
        return self._total.reason

    @property
    def gate(self) -> str | None:
        """`passed`, `broken` (a limit is exceeded) or `unjudged` (what is limited is not comparable); `None` without limits."""
        gate = self._native.gate
        return None if gate is None else gate[0]

    @property
    def gate_text(self) -> str | None:
        """Which limit is exceeded or cannot be judged, and why; `None` without limits."""
        gate = self._native.gate
        return None if gate is None else gate[1]

    def check(self) -> bool:
        """Returns whether the limits are kept. Raises `VerdictError` if that cannot be judged, and `UsageError` if there are
        none."""
        gate = self._native.gate
        if gate is None:
            raise UsageError("there are no limits to check; give fail_on or budget")
        result, text = gate
        if result == "unjudged":
            raise VerdictError(text)
        return result == "passed"

    @property
    def text(self) -> str:
        """The comparison in words, with the first 20 functions: what `ireescope compare` prints."""
        return self.to_text()

    def to_text(self, *, limit: int = LISTED, width: int | None = None) -> str:
        """Returns the comparison in words, with at most `limit` functions, in lines of at most `width` characters."""
        return self._native.text(limit, width)

    def to_markdown(self, *, limit: int = LISTED) -> str:
        """Returns the comparison in Markdown, for a pull request, with at most `limit` functions."""
        return self._native.markdown(limit)

    def to_junit(self) -> str:
        """Returns what the limits say of each function as the text of a JUnit file, for CI."""
        return self._native.junit()

    @property
    def _total(self) -> Total:
        totals = self.totals
        if len(totals) != 1:
            raise UsageError(f"there are {len(totals)} new sides; `totals` has the verdict on each")
        return totals[0]

    def __repr__(self) -> str:
        gate = self.gate_text
        return self.text.rstrip("\n") + ("" if gate is None else f"\n\n{gate}")

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


def _total(row: Mapping[str, Any]) -> Total:
    interval = None if row["ratio_low"] is None else Interval(row["ratio_low"], row["ratio_high"])
    taken = {name: row[name] for name in Total._fields if name != "interval"}
    return Total(interval=interval, **taken)


def compare(
    *,
    base: Bundles | None = None,
    new: Bundles | Mapping[str, Bundles] | None = None,
    race: str | os.PathLike[str] | None = None,
    measure: str = "kernel-time",
    by: str = "iteration",
    summary: str = "median",
    warmup: str | int = "auto",
    filter: str = "*",
    noise_floor: float | None = None,
    control: str | None = None,
    fail_on: Limits = (),
    budget: str | os.PathLike[str] | None = None,
    fail_if_ambiguous: bool = False,
    **given: Unpack[OpenOptions],
) -> Comparison:
    """Compares builds by the times of their runs: a baseline with one or more new sides.

    `base` and `new` are what `ireescope.open` takes; the bundles of a side are its runs, and four or more of them tell how runs
    differ. `NAME=PATH` names a side, and a mapping of names to bundles has several new ones. `race`, instead of both, is the
    folder of a race.

    `measure` is `kernel-time`, `queue-time`, `iteration-time` or `wall`. `by` says whether each invocation of a run is an
    `iteration`, or the whole `run` is one; `summary` how iterations are summarized: `median`, `min` or `mean`. `warmup` is what
    is left out at the start of a run: the invocations that are slower than the rest (`auto`), none (`keep`), or so many.
    `filter` is a pattern of names of functions. Differences up to the share `noise_floor`, such as 0.01, do not matter; it is
    estimated by default. `control` corrects for the machine by functions whose names match this pattern or, if it is empty, that
    have the same code on both sides.

    `fail_on` and `budget` are limits, which `Comparison.check` judges: `fail_on={"slower": 0.02, "total": 0.01}` allows each
    function and the total to be 2 % slower, and the total 1 %; `budget` is the path or the text of a TOML file
    (docs/compare.md). With `fail_if_ambiguous`, a total that is ambiguous or likely slower exceeds them, too. `given` are the
    options of `ireescope.opening.OpenOptions`.

    Raises `VerdictError` if there are no times to compare, `UsageError` if a parameter is wrong or a pattern matches nothing,
    and `InputError` if a file cannot be read. Sides that are not comparable are no error: `Comparison.reason` says why.

        >>> import ireescope as ie
        >>> bundle = "tests/data/mlp-local-task.ireeprof"
        >>> ie.compare(base=bundle, new=bundle).verdict
        'same'
    """
    sides = _sides(base, new, race)
    measuring = {"measure": measure, "by": by, "warmup": str(warmup), "filter": filter, "control": control}
    judged = judging(summary, noise_floor, fail_on, budget, fail_if_ambiguous)
    # Bytes and open files become temporary files, each of which is a bundle of its own.
    with named([bundle for _, bundles in sides for bundle in bundles]) as names:
        rest = iter(names)
        opened = [(name, [next(rest) for _ in bundles]) for name, bundles in sides]
        folder = None if race is None else os.fspath(race)
        return Comparison(_native.comparing.compare(opened, folder, measuring, judged, options(given)))


def judging(
    summary: str,
    noise_floor: float | None,
    fail_on: Limits,
    budget: str | os.PathLike[str] | None,
    fail_if_ambiguous: bool,
) -> dict[str, Any]:
    """Returns how sides are judged, for the native module."""
    return {
        "summary": summary,
        "noise_floor": noise_floor,
        "rules": _rules(fail_on),
        "budget": _budget(budget),
        "fail_if_ambiguous": fail_if_ambiguous,
    }


def _sides(
    base: Bundles | None, new: Bundles | Mapping[str, Bundles] | None, race: object
) -> list[tuple[str | None, list[Source]]]:
    if race is not None:
        if base is not None or new is not None:
            raise UsageError("a race has both sides; give it alone, or base and new")
        return []
    if base is None or new is None:
        raise UsageError("give base and new, or race")
    if isinstance(new, Mapping):
        if not new:
            raise UsageError("new has no sides")
        return [_side(base, "base"), *((name, flat([bundles])) for name, bundles in new.items())]
    return [_side(base, "base"), _side(new, "new")]


def _side(bundles: Bundles, name: str) -> tuple[str | None, list[Source]]:
    """Returns a side. A path may name it; bytes and files do not."""
    sources = flat([bundles])
    if not sources:
        raise UsageError(f"{name} has no bundles")
    is_path = isinstance(sources[0], (str, os.PathLike))
    return (None if is_path else name), sources


def _rules(limits: Limits) -> list[str]:
    if isinstance(limits, Mapping):
        return [f"{what}:{share * 100:.12g}%" for what, share in limits.items()]
    return [limits] if isinstance(limits, str) else list(limits)


def _budget(budget: str | os.PathLike[str] | None) -> tuple[str, str] | None:
    """Returns what texts call the budget, and its text. Only a text has an equals sign and names no file."""
    if budget is None:
        return None
    if isinstance(budget, str) and "=" in budget and ("\n" in budget or not os.path.exists(budget)):
        return "budget", budget
    name = f"budget {os.fspath(budget)}"
    try:
        with open(budget, encoding="utf-8") as file:
            return name, file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: {error}") from error
