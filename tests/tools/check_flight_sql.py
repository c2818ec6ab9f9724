"""Asks a server by Arrow Flight SQL: with ADBC, and with pyarrow where a client does what ADBC does not.

    check_flight_sql.py queries ADDRESS FOLDER      the queries FOLDER/N.sql give FOLDER/N.arrow, or an error with FOLDER/N.error
    check_flight_sql.py parameters ADDRESS          prepared statements
    check_flight_sql.py metadata ADDRESS            what clients ask about a server
    check_flight_sql.py errors ADDRESS              what is refused, and how
    check_flight_sql.py stopped ADDRESS METRICS     statements that clients stop, or whose rows they do not read
    check_flight_sql.py limits ADDRESS METRICS      a server with 2 connections, 2 seconds and 100,000 rows
    check_flight_sql.py logins ADDRESS AUTHORITY    a server with users ann (secret) and bob (hidden)
    check_flight_sql.py ends ADDRESS PROCESS        a server that is asked to end
    check_flight_sql.py rate ADDRESS QUERY          prints the seconds of a query
"""
import base64
import os
import pathlib
import signal
import sys
import threading
import time
import urllib.request

import adbc_driver_flightsql
import adbc_driver_flightsql.dbapi as dbapi
import adbc_driver_manager
import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.ipc

LONG = "SELECT sum(a.value % 7) FROM generate_series(1, 1000000000000) AS a"
MANY = "SELECT value, value * 2 AS twice, 'row ' || value AS text FROM generate_series(1, 100000000)"
OPTIONS = adbc_driver_flightsql.DatabaseOptions


def connect(address, **options):
    return dbapi.connect(f"grpc://{address}", db_kwargs=options, autocommit=True)


def ask(connection, text, values=None):
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetch_arrow_table()


def refused(kinds, words, function, *arguments):
    try:
        found = function(*arguments)
    except Exception as error:
        assert isinstance(error, kinds), f"{type(error)}: {error}"
        assert words in str(error), f"{words!r} is not in {error}"
        return
    raise AssertionError(f"{arguments} gave {found}, and not {words}")


def field(number, data):
    """A field of a protobuf message."""
    size, length = b"", len(data)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + data


def command(name, value):
    return field(1, f"type.googleapis.com/arrow.flight.protocol.sql.{name}".encode()) + field(2, value)


def statement(client, text, options=None):
    descriptor = flight.FlightDescriptor.for_command(command("CommandStatementQuery", field(1, text.encode())))
    return client.get_flight_info(descriptor, options)


def read(client, info, options=None):
    """Reads all rows. pyarrow's read_all takes a statement that was stopped for Ctrl-C."""
    reader = client.do_get(info.endpoints[0].ticket, options)
    batches = [chunk.data for chunk in reader]
    return pa.Table.from_batches(batches, reader.schema)


def counts(address):
    text = urllib.request.urlopen(f"http://{address}/metrics").read().decode()
    lines = (line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in lines}


def ended(outcome):
    return f'ireescope_statements_total{{door="flight-sql",outcome="{outcome}"}}'


def wait_for(metrics, name, value, seconds=20):
    until = time.monotonic() + seconds
    while (found := counts(metrics).get(name, 0)) != value:
        assert time.monotonic() < until, f"{name} is {found}, not {value}"
        time.sleep(0.05)


def rows(table, is_ordered):
    listed = [repr(row) for row in table.to_pylist()]
    return listed if is_ordered else sorted(listed)


def queries(address, folder):
    compared = 0
    with connect(address) as connection:
        for path in sorted(pathlib.Path(folder).glob("*.sql")):
            text = path.read_text()
            if path.with_suffix(".error").exists():
                words = path.with_suffix(".error").read_text()
                refused(dbapi.Error, words[:300], ask, connection, text)
            else:
                wanted = pa.ipc.open_stream(path.with_suffix(".arrow")).read_all()
                found = ask(connection, text)
                # Documentation of columns is metadata. Any column may have NULLs.
                fields = [[(it.name, it.type, it.metadata) for it in table.schema] for table in (found, wanted)]
                unlike = [pair for pair in zip(*fields) if pair[0] != pair[1]]
                assert not unlike and len(fields[0]) == len(fields[1]), f"{text}: {unlike}"
                assert found.schema.metadata == wanted.schema.metadata, f"{text}: {found.schema.metadata}, not {wanted.schema.metadata}"
                is_ordered = "ORDER BY" in text
                assert rows(found, is_ordered) == rows(wanted, is_ordered), text
            compared += 1
    print(compared)


