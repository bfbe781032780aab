"""Code of a model in other forms, which mean the same and which Paddle can make a program of.

Paddle's conversion knows some forms of Python. It reads ``0 < y < 1`` as one comparison of a Tensor
with a truth (CL424), leaves out what stands under ``else`` of a loop (CL435), cannot leave a
function out of a loop (CL427), and does not see comprehensions, ``extend`` and what a branch makes
of None or of a text (CL433, CL436, CL425, CL401). Each of these has another form that it knows,
and here a function's syntax tree is given that form before Paddle sees it. Trees of ``ast`` and of
``gast``, which Paddle takes, are alike: classes are known by their names, and new nodes come of
``parse``.
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
_FUNCTIONS = frozenset({"FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef"})
_LOOPS = frozenset({"For", "While"})
_COMPREHENSIONS = frozenset({"ListComp", "GeneratorExp", "SetComp", "DictComp"})
_LEAVING = frozenset({"Break", "Continue", "Return"})
_BLOCKS = ("body", "orelse", "finalbody")
# What takes a list where it is given what a comprehension in brackets of a call makes.
_TAKING_LISTS = frozenset({"list", "max", "min", "sorted", "sum", "tuple"})
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
# What stands behind such a branch is written twice; of several in a row, once for each of them.
_MOST_BRANCHES = 4


def in_known_forms(root: Node, parse: Parse) -> None:
    """Give every function of the tree the forms that Paddle knows; the tree is changed."""
    forms = _Forms(parse)
    for function in [node for node in _walk(root) if kind(node) == "FunctionDef"]:
        if not any(_is_suspended(node) for node in _within(function)):
            forms.give(function)


def _walk(node: Node) -> Iterator[Node]:
    return ast.walk(node)


def _children(node: Node) -> Iterator[Node]:
    return ast.iter_child_nodes(node)


def kind(node: Node) -> str:
    return type(node).__name__


class _Forms:
    """Of one tree: the names that are new in it are numbered."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._numbers = itertools.count()

    def give(self, function: Node) -> None:
        for node in _within(function):
            if kind(node) == "Compare" and len(node.ops) > 1:
                self._take_apart(node)
            elif kind(node) == "Compare":
                self._ask_for_each(node)
            elif kind(node) in ("Call", "For"):
                self._comprehend(node)
        function.body = _without_hooks(function.body, self._statement("pass"))
        _by_name_or_place(function.args)
        self._lists, self._dicts = _containers(function)
        if not _is_asked_outside(function, nothing := _nothing_at_first(function)):
            function.body = self._first_turns_taken(function.body, nothing)
        function.body = self._lists_grown(function.body)
        function.body = self._loops_ended(function.body)
        for node in _within(function):
            if kind(node) == "While":
                self._assign_within(node)
        function.body = self._left_behind_loops(function.body)
        function.body = self._branches_continued(function, function.body, _MOST_BRANCHES)

    # Comparisons ------------------------------------------------------------------------------

    def _take_apart(self, compare: Node) -> None:
        """``a < b < c`` is ``a < b and b < c``, where ``b`` may be computed twice."""
        if not all(map(_is_pure, compare.comparators[:-1])):
            return
        whole = self._expression("a and b")
        values = [compare.left, *compare.comparators]
        whole.values = []
        for left, operator, right in zip(values, compare.ops, values[1:]):
            one = self._expression("a < b")
            one.left, one.ops, one.comparators = copy.deepcopy(left), [operator], [right]
            whole.values.append(_as(one, compare))
        _become(compare, whole)

    def _ask_for_each(self, compare: Node) -> None:
        """``n in (1, 2)`` is ``n == 1 or n == 2``."""
        operator, known = kind(compare.ops[0]), compare.comparators[0]
        if operator not in ("In", "NotIn") or kind(known) not in ("Tuple", "List", "Set"):
            return
        if not known.elts or not all(kind(one) == "Constant" for one in known.elts):
            return
        if not _is_pure(compare.left):
            return
        whole = self._expression("a or b" if operator == "In" else "a and b")
        whole.values = []
        for one in known.elts:
            asked = self._expression("a == b" if operator == "In" else "a != b")
            asked.left, asked.comparators = copy.deepcopy(compare.left), [one]
            whole.values.append(_as(asked, compare))
        _become(compare, whole)

    # Lists ------------------------------------------------------------------------------------

    def _lists_grown(self, block: list[Node]) -> list[Node]:
        """Comprehensions as loops that append, in front of their statement; ``extend``, and
        ``update`` of a dict."""
        grown: list[Node] = []
        for statement in block:
            made = self._appended(statement) or self._updated(statement)
            for one in made or [statement]:
                before: list[Node] = []
                while (found := self._comprehension(one)) is not None:
                    before += self._as_loop(found)
                grown += [*before, one]
        for statement in grown:
            self._in_blocks(statement, self._lists_grown)
        return grown

    def _appended(self, statement: Node) -> list[Node]:
        """``rows.extend([a, b])`` or ``rows += [a, b]``, one at a time."""
        if kind(statement) == "Expr" and kind(statement.value) == "Call":
            call = statement.value
            is_extend = kind(call.func) == "Attribute" and call.func.attr == "extend"
            if not is_extend or len(call.args) != 1 or call.keywords:
                return []
            grows, value = call.func.value, call.args[0]
        elif kind(statement) == "AugAssign" and kind(statement.op) == "Add":
            grows, value = statement.target, statement.value
        else:
            return []
        if kind(grows) != "Name" or grows.id not in self._lists or kind(value) != "List":
            return []
        if any(kind(one) == "Starred" for one in value.elts):
            return []
        kept = [(self._new("part"), one) for one in value.elts]
        appends = [self._statement(f"{grows.id}.append({name})") for name, _ in kept]
        return [_as(one, statement) for one in (*self._kept(kept), *appends)]

    def _kept(self, values: Collection[tuple[str, Node]]) -> list[Node]:
        """All are computed before the first is put anywhere."""
        kept = [self._statement(f"{name} = 0") for name, _ in values]
        for one, (_, value) in zip(kept, values):
            one.value = value
        return kept

    def _updated(self, statement: Node) -> list[Node]:
        """``found.update(a=b)``, one key at a time."""
        call: Node = statement.value if kind(statement) == "Expr" else None
        if kind(call) != "Call" or kind(call.func) != "Attribute" or call.func.attr != "update":
            return []
        holder = call.func.value
        if kind(holder) != "Name" or holder.id not in self._dicts:
            return []
        if any(one.arg is None for one in call.keywords):
            return []
        if call.args and (len(call.args) > 1 or not _has_known_keys(call.args[0])):
            return []
        known = call.args[0] if call.args else None
        pairs = (
            [(key.value, value) for key, value in zip(known.keys, known.values)] if known else []
        )
        pairs += [(one.arg, one.value) for one in call.keywords]
        kept = [(self._new("part"), value) for _, value in pairs]
        assigned = [
            self._statement(f"{holder.id}[{key!r}] = {name}")
            for (key, _), (name, _) in zip(pairs, kept)
        ]
        return [_as(one, statement) for one in (*self._kept(kept), *assigned)]

    def _comprehension(self, statement: Node) -> Node | None:
        """The first that is evaluated whenever the statement is, if it can be a loop."""
        if kind(statement) in ("Assign", "AugAssign", "AnnAssign", "Return", "Expr"):
            roots = [statement.value]
        elif kind(statement) == "If":
            roots = [statement.test]
        elif kind(statement) == "For":
            roots = [statement.iter]
        else:
            return None
        found = next((found for root in roots if root for found in _always(root)), None)
        if found is None or not all(_is_pure_but(root, found) for root in roots if root):
            return None
        return found

    def _comprehend(self, node: Node) -> None:
        """``list(map(f, x))`` is ``list(f(one) for one in x)``, as ``for y in map(f, x)`` is."""
        if kind(node) == "For":
            called = node.iter
        else:
            takes = kind(node.func) == "Name" and node.func.id in _TAKING_LISTS
            called = node.args[0] if takes and len(node.args) == 1 else None
        if kind(called) != "Call" or getattr(called.func, "id", "") != "map" or called.keywords:
            return
        if len(called.args) != len(("function", "parts")):
            return
        function, parts = called.args
        name = self._new("part")
        made = self._expression(f"[f({name}) for {name} in x]")
        made.generators[0].iter = parts
        parameters = _plain_parameters(function)
        if parameters is not None and len(parameters) == 1:
            made.generators[0].target = _as(
                self._statement(f"{parameters[0]} = 0").targets[0], node
            )
            made.elt = function.body
        elif kind(function) == "Name":
            made.elt.func = function
        else:
            return
        _become(called, _as(made, called))

    def _as_loop(self, found: Node) -> list[Node]:
        name = self._new("list")
        grown = self._statement(f"{name}.append(0)")
        renamed = _renamed(found, lambda old: self._new(old))
        grown.value.args = [renamed.elt]
        for generator in reversed(renamed.generators):
            for condition in reversed(generator.ifs):
                branch = self._statement("if a:\n    pass")
                branch.test, branch.body = condition, [grown]
                grown = branch
            loop = self._statement("for a in b:\n    pass")
            loop.target, loop.iter, loop.body = generator.target, generator.iter, [grown]
            grown = loop
        statements = [self._statement(f"{name} = []"), grown]
        _become(found, self._expression(name))
        return [_as(one, found) for one in statements]

    # Loops ------------------------------------------------------------------------------------

    def _first_turns_taken(self, block: list[Node], nothing: Collection[str]) -> list[Node]:
        """``total = None`` in front of a loop that asks ``total is None``: its first turn stands in
        front of it, where that is known."""
        taken: list[Node] = []
        for statement in block:
            if kind(statement) not in _LOOPS:
                self._in_blocks(statement, lambda one: self._first_turns_taken(one, nothing))
            elif _asks_for_none(statement, nothing) and not _is_left(statement):
                taken += self._first_turn(statement)
            taken.append(statement)
        return taken

    def _first_turn(self, loop: Node) -> list[Node]:
        if kind(loop) == "While" or not _has_a_turn(loop.iter):
            return []
        turn: list[Node] = copy.deepcopy(loop.body)
        name, given = self._new("turns"), loop.iter
        first, others = f"{name}[0]", f"{name}[1:]"
        if kind(given) == "Call" and given.func.id == "enumerate":
            given = given.args[0]
            first, others = f"0, {name}[0]", f"enumerate({name}[1:], 1)"
        turns, first = self._statement(f"{name} = 0"), self._statement(f"a = {first}")
        turns.value, loop.iter = given, self._expression(others)
        first.targets = [copy.deepcopy(loop.target)]
        return [_as(turns, loop), _as(first, loop), *turn]

    def _loops_ended(self, block: list[Node]) -> list[Node]:
        """What stands under ``else`` of a loop, behind it: if nothing broke the loop."""
        ended: list[Node] = []
        for statement in block:
            self._in_blocks(statement, self._loops_ended)
            if kind(statement) not in _LOOPS or not statement.orelse:
                ended.append(statement)
                continue
            otherwise, statement.orelse = statement.orelse, []
            broken = self._new("broken")
            if not self._told_where(statement.body, "Break", f"{broken} = True"):
                ended += [statement, *otherwise]
                continue
            behind = self._statement(f"if not {broken}:\n    pass")
            behind.body = otherwise
            ended += [self._statement(f"{broken} = False"), statement, _as(behind, statement)]
        return ended

    def _assign_within(self, loop: Node) -> None:
        """``while (m := f()) > 0``: what is assigned in the condition is so in the loop; Paddle has
        a function of the condition, whose names are its own."""
        if loop.orelse or not any(kind(one) == "NamedExpr" for one in _walk(loop.test)):
            return
        is_all = kind(loop.test) == "BoolOp" and kind(loop.test.op) == "And"
        turn: list[Node] = []
        for asked in loop.test.values if is_all else [loop.test]:
            ends = self._statement("while a:\n    if not b:\n        break").body[0]
            ends.test.operand = asked
            while (found := _assigned_first(asked)) is not None:
                one = self._statement(f"{found.target.id} = 0")
                one.value = found.value
                turn.append(_as(one, loop))
                _become(found, self._expression(found.target.id))
            if any(kind(one) == "NamedExpr" for one in _walk(asked)):
                raise ValueError("a condition assigns a name in a part that may not be asked")
            turn.append(_as(ends, loop))
        loop.test = _as(self._expression("True"), loop)
        loop.body = [*turn, *loop.body]

    def _told_where(self, block: list[Node], what: str, told: str) -> bool:
        """Put the statement in front of each that ends this loop; whether there is one."""
        found = False
        for place in range(len(block) - 1, -1, -1):
            statement = block[place]
            if kind(statement) == what:
                block.insert(place, self._statement(told))
                found = True
            elif kind(statement) not in (_LOOPS | _FUNCTIONS):
                for inner in _blocks(statement):
                    found |= self._told_where(inner, what, told)
        return found

    def _left_behind_loops(self, block: list[Node]) -> list[Node]:
        """``return`` within a loop: it ends the loop, and the function is left behind it, with what
        is returned computed there, of what the names stand for when the loop ends."""
        left: list[Node] = []
        for statement in block:
            if kind(statement) not in _LOOPS:
                self._in_blocks(statement, self._left_behind_loops)
                left.append(statement)
                continue
            endless = _is_endless(statement)
            values = self._breaks_for_returns(statement)
            left += [self._statement(f"{flag} = False") for flag, _ in values]
            left.append(statement)
            for place, (flag, value) in enumerate(values):
                behind = self._statement(f"if {flag}:\n    return 0")
                behind.body[0].value = value
                is_last = endless and place == len(values) - 1
                left.append(_as(behind.body[0] if is_last else behind, statement))
        return left

    def _breaks_for_returns(self, loop: Node) -> list[tuple[str, Node]]:
        """The flags of the returns within the loop, which are breaks afterwards, and their values.
        A loop within it is left in the same way."""
        values: list[tuple[str, Node]] = []

        def ended(block: list[Node]) -> list[Node]:
            done: list[Node] = []
            for statement in block:
                name = kind(statement)
                if name == "Return":
                    flag = self._new("returned")
                    values.append((flag, statement.value))
                    told = self._statement(f"{flag} = True")
                    broken = self._statement("while a:\n    break").body[0]
                    return [*done, _as(told, statement), _as(broken, statement)]
                done.append(statement)
                if name in _LOOPS:
                    inner = self._breaks_for_returns(statement)
                    values.extend(inner)
                    for flag, _ in inner:
                        broken = self._statement(f"while a:\n    if {flag}:\n        break").body[0]
                        done.append(_as(broken, statement))
                elif name == "If":
                    self._in_blocks(statement, ended)
            return done

        loop.body = ended(loop.body)
        self._targets_kept(loop, [value for _, value in values if value is not None])
        return values

    def _targets_kept(self, loop: Node, values: list[Node]) -> None:
        """Behind a loop that is broken, Paddle does not know what the loop counts with."""
        for name in sorted(_names(getattr(loop, "target", None)) if values else ()):
            readers = [
                node
                for value in values
                for node in _walk(value)
                if kind(node) == "Name" and node.id == name
            ]
            again = (_names_stored(one) for one in loop.body)
            if readers and not any(name in stored for stored in again):
                kept = self._new(name)
                told = self._statement(f"{kept} = {name}")
                loop.body.insert(0, _as(told, loop))
                for node in readers:
                    node.id = kept

    # Branches ---------------------------------------------------------------------------------

    def _branches_continued(self, function: Node, block: list[Node], most: int) -> list[Node]:
        """What a branch makes of None or of a text is one thing in a program, and is not known
        behind it: what stands behind is written into both branches."""
        if most == 0:
            return block
        odd = _odd_names(function)
        block = [self._as_branch(statement, odd) for statement in block]
        for place, statement in enumerate(block):
            if kind(statement) != "If" or _is_known(statement.test):
                continue
            behind = block[place + 1 :]
            if not behind or not _assigned(statement) & odd:
                continue
            again = copy.deepcopy(behind)
            names = sorted(_assigned(statement) & odd)
            for branch, end in (("body", behind), ("orelse", again)):
                whole = [*getattr(statement, branch), *end]
                whole = self._branches_continued(function, whole, most - 1)
                setattr(statement, branch, self._forgotten(whole, names))
            return block[: place + 1]
        return block

    def _as_branch(self, statement: Node, odd: Collection[str]) -> Node:
        """``act = f if c else g``, where each is a function, a text or None, as ``if``."""
        if kind(statement) != "Assign" or kind(statement.value) != "IfExp":
            return statement
        if not all(kind(one) == "Name" and one.id in odd for one in statement.targets):
            return statement
        branch = self._statement("if a:\n    pass\nelse:\n    pass")
        branch.test = statement.value.test
        for name in ("body", "orelse"):
            one = copy.deepcopy(statement)
            one.value = getattr(statement.value, name)
            setattr(branch, name, [one])
        return _as(branch, statement)

    def _forgotten(self, block: list[Node], names: list[str]) -> list[Node]:
        """Both branches hand on all names that either assigns: as nothing reads these any more,
        they are None in both."""
        done: list[Node] = []
        for statement in block:
            if kind(statement) != "Return":
                if kind(statement) not in _LOOPS:
                    self._in_blocks(statement, lambda inner: self._forgotten_before(inner, names))
                done.append(statement)
                continue
            value = self._new("value")
            kept = self._statement(f"{value} = 0")
            kept.value = statement.value or self._expression("None")
            statement.value = self._expression(value)
            forgets = [self._statement(f"{name} = None") for name in names]
            return [*done, *(_as(one, statement) for one in (kept, *forgets)), statement]
        return [*done, *(self._statement(f"{name} = None") for name in names)]

    def _forgotten_before(self, block: list[Node], names: list[str]) -> list[Node]:
        if any(kind(one) == "Return" for one in block):
            return self._forgotten(block, names)
        for statement in block:
            if kind(statement) not in _LOOPS:
                self._in_blocks(statement, lambda inner: self._forgotten_before(inner, names))
        return block

    # Nodes ------------------------------------------------------------------------------------

    def _new(self, name: str) -> str:
        plain = name.split("_", 2)[-1] if name.startswith(_PREFIX) else name
        return f"{_PREFIX}{next(self._numbers)}_{plain}"

    def _statement(self, text: str) -> Node:
        return self._parse(text).body[0]

    def _expression(self, text: str) -> Node:
        return self._statement(text).value

    def _in_blocks(self, statement: Node, change: Callable[[list[Node]], list[Node]]) -> None:
        if kind(statement) in _FUNCTIONS:
            return
        for name in _BLOCKS:
            block = getattr(statement, name, None)
            if isinstance(block, list) and block:
                setattr(statement, name, change(block))


