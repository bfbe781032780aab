"""Nodes of a syntax tree: what they are, what they hold, and one in the place of another.

Trees of ``ast`` and of ``gast``, which Paddle takes, are alike: classes are known by their names.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

Node = Any  # of ast or of gast
Parse = Callable[[str], Any]

_PREFIX = "compatload_"
FUNCTIONS = frozenset({"FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef"})
LOOPS = frozenset({"For", "While"})
COMPREHENSIONS = frozenset({"ListComp", "GeneratorExp", "SetComp", "DictComp"})
_BLOCKS = ("body", "orelse", "finalbody")
# Functions and methods that change nothing, so that it is one when or how often they are called.
_PURE = frozenset(
    {
        *("abs", "all", "any", "argmax", "argmin", "astype", "ceil", "clip", "cos", "dot", "exp"),
        *("flatten", "float", "floor", "int", "isinf", "isnan", "item", "len", "log", "max"),
        *("median", "min", "norm", "numel", "ones", "prod", "rank", "reshape", "round", "shape"),
        *("sigmoid", "sin", "sqrt", "square", "squeeze", "std", "sum", "tanh", "to_tensor"),
        *("unsqueeze", "var", "zeros", "zip", "range", "enumerate", "mean"),
    }
)


class NewNodes:
    """Nodes that come of ``parse``; the names that are new in a tree are numbered."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._numbers = itertools.count()

    def name(self, name: str) -> str:
        plain = name.split("_", 2)[-1] if name.startswith(_PREFIX) else name
        return f"{_PREFIX}{next(self._numbers)}_{plain}"

    def statement(self, text: str) -> Node:
        return self._parse(text).body[0]

    def expression(self, text: str) -> Node:
        return self.statement(text).value


def walk(node: Node) -> Iterator[Node]:
    return ast.walk(node)


def children(node: Node) -> Iterator[Node]:
    return ast.iter_child_nodes(node)


def kind(node: Node) -> str:
    return type(node).__name__


def is_none(value: Node) -> bool:
    return kind(value) == "Constant" and value.value is None


def parameter_name(argument: Node) -> str:
    """Of a parameter: ``gast`` has a Name for it."""
    return str(getattr(argument, "arg", None) or argument.id)


def assignments(nodes: Iterable[Node]) -> Iterator[tuple[str, Node]]:
    """Names and what they are assigned, also one by one (``a, b = None, None``)."""
    for node in nodes:
        if kind(node) not in ("Assign", "AnnAssign"):
            continue
        for target in node.targets if kind(node) == "Assign" else [node.target]:
            if kind(target) == "Name":
                yield target.id, node.value
            elif kind(target) == kind(node.value) == "Tuple":
                for one, value in zip(target.elts, node.value.elts):
                    if kind(one) == "Name":
                        yield one.id, value


def outside_loops(block: Collection[Node]) -> Iterator[Node]:
    for statement in block:
        if kind(statement) in (LOOPS | FUNCTIONS):
            continue
        inner = [one for one in blocks_of(statement) for one in one]
        skipped = set(map(id, inner))
        for node in children(statement):
            if id(node) not in skipped:
                yield from walk(node)
        yield from outside_loops(inner)


def blocks_of(statement: Node) -> Iterator[list[Node]]:
    for name in _BLOCKS:
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def in_blocks(statement: Node, change: Callable[[list[Node]], list[Node]]) -> None:
    """Each of its blocks as ``change`` gives it; those of functions stay."""
    if kind(statement) in FUNCTIONS:
        return
    for name in _BLOCKS:
        block = getattr(statement, name, None)
        if isinstance(block, list) and block:
            setattr(statement, name, change(block))


def within(function: Node) -> Iterator[Node]:
    """The nodes of a function, without those of functions within it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [one for one in children(node) if kind(one) not in FUNCTIONS]


def is_suspended(node: Node) -> bool:
    return kind(node) in ("Await", "Yield", "YieldFrom")


def of_loop(block: Collection[Node]) -> Iterator[Node]:
    for statement in block:
        yield statement
        if kind(statement) not in (LOOPS | FUNCTIONS):
            for inner in blocks_of(statement):
                yield from of_loop(inner)


def names_stored(node: Node) -> set[str]:
    return {one.id for one in walk(node) if kind(one) == "Name" and kind(one.ctx) == "Store"}


def is_pure(expression: Node) -> bool:
    """Whether it may be computed twice, or at another time."""
    return not any(
        kind(node) in ("NamedExpr", "Lambda") or (kind(node) == "Call" and not _is_harmless(node))
        for node in walk(expression)
    )


def _is_harmless(call: Node) -> bool:
    return getattr(call.func, "id", getattr(call.func, "attr", "")) in _PURE


def is_pure_but(expression: Node, found: Node) -> bool:
    """Whether nothing else in it would have changed anything before what was found is computed:
    what that is an argument of comes after it."""
    inside = set(map(id, walk(found)))
    for node in walk(expression):
        if id(node) in inside:
            continue
        if kind(node) == "NamedExpr":
            return False
        around = any(one is found for one in walk(node))
        if kind(node) == "Call" and not around and not _is_harmless(node):
            return False
    return True


def targets_of(comprehension: Node) -> set[str]:
    return {name for one in comprehension.generators for name in names_in(one.target)}


def names_in(node: Node | None) -> set[str]:
    return {one.id for one in walk(node) if kind(one) == "Name"} if node else set()


def with_new_names(comprehension: Node, new: Callable[[str], str]) -> Node:
    """A copy whose own names are new: those of a comprehension are not those of its function."""
    copied = copy.deepcopy(comprehension)
    names = {name: new(name) for name in sorted(targets_of(copied))}
    # The first is evaluated where the comprehension stands, with the names of the function.
    untouched = set(map(id, walk(copied.generators[0].iter)))
    for node in walk(copied):
        if kind(node) == "Name" and node.id in names and id(node) not in untouched:
            node.id = names[node.id]
    return copied


def become(node: Node, other: Node) -> None:
    """The node in its place is the other one."""
    kept = _noted(node)
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update({**vars(other), **kept})


def made_for(made: Node, node: Node) -> Node:
    """Made for a node: with its place in the file, and with what Paddle noted of its origin."""
    noted = _noted(node)
    for inner in walk(made):
        for name, one in noted.items():
            if name not in vars(inner) or inner is made:
                setattr(inner, name, one)
    return made


def _noted(node: Node) -> dict[str, Any]:
    """What is known of a node beside its parts."""
    parts = {*node._fields, "_fields", "_attributes"}
    return {name: one for name, one in vars(node).items() if name not in parts}
