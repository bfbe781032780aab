"""``--fix`` and ``--diff``: what can be changed by machine, with formatting and comments kept.

Findings come from the same rules as ever; libcst makes the change, so nothing but the expressions
concerned and the imports moves.
"""

from __future__ import annotations

import ast
import difflib
import os
import tempfile
from collections.abc import Iterable, Iterator

from compatload.checking.finding import Finding, Skipped
from compatload.checking.python_source import PythonSource, UnparsableError, decoded
from compatload.checking.replacement import Place, SourceChange
from compatload.checking.settings import Settings, ignored_by_comment, ignored_lines
from compatload.checking.source_rules.loaders import LOADERS
from compatload.checking.source_rules.versions import is_fixable
from compatload.checking.sources import LARGEST, check_source, is_source
from compatload.checking.target import Target
from compatload.checking.walk import walk
from compatload.errors import UsageError
from compatload.frozen import frozen


@frozen
class Fix:
    """A file and what it becomes. ``rules`` names what is fixed, once a finding."""

    path: str
    before: bytes
    after: bytes
    rules: tuple[str, ...]

    @property
    def diff(self) -> str:
        """A unified diff that ``patch -p1`` and ``git apply`` take."""
        name = self.path.lstrip("/")
        old, new = (decoded(data).splitlines(keepends=True) for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in lines
        )

    def write(self) -> None:
        """Put the new content in the file's place, whole or not at all, with its mode.

        Raises:
            OSError: the file was changed in the meantime, or cannot be written.
        """
        place = os.path.realpath(self.path)
        with open(place, "rb") as stream:
            if stream.read() != self.before:
                raise OSError(f"{self.path} was changed while it was being checked")
        handle, aside = tempfile.mkstemp(prefix=".compatload-", dir=os.path.dirname(place))
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(self.after)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(aside, os.stat(place).st_mode & 0o7777)
            os.replace(aside, place)
        except BaseException:
            os.unlink(aside)
            raise


def fixes(
    paths: Iterable[str], *, target: Target, settings: Settings | None = None
) -> Iterator[Fix]:
    """Every file on disk that can be improved; files in archives are left alone.

    Raises:
        UsageError: libcst is missing.
    """
    settings = settings or Settings()
    for path in walk(paths, settings.excludes):
        if isinstance(path, Skipped) or not is_source(path):
            continue
        try:
            with open(path, "rb") as stream:
                data = stream.read(LARGEST + 1)
        except OSError:
            continue  # the check itself reports it
        fix = fix_source(path, data, target, settings)
        if fix is not None:
            yield fix


def fix_source(
    path: str, data: bytes, target: Target, settings: Settings | None = None
) -> Fix | None:
    """What one file becomes, or None if there is nothing to change.

    Raises:
        UsageError: libcst is missing.
    """
    findings = check_source(path, data, target)
    if isinstance(findings, Skipped):
        return None
    comments = ignored_lines(data)
    wanted = [
        finding
        for finding in findings
        if finding.fixable
        and not ignored_by_comment(finding, comments)
        and not (settings and settings.ignores(finding))
    ]
    if not wanted:
        return None
    try:
        source = PythonSource(path, data)
        replacements = _replacements(source, wanted)
    except UnparsableError:
        return None
    try:
        from compatload.checking.rewriting import rewritten
    except ModuleNotFoundError as error:
        raise UsageError(
            f"fixing needs {error.name}, which is not installed.",
            action="Run: pip install 'compatload[check]'",
        ) from error
    after = rewritten(data, replacements)
    if after is None or after == data:
        return None
    return Fix(path, data, after, tuple(finding.rule for finding in wanted))


def _replacements(source: PythonSource, findings: Iterable[Finding]) -> dict[Place, SourceChange]:
    """What the findings ask for, at their places."""
    places = {
        (f.line, f.column, f.end_line, f.end_column): f.rule for f in findings if f.line is not None
    }
    found: dict[Place, SourceChange] = {}
    for reference in source.references():
        loader = LOADERS.get(reference.name)
        place = _place(source, reference.node)
        if loader is not None and places.get(place) == loader[0]:
            found[place] = _imported(source, "compatload", loader[1], reference.name)
    for node, scope in source.comparisons:
        place = _place(source, node)
        if places.get(place) == "CL308" and is_fixable(node, scope, source):
            found[place] = _imported(source, "packaging.version", "Version")
    return found


def _place(source: PythonSource, node: ast.AST) -> Place:
    at = source.position(node)
    return at["line"] or 0, at["column"] or 0, at["end_line"] or 0, at["end_column"] or 0


def _imported(source: PythonSource, module: str, name: str, instead_of: str = "") -> SourceChange:
    """Qualified if the file uses the bare name for something of its own."""
    taken = any(
        name in scope.bound or scope.imports.get(name, f"{module}.{name}") != f"{module}.{name}"
        for scope in source.scopes()
    )
    aliases = [
        local
        for scope in source.scopes()
        for local, imported in scope.imports.items()
        if imported == instead_of and local != instead_of.rpartition(".")[2]
    ]
    return SourceChange(module, name, taken, instead_of, aliases[0] if aliases else None)
