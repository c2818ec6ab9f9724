"""What happens to the process: Ctrl-C, files that shrink, handlers of signals, forks, and the time of starting."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

#: A query that takes minutes.
ENDLESS = "SELECT count(*) FROM dispatches a, dispatches b, dispatches c, dispatches d, dispatches e WHERE a.duration_ns + b.duration_ns + c.duration_ns + d.duration_ns + e.duration_ns = 7"


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", textwrap.dedent(script), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("read", ["db.sql(query).fetchall()", "db.sql(query).to_polars()", "polars.DataFrame(db.sql(query))", "pyarrow.table(db.sql(query))"])
def test_ctrl_c_ends_a_query_within_a_tenth_of_a_second(data: Path, read: str) -> None:
    ran = run(
        f"""
        import os, signal, sys, threading, time
        import pandas, polars, pyarrow
        import ireescope
        db = ireescope.open(sys.argv[1])
        query = sys.argv[2]
        pressed = []
        def press():
            time.sleep(0.7)
            pressed.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=press).start()
        try:
            {read}
        except KeyboardInterrupt:
            assert "fetchall" in {read!r} or "to_" in {read!r}
        except Exception as error:
            assert "KeyboardInterrupt" in str(error), error
        late = time.monotonic() - pressed[0]
        print("after", late)
        assert late < 0.1, late
        assert db.sql("SELECT count(*) FROM dispatches").fetchall() == [(80,)]
        os._exit(0)
        """,
        data / "mlp-local-task.ireeprof",
        ENDLESS,
    )
    assert ran.returncode == 0 and "after" in ran.stdout, ran.stderr


def test_other_threads_run_during_a_query(data: Path) -> None:
    ran = run(
        """
        import os, sys, threading, time
        import ireescope
        db = ireescope.open(sys.argv[1])
        threading.Thread(target=db.sql(sys.argv[2]).fetchall, daemon=True).start()
        start, longest = time.monotonic(), 0
        while time.monotonic() - start < 1:
            before = time.monotonic()
            time.sleep(0.001)
            longest = max(longest, time.monotonic() - before)
        assert longest < 0.5, longest
        os._exit(0)
        """,
        data / "mlp-local-task.ireeprof",
        ENDLESS,
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("handler", ["", "import faulthandler; faulthandler.enable()"])
@pytest.mark.parametrize("is_later", [False, True])
def test_a_file_that_shrinks_raises(data: Path, tmp_path: Path, handler: str, is_later: bool) -> None:
    path = tmp_path / "shrinks.ireeprof"
    path.write_bytes((data / "mlp-local-task.ireeprof").read_bytes())
    ran = run(
        f"""
        import os, sys
        {"" if is_later else handler}
        import ireescope
        db = ireescope.open(sys.argv[1])
        {handler if is_later else ""}
        os.truncate(sys.argv[1], 0)
        try:
            db["dispatches"].fetchall()
        except ireescope.InputError as error:
            assert error.path == sys.argv[1] and "shorter" in str(error), error
            print("raised")
        """,
        path,
    )
    assert ran.returncode == 0 and "raised" in ran.stdout, (ran.returncode, ran.stderr)


def test_handlers_of_others_still_work(data: Path) -> None:
    ran = run(
        """
        import ctypes, faulthandler, sys
        faulthandler.enable()
        import ireescope
        ireescope.open(sys.argv[1]).top().fetchall()
        ctypes.string_at(0)
        """,
        data / "mlp-local-task.ireeprof",
    )
    assert ran.returncode == -11 and "Fatal Python error: Segmentation fault" in ran.stderr, ran.stderr


def test_a_fork_is_an_error_and_the_parent_goes_on(data: Path) -> None:
    ran = run(
        """
        import os, sys
        import ireescope
        db = ireescope.open(sys.argv[1])
        rows = db.top()
        child = os.fork()
        if child == 0:
            for call in [lambda: db.top(), lambda: rows.fetchall(), lambda: db.sql("SELECT 1")]:
                try:
                    call()
                except ireescope.UsageError as error:
                    assert "forked" in str(error)
                else:
                    os._exit(1)
            # What is opened in the process itself works.
            os._exit(0 if ireescope.open(sys.argv[1]).top().fetchall() else 2)
        assert os.waitpid(child, 0)[1] == 0
        assert db.top().fetchall()
        """,
        data / "mlp-local-task.ireeprof",
    )
    assert ran.returncode == 0, ran.stderr


def test_a_database_may_go_before_its_rows(data: Path) -> None:
    ran = run(
        """
        import gc, sys
        import datafusion
        import ireescope
        rows = ireescope.open(sys.argv[1]).sql("SELECT count(*) FROM dispatches")
        session = datafusion.SessionContext()
        session.register_table("d", ireescope.open(sys.argv[1]).table("dispatches"))
        gc.collect()
        assert rows.fetchall() == [(80,)]
        assert session.sql("SELECT count(*) AS n FROM d").to_pydict() == {"n": [80]}
        """,
        data / "mlp-local-task.ireeprof",
    )
    assert ran.returncode == 0, ran.stderr


def test_the_command_is_part_of_the_package(data: Path) -> None:
    words = [sys.executable, "-m", "ireescope", "top", "--format=csv", str(data / "mlp-local-task.ireeprof")]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "matmul" in ran.stdout
    failed = subprocess.run([*words[:3], "top", "missing"], capture_output=True, text=True, check=False)
    assert failed.returncode == 3 and "no bundle at missing" in failed.stderr


def test_importing_loads_nothing_large() -> None:
    ran = run(
        """
        import sys
        import ireescope
        heavy = {"asyncio", "dataclasses", "inspect", "subprocess", "polars", "pandas", "pyarrow", "numpy"} & sys.modules.keys()
        assert not heavy, heavy
        """
    )
    assert ran.returncode == 0, ran.stderr
