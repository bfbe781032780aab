"""What ``--fix`` makes of the files of packages of the registry, held against what it may change.

    python -m matrix.findings.fixed PACKAGES [--target 3.3.1]

``PACKAGES`` is the folder that ``matrix.findings.registry`` needs. Nothing is written. Of every
file that is changed: the result parses; its syntax tree is the old one with the exchanges made by
hand and nothing else, imports aside; an import that is gone is used nowhere; lines that have
neither an exchange nor an import are the same, byte for byte; and a second run changes nothing.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from compatload.checking.fixing import Fix, fix_source
from compatload.checking.source_rules.loaders import LOADERS
from compatload.checking.target import Target, parse_target
from matrix.findings.registry import unpack_all

_NEW = frozenset({"Version", *(substitute for _, substitute in LOADERS.values())})


class _Undone(ast.NodeTransformer):
    """The tree with compatload's functions back under Paddle's last names, without Version()."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        version = _last(node.func) == "Version"
        self.generic_visit(node)
        return node.args[0] if version else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("LOADER", node.ctx) if node.id in _NEW else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        of = ast.unparse(node.value) == "compatload" and node.attr in _NEW
        return ast.Name("LOADER", node.ctx) if of else node


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.findings.fixed", description=__doc__)
    parser.add_argument("packages", type=Path)
    parser.add_argument("--target", default="3.3.1")
    asked = parser.parse_args(arguments)
    target = parse_target(asked.target)
    rules: Counter[str] = Counter()
    files = changed = 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="compatload-") as folder:
        unpack_all(asked.packages, Path(folder))
        for file in sorted(Path(folder).rglob("*.py")):
            files += 1
            fix = fix_source(str(file), file.read_bytes(), target)
            if fix is None:
                continue
            changed += 1
            rules.update(fix.rules)
            wrong += [f"{file.relative_to(folder)}: {one}" for one in faults(fix, target)]
    told = ", ".join(f"{rule} {count}" for rule, count in sorted(rules.items()))
    print(f"{files} files, {changed} changed ({told}), {len(wrong)} wrong", *wrong, sep="\n")
    return bool(wrong)


def faults(fix: Fix, target: Target) -> list[str]:
    """What is wrong with a change."""
    told = []
    before = ast.parse(fix.before)
    try:
        after = ast.parse(fix.after)
    except SyntaxError as error:
        return [f"it does not parse: {error}"]
    exchanged = _exchanged(before, fix)
    if ast.dump(_bare(exchanged)) != ast.dump(_bare(_Undone().visit(after))):
        told.append("more than the exchanges has changed")
    gone = _imported(before) - _imported(after)
    used = {node.id for node in ast.walk(ast.parse(fix.after)) if isinstance(node, ast.Name)}
    if gone & used:
        told.append(f"an import is gone that is used: {', '.join(sorted(gone & used))}")
    if not _lines_kept(fix):
        told.append("a line has changed that has no exchange and no import")
    if fix_source(fix.path, fix.after, target) is not None:
        told.append("a second run changes it again")
    return told


def _exchanged(tree: ast.Module, fix: Fix) -> ast.Module:
    """The old tree with the loaders' names made one."""
    from compatload.checking.python_source import PythonSource

    source = PythonSource(fix.path, fix.before)
    places = {
        (one.node.lineno, one.node.col_offset, one.node.end_col_offset)
        for one in source.references()
        if one.name in LOADERS
    }

    class Exchange(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            at = tuple(getattr(node, n, 0) for n in ("lineno", "col_offset", "end_col_offset"))
            if isinstance(node, (ast.Name, ast.Attribute)) and at in places:
                return ast.Name("LOADER", ast.Load())
            self.generic_visit(node)
            return node

    exchanged = Exchange().visit(tree)
    assert isinstance(exchanged, ast.Module)  # noqa: S101
    return exchanged


def _bare(tree: ast.AST) -> ast.AST:
    """Without imports."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                kept = [one for one in value if not isinstance(one, (ast.Import, ast.ImportFrom))]
                setattr(node, name, kept)
    return tree


def _imported(tree: ast.AST) -> set[str]:
    return {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }


def _lines_kept(fix: Fix) -> bool:
    old, new = fix.before.splitlines(keepends=True), fix.after.splitlines(keepends=True)
    names = tuple(name.encode() for name in ("import", "Version", *_NEW))
    return all(
        any(name in line for name in names) or not line.strip()
        for tag, _, _, first, last in difflib.SequenceMatcher(None, old, new, False).get_opcodes()
        if tag != "equal"
        for line in new[first:last]
    )


def _last(node: ast.AST) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


if __name__ == "__main__":
    raise SystemExit(main())
