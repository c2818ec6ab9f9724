"""Compares rows of ireescope with those of DuckDB.

    check_rows.py TABLES ASKED

TABLES is a folder of Parquet files, each a table of its name. ASKED has a JSON object for each statement: `sql`, and `rows`, a
Parquet file with the answer of ireescope, or `refused`, its error. Rows are a multiset, or a list if `is_ordered`. DuckDB may
refuse a statement.
"""

import collections
import json
import pathlib
import sys
import threading

import duckdb

from answers import same

tables, asked = sys.argv[1:]
connection = duckdb.connect(config={"threads": 2, "memory_limit": "2GB"})
for table in pathlib.Path(tables).glob("*.parquet"):
    connection.execute(f"CREATE TABLE {table.stem} AS FROM '{table}'")


def answer(query):
    """Returns rows, or an error's text."""
    timer = threading.Timer(60, connection.interrupt)
    timer.start()
    try:
        return connection.execute(query).fetchall()
    except duckdb.Error as error:
        return str(error)
    finally:
        timer.cancel()


counts = collections.Counter()
for line in open(asked):
    case = json.loads(line)
    theirs = answer(case["sql"])
    if "refused" in case:
        outcome, ours = "refused by ireescope" if isinstance(theirs, list) else "refused by both", case["refused"]
    else:
        ours = answer(f"FROM '{case['rows']}'")
        if isinstance(theirs, str):
            outcome = "refused by DuckDB"
        else:
            outcome = "same" if same(ours, theirs, case["is_ordered"]) else "different"
    counts[outcome] += 1
    if outcome == "different":
        print(f"different: {case['sql']}\n  ireescope: {len(ours)} rows, {str(ours)[:600]}\n  DuckDB:    {len(theirs)} rows, {str(theirs)[:600]}")
    elif outcome.startswith("refused"):
        print(f"{outcome}: {case['sql']}\n  {str(theirs if outcome == 'refused by DuckDB' else ours)[:300]}")
print(", ".join(f"{counts[outcome]} {outcome}" for outcome in ["same", "different", "refused by ireescope", "refused by DuckDB", "refused by both"]))
sys.exit(1 if counts["different"] or counts["same"] < sum(counts.values()) * 0.6 else 0)
