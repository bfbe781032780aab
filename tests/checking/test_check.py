"""The whole check: kinds of files, executors, comments and settings, hostile trees."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from compatload.checking import check as checking
from compatload.checking.check import (
    Judgement,
    Readable,
    SourceChecker,
    check,
    relative_to,
)
from compatload.checking.finding import ExitCode, Finding, Severity
from compatload.checking.settings import Settings
from compatload.checking.target import Target
from compatload.errors import UsageError
from compatload.executors import batches

BAD = "import os, paddle\nos.environ['FLAGS_enable_pir_api'] = '0'\n"


def tree(folder: Path) -> Path:
    """Two findings in files, one in a zip, one silenced; a picture and a broken file."""
    (folder / "a.py").write_text(BAD, "utf-8")
    (folder / "b.py").write_text(BAD, "utf-8")
    (folder / "c.py").write_text(BAD.rstrip() + "  # compatload: ignore[CL301]\n", "utf-8")
    (folder / "fine.py").write_text("import paddle\n", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "broken.py").write_text("import paddle.fluid\n(((\n", "utf-8")
    with zipfile.ZipFile(folder / "z.zip", "w") as archive:
        archive.writestr("in/d.py", BAD)
        archive.writestr("in/readme.md", "text")
    return folder


@pytest.mark.parametrize("pool", [None, ThreadPoolExecutor, ProcessPoolExecutor])
def test_the_report_is_the_same_on_any_executor(
    tmp_path: Path, pool: type[ThreadPoolExecutor | ProcessPoolExecutor] | None
) -> None:
    tree(tmp_path)
    executor: Executor | None = pool(2) if pool else None
    report = check([tmp_path], target="paddle==3.3.1", settings=Settings(), executor=executor)
    if executor:
        executor.shutdown()
    report = relative_to(report, tmp_path)
    assert [(finding.path, finding.rule) for finding in report.findings] == [
        ("a.py", "CL301"),
        ("b.py", "CL301"),
        ("z.zip!in/d.py", "CL301"),
    ]
    assert [entry.path for entry in report.skipped] == ["broken.py"]
    assert report.checked == {"source": 5}
    assert report.passed_over == 2
    assert report.suppressed == 1
    assert report.exit_code is ExitCode.INCOMPATIBLE


def test_nothing_recognised(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"1")
    assert check([tmp_path], settings=Settings()).exit_code is ExitCode.NOTHING_RECOGNISED
    assert check([], settings=Settings()).exit_code is ExitCode.NOTHING_RECOGNISED


def test_one_path_needs_no_list(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import paddle\n")
    told = check([tmp_path], target="paddle==3.3.1", settings=Settings())
    assert told.checked
    assert (
        check(tmp_path, target="paddle==3.3.1", settings=Settings())
        == check(str(tmp_path), target="paddle==3.3.1", settings=Settings())
        == told
    )


def test_an_older_target_has_other_findings(tmp_path: Path) -> None:
    tree(tmp_path)
    report = check([tmp_path], target="2.6.2", settings=Settings())
    assert not report.findings
    assert report.exit_code is ExitCode.COMPATIBLE
    assert report.skipped


def test_pyproject_gives_target_and_ignores(tmp_path: Path) -> None:
    tree(tmp_path)
    (tmp_path / "pyproject.toml").write_text(
        "[tool.compatload]\ntarget = 'paddle==3.0.0'\nexclude = ['z.zip']\n"
        "[tool.compatload.per-file-ignores]\n'a.py' = ['CL301']\n",
        "utf-8",
    )
    report = relative_to(check([tmp_path]), tmp_path)
    assert report.target == "paddle 3.0.0"
    assert [finding.path for finding in report.findings] == ["b.py"]
    assert report.suppressed == 2


def test_an_unknown_target_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        check([tmp_path], target="torch==2")


def test_files_come_in_bounded_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "BATCH", 3)
    monkeypatch.setattr(batches, "IN_FLIGHT", 2)
    for number in range(20):
        (tmp_path / f"{number}.py").write_text(BAD, "utf-8")
    seen: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        report = check([tmp_path], settings=Settings(), executor=executor, progress=seen.append)
    assert len(report.findings) == 20
    assert seen == sorted(seen)
    assert seen[-1] == 20


class Weights:
    """A checker of another kind, as the artifact half is one."""

    kind = "weights"

    def recognises(self, name: str) -> bool:
        return name.endswith(".bin")

    def keeps(self, name: str) -> bool:
        return False

    def check_together(self, kept: Mapping[str, bytes | None], target: Target) -> Judgement:
        raise AssertionError("nothing was kept")

    def check(self, file: Readable, target: Target) -> Judgement:
        if file.read(4) == b"lost":
            raise OSError(5, "Input/output error")
        finding = Finding("CL101", Severity.ERROR, file.name, "m", "a", str(target))
        return Judgement(findings=[finding], checked=Counter({self.kind: 1}))


def test_other_kinds_have_checkers_of_their_own(tmp_path: Path) -> None:
    tree(tmp_path)
    (tmp_path / "w.bin").write_bytes(b"good")
    (tmp_path / "v.bin").write_bytes(b"lost")
    report = check([tmp_path], settings=Settings(), checkers=(SourceChecker(), Weights()))
    assert report.checked == {"source": 5, "weights": 1}
    assert "CL101" in {finding.rule for finding in report.findings}
    assert "input/output error" in {entry.reason for entry in report.skipped}


def test_names_that_are_no_text_are_shown_all_the_same(tmp_path: Path) -> None:
    name = str(tmp_path).encode() + b"/\xff.py"
    with open(name, "w") as stream:
        stream.write(BAD)
    report = check([tmp_path], settings=Settings())
    assert report.findings[0].path.endswith("/\ufffd.py")
    report.findings[0].path.encode("utf-8")


def test_unreadable_files_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "x.py").symlink_to("/proc/self/mem")
    report = check([tmp_path], settings=Settings())
    assert not report.checked_total
    assert [entry.reason for entry in report.skipped] == ["input/output error"]
