"""``check`` and ``migrate`` on a real S3 server, by real s3fs; runs where both are installed.

pip install s3fs "moto[server]" && pytest tests/migration/test_s3.py
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compatload import check
from compatload.cli import main

moto: Any = pytest.importorskip("moto.server")
s3fs: Any = pytest.importorskip("s3fs")
pytestmark = pytest.mark.filterwarnings("default")  # those of its libraries are not ours

FIXTURES = Path(__file__).parents[1] / "fixtures"
_PROGRAMS = ("model.pdmodel", "model.json", "__model__", "model")
# COMPATLOAD_TEST_FLEET=300 for the measurement of the documentation.
MODELS = int(os.environ.get("COMPATLOAD_TEST_FLEET", "12"))


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Path]]:
    """A bucket, and the same tree on disk: models of five savers, every tenth cut short."""
    folders = [one for one in sorted(FIXTURES.glob("[23].*/*")) if (one / "case.json").exists()]
    tree = tmp_path / "fleet"
    for number in range(MODELS):
        made = tree / f"{number // 50}" / f"{number}"
        shutil.copytree(folders[number * 11 % len(folders)], made)
        if number % 10 == 3:
            program = next(p for p in sorted(made.iterdir()) if p.name in _PROGRAMS)
            program.write_bytes(program.read_bytes()[:200])
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    filesystem = s3fs.S3FileSystem(skip_instance_cache=True)
    filesystem.mkdir("zoo")
    filesystem.put(str(tree), "zoo/", recursive=True)
    yield "s3://zoo/fleet", tree
    server.stop()


def test_a_fleet_in_a_bucket(bucket: tuple[str, Path], tmp_path: Path) -> None:
    url, tree = bucket
    behind, local = check([url], target="paddle==2.6.2"), check([tree], target="paddle==2.6.2")
    assert len(behind.models) == len(local.models) >= MODELS * 0.8
    assert {m.path.replace(url, ""): m.way for m in behind.models} == {
        m.path.replace(str(tree), ""): m.way for m in local.models
    }
    page = tmp_path / "report.json"
    command = ["migrate", url, "s3://zoo/out", "--to", "paddle==2.6.2", "--no-verify"]
    command += ["--jobs", "1", "--format", "json", "--output", str(page)]
    assert main(command) == 1
    first = json.loads(page.read_text())
    assert len(first["models"]) == MODELS
    assert first["counts"]["failed"] >= 1
    assert main(command) == 1
    again = json.loads(page.read_text())
    assert [m["path"] for m in again["models"] if not m["resumed"]] == [
        m["path"] for m in first["models"] if m["outcome"] == "failed"
    ]
    assert again["written"] == 0
    healed = check(["s3://zoo/out"], target="paddle==2.6.2")
    assert len(healed.models) == len(first["models"]) - first["counts"]["failed"]
