"""Exports bundles for other tools, and draws timelines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable, NamedTuple, Optional, Sequence, Tuple, Union

from ireescope import _native
from ireescope.errors import UsageError, warn
from ireescope.opening import OpenOptions, Source, flat, named, options

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Takes what is done: a text, and how much is done of a total, in any unit; `None` where that is not known.
Progress = Callable[[str, Optional[int], Optional[int]], object]

#: A path.
Path = Union[str, "os.PathLike[str]"]

#: A time window: `START:END` with units or percentages, such as `10ms:20ms` or `25%:50%`, or two numbers of nanoseconds from
#: the start of the capture. Either end may be missing.
Window = Union[str, Tuple[Optional[float], Optional[float]]]

# The name for a stream of the records of whole bundles.
STREAM = "ireeperf-jsonl"


class Exported(NamedTuple):
    """What was exported."""

    #: The file or folder.
    path: str
    #: `parquet` (a folder of tables), `ireeperf-jsonl`, or the format of one table.
    format: str
    #: The labels of the bundles that were written.
    bundles: list[str]
    #: The labels of bundles that were in the folder before, and were replaced.
    replaced: list[str]
    #: The number of rows, if one table was written; otherwise `None`.
    rows: int | None


class Counts(NamedTuple):
    """What is drawn of a bundle."""

    slices: int
    instants: int
    #: Values of counters.
    counters: int
    #: Rows without a required time or value, and slices that end before they start.
    skipped: int


class Rendered(NamedTuple):
    """What was drawn."""

    #: The file.
    path: str
    #: Its size.
    bytes: int
    #: What is drawn of each bundle, by its label.
    counts: dict[str, Counts]
    #: The host time at which each bundle begins, in nanoseconds, by its label; `None` if it has no host times.
    begins: dict[str, int | None]

    @property
    def total(self) -> Counts:
        """What is drawn of all bundles."""
        return Counts(*(sum(column) for column in zip(*self.counts.values()))) if self.counts else Counts(0, 0, 0, 0)


def export(
    bundles: Source | Sequence[Source],
    output: Path,
    *,
    format: str | None = None,
    tables: str | Sequence[str] = (),
    where: str | None = None,
    progress: Progress | None = None,
    **given: Unpack[OpenOptions],
) -> Exported:
    """Writes what bundles contain for other tools, as a whole or not at all.

    `bundles` and `given` are those of `ireescope.open`. `format` is one of these; without it, the extension of `output` chooses,
    and a name without one is a folder:

    - `parquet`: a folder for each of `tables`, with a file per bundle (Hive style) or per batch of bundles, for DuckDB, Polars,
      pandas and Spark. By default all tables and views, except `timeline_*`, `critical_path` and those of other views. Adds to a
      folder of an earlier export, and replaces bundles of the same labels in it. `ireescope.open` opens the folder. If `output`
      ends in `.parquet`, it is a file of one table.
    - `ireeperf-jsonl`: the records of whole bundles as JSON lines, in a file that ends in `.jsonl` or, compressed, `.gz`.
    - `csv`, `tsv`, `json`, `jsonl`, `arrow`, `markdown`, `box` and `line`: a file of one table or view, which `tables` names.

    `where` is an SQL condition of the rows, in every table that is written. `progress` is called while it goes on.

    Raises `UsageError` for a wrong request or a folder with other files, `InputError` for a damaged bundle, and `ResourceError`
    if the output cannot be written.

        >>> import os, tempfile
        >>> import ireescope as ie
        >>> folder = tempfile.TemporaryDirectory()
        >>> file = os.path.join(folder.name, "dispatches.csv")
        >>> ie.export("tests/data/mlp-local-task.ireeprof", file, tables="dispatches").rows
        80
    """
    path = os.fspath(output)
    names = [tables] if isinstance(tables, str) else list(tables)
    chosen, is_whole = _format(path, format, names)
    with named(flat([bundles])) as sources:
        opening = options(given)
        if is_whole and chosen == STREAM:
            if names or where is not None:
                raise UsageError(f"{STREAM} is of whole bundles, and takes neither tables nor where")
            done = _native.exporting.ireeperf(sources, path, opening, progress)
        elif is_whole:
            done = _native.exporting.dataset(sources, path, names, where, opening, progress)
        elif len(names) == 1:
            done = _native.exporting.table(sources, path, chosen, names[0], where, opening, progress)
        else:
            raise UsageError(
                "one file holds one table; name it with tables, or name a folder for Parquet files of all tables"
            )
    shown = chosen or os.path.splitext(path)[1][1:].lower()
    return Exported(path, shown, done["bundles"], done["replaced"], done["rows"])


def _format(path: str, format: str | None, tables: list[str]) -> tuple[str | None, bool]:
    """Returns the format, and whether it is one of whole bundles; `None` for that of one table by the extension."""
    end = os.path.splitext(path)[1].lower()
    if format == STREAM:
        return STREAM, True
    is_folder = end != ".parquet" or os.path.isdir(path)
    if format == "parquet":
        return format, is_folder
    if format is not None:
        return format, False
    if end == "" or os.path.isdir(path):
        return "parquet", True
    if end in (".jsonl", ".ndjson", ".gz") and not tables:
        return STREAM, True
    return None, False


def render(
    bundles: Source | Sequence[Source],
    output: Path,
    *,
    window: Window | None = None,
    filter: str | None = None,
    slices: str | Sequence[str] = (),
    instants: str | Sequence[str] = (),
    counters: str | Sequence[str] = (),
    only_sql: bool = False,
    gpu_packets: bool = False,
    att: str | None = None,
    clock: str = "own",
    progress: Progress | None = None,
    **given: Unpack[OpenOptions],
) -> Rendered:
    """Draws a timeline of bundles for <https://ui.perfetto.dev>, as a whole or not at all.

    `bundles` and `given` are those of `ireescope.open`. `window` selects a time, and `filter` is a pattern of the names of slices
    and instants, and of the tracks of counters, with `*` and `?`.

    `slices`, `instants` and `counters` are SQL queries whose rows are drawn, too: slices have the columns `track`, `name`,
    `start_ns`, and `end_ns` or `duration_ns`; instants `track`, `name` and `time_ns`; counters `track`, `time_ns` and `value`.
    All other columns become annotations. With `only_sql`, nothing else is drawn.

    `gpu_packets` writes dispatches, counters and device metrics as Perfetto's GPU packets. `att` is `waves` or `instructions`: it
    draws the waves of AMD GPUs from instruction traces, which ROCm's libraries decode. `progress` is called while it goes on.

    `clock` is the host time at the time 0 of the trace: `own`, for each bundle its own first event, so that all begin together, or
    `host`, the time 0 of the host's clock, so that captures of one machine since it started lie in their real order. `begins` of
    the result has the first host times.

    Warns where nothing is drawn, and of traces that cannot be decoded. Raises `UsageError` for a wrong request, `InputError`
    for a damaged bundle, and `ResourceError` if the file cannot be written.

        >>> import os, tempfile
        >>> import ireescope as ie
        >>> folder = tempfile.TemporaryDirectory()
        >>> ie.render("tests/data/mlp-local-task.ireeprof", os.path.join(folder.name, "m.pftrace")).total.skipped
        0
    """
    path = os.fspath(output)
    kinds = {"slices": slices, "instants": instants, "counters": counters}
    queries = [
        (kind, text) for kind, texts in kinds.items() for text in ([texts] if isinstance(texts, str) else texts)
    ]
    if only_sql and not queries:
        raise UsageError("only_sql draws the rows of slices, instants or counters, but there is no query")
    with named(flat([bundles])) as sources:
        drawn = _native.exporting.render(
            sources, path, _window(window), filter, queries, only_sql, gpu_packets, att, clock, options(given), progress
        )
    for text in drawn["warnings"]:
        warn(text)
    counts = {label: Counts(*numbers) for label, numbers in drawn["counts"]}
    return Rendered(path, drawn["bytes"], counts, dict(drawn["begins"]))


def _window(window: Window | None) -> str | None:
    if window is None or isinstance(window, str):
        return window
    start, end = ("" if time is None else str(int(time)) for time in window)
    return f"{start}:{end}"
