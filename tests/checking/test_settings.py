"""pyproject.toml and comments."""

from __future__ import annotations

from pathlib import Path

import pytest

from compatload.checking.finding import Finding, Severity
from compatload.checking.settings import (
    check_rule_ids,
    find_settings,
    ignored_by_comment,
    ignored_lines,
)
from compatload.errors import UsageError


def finding(path: str, rule: str = "CL303", line: int = 1, end_line: int = 1) -> Finding:
    return Finding(rule, Severity.WARNING, path, "m", "a", "t", line=line, end_line=end_line)


def write(folder: Path, text: str) -> None:
    (folder / "pyproject.toml").write_text(text, "utf-8")


def test_the_nearest_table_above_counts(tmp_path: Path) -> None:
    write(tmp_path, '[tool.compatload]\ntarget = "paddle==3.0.0"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path / "a", "[project]\nname = 'other'\n")
    settings = find_settings(str(inner))
    assert settings.target == "paddle==3.0.0"
    assert settings.root == str(tmp_path)


def test_ignores_and_excludes(tmp_path: Path) -> None:
    write(
        tmp_path,
        "[tool.compatload]\nignore = ['CL305']\nexclude = ['build']\n"
        "[tool.compatload.per-file-ignores]\n'tests/*' = ['CL303']\n",
    )
    settings = find_settings(str(tmp_path))
    assert settings.ignores(finding(str(tmp_path / "a.py"), "CL305"))
    assert settings.ignores(finding(str(tmp_path / "tests" / "deep" / "a.py")))
    assert not settings.ignores(finding(str(tmp_path / "a.py")))
    assert settings.excludes(str(tmp_path / "build"))
    assert not settings.excludes(str(tmp_path / "src" / "build.py"))


def test_without_a_table_nothing_is_ignored(tmp_path: Path) -> None:
    write(tmp_path, "[tool.other]\nx = 1\n")
    assert not find_settings(str(tmp_path)).ignores(finding("a.py"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[tool.compatload]\nignroe = []\n", "ignroe"),
        ("[tool.compatload]\nignore = ['X1']\n", "X1"),
        ("[tool.compatload]\nignore = 'CL303'\n", "no list"),
        ("[tool.compatload]\ntarget = 3\n", "no text"),
        ("[tool.compatload]\nper-file-ignores = []\n", "no table"),
        ("[tool]\ncompatload = 3\n", "no table"),
        ("[tool.compatload\n", "does not parse"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, text: str, says: str) -> None:
    write(tmp_path, text)
    with pytest.raises(UsageError, match=says):
        find_settings(str(tmp_path))


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="cannot be read"):
        find_settings(str(tmp_path))


def test_comments_name_rules_on_their_own_line() -> None:
    lines = ignored_lines(
        b"a = 1  # compatload: ignore[CL303, CL305] why\nb = '# compatload: ignore[CL301]'\n"
    )
    assert lines == {1: frozenset({"CL303", "CL305"})}
    assert ignored_by_comment(finding("a.py"), lines)
    assert ignored_by_comment(finding("a.py", line=0, end_line=1), lines)
    assert not ignored_by_comment(finding("a.py", "CL301"), lines)
    assert not ignored_by_comment(finding("a.py", line=2, end_line=2), lines)


def test_a_bare_comment_ignores_nothing() -> None:
    assert ignored_lines(b"a = 1  # compatload: ignore\n") == {}


def test_unreadable_text_gives_the_comments_so_far() -> None:
    assert ignored_lines(b"a = 1  # compatload: ignore[CL303]\nb = (\n") == {
        1: frozenset({"CL303"})
    }


def test_rule_ids_are_checked() -> None:
    assert check_rule_ids(["CL101"], "--ignore") == {"CL101"}
    with pytest.raises(UsageError, match="CL1"):
        check_rule_ids(["CL1"], "--ignore")
