"""Open bundles, and what is asked of them."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Sequence

from ireescope import _native
from ireescope.opening import OpenOptions, Source, flat, named, options
from ireescope.errors import UsageError
from ireescope.report import Plot
from ireescope.rows import Rows

if TYPE_CHECKING:
    from typing_extensions import Unpack


def open(*bundles: Source | Sequence[Source], **given: Unpack[OpenOptions]) -> Database:
    """Opens bundles, and what is beside them.

    `bundles` are `.ireeprof` or `ireeperf-jsonl` files, also compressed, by path or glob; folders of them; capture sets; or the
    folders of `bench` and `tune`; each also as `NAME=PATH`. A dataset (a folder of Parquet files) or a history is opened alone.
    Bytes and open binary files are bundles, too. Without any, SQL has no rows of bundles.

    `given` are the options of `ireescope.opening.OpenOptions`, such as `strict`, `threads`, `calls` and `memory_limit` (bytes).

    Raises `InputError` if a file cannot be read, and `UsageError` for what cannot be opened together. Warns of bundles that lack
    records.

        >>> import ireescope as ie
        >>> db = ie.open("tests/data/mlp-local-task.ireeprof")
        >>> db.sql("SELECT count(*) AS n FROM dispatches").fetchone()
        (80,)
    """
    with named(flat(bundles)) as names:
        return Database(_native.Database(names, options(given)))


class Report(Mapping[str, Rows]):
    """The rows of a command of `iree-profile`, by their type, in the order of its JSON lines."""

    def __init__(self, command: str, parts: Iterable[tuple[str, _native.Rows]]) -> None:
        self._command = command
        self._parts = {name: Rows(rows) for name, rows in parts}

    def __getitem__(self, name: str) -> Rows:
        return self._parts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)

    def __repr__(self) -> str:
        return "\n\n".join(f"{name}\n{rows!r}" for name, rows in self._shown())

    def _repr_html_(self) -> str:
        return "".join(f"<h4>{html.escape(name)}</h4>{rows._repr_html_()}" for name, rows in self._shown())

    def _shown(self) -> list[tuple[str, Rows]]:
        return [(name, rows) for name, rows in self.items() if rows]


class Table(Rows):
    """A table or view. Sessions of DataFusion's Python package take it as a table and push down filters and projections:

        session.register_table("dispatches", db.table("dispatches"))
    """

    __slots__ = ("_database", "name")

    def __init__(self, database: _native.Database, name: str) -> None:
        quoted = name.replace('"', '""')
        super().__init__(database.sql(f'SELECT * FROM "{quoted}"', []))
        self._database = database
        self.name = name

    def __datafusion_table_provider__(self, session: object) -> object:
        return self._database.datafusion_table(session, self.name)


class Database:
    """Open bundles, a dataset or a history. Made by `ireescope.open`; any number of threads may ask at once."""

    def __init__(self, native: _native.Database) -> None:
        self._native = native

    @property
    def bundles(self) -> dict[str, str]:
        """The paths of the open bundles, by their labels."""
        return {label: os.fspath(path) for label, path in sorted(self._native.bundles.items())}

    @property
    def tables(self) -> list[str]:
        """The names of all tables and views, also of those that SQL or `register` defined."""
        return self._native.names()

    def sql(self, script: str, **variables: object) -> Rows:
        """Plans a query, which runs when its rows are read. Of several statements, those before the last run at once.

        `$name` in the SQL stands for the value of a variable: a number, `None` for NULL, or else a text. docs/sql.md describes
        the dialect. Raises `UsageError` if the SQL is wrong.

            >>> import ireescope as ie
            >>> db = ie.open("tests/data/mlp-local-task.ireeprof")
            >>> db.sql("SELECT count(*) AS n FROM dispatches WHERE duration_ns > $most", most=10**9).fetchall()
            [(0,)]
        """
        bound = [(name, "null" if value is None else str(value)) for name, value in variables.items()]
        return Rows(self._native.sql(script, bound))

    def table(self, name: str) -> Table:
        """Returns a table or view; `db["dispatches"]` is the same."""
        return Table(self._native, name)

    def __getitem__(self, name: str) -> Table:
        return self.table(name)

    def register(self, name: str, frame: object) -> None:
        """Makes rows a table of SQL, in place of an earlier one of that name: any object with an Arrow stream, such as a
        DataFrame of Polars or pandas, a table of pyarrow, or a relation of DuckDB. The rows are read once, now. Raises
        `UsageError` for names of built-in tables."""
        self._native.register(name, frame)

    def top(self, *, by: str = "function", sort: str = "total", filter: str = "*", warmup: str | int = "auto") -> Rows:
        """Returns where the time went: a row for each group of dispatches, largest first, in nanoseconds.

        `by` is `function`, `shape`, `op`, `executable`, `bundle`, `invocation`, `device` or `queue`; `sort` is `total`, `mean`,
        `max`, `tail` or `cv`. `filter` is a pattern of names, with `*` and `?`. `warmup` is what is left out at the start of a
        run: the invocations that are slower than the rest (`auto`), none (`keep`), or so many. The columns are those of
        `report.top_function` in docs/tables.md.
        """
        return Rows(self._native.top(by, sort, filter, str(warmup)))

    def doctor(self) -> Rows:
        """Returns what is wrong with the captures, the most severe of each bundle first, with the SQL of the evidence and what
        to do. Damaged parts of files are findings, not errors."""
        return Rows(self._native.doctor())

    def gaps(self, for_: Sequence[str] = ()) -> Rows:
        """Returns which questions the captures answer, and what would answer the others. `for_` names questions, such as
        `memory`; the default is all of them."""
        return Rows(self._native.gaps([for_] if isinstance(for_, str) else list(for_)))

    def plot(self, what: str, *, function: str | None = None) -> Plot | None:
        """Draws a chart, which notebooks show: `calls`, `operations`, `functions`, `distribution` (of the functions that match the pattern
        `function`), `timeline` (a call of median length), `memory` or `roofline`. Returns `None` if there is nothing to draw."""
        if what == "distribution" and function is None:
            raise UsageError("a distribution needs `function`")
        drawn = self._native.plot("functions" if what == "distribution" else what, function)
        return None if drawn is None else Plot(drawn)

    def report(
        self,
        command: str,
        *,
        filter: str = "*",
        id: int | None = None,
        warmup: str | int = "auto",
        dispatch_events: bool = False,
        counter_samples: bool = False,
        rows: Sequence[str] = (),
    ) -> Report:
        """Returns the rows of a command of `iree-profile`, by type: the same as its JSON lines.

        `filter` is a pattern of names, `id` the id of an object of the command's kind, and `rows` selects types of rows.
        `dispatch_events` asks for every dispatch instead of aggregates, `counter_samples` for every sample besides them. Raises
        `UsageError` if the command does not take one of them. The columns are those of `report.<type>` in docs/tables.md.
        """
        answers = self._native.report(
            command,
            filter=filter,
            id=id,
            warm_up=str(warmup),
            dispatch_events=dispatch_events,
            counter_samples=counter_samples,
            rows=list(rows),
        )
        return Report(command, answers)

    def summary(self, **given: Any) -> Report:
        """The report `summary`: devices, sessions and counts of records."""
        return self.report("summary", **given)

    def explain(self, **given: Any) -> Report:
        """The report `explain`: where the time went, and hints."""
        return self.report("explain", **given)

    def dispatch(self, **given: Any) -> Report:
        """The report `dispatch`: times of functions on devices and on the host."""
        return self.report("dispatch", **given)

    def executable(self, **given: Any) -> Report:
        """The report `executable`: executables with their functions."""
        return self.report("executable", **given)

    def command(self, **given: Any) -> Report:
        """The report `command`: command buffers with their operations and executions."""
        return self.report("command", **given)

    def queue(self, **given: Any) -> Report:
        """The report `queue`: queues with their submissions and events."""
        return self.report("queue", **given)

    def memory(self, **given: Any) -> Report:
        """The report `memory`: pools, allocations and high-water marks, in bytes."""
        return self.report("memory", **given)

    def counter(self, **given: Any) -> Report:
        """The report `counter`: hardware counters."""
        return self.report("counter", **given)

    def statistics(self, **given: Any) -> Report:
        """The report `statistics`: statistics of devices."""
        return self.report("statistics", **given)

    def att(self, **given: Any) -> Report:
        """The report `att`: instructions of traced functions."""
        return self.report("att", **given)

    def cat(self, **given: Any) -> Report:
        """The report `cat`: the records of the file."""
        return self.report("cat", **given)

    def __repr__(self) -> str:
        labels = ", ".join(self.bundles) or "no bundles"
        return f"<ireescope.Database of {labels}>"

    def _repr_html_(self) -> str:
        items = "".join(
            f"<li>{html.escape(label)} <small>{html.escape(path)}</small></li>" for label, path in self.bundles.items()
        )
        findings = [row for row in self.doctor() if row["severity"] != "info"]
        health = "".join(
            f"<li><b>{html.escape(row['severity'])}</b> in {html.escape(row['bundle'])}: {html.escape(row['what'])}</li>"
            for row in findings
        )
        return f"<ul>{items}</ul>" + (f"<ul>{health}</ul>" if health else "<p>The captures are complete.</p>")
