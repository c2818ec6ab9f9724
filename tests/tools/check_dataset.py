"""Reads a folder of Parquet files with pyarrow and DuckDB, and compares it with `ireescope sql` on the bundles.

    check_dataset.py IREESCOPE FOLDER NAME=BUNDLE...

Checks for every relation: columns and their documentation, row counts by bundle, and the sum of every integer column.
"""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.dataset

ireescope, folder, bundles = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]


def ask(query):
    answer = subprocess.run([ireescope, "sql", "--format=csv", "-c", query, *bundles], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    return list(csv.reader(io.StringIO(answer.stdout)))[1:]


manifest = json.loads((folder / "manifest.json").read_text())
relations = manifest["bundles"][0]["relations"]
labels = sorted(bundle.rsplit("=", 1)[0] for bundle in bundles)
assert labels == sorted(bundle["bundle"] for bundle in manifest["bundles"]), manifest
for relation in relations:
    table = pa.dataset.dataset(folder / relation, partitioning="hive").to_table()
    # The name of a batch is in the path of its file.
    names = [name for name in table.schema.names if name not in ("bundle", "batch")]
    missing = [name for name in names if not (table.schema.field(name).metadata or {}).get(b"doc")]
    assert not missing, f"{relation}: no documentation of {missing}"
    numeric = [name for name in names if pa.types.is_integer(table.schema.field(name).type)]
    # Sums of unsigned numbers can exceed 64 bits.
    sums = "".join(f', sum(CAST("{name}" AS DECIMAL(38, 0)))' for name in numeric)
    query = f"SELECT bundle, count(*){sums} FROM {{}} GROUP BY bundle ORDER BY bundle"
    ours = ask(query.format(relation))
    scan = f"read_parquet('{folder}/{relation}/*/*.parquet', hive_partitioning = true)"
    theirs = duckdb.sql(query.format(scan)).fetchall()
    theirs = [["" if value is None else str(value) for value in row] for row in theirs]
    assert ours == theirs, f"{relation}: {ours} and {theirs}"
    counted = {}
    for label in table.column("bundle").to_pylist():
        counted[label] = counted.get(label, 0) + 1
    assert counted == {row[0]: int(row[1]) for row in ours}, f"{relation}: {counted} and {ours}"
print(f"{len(relations)} relations agree")
