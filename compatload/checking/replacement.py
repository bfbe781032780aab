"""What is to stand somewhere in a source file instead of what stands there."""

from __future__ import annotations

from compatload.frozen import frozen

# Line, column, end line and end column of an expression, in characters from 1.
Place = tuple[int, int, int, int]


@frozen
class SourceChange:
    """``name`` of ``module``, imported: by itself, or ``qualified`` where the name is taken.

    At a name or dotted name it takes its place; at a comparison it is called on each side.
    ``instead_of`` is the dotted name that goes; an import of just that (``as alias``) goes too if
    nothing else uses it.
    """

    module: str
    name: str
    qualified: bool = False
    instead_of: str = ""
    alias: str | None = None
