"""Reads the files of a folder, <bundle>.<relation>.{parquet,arrow,csv}, with pyarrow and DuckDB.

The three files of a relation must hold the same rows, DuckDB's aggregation of `dispatches` must equal `top_functions`,
and the Parquet schema must contain the documentation of the columns.
"""

import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

folder = Path(sys.argv[1])
agreed = 0
for parquet in sorted(folder.glob("*.parquet")):
    table = pyarrow.parquet.read_table(parquet)
    with pa.ipc.open_file(parquet.with_suffix(".arrow")) as reader:
        from_ipc = reader.read_all()
    assert table.schema.names == from_ipc.schema.names, parquet
    assert table.to_pylist() == from_ipc.to_pylist(), f"{parquet}: Parquet and Arrow differ"
    relation = parquet.name.split(".")[1]
    counted = duckdb.sql(f"SELECT count(*) FROM '{parquet}'").fetchall()[0][0]
    in_csv = duckdb.sql(f"SELECT count(*) FROM read_csv('{parquet.with_suffix('.csv')}', header = true)").fetchall()[0][0]
    assert counted == in_csv == table.num_rows, f"{parquet}: {counted}, {in_csv} and {table.num_rows} rows"
    if table.num_columns:
        missing = [field.name for field in table.schema if not (field.metadata or {}).get(b"doc")]
        assert not missing, f"{parquet}: no documentation of {missing}"
    if relation == "top_functions":
        dispatches = folder / parquet.name.replace("top_functions", "dispatches")
        theirs = duckdb.sql(f"""
            SELECT timing_source, key, count(*), sum(duration_ns), avg(duration_ns), median(duration_ns),
                   CASE WHEN count(*) >= 10 THEN quantile_cont(duration_ns, 0.9) END,
                   CASE WHEN count(*) >= 100 THEN quantile_cont(duration_ns, 0.99) END, min(duration_ns), max(duration_ns)
            FROM '{dispatches}' WHERE is_valid AND NOT is_warmup GROUP BY ALL ORDER BY ALL""").fetchall()
        ours = duckdb.sql(f"""
            SELECT timing_source, key, dispatch_count, total_ns, mean_ns, median_ns, p90_ns, p99_ns, min_ns, max_ns
            FROM '{parquet}' ORDER BY ALL""").fetchall()
        assert len(ours) == len(theirs) > 0, f"{parquet}: {len(ours)} and {len(theirs)} groups"
        for one, other in zip(ours, theirs):
            for left, right in zip(one, other):
                exact = isinstance(left, str) or left is None or right is None
                same = left == right if exact else abs(left - right) <= 1e-9 * max(1, abs(right))
                assert same, f"{parquet}: {one} and {other}"
    agreed += 1
print(f"{agreed} relations agree")
