"""Serves an object store on loopback that speaks S3: moto, which tests/tools/setup installs.

    object_store.py FOLDER

Puts the files of FOLDER into the bucket `profiles`, and prints the port. Ends at the end of standard input.
"""
import logging
import sys
from pathlib import Path

import boto3
from moto.server import ThreadedMotoServer

logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
client = boto3.client("s3", endpoint_url=f"http://{host}:{port}", aws_access_key_id="tests", aws_secret_access_key="tests",
                      region_name="us-east-1")
client.create_bucket(Bucket="profiles")
folder = Path(sys.argv[1])
for path in sorted(path for path in folder.rglob("*") if path.is_file()):
    client.put_object(Bucket="profiles", Key=str(path.relative_to(folder)), Body=path.read_bytes())
print(port, flush=True)
sys.stdin.read()
