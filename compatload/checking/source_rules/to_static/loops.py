"""CL403–CL411, CL414, CL422, CL427, CL435–CL437: what a loop on a Tensor does around it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import TensorKind, Tensors, inner

_JOINS = ("paddle.concat", "paddle.stack", "paddle.vstack", "paddle.hstack")
_NUMBER_TYPES = frozenset({"int", "float", "bool"})


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    if not tensors.nodes(ast.While) and not tensors.nodes(ast.For):
        return
    bindings = _bindings([*tensors.nodes(ast.Assign), *tensors.nodes(ast.AugAssign)])
    yield from _bool_conditions(tensors, bindings)
    for loop in tensors.loops:
        body = list(inner(loop.body))
        assigned = _bindings(body)
        yield from _none_before(loop, assigned, bindings, tensors)
        yield from _growing(body, tensors)
        yield from _lists(body, loop, bindings)
        yield from _dicts(body, loop, bindings, tensors)
        yield from _type_tests(loop, assigned, bindings, tensors)
        yield from _aliases(loop, body, assigned, bindings, tensors)
        yield from (Sighting("CL427", node) for node in body if isinstance(node, ast.Return))
        if isinstance(loop, ast.For) and loop.orelse:
            yield Sighting("CL435", loop)
    for loop in tensors.nodes(ast.For):
        if isinstance(loop.iter, (ast.Tuple, ast.List)):
            yield from _returns_under_numbers(loop, tensors)
        elif 0 in tensors.free and any(tensors.surely(a) for a in zipped(loop.iter)):
            yield Sighting("CL437", loop)


_Bindings = dict[str, list[tuple[int, ast.expr]]]


def _bindings(nodes: Sequence[ast.AST]) -> _Bindings:
    """Name → (line, value) of its plain assignments, in order."""
    found: _Bindings = {}
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, []).append((node.lineno, node.value))
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append((node.lineno, node.value))
    for values in found.values():
        values.sort(key=lambda bound: bound[0])
    return found


def _before(name: str, line: int, bindings: _Bindings) -> ast.expr | None:
    """What a name was last bound to above a line."""
    values = [value for at, value in bindings.get(name, ()) if at < line]
    return values[-1] if values else None


def _bool_conditions(tensors: Tensors, bindings: _Bindings) -> Iterator[Sighting]:
    """``going = True`` before ``while going``, and ``going = a Tensor`` in it."""
    for loop in tensors.nodes(ast.While):
        if isinstance(loop.test, ast.Constant) and loop.test.value:
            inside = set(inner(loop.body))
            ends = (n for b in tensors.branches if b in inside for n in b.body)
            if any(isinstance(node, ast.Break) for node in ends):
                yield Sighting("CL403", loop, "while True")
        if not isinstance(loop.test, ast.Name):
            continue
        start = _before(loop.test.id, loop.lineno, bindings)
        given = _bindings(list(inner(loop.body))).get(loop.test.id, ())
        becomes = any(tensors.decides(value) for _, value in given)
        if isinstance(start, ast.Constant) and isinstance(start.value, bool) and becomes:
            yield Sighting("CL403", loop.test)


def _none_before(
    loop: ast.While | ast.For, assigned: _Bindings, bindings: _Bindings, tensors: Tensors
) -> Iterator[Sighting]:
    for name, values in assigned.items():
        start = _before(name, loop.lineno, bindings)
        is_none = isinstance(start, ast.Constant) and start.value is None
        if is_none and any(tensors.kind(value) > TensorKind.OTHER for _, value in values):
            yield Sighting("CL404", loop)


def _growing(body: list[ast.AST], tensors: Tensors) -> Iterator[Sighting]:
    """``x = paddle.concat([x, …])`` where ``x.shape`` is read afterwards."""
    for node in body:
        if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
            continue
        value = node.value
        if not isinstance(value, ast.Call):
            continue
        joins = tensors.source.resolve(value.func, tensors.function.scope) in _JOINS
        name = node.targets[0].id
        onto_itself = joins and value.args and name in _names(value.args[0])
        if onto_itself and any(
            _reads_shape(n, name, node.lineno) for n in tensors.nodes(ast.Attribute)
        ):
            yield Sighting("CL405", node)


def _reads_shape(node: ast.Attribute, name: str, after: int) -> bool:
    return (
        node.attr == "shape"
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        and node.lineno > after
    )


def _lists(
    body: list[ast.AST], loop: ast.While | ast.For, bindings: _Bindings
) -> Iterator[Sighting]:
    """Changes to a list that was made above the loop."""

    def is_list(node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and isinstance(
            _before(node.id, loop.lineno, bindings), (ast.List, ast.ListComp)
        )

    changed = _changed_places(body)
    for node in body:
        if isinstance(node, ast.Delete):
            if any(isinstance(t, ast.Subscript) and is_list(t.value) for t in node.targets):
                yield Sighting("CL407", node, "del")
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if (
                    isinstance(target, ast.Subscript)
                    and is_list(target.value)
                    and _is_item_of(node.value, target.value, changed)
                ):
                    is_slice = isinstance(target.slice, ast.Slice)
                    yield Sighting("CL408", node, "slice" if is_slice else "item")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if not is_list(node.func.value):
                continue
            if node.func.attr == "pop":
                yield Sighting("CL407", node, "pop")
            elif node.func.attr in ("insert", "extend"):
                yield Sighting("CL436", node, node.func.attr)
            elif node.func.attr == "append" and isinstance(
                node.args[0] if node.args else None, (ast.List, ast.ListComp)
            ):
                yield Sighting("CL406", node)


def _changed_places(body: list[ast.AST]) -> set[tuple[str, object]]:
    """(list, number) of the places that get something in a loop, where the numbers are written."""
    return {
        (getattr(target.value, "id", ""), target.slice.value)
        for node in body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant)
    }


def _is_item_of(value: ast.expr, items: ast.expr, changed: set[tuple[str, object]]) -> bool:
    """Whether what is assigned is, or has, an item of the list itself that the loop leaves alone:
    ``a[0] = a[1]``."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return any(_is_item_of(one, items, changed) for one in value.elts)
    if not isinstance(value, ast.Subscript):
        return False
    name, place = getattr(value.value, "id", ""), getattr(value.slice, "value", None)
    return name == getattr(items, "id", None) and (name, place) not in changed


