"""``check`` and ``migrate`` from s3:// to s3:// (moto), against the same tree on disk."""

from __future__ import annotations

import logging
import os
import tempfile
import time
from pathlib import Path

from benchmarks.fleet.results import keep
from benchmarks.fleet.zoo import mixed
from compatload.checking.check import check
from compatload.checking.finding import CheckReport
from compatload.checking.settings import Settings
from compatload.migration.migrate import migrate
from compatload.migration.report import MigrationReport

TARGET = "paddle==2.6.2"


def measure(models: int = 300) -> None:
    import s3fs
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with tempfile.TemporaryDirectory(prefix="compatload-fleet-") as name:
        tree, url = Path(name, "fleet"), "s3://zoo/fleet"
        damaged = mixed(tree, models)
        files = s3fs.S3FileSystem(skip_instance_cache=True)
        files.mkdir("zoo")
        files.put(str(tree), "zoo/", recursive=True)
        began = time.monotonic()
        behind = check([url], target=TARGET, settings=Settings())
        checked = time.monotonic() - began
        here = check([tree], target=TARGET, settings=Settings())
        print(f"checked after {checked:.1f} s", flush=True)
        began = time.monotonic()
        there = migrate(url, "s3://zoo/ready", to=TARGET, verify=False)
        migrated = time.monotonic() - began
        print(f"migrated after {migrated:.1f} s", flush=True)
        local = migrate(tree, Path(name, "ready"), to=TARGET, verify=False)
        began = time.monotonic()
        again = migrate(url, "s3://zoo/ready", to=TARGET, verify=False)
        files.get("zoo/ready", str(Path(name, "back")), recursive=True)
        wanted, back = _content(Path(name, "ready")), _content(Path(name, "back"))
        keep(
            "bucket",
            {
                "models": models,
                "damaged": len(damaged),
                "verdicts equal those on disk": _ways(behind, url) == _ways(here, str(tree)),
                "check seconds": round(checked, 1),
                "migrate seconds": round(migrated, 1),
                "counts": there.counts,
                "outcomes equal those on disk": _outcomes(there) == _outcomes(local),
                "files": len(wanted),
                "files that differ": sum(wanted.get(k) != back.get(k) for k in {*wanted, *back}),
                "seconds of the same again": round(time.monotonic() - began, 1),
                "written again": again.written
                + sum(not m.resumed for m in again.models)
                - again.counts.get("failed", 0),
            },
        )
    server.stop()


def _ways(report: CheckReport, top: str) -> dict[str, str]:
    return {one.path.replace(top, ""): one.way.value for one in report.models}


def _outcomes(report: MigrationReport) -> dict[str, str]:
    return {model.path: model.outcome for model in report.models}


def _content(folder: Path) -> dict[str, bytes]:
    """Every file but what the migration keeps for itself, which names its sources."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".compatload" not in path.parts
    }
