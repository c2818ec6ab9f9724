"""Polars, pandas, pyarrow, DuckDB and DataFusion read every table and view, equal to the last bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datafusion
import duckdb
import pandas
import polars
import pyarrow
import pytest

import ireescope

BUNDLES = ("mlp-local-task.ireeprof", "mlp-vulkan.ireeprof")


def bits(value: Any) -> Any:
    """Returns what tells two values apart that are not the same to the last bit."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else struct.pack("<d", value)
    if isinstance(value, list):
        return [bits(one) for one in value]
    return value


def rows(columns: dict[str, list[Any]], height: int) -> list[str]:
    """Returns the rows, in an order of their own, as threads of an engine return them in any."""
    values = [[bits(value) for value in column] for column in columns.values()]
    return sorted(repr(row) for row in zip(*values)) if values else [""] * height


def by_polars(table: ireescope.Table) -> dict[str, list[Any]]:
    return polars.DataFrame(table).to_dict(as_series=False)


def by_pandas(table: ireescope.Table) -> dict[str, list[Any]]:
    frame = table.to_pandas()
    # A text that is missing is NaN in pandas.
    return {
        name: [
            None if value is pandas.NA or (column.dtype == "str" and pandas.isna(value)) else getattr(value, "tolist", lambda: value)()
            for value in column
        ]
        for name, column in frame.items()
    }


def by_pyarrow(table: ireescope.Table) -> dict[str, list[Any]]:
    return pyarrow.table(table).to_pydict()


def by_duckdb(table: ireescope.Table) -> dict[str, list[Any]]:
    rows_of_table = table
    assert rows_of_table is not None
    return duckdb.sql("FROM rows_of_table").to_arrow_table().to_pydict()


def by_datafusion(table: ireescope.Table) -> dict[str, list[Any]]:
    session = datafusion.SessionContext()
    session.register_table("t", table)
    return session.sql("SELECT * FROM t").to_pydict()


LIBRARIES = [by_polars, by_pyarrow, by_duckdb, by_datafusion, by_pandas]


@pytest.mark.parametrize("bundle", BUNDLES)
@pytest.mark.parametrize("read", LIBRARIES)
def test_every_table_and_view(data: Path, bundle: str, read: Callable[..., dict[str, list[Any]]]) -> None:
    db = ireescope.open(data / bundle)
    with_rows = 0
    for name in db.tables:
        table = db.table(name)
        expected = list(zip(*table.fetchall())) or [()] * len(table.columns)
        expected = {name: list(column) for name, column in zip(table.columns, expected)}
        height = len(next(iter(expected.values()), []))
        with_rows += height > 0
        try:
            got = read(table)
        except Exception as error:
            raise AssertionError(f"{name}: {error}") from error
        assert list(got) == table.columns, name
        assert rows(got, height) == rows(expected, height), name
    assert with_rows > 30


def test_datafusion_joins_with_its_own_tables_and_pushes_down(data: Path) -> None:
    db = ireescope.open(data / BUNDLES[0])
    session = datafusion.SessionContext()
    session.register_table("dispatches", db.table("dispatches"))
    session.from_pydict({"key": ["main_dispatch_3_transpose_32x64_f32"], "note": ["small"]}, name="notes")
    joined = "SELECT note, count(*) AS n FROM dispatches JOIN notes USING (key) WHERE duration_ns > 1000 GROUP BY note"
    own = "SELECT count(*) FROM dispatches WHERE key LIKE '%transpose%' AND duration_ns > 1000"
    assert session.sql(joined).to_pydict() == {"note": ["small"], "n": [db.sql(own).fetchall()[0][0]]}
    plan = str(session.sql("SELECT key FROM dispatches WHERE duration_ns > 1000 LIMIT 3").execution_plan())
    assert "FilterExec" not in plan and "IreescopeScan" in plan
    explained = session.sql("EXPLAIN SELECT key FROM dispatches WHERE duration_ns > 1000").to_pydict()["plan"]
    assert "projection=[key]" in explained[0] and "full_filters=" in explained[0]


def test_filters_with_functions_of_the_other_session(data: Path) -> None:
    db = ireescope.open(data / BUNDLES[0])
    session = datafusion.SessionContext()
    session.register_table("d", db.table("dispatches"))
    even = datafusion.udf(
        lambda values: pyarrow.array([value.as_py() % 2 == 0 for value in values]), [pyarrow.uint64()], pyarrow.bool_(), "immutable", "is_even"
    )
    session.register_udf(even)
    got = session.sql("SELECT count(*) AS n FROM d WHERE is_even(byte_offset)").to_pydict()["n"]
    assert got == [db.sql("SELECT count(*) FROM dispatches WHERE byte_offset % 2 = 0").fetchall()[0][0]]


@pytest.mark.parametrize("make", [polars.DataFrame, pandas.DataFrame, pyarrow.table])
def test_frames_become_tables(data: Path, make: Callable[..., Any]) -> None:
    db = ireescope.open(data / BUNDLES[0])
    db.register("notes", make({"key": ["main_dispatch_3_transpose_32x64_f32"], "weight": [2.5]}))
    query = "SELECT weight * count(*) FROM dispatches JOIN notes USING (key) GROUP BY weight"
    assert db.sql(query).fetchall() == [(2.5 * 20,)]
    # A later frame replaces the former one.
    db.register("notes", make({"key": ["nothing"], "weight": [1.0]}))
    assert db.sql(query).fetchall() == []
    with pytest.raises(ireescope.UsageError, match="built in"):
        db.register("dispatches", make({"key": ["a"]}))


def test_relations_of_duckdb_become_tables(data: Path) -> None:
    db = ireescope.open(data / BUNDLES[0])
    db.register("numbers", duckdb.sql("SELECT range AS n FROM range(5)"))
    assert db.sql("SELECT sum(n) FROM numbers").fetchall() == [(10,)]


def test_pandas_reads_streams_itself(data: Path) -> None:
    table = ireescope.open(data / BUNDLES[0])["dispatches"]
    assert pandas.DataFrame.from_arrow(table)["duration_ns"].sum() == sum(row["duration_ns"] for row in table)


def test_times_stay_integers_of_nanoseconds(data: Path) -> None:
    rows_of_table = table = ireescope.open(data / BUNDLES[0])["dispatches"]
    total = sum(row["duration_ns"] for row in rows_of_table)
    assert duckdb.sql("SELECT sum(duration_ns)::BIGINT FROM rows_of_table").fetchall() == [(total,)]
    assert isinstance(polars.DataFrame(table)["duration_ns"].sum(), int)
