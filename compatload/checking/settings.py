"""What a project asks of a check: ``[tool.compatload]`` in pyproject.toml, and ignore comments."""

from __future__ import annotations

import fnmatch
import importlib
import io
import os
import re
import tokenize
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from compatload.checking.finding import Finding
from compatload.errors import UsageError
from compatload.frozen import frozen

_RULE_ID = re.compile(r"CL\d{3}")
_COMMENT = re.compile(r"#\s*compatload:\s*ignore\s*\[(?P<ids>[^\]]*)\]")
_MARK = b"compatload:"


@frozen
class Settings:
    """Everything that pyproject.toml may say; patterns match paths relative to ``root``.

    A ``*`` in a pattern matches slashes too: ``tests/*`` covers the whole tree below.
    """

    root: str = ""
    target: str | None = None
    device: str | None = None
    cpu: str | None = None
    ignore: frozenset[str] = frozenset()
    per_file_ignores: Mapping[str, frozenset[str]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    trusted_operators: tuple[str, ...] = ()

    def excludes(self, path: str) -> bool:
        name = self._relative(path)
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.exclude)

    def ignores(self, finding: Finding) -> bool:
        """Whether the configuration asks not to hear of it."""
        if finding.rule in self.ignore:
            return True
        if not self.per_file_ignores:
            return False
        name = self._relative(finding.path)
        return any(
            finding.rule in rules and fnmatch.fnmatch(name, pattern)
            for pattern, rules in self.per_file_ignores.items()
        )

    def _relative(self, path: str) -> str:
        full = os.path.abspath(path)
        inside = full.startswith(self.root + os.sep) if self.root else False
        return (full[len(self.root) + 1 :] if inside else path).replace(os.sep, "/")


def find_settings(start: str) -> Settings:
    """The settings of the nearest pyproject.toml at or above a path that has the table.

    Raises:
        UsageError: it cannot be read, or asks for something unknown.
    """
    place = Path(start).resolve()
    for folder in (place, *place.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            settings = read_settings(file)
            if settings is not None:
                return settings
    return Settings()


def read_settings(file: Path) -> Settings | None:
    """The ``[tool.compatload]`` table of one pyproject.toml, or None if it has none."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}", action="Repair the file.") from error
    if "compatload" not in text:
        return None
    table = _parse_toml(text, file).get("tool", {}).get("compatload")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise UsageError(f"[tool.compatload] in {file} is no table.", action="Make it one.")
    return _settings(table, file)


def _parse_toml(text: str, file: Path) -> dict[str, Any]:
    for name in ("tomllib", "tomli"):  # tomllib is in the standard library from Python 3.11 on
        try:
            toml = importlib.import_module(name)
        except ModuleNotFoundError:
            continue
        try:
            table: dict[str, Any] = toml.loads(text)
        except toml.TOMLDecodeError as error:
            raise UsageError(f"{file} does not parse: {error}", action="Repair it.") from error
        return table
    raise UsageError(
        f"{file} has settings for compatload, and nothing here reads TOML.",
        action="Run: pip install 'compatload[check]'",
    )


def _settings(table: Mapping[str, object], file: Path) -> Settings:
    known = {"target", "device", "cpu", "ignore", "per-file-ignores", "exclude"}
    known |= {"trusted-operators"}
    unknown = sorted(set(table) - known)
    if unknown:
        raise UsageError(
            f"[tool.compatload] in {file} has unknown keys: {', '.join(unknown)}.",
            action=f"Known are {', '.join(sorted(known))}.",
        )
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise UsageError(
            f"per-file-ignores in {file} is no table.",
            action='Write: [tool.compatload.per-file-ignores] and "tests/*" = ["CL303"] below it.',
        )
    return Settings(
        root=str(file.parent),
        target=_text(table, "target", file),
        device=_text(table, "device", file),
        cpu=_text(table, "cpu", file),
        ignore=_rule_ids(table.get("ignore", []), "ignore", file),
        per_file_ignores={
            pattern: _rule_ids(ids, f"per-file-ignores.{pattern}", file)
            for pattern, ids in per_file.items()
        },
        exclude=tuple(_texts(table.get("exclude", []), "exclude", file)),
        trusted_operators=tuple(
            _texts(table.get("trusted-operators", []), "trusted-operators", file)
        ),
    )


def _text(table: Mapping[str, object], key: str, file: Path) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise UsageError(f"{key} in {file} is no text.", action=f'Write: {key} = "…"')
    return value


def _texts(value: object, key: str, file: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{key} in {file} is no list of texts.", action=f'Write: {key} = ["…"]')
    return value


def _rule_ids(value: object, key: str, file: Path) -> frozenset[str]:
    return check_rule_ids(_texts(value, key, file), f"{key} in {file}")


def check_rule_ids(ids: list[str], where: str) -> frozenset[str]:
    """The ids, if all of them look like one.

    Raises:
        UsageError: one does not.
    """
    for rule in ids:
        if not _RULE_ID.fullmatch(rule):
            raise UsageError(
                f"{rule!r} in {where} is no rule id.", action='Rule ids look like "CL303".'
            )
    return frozenset(ids)


def ignored_lines(data: bytes) -> dict[int, frozenset[str]]:
    """Line → rule ids that ``# compatload: ignore[…]`` comments on it name."""
    if _MARK not in data:
        return {}
    lines: dict[int, frozenset[str]] = {}
    try:
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            if token.type == tokenize.COMMENT and (match := _COMMENT.search(token.string)):
                lines[token.start[0]] = frozenset(re.split(r"[,\s]+", match["ids"].strip()))
    except (tokenize.TokenError, SyntaxError):  # what follows cannot be reached by a rule either
        return lines
    return lines


def ignored_by_comment(finding: Finding, lines: Mapping[int, frozenset[str]]) -> bool:
    """Whether a comment stands on the first or the last line of what was found."""
    return any(
        finding.rule in lines.get(line, ()) for line in (finding.line, finding.end_line) if line
    )