def _dicts(
    body: list[ast.AST], loop: ast.While | ast.For, bindings: _Bindings, tensors: Tensors
) -> Iterator[Sighting]:
    """Changes to a dict that was made above the loop."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            target = node.targets[0]
            made = _dict_of(target.value, loop, bindings)
            if made is None:
                continue
            key = target.slice
            if isinstance(key, ast.Constant) and key.value not in _keys(made):
                yield Sighting("CL409", node)
            name = getattr(target.value, "id", "")
            constants = {k for k, v in _items(made) if isinstance(v, ast.Constant)}
            if any(
                _tests_key(other, name, constants, loop) for other in tensors.nodes(ast.Compare)
            ):
                yield Sighting("CL411", node)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("update", "setdefault", "pop")
            and _dict_of(node.func.value, loop, bindings) is not None
        ):
            yield Sighting("CL410", node)


def _dict_of(node: ast.expr, loop: ast.While | ast.For, bindings: _Bindings) -> ast.Dict | None:
    if not isinstance(node, ast.Name):
        return None
    made = _before(node.id, loop.lineno, bindings)
    return made if isinstance(made, ast.Dict) else None


def _items(made: ast.Dict) -> Iterator[tuple[object, ast.expr]]:
    for key, value in zip(made.keys, made.values):
        if isinstance(key, ast.Constant):
            yield key.value, value


def _keys(made: ast.Dict) -> set[object]:
    return {key for key, _ in _items(made)}


def _tests_key(node: ast.Compare, name: str, keys: set[object], loop: ast.While | ast.For) -> bool:
    """``d[constant] is …`` below the loop."""
    return (
        node.lineno > loop.lineno
        and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        and isinstance(node.left, ast.Subscript)
        and isinstance(node.left.value, ast.Name)
        and node.left.value.id == name
        and isinstance(node.left.slice, ast.Constant)
        and node.left.slice.value in keys
    )


def _type_tests(
    loop: ast.While | ast.For, assigned: _Bindings, bindings: _Bindings, tensors: Tensors
) -> Iterator[Sighting]:
    """``isinstance(n, int)`` below a loop that changes a number."""
    for node in tensors.nodes(ast.Call):
        if not (
            isinstance(node.func, ast.Name)
            and node.func.id == "isinstance"
            and len(node.args) == 2
            and isinstance(node.args[0], ast.Name)
            and node.lineno > loop.lineno
        ):
            continue
        name = node.args[0].id
        start = _before(name, loop.lineno, bindings)
        is_number = isinstance(start, ast.Constant) and start.value is not None
        if name in assigned and is_number and _NUMBER_TYPES & _names(node.args[1]):
            yield Sighting("CL414", node)


def _aliases(
    loop: ast.While | ast.For,
    body: list[ast.AST],
    assigned: _Bindings,
    bindings: _Bindings,
    tensors: Tensors,
) -> Iterator[Sighting]:
    """``total = x`` before a loop that assigns ``total`` and reads ``x``."""
    if any(_exchanges(node) for node in body):
        yield Sighting("CL422", loop, "exchange")
    read = {n.id for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for name in assigned:
        start = _before(name, loop.lineno, bindings)
        if not isinstance(start, ast.Name) or start.id == name:
            continue
        if tensors.kind(start) > TensorKind.OTHER and start.id in read and start.id not in assigned:
            yield Sighting("CL422", loop)


def _returns_under_numbers(loop: ast.For, tensors: Tensors) -> Iterator[Sighting]:
    """``if number > 2: return``: the turns before the return have nothing to give back."""
    counted = _names(loop.target)
    for node in loop.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
            last = node.body[-1]
            if isinstance(last, ast.Return) and counted & _names(node.test):
                yield Sighting("CL427", last, "numbers")


def zipped(node: ast.expr) -> list[ast.expr]:
    """What ``zip(…)`` goes over."""
    is_zip = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip"
    return node.args if is_zip else []  # type: ignore[attr-defined]


def _exchanges(node: ast.AST) -> bool:
    """``a, b = b, a``, or with something else for one of them."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)):
        return False
    if not isinstance(node.value, ast.Tuple):
        return False
    to, of = (
        [getattr(item, "id", "") for item in side.elts] for side in (node.targets[0], node.value)
    )
    return "" not in to and any(one != other and other in to for one, other in zip(to, of))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
