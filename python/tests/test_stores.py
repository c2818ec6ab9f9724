"""Addresses of object stores: bundles, datasets and histories, on a server that speaks S3."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import ireescope as ie

ROOT = Path(__file__).resolve().parents[2]
NAME = "mlp-vulkan"


@pytest.fixture
def store(tools: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a bucket, with a bundle in `runs` and its tables in `nightly`."""
    served = tmp_path / "served"
    (served / "runs").mkdir(parents=True)
    shutil.copy(data / f"{NAME}.ireeprof", served / "runs")
    ie.export(data / f"{NAME}.ireeprof", served / "nightly", tables="dispatches")
    server = [tools / "python", ROOT / "tests" / "tools" / "object_store.py", served]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        port = process.stdout.readline().strip()
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }.items():
            monkeypatch.setenv(name, value)
        yield "s3://profiles"
        process.stdin.close()


def test_addresses_are_opened_as_paths(store: str, data: Path) -> None:
    query = "SELECT key, count(*), sum(duration_ns) FROM dispatches GROUP BY key ORDER BY key"
    wanted = ie.open(data / f"{NAME}.ireeprof").sql(query).fetchall()
    assert wanted
    for address in [f"{store}/runs/{NAME}.ireeprof", f"{store}/runs", f"{store}/nightly"]:
        assert ie.open(address).sql(query).fetchall() == wanted, address


def test_what_is_not_there_is_an_input_error(store: str) -> None:
    with pytest.raises(ie.InputError, match="nothing is at s3://profiles/none.ireeprof"):
        ie.open(f"{store}/none.ireeprof")


def test_histories_are_added_to_and_checked(store: str, data: Path) -> None:
    history = ie.History(f"{store}/kept")
    bundle = data / f"{NAME}.ireeprof"
    assert history.add(bundle, commit="one", time="2026-01-01").is_new
    assert not history.add(f"{store}/runs/{NAME}.ireeprof", commit="one", time="2026-01-01").is_new
    history.accept()
    history.add(bundle, commit="two", time="2026-01-02")
    assert [row["commit"] for row in history.entries()] == ["one", "two"]
