"""Histories: the results of builds over years, checks of new ones, and when times changed."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Iterable, Mapping, NamedTuple, Protocol, Sequence, Union

from ireescope import _native
from ireescope.comparison import Bundles, Comparison, Limits, judging
from ireescope.errors import UsageError, VerdictError, warn
from ireescope.opening import OpenOptions, flat, named, options
from ireescope.rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack


class _Time(Protocol):
    """A `datetime.date` or `datetime.datetime`."""

    def isoformat(self) -> str: ...


#: Labels of entries: a mapping, or texts `KEY=VALUE`.
Labels = Union[Mapping[str, str], str, Iterable[str]]

#: When something happened: a date or time, also as a text such as `2026-11-26` or `2026-11-26T08:30:00Z`. One without a time
#: zone is in UTC.
Time = Union[str, _Time]


class Added(NamedTuple):
    """What became of an addition."""

    #: The id of the entry.
    entry: str
    #: Number of its runs.
    runs: int
    #: Whether the history did not have it before.
    is_new: bool


class Accepted(NamedTuple):
    """The baseline of a branch."""

    #: The id of the entry, with its commit in parentheses.
    entry: str
    branch: str


class Check(NamedTuple):
    """A new result, compared with the baseline of its branch."""

    #: What is checked: the id of an entry with its commit, or the name of bundles.
    name: str
    #: The branch of the baseline.
    branch: str
    #: The labels of the entries that are compared with.
    labels: list[str]
    #: What it is compared with, in words; `None` if there is nothing.
    baseline: str | None
    #: The comparison; `None` if there is nothing to compare with.
    comparison: Comparison | None

    def check(self) -> bool:
        """Returns whether the limits are kept, which they are if there is nothing to compare with. Raises `VerdictError` if that
        cannot be judged, and `UsageError` if there are none."""
        return self.comparison is None or self.comparison.check()

    def __repr__(self) -> str:
        if self.comparison is None:
            return f"{self.name}: {_nothing(self)}"
        return f"{self.name} is compared with {self.baseline}\n\n{self.comparison!r}"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"


class Drift(NamedTuple):
    """When times changed."""

    branch: str
    #: The labels of the newest entry.
    labels: list[str]
    #: The clock that measured the times: `device` or `host`.
    clock: str
    #: Number of entries that were looked at.
    entries: int
    #: Number of functions in them.
    functions: int
    #: The times of the oldest and the newest of them, in UTC; `None` if there are none.
    first_time: str | None
    last_time: str | None
    #: Number of entries of the branch that have other labels, which do not count.
    other_labels: int
    #: Number of entries that another clock or driver recorded, which do not count.
    other_clocks: int
    #: A row for each change: those of the total in order, then those of functions by how much they add, with the entries before
    #: and after, and times in nanoseconds of an iteration. The columns are those of `ireescope history drift`.
    changes: Rows

    def __repr__(self) -> str:
        return f"{self._heading()}\n\n{self.changes!r}" if self.changes else self._heading()

    def _repr_html_(self) -> str:
        changes = self.changes._repr_html_() if self.changes else ""
        return f"<p>{html.escape(self._heading())}</p>{changes}"

    def _heading(self) -> str:
        span = f", {self.first_time} to {self.last_time}" if self.entries else ""
        left = [(self.other_labels, "have other labels"), (self.other_clocks, "have another clock or driver")]
        rest = "".join(f"; {count} {what} and do not count" for count, what in left if count)
        counts = f"{self.entries} entries{span}; {self.functions} functions"
        found = "" if self.changes else "; no change found"
        return f"{self.branch}: {counts}; on the {self.clock}'s clock{rest}{found}"


class History:
    """A folder that keeps the results of runs for years. `ireescope.open` opens it for SQL; docs/history.md explains it.

    >>> import ireescope as ie
    >>> history = ie.History("tests/data/history")
    >>> [row["commit"] for row in history.entries(branch="main")]
    ['1f0c54a', '9d31e77', 'c2b8a06']
    >>> history.check(fail_on={"total": 0.05}).comparison.verdict
    'slower'
    """

    __slots__ = ("folder",)

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        #: The folder, which need not exist before the first `add`.
        self.folder = os.fspath(folder)

    def add(
        self,
        bundles: Bundles,
        *,
        commit: str | None = None,
        branch: str = "main",
        labels: Labels = (),
        time: Time | None = None,
        warmup: str | int = "auto",
        with_tables: bool = False,
        **given: Unpack[OpenOptions],
    ) -> Added:
        """Adds the runs of one build of one program as an entry. A new or empty folder becomes a history.

        `labels`, such as `{"model": "bert"}`, tell programs and machines apart. `time` is when it was measured, by default now;
        entries of one time are in the order in which they are added. `warmup` is what is left out at the start of a run: the
        invocations that are slower than the rest (`auto`), none (`keep`), or so many. `with_tables` also keeps all tables of
        the bundles. What is added is there whole or not at all, also after Ctrl-C.

        Raises `UsageError` if a bundle has no times, `InputError` if it or the history cannot be read, and `ResourceError` if
        the history cannot be written.
        """
        with named(flat([bundles])) as names:
            adding = {
                "bundles": names,
                "commit": commit,
                "branch": branch,
                "labels": _labels(labels),
                "time": _time(time),
                "warmup": str(warmup),
                "with_tables": with_tables,
            }
            entry, runs, is_new, warnings = _native.tracking.add(self.folder, adding, options(given))
        for text in warnings:
            warn(text)
        return Added(entry, runs, is_new)

    def entries(self, *, branch: str | None = None, labels: Labels = (), limit: int | None = None) -> Rows:
        """Returns the entries of a branch that have these labels, the newest last: all, or the newest `limit`. The columns are
        those of `history_entries` in docs/tables.md."""
        return Rows(_native.tracking.entries(self.folder, branch, _labels(labels), limit))

    def check(
        self,
        new: str | os.PathLike[str] | None = None,
        *,
        branch: str | None = None,
        labels: Labels = (),
        across: Sequence[str] = (),
        window: int | None = None,
        warmup: str | int = "auto",
        summary: str = "median",
        noise_floor: float | None = None,
        fail_on: Limits = (),
        budget: str | os.PathLike[str] | None = None,
        fail_if_ambiguous: bool = False,
        first_run: str = "unjudged",
        **given: Unpack[OpenOptions],
    ) -> Check:
        """Compares a new result with the accepted entry of its branch or, without one, with the last ten entries before it.

        `new` is the id of an entry or its first characters, or a bundle, pattern, folder or capture set; by default, the newest
        entry. `branch` is that of the baseline, by default that of the entry. Only entries with all `labels` count; those that
        have another label of a key in `across` are compared with, too. `window` compares with so many entries, instead of with
        the accepted one. The other parameters are those of `ireescope.compare`.

        Raises `VerdictError` if there is no such entry, or nothing to compare with; with `first_run="pass"`, the latter is a
        `Check` without a comparison, which passes.
        """
        if first_run not in ("unjudged", "pass"):
            raise UsageError(f"first_run is unjudged or pass, not {first_run}")
        checking = {
            "new": None if new is None else os.fspath(new),
            "branch": branch,
            "labels": _labels(labels),
            "across": _words(across),
            "window": window,
            "warmup": str(warmup),
        }
        judged = judging(summary, noise_floor, fail_on, budget, fail_if_ambiguous)
        found: dict[str, Any] = _native.tracking.check(self.folder, checking, judged, options(given))
        native = found.pop("comparison")
        checked = Check(comparison=None if native is None else Comparison(native), **found)
        if native is None and first_run == "unjudged":
            raise VerdictError(_nothing(checked))
        return checked

    def accept(
        self,
        entry: str | None = None,
        *,
        branch: str | None = None,
        labels: Labels = (),
        time: Time | None = None,
    ) -> Accepted:
        """Makes an entry the baseline of its branch, or of `branch`: one whose id begins like this or, by default, the newest
        of the branch with these labels. `time` is when it was accepted, by default now. Raises `VerdictError` if there is no
        such entry."""
        return Accepted(*_native.tracking.accept(self.folder, entry, branch, _labels(labels), _time(time)))

    def drift(
        self,
        *,
        branch: str | None = None,
        labels: Labels = (),
        across: Sequence[str] = (),
        filter: str = "*",
        last: int | None = 1000,
    ) -> Drift:
        """Finds when the times of a branch changed, in total and of each function, and between which commits.

        `branch` is by default that of the newest entry. Entries that have other labels than the newest count only if the keys
        of these are in `across`. `filter` is a pattern of names of functions. `last` is the number of entries, the newest;
        `None` takes all. Raises `VerdictError` if there is no such entry, and `UsageError` if no function has such a name.
        """
        found = _native.tracking.drift(self.folder, branch, _words(across), filter, last, _labels(labels))
        return Drift(changes=Rows(found.pop("changes")), **found)

    def compact(self) -> tuple[int, int]:
        """Merges the files of each month, as soon as nobody else uses the history. Returns the number of months and of pieces
        that were merged."""
        return _native.tracking.compact(self.folder)

    def __repr__(self) -> str:
        return f"ireescope.History({self.folder!r})"


def _labels(labels: Labels) -> list[str]:
    if isinstance(labels, Mapping):
        return [f"{key}={value}" for key, value in labels.items()]
    return _words(labels)


def _words(words: str | Iterable[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _time(time: Time | None) -> str | None:
    return time if time is None or isinstance(time, str) else time.isoformat()


def _nothing(check: Check) -> str:
    of_labels = f" with {','.join(check.labels)}" if check.labels else ""
    return f"there is nothing to compare with: {check.branch} has no accepted entry and no earlier one{of_labels}"
