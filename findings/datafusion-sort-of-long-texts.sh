#!/usr/bin/env bash
# DataFusion 55.0.0 (PyPI): a sort above a hash join counts texts of more than 12 bytes many times over.
#
# Expected: 300,000 rows of a text and four integers take tens of megabytes, so that a limit of 2 GB does not matter, whatever the text is.
# Seen: with a text of 5 bytes, the query is answered. With one of 22 bytes in all rows, the sort fails: one batch of the join is counted as
# 1.4 GB. Views hold up to 12 bytes themselves; longer texts lie in buffers, and the rows that the join collected on its left side refer to the
# buffers of all batches, once for each batch. With `datafusion.optimizer.repartition_joins = true` and `prefer_hash_join = false`, the join
# sorts its inputs, and both are answered.
#
# Run by hand. Needs python3 and a network; takes a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check datafusion==55.0.0
"$folder/bin/python" - <<'PYTHON'
import sys

from datafusion import RuntimeEnvBuilder, SessionConfig, SessionContext

ROWS, LIMIT = 300_000, 2_000_000_000
QUERY = """
SELECT e.name, e.id, e.calls, e.most, n.most AS other
FROM (SELECT name, id, count(*) AS calls, max(value) AS most FROM events GROUP BY name, id) AS e
LEFT JOIN (SELECT name, id, max(value) AS most FROM nothing GROUP BY name, id) AS n ON n.name = e.name AND n.id = e.id
ORDER BY e.name, e.id, e.most
"""


def ask(name: str, joins_sort: bool) -> str:
    options = {
        "datafusion.optimizer.join_reordering": "false",
        "datafusion.optimizer.prefer_hash_join": "false",
        "datafusion.optimizer.repartition_joins": str(joins_sort).lower(),
        "datafusion.optimizer.repartition_sorts": "false",
    }
    config = SessionConfig().with_target_partitions(2).with_batch_size(1024)
    for option, value in options.items():
        config = config.set(option, value)
    session = SessionContext(config, RuntimeEnvBuilder().with_disk_manager_os().with_fair_spill_pool(LIMIT))
    session.sql(
        f"CREATE TABLE events AS SELECT arrow_cast('{name}', 'Utf8View') AS name, value AS id, value % 7 AS value "
        f"FROM generate_series(1, {ROWS})"
    ).collect()
    session.sql("CREATE TABLE nothing AS SELECT * FROM events WHERE id < 0").collect()
    try:
        return f"{sum(batch.num_rows for batch in session.sql(QUERY).collect())} rows"
    except Exception as error:
        return "the sort fails" if "ExternalSorter" in str(error) else f"another error: {error}"


seen = [ask("short", False), ask("more than twelve bytes", False), ask("more than twelve bytes", True)]
for what, answer in zip(["5 bytes, hash join", "22 bytes, hash join", "22 bytes, sort-merge join"], seen):
    print(f"{what}: {answer}")
sys.exit(seen != [f"{ROWS} rows", "the sort fails", f"{ROWS} rows"])
PYTHON
