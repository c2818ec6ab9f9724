"""Tests the shell on a pseudo-terminal: multi-line statements, dot commands, completion, errors, Ctrl-C, history."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time

binary, bundle = sys.argv[1:3]
state = tempfile.mkdtemp()


def start(*more):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(XDG_STATE_HOME=state, TERM="xterm", PAGER=f"wc -l > {state}/paged; echo paged")
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 120, 0, 0))
        os.execv(binary, [binary, "sql", bundle, *more])
    return pid, terminal


def read(terminal, until, seconds=20):
    """Reads until the text `until` appears, and returns the output without escape sequences."""
    seen = ""
    deadline = time.time() + seconds
    while until not in seen:
        if time.time() > deadline:
            sys.exit(f"timed out waiting for {until!r}; received {seen!r}")
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                seen += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                return seen
        seen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen)
    return seen


pid, terminal = start()
read(terminal, "ireescope> ")


def ask(text, until):
    """Types `text`, waits for `until`, then for the next prompt, because input before the prompt may be lost."""
    os.write(terminal, text.encode())
    seen = read(terminal, until)
    return seen if re.search(r"ireescope> \s*$", seen.split(until)[-1]) else seen + read(terminal, "ireescope> ")


# A statement spans lines until its semicolon, after another prompt; on a terminal the result is drawn as a box.
os.write(terminal, b"SELECT count(*) AS n\r")
read(terminal, "      ...> ")
ask("FROM dispatches\rWHERE timing_source = 'host';\r", " 80 │")
assert "queue_submissions" in ask("\\dt queue*\r", "queue_submissions"), "a pattern selects tables"
assert "top_functions" not in ask(".tables %queue%\r", "queue_summary")
ask("\\d queues\r", "physical_device_ordinal")
ask("CREATE VIEW own AS SELECT 4 AS four;\r", "\n")
ask("\\d own\r", "four")
ask("\\d dispachtes\r", "did you mean dispatches")
# Rows beyond .maxrows are counted; what is longer than the screen goes to the pager.
ask("SELECT event_id FROM dispatches WHERE timing_source = 'host' ORDER BY event_id;\r", "40 more rows")
assert not os.path.exists(state + "/paged"), "a box of 40 rows"
ask(".maxrows 3\r", "\n")
ask("SELECT event_id FROM dispatches WHERE timing_source = 'host' ORDER BY event_id;\r", "77 more rows")
ask(".maxrows 0\r", "\n")
ask("SELECT event_id FROM dispatches WHERE timing_source = 'host' ORDER BY event_id;\r", "paged")
assert int(open(state + "/paged").read()) > 80, "all rows are in the pager"
ask(".pager off\r", "\n")
ask("SELECT event_id FROM dispatches WHERE timing_source = 'host' ORDER BY event_id;\r", "80 rows")
ask(".pager maybe\r", ".pager requires on or off")
ask(".maxrows few\r", ".maxrows requires a number")
ask(".mode csv\r", "\n")
ask("SELECT 1 + 1 AS two;\r", "two\r\n2")
ask(".timer on\r", "\n")
ask("SELECT 3 AS three;\r", "1 row in ")
ask("\\timing\r", "\n")
ask(".output " + state + "/out.json\r", "\n")
ask("SELECT 5 AS five;\r", "\n")
ask(".output\r", "\n")
ask("SELECT 'here' AS again;\r", "here\r\n")
assert open(state + "/out.json").read() == "five\n5\n", "the mode was csv"
open(state + "/script.sql", "w").write("SELECT 6 AS six; SELECT 7 AS seven")
ask(".read " + state + "/script.sql\r", "seven\r\n7")
# The shell reports errors and continues.
ask("SELECT nope FROM dispatches;\r", "there is no column nope")
ask(".frobnicate\r", "unknown command .frobnicate; .help lists the commands")
ask(".tabels\r", "did you mean .tables?")
# Tab completes a word.
ask("SELECT count(*) AS completed FROM host_execution_ev\t;\r", "completed\r\n160")
# Columns of the tables in FROM come first, also when FROM is on another line, and a second tab lists the choices.
ask("SELECT count(*) AS counted FROM dispatches WHERE event_\t >= 0;\r", "counted\r\n80")
ask("SELECT count(*) AS lines FROM dispatches AS x\rWHERE x.timing_s\t = 'host';\r", "lines\r\n80")
os.write(terminal, b"FROM dispatches AS d SELECT max(d.dur\t\t")
read(terminal, "duration_ticks")
ask("n\t) > 0 AS is_long;\r", "is_long\r\ntrue")
# Ctrl-C cancels the query, but does not end the shell.
os.write(terminal, b"SELECT sum(a.byte_offset * b.byte_offset % 7) FROM records a, records b, records c, records d, records e;\r")
time.sleep(1.0)
os.kill(pid, signal.SIGINT)
read(terminal, "cancelled")
ask("SELECT 'alive' AS still;\r", "alive\r\n")
# The cancelled query also stops using CPU time.
time.sleep(0.5)
before = open(f"/proc/{pid}/stat").read().split()[13]
time.sleep(0.5)
after = open(f"/proc/{pid}/stat").read().split()[13]
assert int(after) - int(before) < 20, f"the cancelled query still runs: {before} to {after} ticks"
os.write(terminal, b".quit\r")
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status

history = open(state + "/ireescope/history").read()
assert "alive" in history and "WHERE timing_source" in history, history
# The history is persistent: the up arrow recalls the last statements.
pid, terminal = start()
read(terminal, "ireescope> ")
ask("\x1b[A\x1b[A\r", "alive")
os.write(terminal, b"\x04")
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
# A signal that ends the shell loses nothing of it.
for number in [signal.SIGHUP, signal.SIGTERM]:
    pid, terminal = start()
    read(terminal, "ireescope> ")
    ask(f"SELECT 'before {number.name}' AS said;\r", "before")
    os.kill(pid, number)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + number, status
    assert f"before {number.name}" in open(state + "/ireescope/history").read(), number
# A file of definitions is followed by the shell; one with a query is not.
with open(state + "/defined.sql", "w") as file:
    file.write("CREATE VIEW seven AS SELECT 7 AS x;")
with open(state + "/asked.sql", "w") as file:
    file.write("SELECT 8 AS x")
pid, terminal = start("-f", state + "/defined.sql")
read(terminal, "ireescope> ")
ask("SELECT x * 11 AS r FROM seven;\r", " 77 │")
os.write(terminal, b".quit\r")
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
pid, terminal = start("-f", state + "/asked.sql")
seen = read(terminal, "└")
_, status = os.waitpid(pid, 0)
assert os.waitstatus_to_exitcode(status) == 0, status
assert "8" in seen and "ireescope> " not in seen, seen
print("the shell does what it should")
