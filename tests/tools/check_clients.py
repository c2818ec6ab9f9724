"""Asks the same of PostgreSQL and of a server of ireescope, by the clients that people have, and compares the answers.

    check_clients.py values PROGRAM BUNDLE DOCS    values of all types and bound values, by each client, as text and as binary; what
                                                   differs is in the table of DOCS, and does
    check_clients.py reading PROGRAM BUNDLE        COPY, cursors, PREPARE and EXECUTE
    check_clients.py programs PROGRAM BUNDLE       ADBC, connectorx, Polars and SQLAlchemy with each driver
    check_clients.py relations PROGRAM BUNDLE…     all rows of all relations by psycopg as text and as binary, and by COPY, are those
                                                   of Flight SQL
    check_clients.py abandoned PROGRAM BUNDLE      what 200 clients leave behind, while others work

PostgreSQL is that of Debian, on a port of its own.
"""

import asyncio
import contextlib
import datetime
import decimal
import os
import pathlib
import pwd
import re
import shutil
import socket
import subprocess
import sys
import warnings
import tempfile
import time

import asyncpg
import pg8000.native
import psycopg
import psycopg2
from check_postgres import Server

D = decimal.Decimal
UTC = datetime.timezone.utc
DAY = datetime.date(2026, 1, 2)
MOMENT = datetime.datetime(2026, 1, 2, 3, 4, 5, 678)
NUMBERS = "(VALUES (1), (2), (3)) t(x)"
LETTERS = "(VALUES ('a'), ('b')) t(x)"

