"""The examples of docs/python.md and of docstrings run."""

from __future__ import annotations

import doctest
import importlib
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "python" / "ireescope").glob("[a-z]*.py"))


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, _ = doctest.testmod(importlib.import_module(f"ireescope.{module}"), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def blocks() -> list[tuple[int, str]]:
    """Returns the blocks of Python in the document, with the line where each begins."""
    text = (ROOT / "docs" / "python.md").read_text()
    return [(text[: found.start()].count("\n") + 2, found[1]) for found in re.finditer(r"```python\n(.*?)```", text, re.S)]


def test_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs the blocks one after the other, in a folder with the captures that the document names."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ["mlp-local-task", "mlp-local-sync"]:
        shutil.copy(ROOT / "tests" / "data" / f"{name}.ireeprof", runs)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {}
    found = blocks()
    assert len(found) >= 8
    for line, block in found:
        try:
            exec(compile("\n" * (line - 1) + block, "docs/python.md", "exec"), names)
        except Exception as error:
            raise AssertionError(f"docs/python.md, block at line {line}: {error!r}") from error
