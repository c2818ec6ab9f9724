"""The wheel is all that is needed: no Rust, no network, no other package."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

WHEEL = os.environ.get("IREESCOPE_WHEEL", "")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a new virtual environment with nothing but the wheel."""
    if not WHEEL:
        pytest.skip("wheel: tests/run --full builds it, and tests/run after a change of how it is built")
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    words = ["install", "--quiet", "--no-index", "--disable-pip-version-check", WHEEL]
    subprocess.run([programs / "pip", *words], check=True, env={"PATH": str(programs)})
    return programs


def test_it_works_alone(installed: Path, data: Path) -> None:
    bundle = str(data / "mlp-local-task.ireeprof")
    script = "import sys, ireescope as ie; print(ie.__version__, len(ie.open(sys.argv[1]).top()))"
    environment = {"PATH": str(installed)}
    ran = subprocess.run([installed / "python", "-c", script, bundle], capture_output=True, text=True, env=environment)
    assert ran.returncode == 0 and ran.stdout.endswith(" 4\n"), ran.stderr
    ran = subprocess.run(["ireescope", "top", bundle], capture_output=True, text=True, env=environment)
    assert ran.returncode == 0 and "matmul" in ran.stdout, ran.stderr
    # The package can be looked at in an editor.
    script = "import ireescope, pathlib; print((pathlib.Path(ireescope.__file__).parent / 'py.typed').exists())"
    assert subprocess.check_output([installed / "python", "-c", script], text=True) == "True\n"


def test_it_is_one_wheel_for_all_versions_of_python() -> None:
    if not WHEEL:
        pytest.skip("wheel: tests/run --full builds it, and tests/run after a change of how it is built")
    assert "-cp310-abi3-" in WHEEL and "linux" in WHEEL
    names = zipfile.ZipFile(WHEEL).namelist()
    assert [name for name in names if name.endswith(".so")] == ["ireescope/_native.abi3.so"]
    assert "ireescope/py.typed" in names and "ireescope/_native.pyi" in names
    assert not [name for name in names if "test" in name]


def test_the_command_is_the_same_engine(installed: Path) -> None:
    """The script starts Python, and no second copy of the program is installed."""
    script = (installed / "ireescope").read_text()
    assert "ireescope.command" in script and sys.version_info >= (3, 10)
