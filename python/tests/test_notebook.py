"""The magics of notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from IPython.testing.globalipapp import start_ipython

import ireescope


@pytest.fixture(scope="module")
def shell() -> Any:
    shell = start_ipython()
    shell.run_line_magic("load_ext", "ireescope")
    return shell


def test_sql(shell: Any, data: Path) -> None:
    rows = shell.run_cell_magic("ireescope", str(data / "mlp-local-task.ireeprof"), "SELECT count(*) AS n FROM dispatches")
    assert isinstance(rows, ireescope.Rows) and rows.fetchall() == [(80,)]
    assert isinstance(shell.user_ns["db"], ireescope.Database)
    shell.user_ns["least"] = 50_000
    query = "SELECT count(*) FROM dispatches WHERE duration_ns > $least"
    expected = shell.user_ns["db"].sql(query, least=50_000).fetchall()
    assert shell.run_cell_magic("ireescope", "", query).fetchall() == expected
    assert shell.run_cell_magic("ireescope", "-o rows", query) is None
    assert shell.user_ns["rows"].fetchall() == expected
    assert len(shell.run_line_magic("ireescope", "")) == 4
    assert "<table" in shell.run_line_magic("ireescope", "")._repr_html_()


def test_errors(shell: Any) -> None:
    with pytest.raises(ireescope.UsageError, match="nothing open"):
        shell.run_cell_magic("ireescope", "-d missing", "SELECT 1")
    shell.user_ns["rows"] = [1]
    with pytest.raises(ireescope.UsageError, match="is a list"):
        shell.run_cell_magic("ireescope", "", "SELECT $rows")


def test_profile(shell: Any, tools: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tools), prepend=":")
    module = tmp_path / "add.mlir"
    module.write_text(
        "func.func @add(%a: tensor<64xf32>) -> tensor<64xf32> {\n"
        "  %sum = arith.addf %a, %a : tensor<64xf32>\n"
        "  return %sum : tensor<64xf32>\n"
        "}\n"
    )
    shell.system(
        f"{tools}/iree-compile --iree-hal-target-device=local --iree-hal-local-target-device-backends=vmvx {module} -o add.vmfb"
    )
    cell = "iree-benchmark-module --device=local-task --module=add.vmfb \\\n  --function=add --input=64xf32=1 --benchmark_min_time=20x"
    top = shell.run_cell_magic("profile", "-d captured", cell)
    assert [row["dispatch_count"] > 10 for row in top] == [True]
    assert shell.user_ns["captured"].bundles
