"""Expressions of a file exchanged for others with libcst, which keeps every other character."""

from __future__ import annotations

from collections.abc import Mapping

import libcst
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import MetadataWrapper, PositionProvider

from compatload.checking.replacement import Place, SourceChange


def rewritten(data: bytes, replacements: Mapping[Place, SourceChange]) -> bytes | None:
    """The file with every replacement made; None if libcst cannot parse it, or finds no place."""
    try:
        module = libcst.parse_module(data)
    except (libcst.ParserSyntaxError, UnicodeDecodeError, RecursionError):
        return None
    rewriter = _Rewriter(replacements)
    changed = MetadataWrapper(module).visit(rewriter)
    if not rewriter.made:
        return None
    context = CodemodContext()
    for replacement in rewriter.made:
        AddImportsVisitor.add_needed_import(
            context, replacement.module, None if replacement.qualified else replacement.name
        )
        package, _, name = replacement.instead_of.rpartition(".")
        if name:
            RemoveImportsVisitor.remove_unused_import(context, package, name, replacement.alias)
    changed = AddImportsVisitor(context).transform_module(changed)
    return RemoveImportsVisitor(context).transform_module(changed).bytes


class _Rewriter(libcst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, replacements: Mapping[Place, SourceChange]) -> None:
        super().__init__()
        self._replacements = replacements
        self.made: list[SourceChange] = []

    def leave_Attribute(  # noqa: N802 - libcst calls it by this name
        self, original_node: libcst.Attribute, updated_node: libcst.Attribute
    ) -> libcst.BaseExpression:
        return self._exchanged(original_node, updated_node)

    def leave_Name(  # noqa: N802
        self, original_node: libcst.Name, updated_node: libcst.Name
    ) -> libcst.BaseExpression:
        return self._exchanged(original_node, updated_node)

    def leave_Comparison(  # noqa: N802
        self, original_node: libcst.Comparison, updated_node: libcst.Comparison
    ) -> libcst.BaseExpression:
        replacement = self._replacement(original_node)
        if replacement is None:
            return updated_node
        sides = [
            side.with_changes(comparator=_call(replacement, side.comparator))
            for side in updated_node.comparisons
        ]
        return updated_node.with_changes(
            left=_call(replacement, updated_node.left), comparisons=sides
        )

    def _exchanged(
        self, original: libcst.CSTNode, updated: libcst.Attribute | libcst.Name
    ) -> libcst.BaseExpression:
        replacement = self._replacement(original)
        if replacement is None:
            return updated
        return _reference(replacement).with_changes(lpar=updated.lpar, rpar=updated.rpar)

    def _replacement(self, node: libcst.CSTNode) -> SourceChange | None:
        span = self.get_metadata(PositionProvider, node)
        place = (span.start.line, span.start.column + 1, span.end.line, span.end.column + 1)
        found = self._replacements.get(place)
        if found is not None:
            self.made.append(found)
        return found


def _call(replacement: SourceChange, argument: libcst.BaseExpression) -> libcst.Call:
    return libcst.Call(func=_reference(replacement), args=[libcst.Arg(argument)])


def _reference(replacement: SourceChange) -> libcst.Attribute | libcst.Name:
    text = f"{replacement.module}.{replacement.name}" if replacement.qualified else replacement.name
    expression = libcst.parse_expression(text)
    assert isinstance(expression, (libcst.Attribute, libcst.Name))  # noqa: S101 - a dotted name
    return expression