def parameters(address):
    with connect(address) as connection:
        def one(text, values):
            return ask(connection, text, values).to_pylist()

        everything = ask(connection, "SELECT event_id, key, duration_ns FROM dispatches ORDER BY event_id").to_pylist()
        assert len(everything) > 10
        middle, key = everything[len(everything) // 2]["event_id"], everything[0]["key"]
        for text in ("SELECT event_id, key, duration_ns FROM dispatches WHERE event_id < ? AND key = ? ORDER BY event_id",
                     "SELECT event_id, key, duration_ns FROM dispatches WHERE event_id < $1 AND key = $2 ORDER BY event_id"):
            wanted = [row for row in everything if row["event_id"] < middle and row["key"] == key]
            assert wanted and one(text, (middle, key)) == wanted
        assert one("SELECT count(*) AS n FROM dispatches WHERE key = ?", (None,)) == [{"n": 0}]
        assert one("SELECT CAST(? AS DOUBLE) * 2 AS n", (0.25,)) == [{"n": 0.5}]
        assert one("SELECT CAST(? AS BIGINT) IS NULL AS n, '?' AS mark", (None,)) == [{"n": True, "mark": "?"}]
        assert one("SELECT CAST(? AS VARCHAR) || '!' AS n", ("ä'; DROP TABLE x; --",)) == [{"n": "ä'; DROP TABLE x; --!"}]
        assert one("SELECT ? AS n", ("a",)) == [{"n": "a"}]
        assert one("SELECT ? AS n", (7,)) == [{"n": 7}]
        half = "SELECT count(*) AS n FROM dispatches WHERE event_id < ?"
        refused(dbapi.Error, "0.5 is not an integer", one, half, (0.5,))
        refused(dbapi.Error, "$1 cannot be used", one, half, ("x",))
        refused(dbapi.Error, "1 parameters, but 2 values", one, half, (1, 2))
        refused(dbapi.Error, "1 parameters, but 0 values", one, half, None)
        # One statement, with other values each time.
        with connection.cursor() as cursor:
            schema = cursor.adbc_prepare(half)
            assert [it.type for it in schema] == [pa.int64()] or [it.type for it in schema] == [pa.uint64()], schema
            for nth in (0, 3, 5):
                cursor.execute(half, (everything[nth]["event_id"],))
                assert cursor.fetchall() == [(nth,)]
            assert cursor.adbc_execute_schema(half).names == ["n"]
        with connection.cursor() as cursor:
            refused(dbapi.Error, "several rows", cursor.execute, half, pa.record_batch({"a": [1, 2]}))
    # As clients do that fetch without asking for a ticket.
    client = flight.connect(f"grpc://{address}")
    body = command("ActionCreatePreparedStatementRequest", field(1, b"SELECT CAST($1 AS BIGINT) + 1 AS n"))
    [answer] = client.do_action(("CreatePreparedStatement", body))
    handle = answer.body.to_pybytes().partition(b"\n\x10")[2][:16]
    query = command("CommandPreparedStatementQuery", field(1, handle))

    def bind(value):
        writer, reader = client.do_put(flight.FlightDescriptor.for_command(query), pa.schema([("a", pa.int64())]))
        writer.write_batch(pa.record_batch({"a": [value]}))
        writer.done_writing()
        assert handle in reader.read().to_pybytes()
        writer.close()

    def fetch():
        return client.do_get(flight.Ticket(query)).read_all().to_pylist()
    refused(Exception, "1 parameters, but 0 values", fetch)
    for value in (1, 2):
        bind(value)
        assert fetch() == fetch() == [{"n": value + 1}]
    list(client.do_action(("ClosePreparedStatement", command("ActionClosePreparedStatementRequest", field(1, handle)))))
    refused(Exception, "no such statement", fetch)


def metadata(address):
    with connect(address) as connection:
        info = connection.adbc_get_info()
        assert info["vendor_name"] == "ireescope" and info["vendor_version"], info
        assert connection.adbc_get_table_types() == ["TABLE", "VIEW"]
        schemas = connection.adbc_get_objects(depth="db_schemas").read_all().to_pylist()
        assert [it["catalog_name"] for it in schemas] == ["ireescope"]
        names = {it["db_schema_name"] for it in schemas[0]["catalog_db_schemas"]}
        assert {"public", "report"} <= names, names
        found = connection.adbc_get_objects(depth="all", db_schema_filter="public").read_all().to_pylist()
        [public] = found[0]["catalog_db_schemas"]
        tables = {it["table_name"]: it for it in public["db_schema_tables"]}
        assert tables["dispatches"]["table_type"] in ("TABLE", "VIEW")
        columns = [it["column_name"] for it in tables["dispatches"]["table_columns"]]
        wanted = ask(connection, "SELECT * FROM dispatches LIMIT 0").schema
        assert columns == wanted.names, columns
        schema = connection.adbc_get_table_schema("dispatches", db_schema_filter="public")
        assert [(it.name, it.type) for it in schema] == [(it.name, it.type) for it in wanted], schema
        told = {it.name: {key.decode(): value.decode() for key, value in it.metadata.items()} for it in schema}
        remarks = {name: it["ARROW:FLIGHT:SQL:REMARKS"] for name, it in told.items()}
        assert remarks["key"].startswith("Name of the function") and remarks["start_ns"].endswith("[ns]"), remarks
        nullable = {name: (it["XDBC_NULLABLE"], it["XDBC_IS_NULLABLE"]) for name, it in told.items()}
        assert nullable["bundle"] == ("0", "NO") and nullable["start_ns"] == ("1", "YES"), nullable
        some = connection.adbc_get_objects(depth="tables", table_name_filter="disp%", table_types_filter=["TABLE", "VIEW"]).read_all().to_pylist()
        some = {it["table_name"] for schema in some[0]["catalog_db_schemas"] for it in schema["db_schema_tables"]}
        assert "dispatches" in some and all(it.startswith("disp") for it in some), some
        # As clients write names in full.
        assert ask(connection, 'SELECT count(*) AS n FROM "ireescope"."public"."dispatches"').num_rows == 1
    client = flight.connect(f"grpc://{address}")
    for name, value in (
        ("CommandGetPrimaryKeys", field(3, b"dispatches")),
        ("CommandGetExportedKeys", field(3, b"dispatches")),
        ("CommandGetImportedKeys", field(3, b"dispatches")),
        ("CommandGetCrossReference", field(3, b"dispatches") + field(6, b"dispatches")),
        ("CommandGetXdbcTypeInfo", b""),
    ):
        descriptor = flight.FlightDescriptor.for_command(command(name, value))
        info = client.get_flight_info(descriptor)
        table = client.do_get(info.endpoints[0].ticket).read_all()
        assert table.num_rows == 0 and table.schema == info.schema and len(table.schema) > 5, name
        assert client.get_schema(descriptor).schema == table.schema
    actions = {it.type for it in client.list_actions()}
    assert {"CreatePreparedStatement", "CancelFlightInfo", "CloseSession"} <= actions, actions
    assert [it.body.to_pybytes() for it in client.do_action(("CloseSession", b""))] == [b"\x08\x01"]
    refused(Exception, "there is no action", list, client.do_action(("Other", b"")))


def errors(address):
    with connect(address) as connection:
        def wrong(words, text, kinds=dbapi.ProgrammingError):
            refused(kinds, words, ask, connection, text)

        wrong("there is no column nothing", "SELECT nothing FROM dispatches")
        wrong("there is no table nothing", "SELECT * FROM nothing")
        wrong("Expected", "SELECT (1 + FROM dispatches")
        wrong("expected one statement, but got 2", "SELECT 1; SELECT 2")
        wrong("expected one statement, but got 0", " ")
        wrong("only reads", "CREATE TABLE x AS SELECT 1")
        wrong("only reads", "DROP VIEW dispatches")
        wrong("divides by zero", "SELECT 1 // (value - 3) FROM generate_series(1, 5)", dbapi.Error)
        wrong("\u2026", f"SELECT {'x' * 5000} FROM dispatches")
        # The connection goes on.
        assert ask(connection, "SELECT 1 AS n").to_pylist() == [{"n": 1}]
    client = flight.connect(f"grpc://{address}")

    def unsupported(name, value=b""):
        descriptor = flight.FlightDescriptor.for_command(command(name, value))
        refused(Exception, "not supported", client.get_flight_info, descriptor)

    unsupported("CommandStatementSubstraitPlan")
    refused(Exception, "not a command", client.get_flight_info, flight.FlightDescriptor.for_command(b"\xff\xff"))
    refused(Exception, "not supported", statement_in, client)
    refused(Exception, "no such statement", lambda: client.do_get(flight.Ticket(command("TicketStatementQuery", field(1, b"x" * 16)))).read_all())
    refused(Exception, "no such statement", lambda: client.do_get(flight.Ticket(command("CommandPreparedStatementQuery", field(1, b"x")))).read_all())
    for action in ("BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"):
        refused(Exception, "only reads", lambda: list(client.do_action((action, b""))))
    for name, value in (("CommandStatementUpdate", field(1, b"DELETE FROM dispatches")), ("CommandStatementIngest", field(3, b"dispatches"))):
        def put():
            descriptor = flight.FlightDescriptor.for_command(command(name, value))
            writer, reader = client.do_put(descriptor, pa.schema([("a", pa.int64())]))
            writer.done_writing()
            reader.read()
            writer.close()
        refused(Exception, "only reads", put)
    # A ticket is good for one time.
    info = statement(client, "SELECT 1 AS n")
    assert read(client, info).to_pylist() == [{"n": 1}]
    refused(Exception, "no such statement", read, client, info)


def statement_in(client):
    """A statement in a transaction."""
    value = field(1, b"SELECT 1") + field(2, b"x")
    client.get_flight_info(flight.FlightDescriptor.for_command(command("CommandStatementQuery", value)))


def stopped(address, metrics):
    running = "ireescope_statements_running"
    # By ADBC, from another thread.
    with connect(address) as connection, connection.cursor() as cursor:
        threading.Timer(0.7, cursor.adbc_cancel).start()

        def long():
            cursor.execute(LONG)
            return cursor.fetchall()
        begun = time.monotonic()
        refused(dbapi.Error, "ancel", long)
        assert time.monotonic() - begun < 10
        wait_for(metrics, running, 0)
        wait_for(metrics, ended("stopped"), 1)
    # By the actions.
    client = flight.connect(f"grpc://{address}")
    for nth, action in enumerate(("CancelFlightInfo", "CancelQuery")):
        info = statement(client, LONG)
        body = field(1, info.serialize())
        if action == "CancelQuery":
            body = command("ActionCancelQueryRequest", body)

        def cancel():
            answers.append([it.body.to_pybytes() for it in flight.connect(f"grpc://{address}").do_action((action, body))])
        answers = []
        timer = threading.Timer(0.7, cancel)
        timer.start()
        refused(flight.FlightCancelledError, "stopped by its client", read, client, info)
        timer.join()
        assert len(answers[0]) == 1 and answers[0][0].endswith(b"\x08\x01"), answers
        wait_for(metrics, running, 0)
        wait_for(metrics, ended("stopped"), 2 + nth)
        refused(Exception, "no such statement", cancel)
    # One that waits.
    info = statement(client, LONG)
    list(client.do_action(("CancelFlightInfo", field(1, info.serialize()))))
    refused(Exception, "no such statement", read, client, info)
    # A reader that stops in the middle.
    with connect(address) as connection, connection.cursor() as cursor:
        cursor.execute(MANY)
        reader = cursor.fetch_record_batch()
        first = reader.read_next_batch()
        assert first.num_rows > 0 and first.column("text")[0].as_py() == f"row {first.column('value')[0]}"
        assert counts(metrics)[running] == 1
        reader.close()
    wait_for(metrics, running, 0)
    wait_for(metrics, ended("stopped"), 4)
    reader = client.do_get(statement(client, MANY).endpoints[0].ticket)
    reader.read_chunk()
    reader.cancel()
    wait_for(metrics, running, 0)
    wait_for(metrics, ended("stopped"), 5)
    assert ask(connect(address), "SELECT 1 AS n").num_rows == 1


def limits(address, metrics):
    running = "ireescope_statements_running"
    client = flight.connect(f"grpc://{address}")

    def answer(text):
        return read(client, statement(client, text))

    begun = time.monotonic()
    refused(flight.FlightTimedOutError, "2s", answer, LONG)
    assert 1.5 < time.monotonic() - begun < 10
    refused(Exception, "more than 100000 rows", answer, MANY)
    # A client that does not read: its statement ends in time all the same.
    before = counts(metrics).get(ended("timeout"), 0)
    text = "SELECT repeat('x', 2000) AS text FROM generate_series(1, 99000)"
    reader = client.do_get(statement(client, text).endpoints[0].ticket)
    reader.read_chunk()
    assert counts(metrics)[running] == 1
    time.sleep(3)
    wait_for(metrics, running, 0)
    wait_for(metrics, ended("timeout"), before + 1)
    refused(flight.FlightTimedOutError, "2s", list, reader)
    # Connections.
    other = flight.connect(f"grpc://{address}")
    assert read(other, statement(other, "SELECT 1")).num_rows == 1
    # Not shared with the others.
    third = flight.connect(f"grpc://{address}", generic_options=[("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)])
    more = flight.connect(f"grpc://{address}", generic_options=[("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)])
    gone = 0
    for one in (third, more):
        try:
            statement(one, "SELECT 1", flight.FlightCallOptions(timeout=2))
        except Exception:
            gone += 1
    assert gone > 0
    assert counts(metrics)['ireescope_connections_refused_total{door="flight-sql"}'] > 0
    # Statements that are kept.
    refused(Exception, "more than 1000 statements", lambda: [statement(client, f"SELECT {nth}") for nth in range(1001)])


def logins(address, authority):
    secure = {OPTIONS.TLS_ROOT_CERTS.value: pathlib.Path(authority).read_text()}

    def login(**options):
        uri = f"grpc+tls://{address}".replace("127.0.0.1", "localhost")
        with dbapi.connect(uri, db_kwargs=secure | options, autocommit=True) as connection:
            return ask(connection, "SELECT 1 AS n").to_pylist()

    ann = {"username": "ann", "password": "secret"}
    assert login(**ann) == [{"n": 1}]
    basic = base64.b64encode(b"bob:hidden").decode()
    assert login(**{OPTIONS.AUTHORIZATION_HEADER.value: f"Basic {basic}"}) == [{"n": 1}]
    refused(dbapi.Error, "asks for a user and a password", login)
    refused(dbapi.Error, "wrong user or password", lambda: login(username="ann", password="hidden"))
    refused(dbapi.Error, "wrong user or password", lambda: login(username="eve", password="secret"))
    refused(dbapi.Error, "log in again", lambda: login(**{OPTIONS.AUTHORIZATION_HEADER.value: "Bearer " + "0" * 32}))
    # Without TLS, or with the certificate of another authority.
    refused(Exception, "", lambda: statement(flight.connect(f"grpc://{address}"), "SELECT 1", flight.FlightCallOptions(timeout=3)))
    client = flight.connect(f"grpc+tls://{address}".replace("127.0.0.1", "localhost"), tls_root_certs=pathlib.Path(authority).read_bytes())
    tokens = [client.authenticate_basic_token(user, password) for user, password in ((b"ann", b"secret"), (b"bob", b"hidden"))]
    ann, bob = (flight.FlightCallOptions(headers=[token]) for token in tokens)
    assert tokens[0][1].startswith(b"Bearer ") and tokens[0] != tokens[1]
    # What one user has asked for is nothing for others.
    info = statement(client, "SELECT 1 AS n", ann)
    refused(Exception, "no such statement", read, client, info, bob)
    refused(Exception, "no such statement", lambda: list(client.do_action(("CancelFlightInfo", field(1, info.serialize())), bob)))
    assert read(client, info, ann).to_pylist() == [{"n": 1}]
    # A token ends with its session.
    list(client.do_action(("CloseSession", b""), ann))
    refused(flight.FlightUnauthenticatedError, "log in again", statement, client, "SELECT 1", ann)
    assert statement(client, "SELECT 1", bob)


def ends(address, process):
    client = flight.connect(f"grpc://{address}")
    results = []

    def long():
        try:
            read(client, statement(client, LONG))
        except Exception as error:
            results.append(str(error))
    thread = threading.Thread(target=long)
    thread.start()
    time.sleep(1)
    os.kill(int(process), signal.SIGTERM)
    time.sleep(0.5)
    options = flight.FlightCallOptions(timeout=1)
    refused(Exception, "", statement, flight.connect(f"grpc://{address}"), "SELECT 1", options)
    thread.join()
    assert results, "the statement has ended"


def rate(address, text):
    with connect(address) as connection:
        for _ in range(3):
            begun = time.monotonic()
            table = ask(connection, text)
            print(f"{time.monotonic() - begun:.3f} s, {table.num_rows} rows, {table.nbytes} bytes")


globals()[sys.argv[1]](*sys.argv[2:])
