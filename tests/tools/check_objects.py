"""Reads a relation of a dataset in an object store with pyarrow and Polars, as docs/objects.md shows. Prints the rows of each bundle.

    check_objects.py PORT BUCKET/FOLDER RELATION
"""
import json
import sys

import polars as pl
import pyarrow.dataset as ds
import pyarrow.fs as fs

port, folder, relation = sys.argv[1:]
store = fs.S3FileSystem(endpoint_override=f"http://127.0.0.1:{port}", access_key="tests", secret_key="tests", region="us-east-1")
manifest = json.loads(store.open_input_stream(f"{folder}/manifest.json").read())
files = {f"{folder}/{relation}/batch={it['batch']}/data.parquet" for it in manifest["bundles"] if relation in it["relations"]}
counts = ds.dataset(sorted(files), filesystem=store).to_table(columns=["bundle"]).group_by("bundle").aggregate([([], "count_all")])
options = {"aws_endpoint_url": f"http://127.0.0.1:{port}", "aws_access_key_id": "tests", "aws_secret_access_key": "tests", "aws_region": "us-east-1"}
scan = pl.scan_parquet([f"s3://{file}" for file in sorted(files)], storage_options=options | {"aws_allow_http": "true"})
of_polars = scan.group_by("bundle").len().collect().sort("bundle").rows()
assert of_polars == sorted(zip(counts["bundle"].to_pylist(), counts["count_all"].to_pylist())), of_polars
for bundle, count in sorted(zip(counts["bundle"].to_pylist(), counts["count_all"].to_pylist())):
    print(f"{bundle},{count}")
