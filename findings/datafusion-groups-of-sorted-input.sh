#!/usr/bin/env bash
# DataFusion 55.0.0 (PyPI): GROUP BY takes time quadratic in the number of groups if the input is declared to be sorted by the first key.
#
# Expected: an input with a known order is grouped as fast as one without, or faster; the time grows with the rows.
# Seen: half a million rows with a group each, in batches of 1,024 rows, are grouped in 0.08 s without, and in 0.87 s with `WITH ORDER (a)`,
# where `a` is the same in all rows. Twice the rows take four times as long. The groups cannot be finished before the order's next value
# comes, and are then handed out one batch at a time: each time, all that are left move to the front. With batches of 8,192 rows it is the
# same with an eighth of the constant: a million rows take 0.26 and 0.94 s.
#
# Run by hand. Needs python3 and a network; takes half a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet --disable-pip-version-check datafusion==55.0.0
"$folder/python/bin/python" - "$folder" <<'PYTHON'
import sys
import time

from datafusion import SessionConfig, SessionContext

BATCH = 1024


def seconds(rows: int, order: str) -> float:
    """Returns the shortest of three times in which the rows are grouped."""
    config = SessionConfig().with_target_partitions(2).set("datafusion.execution.batch_size", str(BATCH))
    context = SessionContext(config)
    file = f"{sys.argv[1]}/{rows}.parquet"
    context.sql(
        f"COPY (SELECT 1 AS a, value AS g, value % 7 AS v FROM generate_series(1, {rows})) TO '{file}' STORED AS PARQUET"
    ).collect()
    context.sql(f"CREATE EXTERNAL TABLE t STORED AS PARQUET {order} LOCATION '{file}'").collect()
    best = float("inf")
    for _ in range(3):
        start = time.monotonic()
        groups = sum(batch.num_rows for batch in context.sql("SELECT a, g, count(v) FROM t GROUP BY a, g").collect())
        best = min(best, time.monotonic() - start)
        assert groups == rows, groups
    return best


plain = {rows: seconds(rows, "") for rows in (250_000, 500_000)}
ordered = {rows: seconds(rows, "WITH ORDER (a)") for rows in (250_000, 500_000)}
for rows in plain:
    print(f"{rows:,} groups: {plain[rows]:.2f} s, and {ordered[rows]:.2f} s if sorted")
growth = ordered[500_000] / ordered[250_000]
if ordered[500_000] < 4 * plain[500_000] or growth < 2.8:
    sys.exit(f"the behavior has changed: twice the rows take {growth:.1f} times as long")
PYTHON
echo "as described"
