"""Reads a history with DuckDB and pyarrow, and compares it with `ireescope sql`: check_history.py IREESCOPE FOLDER."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet

ireescope, folder = sys.argv[1], Path(sys.argv[2])


def ask(query):
    answer = subprocess.run([ireescope, "sql", "--format=csv", "-c", query, folder], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return list(csv.reader(io.StringIO(answer.stdout)))[1:]


for table in ["history_runs", "history_functions", "history_samples", "history_accepted"]:
    paths = sorted(folder.glob(f"month=*/*/{table}.parquet"))
    schema = pa.parquet.read_schema(paths[0])
    undocumented = [field.name for field in schema if not (field.metadata or {}).get(b"doc")]
    assert not undocumented, f"{table}: no documentation of {undocumented}"
    flags = [field.name for field in schema if pa.types.is_boolean(field.type)]
    numeric = [field.name for field in schema if not pa.types.is_string(field.type) and field.name not in flags]
    sums = "".join(f', sum(CAST("{name}" AS DECIMAL(38, 3)))' for name in numeric)
    sums += "".join(f', count(*) FILTER (WHERE "{name}")' for name in flags)
    query = f"SELECT entry, count(*){sums} FROM {{}} GROUP BY entry ORDER BY entry"
    ours = ask(query.format(table))
    scan = f"read_parquet('{folder}/month=*/*/{table}.parquet', hive_partitioning = true)"
    theirs = duckdb.sql(query.format(scan)).fetchall()
    theirs = [["" if value is None else str(value) for value in row] for row in theirs]
    assert ours and ours == theirs, f"{table}: {ours} and {theirs}"
    assert sum(pa.parquet.read_metadata(path).num_rows for path in paths) == sum(int(row[1]) for row in ours), table
months = duckdb.sql(f"SELECT DISTINCT month FROM read_parquet('{folder}/month=*/*/history_runs.parquet')").fetchall()
assert len(months) == 2, months