def _without_hooks(block: list[Node], nothing: Node) -> list[Node]:
    """Hooks change gradients, which a saved program does not compute."""
    for place, statement in enumerate(block):
        if kind(statement) not in _FUNCTIONS:
            for inner in _blocks(statement):
                _without_hooks(inner, nothing)
        call: Node = statement.value if kind(statement) == "Expr" else None
        if kind(call) != "Call" or getattr(call.func, "attr", "") != "register_hook":
            continue
        if getattr(call.func.value, "id", "") != "self":
            block[place] = _as(copy.deepcopy(nothing), statement)
    return block


def _nothing_at_first(function: Node) -> set[str]:
    """Names that stand for None somewhere."""
    defaults = zip(reversed(function.args.args), reversed(function.args.defaults))
    given = {_name(argument) for argument, one in defaults if _is_none(one)}
    return given | {name for name, value in _assignments(_within(function)) if _is_none(value)}


def _is_none(value: Node) -> bool:
    return kind(value) == "Constant" and value.value is None


def _name(argument: Node) -> str:
    """Of a parameter: ``gast`` has a Name for it."""
    return str(getattr(argument, "arg", None) or argument.id)


def _assignments(nodes: Iterable[Node]) -> Iterator[tuple[str, Node]]:
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


def _has_a_turn(given: Node) -> bool:
    """Whether it is of something, of its parts, or of as many turns as something has parts: what
    has none is not looked for."""
    if kind(given) != "Call" or kind(given.func) != "Name" or len(given.args) != 1:
        return kind(given) == "Name"
    if given.func.id == "enumerate":
        return kind(given.args[0]) == "Name" and not given.keywords
    number = given.args[0]
    is_size = kind(number) == "Subscript" and getattr(number.value, "attr", "") == "shape"
    is_length = kind(number) == "Call" and getattr(number.func, "id", "") == "len"
    return given.func.id == "range" and (is_size or is_length or kind(number) == "Name")


