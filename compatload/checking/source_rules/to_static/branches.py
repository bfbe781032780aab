"""CL401, CL402, CL424–CL426, CL434: what the branches of an ``if`` on a Tensor do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import TensorKind, Tensors, inner

# Methods and functions that change the number of dimensions, by how much.
_RANK = {"squeeze": -1, "unsqueeze": 1, "flatten": -1}
_REDUCTIONS = frozenset(
    {"sum", "mean", "max", "min", "prod", "any", "all", "amax", "amin", "logsumexp", "argmax"}
)
_Pair = tuple[ast.expr, ast.expr]


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    for branch in tensors.branches:
        then, other = _assigned(branch.body), _assigned(branch.orelse)
        for name in then.keys() | other.keys():
            before = _bound_before(name, branch, tensors)
            pair = (then.get(name, before), other.get(name, before))
            yield from _of_pair(name, pair, branch, tensors)
        if _returns_differ(branch, function):
            yield Sighting("CL401", branch, "returns")
        yield from _raises(branch, tensors)
        yield from _attributes(branch, tensors)
    for branch in tensors.nodes(ast.If):
        if branch not in tensors.branches:
            yield from _raises_on_sizes(branch, tensors)
    for node in tensors.nodes(ast.Compare):
        if len(node.ops) > 1 and tensors.decides(node):
            yield Sighting("CL424", node)


def _assigned(statements: list[ast.stmt]) -> dict[str, ast.expr]:
    """Name → value of the last plain assignment directly in a branch."""
    return {
        target.id: statement.value
        for statement in statements
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _bound_before(name: str, branch: ast.If, tensors: Tensors) -> ast.expr:
    """What a name holds where a branch leaves it alone: its last value above, or itself."""
    values = [
        node.value
        for node in tensors.nodes(ast.Assign)
        if node.lineno < branch.lineno
        and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    ]
    if values and isinstance(values[-1], (ast.Constant, ast.Name)):
        return values[-1]
    return ast.Name(name, ast.Load())


def _of_pair(
    name: str, pair: tuple[ast.expr, ast.expr], branch: ast.If, tensors: Tensors
) -> Iterator[Sighting]:
    one, other = pair
    if _is_none(one) != _is_none(other):
        if _asked_for_none(name, branch, tensors):
            yield Sighting("CL425", branch, "else" if name in _assigned(branch.orelse) else "")
    elif _is_text(one) and _is_text(other):
        yield Sighting("CL401", branch, "text")
    elif _is_bool_and_tensor(pair, tensors):
        yield Sighting("CL401", branch)
    elif _is_number_and_tensor(pair, tensors):
        yield Sighting("CL401", branch, "number")
    elif _types_differ(pair, tensors):
        yield Sighting("CL401", branch, "types")
    elif _ranks_differ(pair, tensors):
        yield Sighting("CL402", branch)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _asked_for_none(name: str, branch: ast.If, tensors: Tensors) -> bool:
    """``name is None`` below the branch."""
    return any(
        node.lineno > (branch.end_lineno or branch.lineno)
        and isinstance(node.left, ast.Name)
        and node.left.id == name
        and isinstance(node.ops[0], (ast.Is, ast.IsNot))
        and _is_none(node.comparators[0])
        for node in tensors.nodes(ast.Compare)
    )


def _is_bool_and_tensor(pair: _Pair, tensors: Tensors) -> bool:
    for one, other in (pair, pair[::-1]):
        is_bool = isinstance(one, ast.Constant) and isinstance(one.value, bool)
        if is_bool and tensors.kind(other) > TensorKind.OTHER and not _is_of_bools(other):
            return True
    return False


def _is_of_bools(node: ast.expr) -> bool:
    """Whether a Tensor holds bools, as far as its text tells: these go with a bool."""
    return _is_cast(node) or isinstance(node, (ast.Compare, ast.BoolOp))


def _is_number_and_tensor(pair: _Pair, tensors: Tensors) -> bool:
    """A number is a float64 or an int64 there, and a Tensor mostly a float32."""
    return any(
        isinstance(one, ast.Constant)
        and type(one.value) in (int, float)
        and tensors.kind(other) is TensorKind.SURE
        and not _is_cast(other)
        for one, other in (pair, pair[::-1])
    )


def _types_differ(pair: _Pair, tensors: Tensors) -> bool:
    """One value is a cast of the name that the other is."""
    for one, other in (pair, pair[::-1]):
        if not isinstance(other, ast.Name) or tensors.kind(other) is TensorKind.OTHER:
            continue
        compared = isinstance(one, ast.Compare) and getattr(one.left, "id", "") == other.id
        if compared or _cast_of(one) == other.id:
            return True
    return False


def _is_cast(node: ast.expr) -> bool:
    return _cast_of(node) is not None


def _cast_of(node: ast.expr) -> str | None:
    """The name that is cast to an integer or a bool."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    if node.func.attr not in ("cast", "astype"):
        return None
    to = node.args[-1] if node.args else None
    text = to.value if isinstance(to, ast.Constant) else getattr(to, "attr", "")
    if not str(text).startswith(("int", "uint", "bool")):
        return None
    of = node.args[0] if len(node.args) > 1 else node.func.value
    return of.id if isinstance(of, ast.Name) else ""


