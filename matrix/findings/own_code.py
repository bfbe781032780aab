"""The code of a package's file as it stands, without what its module does when it is imported.

Imports, constants, functions and classes are carried out one statement after the other. Of the
modules, Python's own, paddle and numpy are imported; whatever else is imported is ``Absent``, which
gives itself for every attribute and call. No package's other code runs.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

_KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
_MODULES = frozenset({"paddle", "numpy", *sys.stdlib_module_names})


class _Whatever(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls


class Absent(metaclass=_Whatever):
    """What a module that is not here would have given."""

    def __new__(cls, *arguments: Any, **_: Any) -> Any:
        if cls is not Absent:
            return object.__new__(cls)
        decorated = arguments and isinstance(arguments[0], (FunctionType, type))
        return arguments[0] if decorated else Absent

    def __init__(self, *_: Any, **__: Any) -> None:
        pass


def names_of(file: Path) -> dict[str, Any]:
    """What the module of a file defines."""
    known: dict[str, Any] = {"__name__": file.stem, "__file__": str(file)}
    for statement in ast.parse(file.read_bytes()).body:
        if not isinstance(statement, _KEPT):
            continue
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and not _is_here(statement):
            for alias in statement.names:
                known[(alias.asname or alias.name).partition(".")[0]] = Absent
            continue
        try:
            exec(compile(ast.Module([statement], []), str(file), "exec"), known)  # noqa: S102
        except (
            Exception,
            SystemExit,
        ) as error:  # what it needs is absent, or gone from this Paddle
            for part in ast.walk(statement):
                if isinstance(part, ast.alias):
                    known[(part.asname or part.name).partition(".")[0]] = Absent
            known.setdefault("__failed__", []).append(f"line {statement.lineno}: {error}")
    return known


def _is_here(statement: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and str(statement.module).partition(".")[0] in _MODULES
    return all(alias.name.partition(".")[0] in _MODULES for alias in statement.names)