def _is_asked_outside(function: Node, names: Collection[str]) -> bool:
    """Whether a name is asked for None elsewhere than in a loop: then no turn may be one."""
    return any(
        kind(node) == "Compare" and kind(node.left) == "Name" and node.left.id in names
        for node in _outside_loops(function.body)
    )


def _outside_loops(block: Collection[Node]) -> Iterator[Node]:
    for statement in block:
        if kind(statement) in (_LOOPS | _FUNCTIONS):
            continue
        inner = [one for one in _blocks(statement) for one in one]
        skipped = set(map(id, inner))
        for node in _children(statement):
            if id(node) not in skipped:
                yield from _walk(node)
        yield from _outside_loops(inner)


def _is_left(loop: Node) -> bool:
    """Whether a turn may end before its last statement, or more follows than turns."""
    return bool(loop.orelse) or any(kind(one) in _LEAVING for one in _of_loop(loop.body))


def _asks_for_none(loop: Node, nothing: Collection[str]) -> bool:
    """Whether one of the names is asked for in the loop, by a function that it is given to, as the
    cell of a recurrent layer is, or here; and assigned there."""
    inside = [node for statement in loop.body for node in _walk(statement)]
    asked = {
        node.left.id
        for node in inside
        if kind(node) == "Compare" and kind(node.left) == "Name"
        if _is_none(node.comparators[0])
    }
    given = {
        argument.id
        for node in inside
        if kind(node) == "Call"
        for argument in (*node.args, *(one.value for one in node.keywords))
        if kind(argument) == "Name"
    }
    stored = {name for statement in loop.body for name in _names_stored(statement)}
    return bool((asked | given) & stored & {*nothing})


