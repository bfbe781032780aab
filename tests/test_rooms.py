"""Imports go down: the way of a model through the package, as its folders stand in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import compatload

PACKAGE = Path(compatload.__file__).parent
# From the bottom to the top. What stands in a folder imports its own and what is below.
ORDER = (
    *("collection", "frozen", "errors", "_version", "releases", "metrics", "notebook"),
    *("artifact", "runtime", "plan", "operators", "faults", "planning"),
    *("trials", "programs", "store", "engines", "loading", "options", "serving", "drop_ins"),
    *("executors", "pages", "remote", "checking", "exporting", "migration"),
    *("interception", "selftest", "cli", "__main__"),
)


def test_every_room_has_its_place() -> None:
    rooms = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms - {"__init__", "__pycache__", "demo", "py"} == set(ORDER)


def test_imports_go_down() -> None:
    upwards = [
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, name in imported(path)
        if not is_below(path.relative_to(PACKAGE).parts[0].removesuffix(".py"), name)
    ]
    assert upwards == []


def is_below(room: str, name: str) -> bool:
    if room == "__init__":
        return True  # gives names to users, and asks for them when they are used
    return name != "compatload" and ORDER.index(name) <= ORDER.index(room)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and room of every import from this package, those inside functions as well; what only
    type checkers follow is none."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    checked = [node for node in ast.walk(tree) if isinstance(node, ast.If) and _is_typing(node)]
    for block in checked:
        block.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "compatload":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, f"{name}.compatload".split(".")[1]) for name in names)


def _is_typing(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