# A statement, the values of its parameters, and clients that cannot bind them.
BOUND = [
    ("SELECT $1", ["a"], ""),
    ("SELECT $1::bigint", [5], ""),
    ("SELECT $1::bigint + 1", [5], ""),
    ("SELECT $1::bigint", [None], ""),
    ("SELECT $1::float8", [1.5], ""),
    ("SELECT $1::float8", [float("inf")], ""),
    ("SELECT $1::numeric(40, 6)", [D("12345678901234567890123456789012.678901")], "psycopg2"),
    ("SELECT $1::numeric(20, 3)", [D("-0.005")], ""),
    ("SELECT $1::date", [DAY], ""),
    ("SELECT $1::timestamp", [MOMENT], ""),
    ("SELECT $1::timestamptz", [MOMENT.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=1)))], ""),
    ("SELECT $1::time", [datetime.time(3, 4, 5)], ""),
    ("SELECT $1::interval", [datetime.timedelta(days=3, seconds=5, microseconds=7)], ""),
    ("SELECT $1::bytea", [b"ab\x00\\'\xff"], ""),
    ("SELECT $1::boolean", [True], ""),
    ("SELECT $1::bigint[]", [[1, None, 3]], ""),
    ("SELECT $1::text[]", [["a", 'b,"c\\', "NULL", None, "", "d e"]], ""),
    ("SELECT $1::float8[]", [[1.5, None]], ""),
    ("SELECT $1::bigint[]", [[]], ""),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x = ANY($1) ORDER BY x", [[1, 3]], ""),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x <> ALL($1) ORDER BY x", [[1, 3]], ""),
    (f"SELECT x FROM {LETTERS} WHERE x = ANY($1) ORDER BY x", [["a", "z"]], ""),
    # asyncpg takes values of the type of the column only.
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x > $1 ORDER BY x", [1.5], "asyncpg"),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x > $1 ORDER BY x", [D("1.5")], "asyncpg"),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x > $1 ORDER BY x", [-1], ""),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x = $1 ORDER BY x", [D("2.0")], "asyncpg"),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x = $1 ORDER BY x", [None], ""),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x IN ($1, $2) ORDER BY x", [1, 2], ""),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x BETWEEN $1 AND $2 ORDER BY x", [1, 2], ""),
    (f"SELECT x::bigint FROM {NUMBERS} WHERE x + $1 > 3 ORDER BY x", [1], ""),
    (f"SELECT x::bigint FROM {NUMBERS} ORDER BY x LIMIT $1 OFFSET $2", [2, 1], ""),
    ("SELECT x FROM (VALUES (1::numeric(20, 0)), (2)) t(x) WHERE x = ANY($1)", [[D(1), D("5.0")]], ""),
    ("SELECT coalesce($1, 'x')", [None], ""),
    ("SELECT length($1)::bigint", ["abc"], ""),
    ("SELECT substr('abcdef', $1, $2)", [2, 3], ""),
    ("SELECT $1 || 'x'", ["a"], ""),
    ("SELECT CASE WHEN $1 THEN 'a' ELSE 'b' END", [True], ""),
    ("SELECT date_trunc('day', $1::timestamp)", [MOMENT], ""),
]
# Statements without parameters.
PLAIN = [
    "SELECT NULL",
    "SELECT 'NaN'::float8, 'Infinity'::float8, '-Infinity'::float8",
    "SELECT 1.1e300::float8, 1e-7::float8, 1e15::float8, 123456.789::float8, 0.1::float4, 1234567::float4, -0.25::float8",
    "SELECT 1.50::numeric(10, 2), -12345678901234567890::numeric(20, 0), 0.0001::numeric(30, 20), 10000::numeric(38, 0)",
    "SELECT DATE '2026-01-02', TIMESTAMP '2026-01-02 03:04:05', TIMESTAMP '2026-01-02 03:04:05.5', TIME '03:04:05'",
    "SELECT TIMESTAMPTZ '2026-01-02 03:04:05.25+01', '2026-01-02 03:04:05'::timestamptz",
    "SELECT INTERVAL '1 year 2 mons 3 days 04:05:06.789', INTERVAL '-1 day', '90 seconds'::interval, NULL::interval",
    "SELECT '\\x6162'::bytea, ''::bytea, E'\\\\x00ff'::bytea",
    "SELECT true, false, NULL::boolean",
    "SELECT ARRAY['a', NULL, 'b c', '', 'NULL', 'q\"\\']",
    "SELECT ARRAY[1.5, NULL]::float8[], ARRAY[true], ARRAY[DATE '2026-01-02'], ARRAY[ARRAY[1.5::float8, 2], ARRAY[3, 4]]",
    "SELECT to_char(TIMESTAMP '2026-01-02 15:04:05.678', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS'), to_char(TIMESTAMP '2026-01-02 15:04:05', 'hh12:mi am')",
    "SELECT sum(x)::bigint, count(*), min(x)::bigint FROM (VALUES (1), (2)) t(x)",
    "SELECT 'a' AS \"A b\", 1::bigint AS \"ü\"",
]