def _ranks_differ(pair: _Pair, tensors: Tensors) -> bool:
    """Both values are made of one name, with numbers of dimensions that differ."""
    (base, by), (other_base, other_by) = (_rank_change(value, tensors) for value in pair)
    return base is not None and base == other_base and by != other_by


def _rank_change(value: ast.expr, tensors: Tensors) -> tuple[str | None, int]:
    """The name that a value was made of, and by how many dimensions it has more."""
    change = 0
    while True:
        if isinstance(value, ast.Name):
            return value.id, change
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
            if not isinstance(value.slice.value, int):
                return None, 0
            change -= 1
            value = value.value
        elif isinstance(value, ast.BinOp) and isinstance(value.right, ast.Constant):
            value = value.left
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            method = value.func.attr
            name = tensors.source.resolve(value.func, tensors.function.scope)
            arguments = value.args
            if name is None:
                of = value.func.value
            elif name.startswith("paddle.") and arguments:
                of, arguments = arguments[0], arguments[1:]
            else:
                return None, 0
            by = _by_call(method, arguments, value.keywords)
            if by is None:
                return None, 0
            change += by
            value = of
        else:
            return None, 0


def _by_call(method: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> int | None:
    """By how many dimensions a method's result has more; None if nobody knows."""
    if method in _RANK:
        return _RANK[method]
    if method not in _REDUCTIONS:
        return None
    given = {keyword.arg: keyword.value for keyword in keywords}
    axis = arguments[0] if arguments else given.get("axis")
    keeps = given.get("keepdim")
    if not (isinstance(axis, (ast.Constant, ast.UnaryOp))) or len(arguments) > 1:
        return None
    return 0 if isinstance(keeps, ast.Constant) and keeps.value is True else -1


def _returns_differ(branch: ast.If, function: Converted) -> bool:
    """The branch returns another number of values than what runs otherwise."""
    one = branch.body[-1]
    otherwise = branch.orelse or _after(branch, function.node.body)
    other = otherwise[-1] if otherwise else None
    if not (isinstance(one, ast.Return) and isinstance(other, ast.Return)):
        return False
    counts = [len(r.value.elts) if isinstance(r.value, ast.Tuple) else 1 for r in (one, other)]
    plain = all(isinstance(r.value, (ast.Tuple, ast.BinOp, ast.Name)) for r in (one, other))
    return plain and counts[0] != counts[1]


def _after(branch: ast.If, body: list[ast.stmt]) -> list[ast.stmt]:
    return body[body.index(branch) + 1 :] if branch in body else []


def _raises(branch: ast.If, tensors: Tensors) -> Iterator[Sighting]:
    """``raise`` in either branch; conversion runs both."""
    for statement in inner([*branch.body, *branch.orelse]):
        if isinstance(statement, ast.Raise):
            yield Sighting("CL426", statement)
            return


def _raises_on_sizes(branch: ast.If, tensors: Tensors) -> Iterator[Sighting]:
    """A guard: ``if x.shape[0] > 100: raise``, ``if y.shape != [b, c]: raise``."""
    test = branch.test
    if not isinstance(test, ast.Compare) or not isinstance(branch.body[-1], ast.Raise):
        return
    sides = (test.left, *test.comparators)
    if not any(tensors.is_free(side) for side in sides):
        return
    lists = any(isinstance(side, (ast.List, ast.Tuple, ast.Attribute)) for side in sides)
    if not lists:
        yield Sighting("CL426", branch.body[-1], "size")
    elif any(isinstance(side, (ast.List, ast.Tuple)) and tensors.is_free(side) for side in sides):
        yield Sighting("CL426", branch.body[-1], "shape")


def _attributes(branch: ast.If, tensors: Tensors) -> Iterator[Sighting]:
    """``self.kept = a Tensor`` in a branch."""
    for statement in (*branch.body, *branch.orelse):
        if not isinstance(statement, ast.Assign):
            continue
        for target in statement.targets:
            if (
                isinstance(target, ast.Attribute)
                and getattr(target.value, "id", "") == "self"
                and tensors.kind(statement.value) > TensorKind.OTHER
            ):
                yield Sighting("CL434", statement)
                return
