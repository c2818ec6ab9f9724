"""Rows: results that other libraries read as Arrow streams, without a copy."""

from __future__ import annotations

import html
import os
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from ireescope import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

# How many rows are shown of a result.
SHOWN = 20
# The longest text that a cell shows.
WIDTH = 80


class Column(NamedTuple):
    """A column of a result."""

    name: str
    #: Its type in Arrow.
    type: str
    #: Its unit, such as `ns`; `None` if it has none.
    unit: str | None
    #: What it means; `None` if it is computed by the query.
    doc: str | None


class Rows:
    """The rows of a result.

    A query runs whenever its rows are read: by any library that reads Arrow streams, such as `polars.DataFrame(rows)`,
    `pandas.DataFrame.from_arrow(rows)`, `pyarrow.table(rows)` or `duckdb.sql("FROM rows")`, which need no copy and no other
    library, and raise exceptions of their own, also for Ctrl-C; by the functions below; or by iterating, which returns each row as a dictionary. `read` keeps the rows, so that
    the query runs once.

    64-bit integers stay integers, so times in nanoseconds are exact.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _native.Rows) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [column[0] for column in self._native.columns]

    def describe(self) -> list[Column]:
        """Returns the columns with their types, units and meanings."""
        return [Column(*column) for column in self._native.columns]

    def read(self) -> Rows:
        """Runs the query and returns its rows, which are kept in memory.

        Raises `InputError` if it read damaged parts of a file, `UsageError` if it is wrong, and `KeyboardInterrupt`.
        """
        return self if self._native.is_answer else Rows(self._native.read())

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> int:
        """Writes the rows to a file, as a whole or not at all, and returns their number.

        `format` is `csv`, `tsv`, `json` (an array), `jsonl`, `parquet`, `arrow`, `markdown`, `box` or `line`; by default, the
        extension of the file chooses. Raises `UsageError` for other names, and `ResourceError` if the file cannot be written.

            >>> import os, tempfile
            >>> import ireescope as ie
            >>> folder = tempfile.TemporaryDirectory()
            >>> rows = ie.open("tests/data/mlp-local-task.ireeprof").top()
            >>> rows.write(os.path.join(folder.name, "top.csv"))
            4
        """
        return _native.exporting.write(self._native, path, format)

    def to_polars(self) -> polars.DataFrame:
        """Returns the rows as a DataFrame of Polars."""
        import polars

        return polars.DataFrame(self.read())

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the rows as a DataFrame of pandas, which needs pyarrow for this. Columns have the types that know NULL, such as
        `UInt64`: `pandas.DataFrame.from_arrow` would turn integers into floats where a column has NULLs."""
        import pandas
        import pyarrow

        types = {
            pyarrow.type_for_alias(name.lower()): getattr(pandas, f"{name}Dtype")()
            for name in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
        }
        types |= {pyarrow.float32(): pandas.Float32Dtype(), pyarrow.float64(): pandas.Float64Dtype()}
        types[pyarrow.bool_()] = pandas.BooleanDtype()
        return pyarrow.table(self.read()).to_pandas(types_mapper=types.get)

    def to_arrow(self) -> pyarrow.Table:
        """Returns the rows as a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self.read())

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Returns the rows as tuples. NULL is `None`; dates and times are texts, as Python's have no nanoseconds."""
        return self._native.head(2**63 - 1)[0]

    def fetchone(self) -> tuple[Any, ...] | None:
        """Returns the first row as a tuple; `None` if there is none."""
        first = self._native.head(1)[0]
        return first[0] if first else None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names = self.columns
        return (dict(zip(names, row)) for row in self.fetchall())

    def __len__(self) -> int:
        count = self._native.count
        return self._native.read().count if count is None else count

    def __bool__(self) -> bool:
        return bool(self._native.head(1)[0])

    def __repr__(self) -> str:
        rows, more = self._native.head(SHOWN)
        names = self.columns
        if not names:
            return "no rows"
        cells = [names] + [[_shown(value) for value in row] for row in rows]
        numbers = [_is_number(column[1]) for column in self._native.columns]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = [
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(line, widths, numbers)
            ).rstrip()
            for line in cells
        ]
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join(lines + [_rest(len(rows), more)])

    def _repr_html_(self) -> str:
        rows, more = self._native.head(SHOWN)
        heads = "".join(
            f'<th style="text-align:{_side(type)}" title="{html.escape(doc or "")}">{html.escape(name)}'
            + (f'<br><small style="font-weight:normal">{html.escape(unit)}</small>' if unit else "")
            + "</th>"
            for name, type, unit, doc in self._native.columns
        )
        sides = [_side(column[1]) for column in self._native.columns]
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align:{side}">{html.escape(_shown(value))}</td>' for value, side in zip(row, sides)
            )
            + "</tr>"
            for row in rows
        )
        # Colors are those of the page, light or dark.
        return (
            f'<table style="font-variant-numeric:tabular-nums"><thead><tr>{heads}</tr></thead>'
            f"<tbody>{body}</tbody></table><small>{html.escape(_rest(len(rows), more))}</small>"
        )


def _is_number(type: str) -> bool:
    return type.startswith(("Int", "UInt", "Float", "Decimal"))


def _side(type: str) -> str:
    return "right" if _is_number(type) else "left"


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        text = f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"
    else:
        text = str(value)
    # What would move the cursor or break the line is shown as an escape.
    text = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _rest(shown: int, more: bool) -> str:
    if more:
        return f"the first {shown} rows; there are more"
    return f"{shown} row" if shown == 1 else f"{shown} rows"