def _by_name_or_place(parameters: Node) -> None:
    """Parameters by name alone lose their defaults in 3.0 and 3.1 (CL423)."""
    defaults = parameters.kw_defaults
    if parameters.vararg is None and all(one is not None for one in defaults):
        parameters.args += parameters.kwonlyargs
        parameters.defaults += defaults
        parameters.kwonlyargs, parameters.kw_defaults = [], []


def _blocks(statement: Node) -> Iterator[list[Node]]:
    for name in _BLOCKS:
        block = getattr(statement, name, None)
        if isinstance(block, list):
            yield block
    for handler in getattr(statement, "handlers", ()):
        yield handler.body


def _within(function: Node) -> Iterator[Node]:
    """The nodes of a function, without those of functions within it."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [one for one in _children(node) if kind(one) not in _FUNCTIONS]


def _is_suspended(node: Node) -> bool:
    return kind(node) in ("Await", "Yield", "YieldFrom")


def _is_endless(loop: Node) -> bool:
    """Whether nothing but ``return`` ends it."""
    if kind(loop) != "While" or kind(loop.test) != "Constant" or not loop.test.value:
        return False
    return not any(kind(node) == "Break" for node in _of_loop(loop.body))


def _of_loop(block: Collection[Node]) -> Iterator[Node]:
    for statement in block:
        yield statement
        if kind(statement) not in (_LOOPS | _FUNCTIONS):
            for inner in _blocks(statement):
                yield from _of_loop(inner)


def _always(expression: Node) -> Iterator[Node]:
    """The comprehensions in it that are evaluated whenever it is, and that a loop can stand for."""
    name = kind(expression)
    if name in ("Lambda", "IfExp", "BoolOp", "NamedExpr", "DictComp", "SetComp"):
        return
    if name == "ListComp":
        if _is_plain(expression):
            yield expression
        return
    if name == "GeneratorExp":
        return
    if name == "Call" and len(expression.args) == 1 and kind(expression.args[0]) == "GeneratorExp":
        takes = kind(expression.func) == "Name" and expression.func.id in _TAKING_LISTS
        if takes and _is_plain(expression.args[0]):
            yield expression.args[0]
        return
    for child in _children(expression):
        yield from _always(child)


def _is_plain(comprehension: Node) -> bool:
    inner = [one for one in _walk(comprehension) if one is not comprehension]
    names = _targets(comprehension)
    hidden = {name for one in inner if kind(one) in _COMPREHENSIONS for name in _targets(one)}
    odd = any(kind(one) in ("Lambda", "NamedExpr") or _is_suspended(one) for one in inner)
    return not odd and not names & hidden and not any(g.is_async for g in comprehension.generators)


def _plain_parameters(function: Node) -> list[str] | None:
    """Of a function without a name that takes nothing else."""
    if kind(function) != "Lambda":
        return None
    given = function.args
    others = (given.vararg, given.kwarg, *given.kwonlyargs, *given.posonlyargs, *given.defaults)
    return None if any(others) else [_name(one) for one in given.args]


def _assigned_first(test: Node) -> Node | None:
    """The first name that is assigned in it, if that is whenever it is asked."""
    if kind(test) == "NamedExpr":
        return _assigned_first(test.value) or test
    if kind(test) in ("Lambda", "IfExp", *_COMPREHENSIONS):
        return None
    inner = list(_children(test))
    for one in inner[:1] if kind(test) == "BoolOp" else inner:
        found = _assigned_first(one)
        if found is not None:
            return found
    return None


def _has_known_keys(one: Node) -> bool:
    return kind(one) == "Dict" and all(kind(key) == "Constant" for key in one.keys)


def _names_stored(node: Node) -> set[str]:
    return {one.id for one in _walk(node) if kind(one) == "Name" and kind(one.ctx) == "Store"}


def _is_pure(expression: Node) -> bool:
    """Whether it may be computed twice, or at another time."""
    return not any(
        kind(node) in ("NamedExpr", "Lambda") or (kind(node) == "Call" and not _is_harmless(node))
        for node in _walk(expression)
    )


def _is_harmless(call: Node) -> bool:
    return getattr(call.func, "id", getattr(call.func, "attr", "")) in _PURE


def _is_pure_but(expression: Node, found: Node) -> bool:
    """Whether nothing else in it would have changed anything before what was found is computed:
    what that is an argument of comes after it."""
    inside = set(map(id, _walk(found)))
    for node in _walk(expression):
        if id(node) in inside:
            continue
        if kind(node) == "NamedExpr":
            return False
        around = any(one is found for one in _walk(node))
        if kind(node) == "Call" and not around and not _is_harmless(node):
            return False
    return True


def _containers(function: Node) -> tuple[set[str], set[str]]:
    """Names that stand for lists, and for dicts, that the function makes."""
    found: dict[str, set[str]] = {"List": set(), "Dict": set()}
    for name, value in _assignments(_within(function)):
        if kind(value) in ("List", "ListComp"):
            found["List"].add(name)
        elif kind(value) == "Dict":
            found["Dict"].add(name)
    return found["List"], found["Dict"]


def _targets(comprehension: Node) -> set[str]:
    return {name for one in comprehension.generators for name in _names(one.target)}


def _names(node: Node | None) -> set[str]:
    return {one.id for one in _walk(node) if kind(one) == "Name"} if node else set()


def _renamed(comprehension: Node, new: Callable[[str], str]) -> Node:
    """A copy whose own names are new: those of a comprehension are not those of its function."""
    copied = copy.deepcopy(comprehension)
    names = {name: new(name) for name in sorted(_targets(copied))}
    # The first is evaluated where the comprehension stands, with the names of the function.
    untouched = set(map(id, _walk(copied.generators[0].iter)))
    for node in _walk(copied):
        if kind(node) == "Name" and node.id in names and id(node) not in untouched:
            node.id = names[node.id]
    return copied


def _odd_names(function: Node) -> set[str]:
    """Names that stand for None, a text or a function at one place, and are asked about."""
    odd = {name for name, value in _assignments(_within(function)) if _is_odd(value)}
    asked: set[str] = set()
    for node in _within(function):
        if kind(node) in ("If", "IfExp", "While"):
            asked |= _names(node.test)
        if kind(node) == "Call" and kind(node.func) == "Name":
            asked.add(node.func.id)
    return odd & asked


def _is_odd(value: Node) -> bool:
    if kind(value) == "IfExp":
        return _is_odd(value.body) or _is_odd(value.orelse)
    is_text = kind(value) == "Constant" and (value.value is None or isinstance(value.value, str))
    return is_text or kind(value) == "Lambda"


def _assigned(branch: Node) -> set[str]:
    return {name for name, _ in _assignments([*branch.body, *branch.orelse])}


def _is_known(test: Node) -> bool:
    """Whether no Tensor is asked: a test for None, of a kind, or of what the layer keeps."""
    if kind(test) == "Compare" and {kind(one) for one in test.ops} <= {"Is", "IsNot"}:
        return True
    if kind(test) == "Call" and kind(test.func) == "Name" and test.func.id == "isinstance":
        return True
    return kind(test) == "Attribute" and kind(test.value) == "Name" and test.value.id == "self"


def _become(node: Node, other: Node) -> None:
    """The node in its place is the other one."""
    kept = _noted(node)
    node.__class__ = other.__class__
    node.__dict__.clear()
    node.__dict__.update({**vars(other), **kept})


def _as(made: Node, node: Node) -> Node:
    """Made for a node: with its place in the file, and with what Paddle noted of its origin."""
    noted = _noted(node)
    for inner in _walk(made):
        for name, one in noted.items():
            if name not in vars(inner) or inner is made:
                setattr(inner, name, one)
    return made


def _noted(node: Node) -> dict[str, Any]:
    """What is known of a node beside its parts."""
    parts = {*node._fields, "_fields", "_attributes"}
    return {name: one for name, one in vars(node).items() if name not in parts}
