"""--fix and --diff: only the expressions and the imports move."""

from __future__ import annotations

import builtins
import os
import stat
import subprocess
from pathlib import Path

import pytest

from compatload.checking.fixing import Fix, fix_source, fixes
from compatload.checking.settings import Settings
from compatload.checking.sources import check_source
from compatload.checking.target import parse_target
from compatload.errors import UsageError

TARGET = parse_target("3.3.1")

BEFORE = '''\
# -*- coding: utf-8 -*-
"""What it is: ü."""
from __future__ import annotations

import paddle
import paddle.inference as pi
from paddle import __version__ as pd
from paddle.jit import load, save
from paddle.static import load_inference_model as lim  # keep me


def f( p ):   # odd   spacing
    a = paddle.jit.load(p , params_filename = "w")   # ü
    s = "üü"; b = load(p)
    c = lim(p, exe)
    d = (pi.create_predictor)(cfg)
    e = pi.create_predictor(cfg)  # compatload: ignore[CL307]
    if paddle.__version__ >= "2.10" and "3" > pd: pass
    loader = paddle.jit.load
    save(b, p)
'''
AFTER = '''\
# -*- coding: utf-8 -*-
"""What it is: ü."""
from __future__ import annotations

import paddle
import paddle.inference as pi
from paddle import __version__ as pd
from paddle.jit import save
from compatload import safe_create_predictor, safe_load, safe_load_inference_model
from packaging.version import Version


def f( p ):   # odd   spacing
    a = safe_load(p , params_filename = "w")   # ü
    s = "üü"; b = safe_load(p)
    c = safe_load_inference_model(p, exe)
    d = (safe_create_predictor)(cfg)
    e = pi.create_predictor(cfg)  # compatload: ignore[CL307]
    if Version(paddle.__version__) >= Version("2.10") and Version("3") > Version(pd): pass
    loader = safe_load
    save(b, p)
'''


def fixed(text: str | bytes, settings: Settings | None = None) -> Fix | None:
    data = text if isinstance(text, bytes) else text.encode()
    return fix_source("a.py", data, TARGET, settings)


def test_every_fixable_finding_is_fixed_and_nothing_else_moves() -> None:
    fix = fixed(BEFORE)
    assert fix is not None
    assert fix.after.decode() == AFTER
    assert sorted(set(fix.rules)) == ["CL305", "CL306", "CL307", "CL308"]


def test_what_was_fixed_has_nothing_left_to_fix() -> None:
    assert fixed(AFTER) is None
    left = check_source("a.py", AFTER.encode(), TARGET)
    assert isinstance(left, list)
    assert [finding.rule for finding in left] == ["CL307"]  # the one with the comment


@pytest.mark.parametrize(
    ("text", "contains"),
    [
        (
            "import paddle\nfrom yaml import safe_load\nx = paddle.jit.load(p)\n",
            ["import compatload\n", "x = compatload.safe_load(p)\n"],
        ),
        (
            "import paddle\nclass Version: pass\nif paddle.__version__ > '3.0': pass\n",
            ["import packaging.version\n", "packaging.version.Version(paddle.__version__) >"],
        ),
        (
            "import paddle\nfrom compatload import safe_load\nx = paddle.jit.load(p)\n",
            ["from compatload import safe_load\nx = safe_load(p)\n"],
        ),
        (
            "def f():\n    from paddle.jit import load\n    return load(p)\n",
            ["from compatload import safe_load\n", "return safe_load(p)\n"],
        ),
    ],
)
def test_names_that_are_taken_or_there_already(text: str, contains: list[str]) -> None:
    fix = fixed(text)
    assert fix is not None
    for part in contains:
        assert part in fix.after.decode()
    assert fix.after.decode().count("import safe_load") <= 1


def test_line_ends_are_kept() -> None:
    fix = fixed(b"import paddle\r\nx = paddle.jit.load(p)\r\n")
    assert fix is not None
    assert b"\n" not in fix.after.replace(b"\r\n", b"")


def test_declared_encodings_are_kept() -> None:
    fix = fixed(b"# coding: latin-1\nimport paddle\nx = paddle.jit.load('\xfc')\n")
    assert fix is not None
    assert b"safe_load('\xfc')" in fix.after


@pytest.mark.parametrize(
    "text",
    [
        "import paddle\nx = paddle.load(p)\n",
        "import paddle\nif paddle.__version__ > 'develop': pass\n",
        "import paddle\nx = paddle.jit.load(p)  # compatload: ignore[CL305]\n",
        "import paddle\nx = paddle.jit.load((\n",
    ],
)
def test_what_cannot_or_may_not_be_fixed_is_left(text: str) -> None:
    assert fixed(text) is None


def test_settings_are_heeded() -> None:
    settings = Settings(ignore=frozenset({"CL305"}))
    assert fixed("import paddle\nx = paddle.jit.load(p)\n", settings) is None


def test_the_diff_applies(tmp_path: Path) -> None:
    path = tmp_path / "pkg" / "a.py"
    path.parent.mkdir()
    path.write_text(BEFORE.rstrip("\n"), "utf-8")  # no newline at the end
    fix = fix_source("pkg/a.py", path.read_bytes(), TARGET)
    assert fix is not None
    subprocess.run(
        ["git", "apply", "-"], cwd=tmp_path, input=fix.diff.encode(), check=True, timeout=30
    )
    assert path.read_text("utf-8") == AFTER.rstrip("\n")


def test_writing_keeps_the_mode_and_follows_a_link(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(BEFORE, "utf-8")
    path.chmod(0o750)
    link = tmp_path / "link.py"
    link.symlink_to(path)
    (fix,) = fixes([str(link)], target=TARGET)
    fix.write()
    assert path.read_text("utf-8") == AFTER
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["a.py", "link.py"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(BEFORE, "utf-8")
    (fix,) = fixes([str(path)], target=TARGET)
    path.write_text("mine = 1\n", "utf-8")
    with pytest.raises(OSError, match="changed"):
        fix.write()
    assert path.read_text("utf-8") == "mine = 1\n"
    assert os.listdir(tmp_path) == ["a.py"]


def test_without_libcst_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object) -> object:
        if name.startswith(("libcst", "compatload.checking.rewriting")):
            raise ModuleNotFoundError("No module named 'libcst'", name="libcst")
        return real(name, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"compatload\[check\]"):
        fixed(BEFORE)
