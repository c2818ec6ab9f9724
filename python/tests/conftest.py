"""What the tests share: the real bundles, the command, and IREE's tools."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says what passed in the words of the other tests, which tests/run adds up."""
    passed, failed, skipped, errors = (
        terminalreporter.stats.get(outcome, []) for outcome in ["passed", "failed", "skipped", "error"]
    )
    for report in skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"skipped: {report.nodeid}: {reason.removeprefix('Skipped: ')}")
    for report in sorted(passed, key=lambda report: -report.duration)[:5]:
        terminalreporter.write_line(f"slowest: {report.duration:6.1f} s  python::{report.nodeid}")
    outcome = "FAILED" if failed or errors else "ok"
    terminalreporter.write_line(
        f"test result: {outcome}. {len(passed)} passed; {len(failed) + len(errors)} failed; {len(skipped)} skipped; 0 measured"
    )


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real captures."""
    return DATA


@pytest.fixture(scope="session")
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command `ireescope` that the package brings."""

    def run(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-m", "ireescope", *map(str, words)]
        return subprocess.run(line, capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]

    return run


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of IREE's tools, which tests/tools/setup installs."""
    if os.environ.get("IREESCOPE_OFFLINE"):
        pytest.skip("tools: not with --offline")
    found = subprocess.run([ROOT / "tests" / "tools" / "setup", "--print-bin"], capture_output=True, text=True, check=True)
    folder = Path(found.stdout.strip())
    assert shutil.which("iree-compile", path=folder)
    return folder