@contextlib.contextmanager
def postgres():
    """Starts PostgreSQL, and gives its port."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    assert found, "PostgreSQL is missing; tests/tools/setup installs it"
    programs = found[-1].parent
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        data = pathlib.Path(folder) / "data"
        data.mkdir()
        # It does not run as root.
        user = {"user": "postgres"} if os.getuid() == 0 else {}
        if user:
            shutil.chown(data, "postgres")
            user["group"] = pwd.getpwnam("postgres").pw_gid
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/", **user}
        subprocess.run([programs / "initdb", "-D", data, "-A", "trust", "-U", "me", "-E", "UTF8", "--locale=C", "-N"], **quiet)
        options = f"-p {port} -k {data} -h 127.0.0.1 -c timezone=UTC -c fsync=off"
        subprocess.run([programs / "pg_ctl", "-D", data, "-o", options, "-l", data / "log", "-w", "start"], **quiet)
        try:
            with psycopg.connect(host="127.0.0.1", port=port, user="me", dbname="postgres", autocommit=True) as connection:
                connection.execute("CREATE DATABASE ireescope")
            yield port
        finally:
            subprocess.run([programs / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **quiet)


def where(port):
    return {"host": "127.0.0.1", "port": port, "user": "me"}


def with_psycopg(port, binary):
    connection = psycopg.connect(**where(port), dbname="ireescope", autocommit=True)

    def ask(query, values):
        cursor = connection.cursor(binary=binary)
        query = re.sub(r"\$\d+", "%s", query.replace("%", "%%")) if values else query
        return cursor.execute(query, values or None).fetchall()

    return ask


def with_psycopg2(port):
    connection = psycopg2.connect(**where(port), dbname="ireescope")
    connection.autocommit = True

    def ask(query, values):
        cursor = connection.cursor()
        cursor.execute(re.sub(r"\$\d+", "%s", query) if values else query, values or None)
        return [tuple(bytes(value) if isinstance(value, memoryview) else value for value in row) for row in cursor.fetchall()]

    return ask


def with_asyncpg(port):
    loop = asyncio.new_event_loop()
    connection = loop.run_until_complete(asyncpg.connect(**where(port), database="ireescope"))
    # The sixth run is that of a statement that is kept.
    return lambda query, values: [tuple(row) for row in [loop.run_until_complete(connection.fetch(query, *values)) for _ in range(6)][-1]]


def with_pg8000(port):
    connection = pg8000.native.Connection("me", host="127.0.0.1", port=port, database="ireescope")

    def ask(query, values):
        named = {f"p{nth}": value for nth, value in enumerate(values, 1)}
        return [tuple(row) for row in connection.run(re.sub(r"\$(\d+)", r":p\1", query), **named)]

    return ask


CLIENTS = {
    "psycopg": lambda port: with_psycopg(port, False),
    "psycopg, binary": lambda port: with_psycopg(port, True),
    "psycopg2": with_psycopg2,
    "asyncpg": with_asyncpg,
    "pg8000": with_pg8000,
}


def answer(ask, query, values):
    try:
        return ask(query, values)
    except Exception as error:  # Each client has errors of its own.
        return f"{type(error).__name__}: {error}".split("\n")[0]


def same(one, other):
    """Whether two answers are the same. A number is of any type that holds it, and NaN is itself."""
    return repr(plain(one)) == repr(plain(other))


def plain(value):
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, D):
        return value.normalize() if value != value.to_integral_value() else int(value)
    if isinstance(value, datetime.datetime) and value.tzinfo:
        return value.astimezone(UTC)
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value


def differences(docs):
    """Returns the statements of the table of what differs from PostgreSQL, with what is said of both."""
    text = pathlib.Path(docs).read_text()
    table = text.split("| statement | PostgreSQL | here |")[1].split("\n\n")[0]
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \| (.+?) \|$", table, re.MULTILINE)
    assert len(rows) > 5, rows
    return rows


def shown(result):
    """Returns an answer as the table shows it: the text of its only value, or `refused`."""
    if isinstance(result, str):
        return "refused"
    [[value]] = result
    return f"`{value}`" if value is not None else "NULL"


def values(program, bundle, docs):
    compared = 0
    with postgres() as there, Server(program, bundle) as server:
        for name, client in CLIENTS.items():
            asked_there, asked_here = client(there), client(server.port)
            for query, bound, without in [*BOUND, *((query, [], "") for query in PLAIN)]:
                if name.split(",")[0] in without:
                    continue
                wanted, found = (answer(ask, query, bound) for ask in (asked_there, asked_here))
                if isinstance(wanted, str):
                    # The client does not send it, or PostgreSQL refuses it.
                    continue
                assert same(wanted, found), f"{name}: {query} {bound}\nPostgreSQL: {wanted}\nhere:       {found}"
                compared += 1
        # Numbers are compared as numbers, also those that are unsigned, and searched in lists of other numbers.
        with server.connect() as connection:
            for where_, value, wanted in [
                ("duration_ns = %s", 83615.5, 0),
                ("event_id > %s", -1, 80),
                ("event_id > %s", D("3.5"), 79),
                ("event_id = ANY(%s)", [3, -1], 1),
                ("event_id = ANY(%s)", [D("3.0"), D("3.5")], 1),
                ("event_id <> ALL(%s)", [3.0, 4.5], 79),
                ("event_id / %s = 1.5", 2, 1),
            ]:
                found = connection.execute(f"SELECT count(*) FROM dispatches WHERE {where_}", (value,)).fetchone()
                assert found == (wanted,), (where_, value, found)
        asked_there, asked_here = with_psycopg2(there), with_psycopg2(server.port)
        for query, wanted, found in differences(docs):
            both = [shown(answer(ask, query.replace("\\|", "|"), [])) for ask in (asked_there, asked_here)]
            assert both == [wanted, found] and wanted != found, f"{docs}: {query}: PostgreSQL {both[0]}, here {both[1]}"
    print(compared)


ROWS = "(VALUES (1, 'a', NULL::float8), (2, 'b,\"c', 1.5), (3, E'x\\ny\\\\', 2.5), (4, '', 0)) t(x, y, z)"


def copied(options):
    def ask(connection):
        cursor = connection.cursor()
        with cursor.copy(f"COPY (SELECT x::bigint AS x, y, z FROM {ROWS} ORDER BY x) TO STDOUT {options}") as copy:
            return b"".join(bytes(part) for part in copy)

    return ask


def told(*queries):
    """Returns what each statement is answered with: its tag and its rows, or the class of its error."""

    def ask(connection):
        answers = []
        for query in queries:
            try:
                cursor = connection.execute(query)
                answers.append((cursor.statusmessage, cursor.fetchall() if cursor.description else None))
            except psycopg.Error as error:
                answers.append(error.sqlstate)
        return answers

    return ask


def by_server_cursor(connection):
    with connection.transaction(), connection.cursor(name="c") as cursor:
        cursor.execute("SELECT x::bigint AS x FROM (VALUES (1), (2), (3), (4), (5)) t(x) WHERE x > %s ORDER BY x", (1,))
        return cursor.fetchone(), cursor.fetchmany(2), cursor.fetchall(), [column.name for column in cursor.description]


TWO = "SELECT 1::bigint AS x UNION ALL SELECT 2::bigint ORDER BY 1"
READING = {
    "text": copied(""),
    "text with options": copied("(DELIMITER '|', NULL 'none')"),
    "csv": copied("(FORMAT csv)"),
    "csv with options": copied("WITH (FORMAT csv, HEADER, NULL 'nil', DELIMITER ';', QUOTE '''', FORCE_QUOTE (y))"),
    "csv as it was written": copied("WITH CSV HEADER"),
    "binary": copied("(FORMAT binary)"),
    "server-side cursor": by_server_cursor,
    "held": told(f"DECLARE h CURSOR WITH HOLD FOR {TWO}", "FETCH 1 FROM h", "MOVE ALL FROM h", "FETCH h", "CLOSE h", "CLOSE h"),
    "in a transaction": told("BEGIN", f"DECLARE c CURSOR FOR {TWO}", f"DECLARE c CURSOR FOR {TWO}", "ROLLBACK", "BEGIN", f"DECLARE c BINARY CURSOR FOR {TWO}", "FETCH FORWARD ALL FROM c", "FETCH c", "COMMIT", "FETCH c"),
    "outside": told(f"DECLARE c CURSOR FOR {TWO}", "CLOSE ALL", "FETCH c"),
    "prepared": told("PREPARE p(int, text) AS SELECT $1::bigint + 1, $2", "EXECUTE p(1, 'x')", "EXECUTE p(1 + 1, NULL)", "EXECUTE p(1)", "PREPARE p AS SELECT 1", "DEALLOCATE p", "EXECUTE p(1, 'x')"),
}


def reading(program, bundle):
    with postgres() as there, Server(program, bundle) as server:
        for name, ask in READING.items():
            answers = []
            for port in (there, server.port):
                with psycopg.connect(**where(port), dbname="ireescope", autocommit=True) as connection:
                    answers.append(ask(connection))
            assert same(*answers), f"{name}\nPostgreSQL: {answers[0]}\nhere:       {answers[1]}"
        # psql reads in parts by cursors.
        script = "\\set FETCH_COUNT 7\nSELECT event_id FROM dispatches;\n\\copy (SELECT key FROM dispatches LIMIT 3) TO STDOUT\n"
        words = ["psql", "-X", "-A", "-t", "-h", "127.0.0.1", "-p", str(server.port), "-U", "me", "-d", "ireescope"]
        ran = subprocess.run(words, input=script, capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0 and len(ran.stdout.splitlines()) == 83, ran
        # What holds a statement, and that cursors are counted.
        with server.connect(autocommit=False) as connection:
            for nth in range(40):
                try:
                    connection.execute(f"DECLARE c{nth} CURSOR FOR SELECT 1")
                except psycopg.Error as error:
                    assert (nth, error.sqlstate) == (32, "54000"), (nth, error)
                    break
            else:
                raise AssertionError("cursors are not counted")
    print("fine")


def programs(program, bundle):
    """Programs that read whole results by other ways than a plain query."""
    import adbc_driver_postgresql.dbapi
    import connectorx
    import polars
    import sqlalchemy

    query = "SELECT key, duration_ns, event_id, is_valid FROM dispatches"
    with Server(program, bundle) as server:
        address = f"postgresql://me@127.0.0.1:{server.port}/ireescope"
        with adbc_driver_postgresql.dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            assert cursor.fetch_arrow_table().num_rows == 80
            cursor.execute("SELECT count(*) FROM dispatches WHERE duration_ns > $1", (5000,))
            assert cursor.fetchone() == (60,)
            assert connection.adbc_get_objects(depth="tables").read_all().num_rows
        for protocol in ("binary", "csv", "cursor"):
            assert connectorx.read_sql(address, query, return_type="arrow", protocol=protocol).num_rows == 80
        assert polars.read_database_uri(query, address).shape == (80, 4)
        for driver in ("psycopg", "psycopg2", "pg8000"):
            engine = sqlalchemy.create_engine(address.replace("postgresql", f"postgresql+{driver}"))
            with engine.connect() as connection:
                # It has no type for records.
                warnings.simplefilter("ignore", sqlalchemy.exc.SAWarning)
                meta = sqlalchemy.MetaData()
                for schema in (None, "report", "export"):
                    meta.reflect(connection, schema=schema, views=True)
                table = meta.tables["dispatches"]
                assert len(meta.tables) > 180, len(meta.tables)
                some = sqlalchemy.select(sqlalchemy.func.count()).where(table.c.event_id.in_([1, 2, 3]))
                assert connection.execute(some).scalar() == 1
                streamed = connection.execution_options(stream_results=True).execute(sqlalchemy.select(table.c.key))
                assert len(streamed.fetchall()) == 80
    print("fine")


def flat(value):
    """Returns a value of Arrow or of psycopg in one form: numbers as they are, times in microseconds, structs as lists."""
    if isinstance(value, dict):
        return [flat(part) for part in value.values()]
    if isinstance(value, (list, tuple)):
        return [flat(part) for part in value]
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, float):
        return "NaN" if value != value else value
    return plain(value)


def relations(program, *bundles):
    import adbc_driver_flightsql.dbapi

    compared = 0
    with Server(program, "--flight-sql=127.0.0.1:0", *bundles) as server:
        end = time.monotonic() + 10
        while not (found := [line.split()[-1] for line in server.log if "Flight SQL at" in line]) and time.monotonic() < end:
            time.sleep(0.05)
        [address] = found
        with server.connect() as connection, adbc_driver_flightsql.dbapi.connect(f"grpc://{address}", autocommit=True) as flight:
            listed = connection.execute("SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema IN ('public', 'report', 'export') ORDER BY 1, 2").fetchall()
            assert len(listed) > 200, len(listed)
            for schema, name in listed:
                query = f'SELECT * FROM "{schema}"."{name}"'
                try:
                    with flight.cursor() as cursor:
                        cursor.execute(query)
                        table = cursor.fetch_arrow_table()
                except adbc_driver_flightsql.dbapi.Error as error:
                    # Such as relations that libraries of the system would compute.
                    with contextlib.suppress(psycopg.Error):
                        connection.execute(query).fetchall()
                        raise AssertionError(f"Flight SQL refuses {query}: {error}") from error
                    continue
                wanted = sorted(repr([flat(value) for value in row]) for row in zip(*(column.to_pylist() for column in table.columns)))
                has_records = any("struct" in str(field.type) for field in table.schema)
                for binary in (True, False):
                    cursor = connection.cursor(binary=binary)
                    rows, types = cursor.execute(query).fetchall(), [column.type_code for column in cursor.description]
                    assert len(rows) == len(wanted), (query, len(rows), len(wanted))
                    # Parts of records have no types as text.
                    if binary or not has_records:
                        found = sorted(repr([flat(value) for value in row]) for row in rows)
                        assert found == wanted, (query, binary, next(pair for pair in zip(found, wanted) if pair[0] != pair[1]))
                with connection.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT binary)") as copy:
                    copy.set_types(types)
                    found = sorted(repr([flat(value) for value in row]) for row in copy.rows())
                assert found == wanted, (query, "copy")
                compared += len(wanted)
    print(compared)


def abandoned(program, bundle):
    """Clients that open cursors, copy, prepare and bind what cannot be written, and vanish."""
    limit = 512 << 20
    endless = "SELECT value AS x, repeat('y', 100) AS y FROM generate_series(1, 100000000000)"
    with Server(program, f"--memory-limit={limit}", "--metrics=127.0.0.1:0", bundle) as server:
        most = 0
        left = []
        for nth in range(200):
            connection = server.connect(autocommit=False)
            if nth % 4 == 0:
                for number in range(8):
                    connection.execute(f"DECLARE c{number} CURSOR FOR {endless}")
                    connection.execute(f"FETCH 100 FROM c{number}")
                connection.execute("ROLLBACK")
                connection.execute(f"DECLARE c CURSOR WITH HOLD FOR {endless}")
            elif nth % 4 == 1:
                cursor = connection.cursor()
                # It is cancelled when nothing refers to it.
                copy = cursor.copy(f"COPY ({endless}) TO STDOUT")
                copy.__enter__().read()
                connection.pgconn.finish()
            elif nth % 4 == 2:
                connection.execute(f"PREPARE p AS {endless} LIMIT $1")
                connection.execute("EXECUTE p(1000)").fetchmany(3)
            else:
                begun = time.monotonic()
                with contextlib.suppress(psycopg.Error):
                    connection.execute("SELECT arrow_cast(2147483647, 'Date32') FROM generate_series(1, 1000000)").fetchall()
                    raise AssertionError("a value that cannot be written")
                assert time.monotonic() - begun < 5, "such a value is tried for long"
            left.append(connection)
            if nth % 10 == 0:
                begun = time.monotonic()
                with server.connect() as other:
                    assert other.execute("SELECT count(*) FROM dispatches").fetchone() == (80,)
                assert time.monotonic() - begun < 15, "others wait"
                most = max(most, server.resident())
        assert most < limit + (256 << 20), most
        for connection in left:
            connection.close()
        left.clear()
        end = time.monotonic() + 30
        while server.connections() and time.monotonic() < end:
            time.sleep(0.2)
        assert not server.connections(), f"{server.connections()} connections are left"
    print(most >> 20)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
