"""Reads all relations of a dataset in an object store with DuckDB's httpfs, and a copy of them with Spark, as docs/objects.md shows.

    check_engines.py PORT BUCKET/FOLDER

Each column must have the same values as pyarrow reads: the same sum of integers, of lengths of texts and of true values, and as many
values that are not NULL. Prints the rows of each relation.
"""

import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import duckdb
import duckdb_extension_httpfs
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.fs as fs
from pyspark.sql import SparkSession

port, place = sys.argv[1:]
store = fs.S3FileSystem(endpoint_override=f"http://127.0.0.1:{port}", access_key="tests", secret_key="tests", region="us-east-1")
manifest = json.loads(store.open_input_stream(f"{place}/manifest.json").read())


def files(relation):
    """The files of a relation that belong to the dataset, below its folder."""
    batches = {it["batch"] for it in manifest["bundles"] if relation in it["relations"]}
    return [f"{relation}/batch={batch}/data.parquet" for batch in sorted(batches)]


def measure(field):
    """What is computed of a column in SQL."""
    name = f'"{field.name}"'
    if pa.types.is_integer(field.type):
        return f"sum(CAST({name} AS DECIMAL(38, 0)))"
    if pa.types.is_string(field.type):
        return f"sum(length({name}))"
    if pa.types.is_boolean(field.type):
        return f"sum(CASE WHEN {name} THEN 1 ELSE 0 END)"
    return f"count({name})"


def measured(field, values):
    """The same of the values that pyarrow reads."""
    there = [value for value in values if value is not None]
    if pa.types.is_integer(field.type) or pa.types.is_boolean(field.type):
        return sum(there) if there else None
    if pa.types.is_string(field.type):
        return sum(map(len, there)) if there else None
    return len(there)


def plain(values):
    """Values as integers, where engines give decimals."""
    return [int(value) if isinstance(value, Decimal) else value for value in values]


spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.sql.ansi.doubleQuotedIdentifiers", "true")
# Compiling takes longer than these queries do.
spark = spark.config("spark.sql.codegen.wholeStage", "false").config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
spark = spark.config("spark.sql.shuffle.partitions", "1").config("spark.driver.host", "127.0.0.1").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
duck = duckdb.connect()
extension = next(Path(duckdb_extension_httpfs.__file__).parent.rglob("httpfs.duckdb_extension"))
duck.execute(f"LOAD '{extension}'")
duck.execute(f"SET s3_endpoint = '127.0.0.1:{port}'; SET s3_use_ssl = false; SET s3_url_style = 'path'; SET s3_region = 'us-east-1'")
duck.execute("SET s3_access_key_id = 'tests'; SET s3_secret_access_key = 'tests'")
relations = sorted({relation for bundle in manifest["bundles"] for relation in bundle["relations"]})
assert len(relations) > 20, relations
with tempfile.TemporaryDirectory() as folder:
    fs.copy_files(place, folder, source_filesystem=store)
    for relation in relations:
        names = files(relation)
        copies = [f"{folder}/{name}" for name in names]
        table = ds.dataset(copies).to_table()
        wanted = [table.num_rows, *(measured(field, table[field.name].to_pylist()) for field in table.schema)]
        columns = ", ".join(["count(*)", *map(measure, table.schema)])
        spark.read.parquet(*copies).createOrReplaceTempView("relation")
        (row,) = spark.sql(f"SELECT {columns} FROM relation").collect()
        assert plain(row) == wanted, ("Spark", relation, plain(row), wanted)
        there = [f"s3://{place}/{name}" for name in names]
        row = duck.execute(f"SELECT {columns} FROM read_parquet(?, hive_partitioning = false)", [there]).fetchone()
        assert plain(row) == wanted, ("httpfs", relation, plain(row), wanted)
        print(f"{relation},{table.num_rows}")
spark.stop()
