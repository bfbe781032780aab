"""``check`` and ``migrate`` behind URLs: the same reports, and only what is looked at is read."""

from __future__ import annotations

import shutil
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from compatload import check, migrate
from compatload.cli import main
from compatload.errors import ArtifactNotFoundError, UsageError
from tests.migration.test_migrate import content, outcomes

fsspec: Any = pytest.importorskip("fsspec", reason="pip install compatload[remote]")

FIXTURES = Path(__file__).parents[1] / "fixtures"
OLD = "paddle==2.6.2"
NAMES = ("2.6.2/classifier", "3.3.1/lstm", "3.0.0/two_methods", "2.6.2/directory_combined")


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    source = tmp_path / "fleet"
    for name in NAMES:
        shutil.copytree(FIXTURES / name, source / name)
    shutil.copytree(FIXTURES / "2.6.2/embedding", source / "broken")
    (source / "broken/model.pdmodel").write_bytes(b"\x0a\xff\xff")
    (source / "labels.txt").write_text("cat\n")
    (source / "serve.py").write_text("import paddle\n\npaddle.jit.load('m')\n")
    return source


@pytest.fixture
def memory(fleet: Path) -> Iterator[str]:
    filesystem = fsspec.filesystem("memory")
    filesystem.put(str(fleet), "/bucket/", recursive=True)
    yield "memory://bucket/fleet"
    filesystem.rm("/", recursive=True)


def zipped(folder: Path) -> str:
    path = folder.parent / "fleet.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in sorted(folder.rglob("*")):
            archive.write(one, one.relative_to(folder.parent))
    return f"zip://fleet::{path}"


def assert_same_check(url: str, folder: Path) -> None:
    def plain(report: Any) -> Any:
        def short(path: str) -> str:
            return path.rpartition("fleet")[2].partition("/")[2]

        return (
            [replace(m, path=short(m.path)) for m in report.models],
            [(short(f.path), f.rule, f.severity, f.line) for f in report.findings],
            report.checked,
        )

    assert plain(check([url], target=OLD)) == plain(check([folder], target=OLD))


def test_a_check_says_the_same(fleet: Path, memory: str) -> None:
    assert_same_check(memory, fleet)
    assert_same_check(zipped(fleet), fleet)


def test_of_weights_the_headers_are_read(monkeypatch: pytest.MonkeyPatch, memory: str) -> None:
    filesystem = fsspec.filesystem("memory")
    weights = filesystem.cat_file("/bucket/fleet/3.3.1/lstm/model.pdiparams")
    # Another 8 MiB at the end, as the last tensor's: what is too long is told without being read.
    filesystem.pipe_file("/bucket/one/model.pdiparams", weights + bytes(8 << 20))
    program = filesystem.cat_file("/bucket/fleet/3.3.1/lstm/model.json")
    filesystem.pipe_file("/bucket/one/model.json", program)
    read: list[int] = []
    whole = type(filesystem).cat_file

    def counted(self: Any, path: str, *args: Any, **kwargs: Any) -> bytes:
        data: bytes = whole(self, path, *args, **kwargs)
        if path.endswith(".pdiparams"):
            read.append(len(data))
        return data

    monkeypatch.setattr(type(filesystem), "cat_file", counted)
    report = check(["memory://bucket/one"], target=OLD)
    assert [f.rule for f in report.findings] == ["CL001"]
    assert 0 < sum(read) < 256 << 10


def test_from_one_store_to_another(fleet: Path, memory: str, tmp_path: Path) -> None:
    local = tmp_path / "local"
    wanted = migrate(fleet, local, to=OLD, verify=False)
    for source in (memory, zipped(fleet)):
        target = "memory://bucket/out"
        report = migrate(source, target, to=OLD, verify=False)
        assert outcomes(report) == outcomes(wanted)
        again = migrate(source, target, to=OLD, verify=False)
        assert [m.path for m in again.models if not m.resumed] == ["broken/model"]
        assert (again.written, again.beside) == (0, wanted.beside)
        fetched = tmp_path / source[:3]
        fsspec.filesystem("memory").get("/bucket/out", str(fetched), recursive=True)
        assert _models(fetched) == _models(local)
        fsspec.filesystem("memory").rm("/bucket/out", recursive=True)
    back = migrate(memory, tmp_path / "back", to=OLD, verify=False)
    assert outcomes(back) == outcomes(wanted)
    assert _models(tmp_path / "back") == _models(local)


def _models(folder: Path) -> dict[str, str]:
    return {name: one for name, one in content(folder).items() if not name.startswith(".")}


def test_urls_that_make_no_sense(fleet: Path, memory: str, tmp_path: Path) -> None:
    with pytest.raises(ArtifactNotFoundError):
        migrate("memory://bucket/nothing", tmp_path / "out", to=OLD)
    with pytest.raises(UsageError, match="one another"):
        migrate(memory, f"{memory}/inside", to=OLD)
    with pytest.raises(UsageError, match="cannot be opened"):
        migrate("nowhere://x/y", tmp_path / "out", to=OLD)
    assert main(["check", "memory://bucket/nothing", "--jobs", "1", "--target", "3.3.1"]) == 3
    assert main(["check", "nowhere://x", "--jobs", "1", "--target", "3.3.1"]) == 2


def test_hostile_names_lead_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("../../out.pdmodel", "a/../../b.txt", "/etc/x.txt", "good/a.txt"):
            archive.writestr(name, b"x")
    target = tmp_path / "deep" / "out"
    report = migrate(f"zip://::{path}", target, to=OLD, verify=False)
    assert (target / "good/a.txt").read_bytes() == b"x"
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["out"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["deep", "evil.zip"]
    assert not report.models


class _Failing(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(500)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


def test_a_store_that_fails_is_said(fleet: Path) -> None:
    pytest.importorskip("aiohttp", reason="what fsspec needs for http")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Failing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/models"
    report = check([url], target=OLD)
    server.shutdown()
    server.server_close()
    assert report.exit_code == 3
    assert [entry.path for entry in report.skipped] == [url]
