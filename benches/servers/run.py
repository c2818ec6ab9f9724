"""Times answers over loopback beside the same in this process, in turns, and prints medians.

    run.py PROGRAM BUNDLE [ROUNDS]

Needs the Python package ireescope, adbc_driver_flightsql and pyarrow. PostgreSQL's protocol is read by a client of a few lines, as drivers
for Python take longer to make objects of the rows than the server to send them.
"""

import re
import socket
import statistics
import struct
import subprocess
import sys
import time

import adbc_driver_flightsql.dbapi as flight

import ireescope

SMALL = "SELECT key, count(*) AS n, sum(duration_ns) AS ns FROM dispatches GROUP BY key ORDER BY key"
LARGE = " UNION ALL ".join(["SELECT event_id, key, start_ns, duration_ns FROM dispatches"] * 5)


class Postgres:
    """Reads binary values by the extended protocol."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        body = struct.pack("!i", 196608) + b"user\0me\0database\0ireescope\0\0"
        self.socket.sendall(struct.pack("!i", len(body) + 4) + body)
        self.read(lambda: None)

    def read(self, first):
        """Reads until the server is ready. Counts rows."""
        rest, rows = b"", 0
        while True:
            rest += self.socket.recv(1 << 20)
            at = 0
            while at + 5 <= len(rest):
                length = int.from_bytes(rest[at + 1 : at + 5], "big")
                if at + 1 + length > len(rest):
                    break
                kind = rest[at : at + 1]
                assert kind != b"E", rest[at:]
                if kind == b"D":
                    rows += 1
                    if rows == 1:
                        first()
                at += 1 + length
                if kind == b"Z":
                    return rows
            rest = rest[at:]

    def ask(self, query):
        def message(kind, body):
            return kind + struct.pack("!i", len(body) + 4) + body

        begun, first = time.perf_counter(), []
        parse = message(b"P", b"\0" + query.encode() + b"\0" + struct.pack("!h", 0))
        bind = message(b"B", b"\0\0" + struct.pack("!hhhh", 0, 0, 1, 1))
        self.socket.sendall(parse + bind + message(b"E", b"\0" + struct.pack("!i", 0)) + message(b"S", b""))
        rows = self.read(lambda: first.append(time.perf_counter() - begun))
        return rows, first[0], time.perf_counter() - begun


def in_process(database, query):
    begun = time.perf_counter()
    reader = iter(database.sql(query).batches())
    rows = next(reader).num_rows
    first = time.perf_counter() - begun
    rows += sum(batch.num_rows for batch in reader)
    return rows, first, time.perf_counter() - begun


def by_flight(connection, query):
    begun = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute(query)
        reader = cursor.fetch_record_batch()
        rows = reader.read_next_batch().num_rows
        first = time.perf_counter() - begun
        rows += sum(batch.num_rows for batch in reader)
    return rows, first, time.perf_counter() - begun


def main(program, bundle, rounds=15):
    words = [program, "serve", "--postgres=127.0.0.1:0", "--flight-sql=127.0.0.1:0", bundle]
    server = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        ports = []
        while len(ports) < 2:
            found = re.search(r"127\.0\.0\.1:(\d+)$", server.stderr.readline().strip())
            ports += [int(found[1])] if found else []
        subprocess.Popen(["cat"], stdin=server.stderr, stdout=subprocess.DEVNULL)
        database, postgres = ireescope.open(bundle), Postgres(ports[0])
        with flight.connect(f"grpc://127.0.0.1:{ports[1]}", autocommit=True) as connection:
            ways = {
                "in process": lambda query: in_process(database, query),
                "PostgreSQL, binary": postgres.ask,
                "Flight SQL": lambda query: by_flight(connection, query),
            }
            for name, query in (("small", SMALL), ("large", LARGE)):
                took = {way: [] for way in ways}
                for _ in range(int(rounds)):
                    for way, ask in ways.items():
                        took[way].append(ask(query))
                for way, all_of in took.items():
                    first, whole = (statistics.median(it[nth] for it in all_of[1:]) * 1e3 for nth in (1, 2))
                    print(f"{name}: {way}: {all_of[0][0]} rows, first after {first:.1f} ms, all after {whole:.1f} ms")
    finally:
        server.kill()


if __name__ == "__main__":
    main(*sys.argv[1:])
