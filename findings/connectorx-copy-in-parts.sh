#!/usr/bin/env bash
# connectorx 0.4.6 (PyPI): a binary COPY whose header comes alone cannot be read.
#
# Expected: a server of PostgreSQL's protocol may divide the data of a COPY into messages as it likes (PostgreSQL 16, "COPY Operations": the
# boundaries of CopyData messages have no meaning), so that the same bytes in one message or in two give the same rows.
# Seen: with the header (19 bytes) and the first row in one message, as PostgreSQL sends them, connectorx reads the row. With the same header in a
# message of its own it fails: "error parsing response from server: unexpected EOF". It looks for the first row where the header was.
#
# Run by hand. Needs python3 and a network; takes half a minute. Fails if the behavior has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --disable-pip-version-check connectorx==0.4.6 pyarrow==26.0.1
"$folder/bin/python" - <<'PYTHON'
import socket
import struct
import sys
import threading

import connectorx

HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
ROW = struct.pack("!hiq", 1, 8, 42)
COLUMN = struct.pack("!h", 1) + b"x\0" + struct.pack("!ihihih", 0, 0, 20, 8, -1, 0)


def message(kind: bytes, body: bytes = b"") -> bytes:
    return kind + struct.pack("!i", len(body) + 4) + body


def copied(is_divided: bool) -> bytes:
    data = [HEADER, ROW] if is_divided else [HEADER + ROW]
    parts = b"".join(message(b"d", part) for part in [*data, b"\xff\xff"])
    return message(b"H", struct.pack("!bhh", 1, 1, 1)) + parts + message(b"c") + message(b"C", b"COPY 1\0")


def serve(listener: socket.socket, is_divided: bool) -> None:
    """Answers every query with one row of one integer, and COPY with the same."""
    while True:
        client, _ = listener.accept()
        threading.Thread(target=answer, args=(client, is_divided), daemon=True).start()


def answer(client: socket.socket, is_divided: bool) -> None:
    stream = client.makefile("rb")
    while (length := struct.unpack("!i", stream.read(4))[0]) and struct.unpack("!i", stream.read(4))[0] == 80877103:
        client.sendall(b"N")
    stream.read(length - 8)
    client.sendall(message(b"R", struct.pack("!i", 0)) + message(b"S", b"server_version\x0016.0\0") + message(b"Z", b"I"))
    query = b""
    while kind := stream.read(1):
        body = stream.read(struct.unpack("!i", stream.read(4))[0] - 4)
        is_copy = query.startswith(b"COPY")
        if kind == b"P":
            query = body.split(b"\0")[1].lstrip()
            client.sendall(message(b"1"))
        elif kind == b"D":
            client.sendall((message(b"t", struct.pack("!h", 0)) if body[:1] == b"S" else b"") + (message(b"n") if is_copy else message(b"T", COLUMN)))
        elif kind == b"B":
            client.sendall(message(b"2"))
        elif kind == b"E":
            row = message(b"D", struct.pack("!hiq", 1, 8, 1)) + message(b"C", b"SELECT 1\0")
            client.sendall(copied(is_divided) if is_copy else row)
        elif kind == b"C":
            client.sendall(message(b"3"))
        elif kind == b"S":
            client.sendall(message(b"Z", b"I"))
        elif kind == b"Q":
            client.sendall(message(b"C", b"SET\0") + message(b"Z", b"I"))


def read(is_divided: bool) -> str:
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener, is_divided), daemon=True).start()
    address = f"postgresql://me@127.0.0.1:{listener.getsockname()[1]}/data"
    try:
        return str(connectorx.read_sql(address, "SELECT x FROM data", protocol="binary", return_type="arrow").column("x").to_pylist())
    except BaseException as error:
        return "unexpected EOF" if "unexpected EOF" in str(error) else f"another error: {error}"


seen = [read(False), read(True)]
print(f"the header and the first row in one message: {seen[0]}\nin two messages: {seen[1]}")
sys.exit(seen != ["[42]", "unexpected EOF"])
PYTHON
