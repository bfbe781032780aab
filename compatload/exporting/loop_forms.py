"""Loops of a model's code in forms that Paddle can make a program of: the first turn, the end, what
leaves them, and what their conditions assign."""

from __future__ import annotations

import copy
from collections.abc import Collection

from compatload.exporting.syntax_tree import (
    COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    NewNodes,
    Node,
    assignments,
    become,
    blocks_of,
    children,
    in_blocks,
    is_none,
    kind,
    made_for,
    names_in,
    names_stored,
    of_loop,
    outside_loops,
    parameter_name,
    walk,
    within,
)

_LEAVING = frozenset({"Break", "Continue", "Return"})
_SEVERAL = frozenset({"List", "Tuple"})


class LoopForms:
    """Of one tree; ``nodes`` makes what is new in it."""

    def __init__(self, nodes: NewNodes) -> None:
        self._nodes = nodes

    def name_parts(self, function: Node) -> None:
        """``for n, (a, b) in enumerate(...)``: Paddle knows one name beside the number."""
        for node in within(function):
            if kind(node) != "For" or kind(node.target) != "Tuple" or kind(node.iter) != "Call":
                continue
            *_, parts = node.target.elts
            if getattr(node.iter.func, "id", "") != "enumerate" or kind(parts) not in _SEVERAL:
                continue
            name = self._nodes.name("part")
            taken = self._nodes.statement(f"{name} = {name}")
            (node.target.elts[-1],) = taken.targets
            taken.targets = [parts]
            node.body.insert(0, made_for(taken, node))

    def all_turns_taken(self, block: list[Node]) -> list[Node]:
        """``break`` of a loop over the layer's own parts (``for block in self.blocks``): a program
        cannot ask which of them comes next, so the turns behind it are taken and do nothing."""
        taken: list[Node] = []
        for statement in block:
            in_blocks(statement, self.all_turns_taken)
            if kind(statement) == "For" and _is_broken_over_attributes(statement):
                broken = self._nodes.name("broken")
                begun = self._nodes.statement(f"{broken} = False")
                turn = self._nodes.statement(f"if not {broken}:\n    pass")
                turn.body = self._told_instead(statement.body, broken)
                statement.body = [made_for(turn, statement)]
                taken.append(made_for(begun, statement))
            taken.append(statement)
        return taken

    def _told_instead(self, block: list[Node], broken: str) -> list[Node]:
        """The block, in which ``break`` tells, and what follows it asks."""
        done: list[Node] = []
        for place, statement in enumerate(block):
            if kind(statement) == "Break":
                return [*done, made_for(self._nodes.statement(f"{broken} = True"), statement)]
            done.append(statement)
            if kind(statement) in (LOOPS | FUNCTIONS):
                continue
            if not any(kind(one) == "Break" for one in of_loop([statement])):
                continue
            in_blocks(statement, lambda inner: self._told_instead(inner, broken))
            rest = self._told_instead(block[place + 1 :], broken)
            if rest:
                behind = self._nodes.statement(f"if not {broken}:\n    pass")
                behind.body = rest
                done.append(made_for(behind, statement))
            return done
        return done

    def take_first_turns(self, function: Node) -> None:
        """Where a name is None at first and a loop asks for it, its first turn stands in front."""
        if not _is_asked_outside(function, nothing := _nothing_at_first(function)):
            function.body = self._first_turns_taken(function.body, nothing)

    def assign_within(self, function: Node) -> None:
        """What conditions of loops assign is assigned in their turns."""
        for node in within(function):
            if kind(node) == "While":
                self._assign_in_turns(node)

    def _first_turns_taken(self, block: list[Node], nothing: Collection[str]) -> list[Node]:
        """``total = None`` in front of a loop that asks ``total is None``: its first turn stands in
        front of it, where that is known."""
        taken: list[Node] = []
        for statement in block:
            if kind(statement) not in LOOPS:
                in_blocks(statement, lambda one: self._first_turns_taken(one, nothing))
            elif _asks_for_none(statement, nothing) and not _is_left(statement):
                taken += self._first_turn(statement)
            taken.append(statement)
        return taken

    def _first_turn(self, loop: Node) -> list[Node]:
        if kind(loop) == "While" or not _has_a_turn(loop.iter):
            return []
        turn: list[Node] = copy.deepcopy(loop.body)
        name, given = self._nodes.name("turns"), loop.iter
        first, others = f"{name}[0]", f"{name}[1:]"
        if kind(given) == "Call" and given.func.id == "enumerate":
            given = given.args[0]
            first, others = f"0, {name}[0]", f"enumerate({name}[1:], 1)"
        turns, first = self._nodes.statement(f"{name} = 0"), self._nodes.statement(f"a = {first}")
        turns.value, loop.iter = given, self._nodes.expression(others)
        first.targets = [copy.deepcopy(loop.target)]
        return [made_for(turns, loop), made_for(first, loop), *turn]

    def ended(self, block: list[Node]) -> list[Node]:
        """What stands under ``else`` of a loop, behind it: if nothing broke the loop."""
        ended: list[Node] = []
        for statement in block:
            in_blocks(statement, self.ended)
            if kind(statement) not in LOOPS or not statement.orelse:
                ended.append(statement)
                continue
            otherwise, statement.orelse = statement.orelse, []
            broken = self._nodes.name("broken")
            if not self._told_where(statement.body, "Break", f"{broken} = True"):
                ended += [statement, *otherwise]
                continue
            behind = self._nodes.statement(f"if not {broken}:\n    pass")
            behind.body = otherwise
            begun = self._nodes.statement(f"{broken} = False")
            ended += [begun, statement, made_for(behind, statement)]
        return ended

    def _assign_in_turns(self, loop: Node) -> None:
        """``while (m := f()) > 0``: what is assigned in the condition is so in the loop; Paddle has
        a function of the condition, whose names are its own."""
        if loop.orelse or not any(kind(one) == "NamedExpr" for one in walk(loop.test)):
            return
        is_all = kind(loop.test) == "BoolOp" and kind(loop.test.op) == "And"
        turn: list[Node] = []
        for asked in loop.test.values if is_all else [loop.test]:
            ends = self._nodes.statement("while a:\n    if not b:\n        break").body[0]
            ends.test.operand = asked
            while (found := _assigned_first(asked)) is not None:
                one = self._nodes.statement(f"{found.target.id} = 0")
                one.value = found.value
                turn.append(made_for(one, loop))
                become(found, self._nodes.expression(found.target.id))
            if any(kind(one) == "NamedExpr" for one in walk(asked)):
                raise ValueError("a condition assigns a name in a part that may not be asked")
            turn.append(made_for(ends, loop))
        loop.test = made_for(self._nodes.expression("True"), loop)
        loop.body = [*turn, *loop.body]

    def _told_where(self, block: list[Node], what: str, told: str) -> bool:
        """Put the statement in front of each that ends this loop; whether there is one."""
        found = False
        for place in range(len(block) - 1, -1, -1):
            statement = block[place]
            if kind(statement) == what:
                block.insert(place, self._nodes.statement(told))
                found = True
            elif kind(statement) not in (LOOPS | FUNCTIONS):
                for inner in blocks_of(statement):
                    found |= self._told_where(inner, what, told)
        return found

    def left_behind(self, block: list[Node]) -> list[Node]:
        """``return`` within a loop: it ends the loop, and the function is left behind it, with what
        is returned computed there, of what the names stand for when the loop ends."""
        left: list[Node] = []
        for statement in block:
            if kind(statement) not in LOOPS:
                in_blocks(statement, self.left_behind)
                left.append(statement)
                continue
            endless = _is_endless(statement)
            values = self._breaks_for_returns(statement)
            left += [self._nodes.statement(f"{flag} = False") for flag, _ in values]
            left.append(statement)
            for place, (flag, value) in enumerate(values):
                behind = self._nodes.statement(f"if {flag}:\n    return 0")
                behind.body[0].value = value
                is_last = endless and place == len(values) - 1
                left.append(made_for(behind.body[0] if is_last else behind, statement))
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
                    flag = self._nodes.name("returned")
                    values.append((flag, statement.value))
                    told = self._nodes.statement(f"{flag} = True")
                    broken = self._nodes.statement("while a:\n    break").body[0]
                    return [*done, made_for(told, statement), made_for(broken, statement)]
                done.append(statement)
                if name in LOOPS:
                    inner = self._breaks_for_returns(statement)
                    values.extend(inner)
                    for flag, _ in inner:
                        text = f"while a:\n    if {flag}:\n        break"
                        broken = self._nodes.statement(text).body[0]
                        done.append(made_for(broken, statement))
                elif name == "If":
                    in_blocks(statement, ended)
            return done

        loop.body = ended(loop.body)
        self._targets_kept(loop, [value for _, value in values if value is not None])
        return values

    def _targets_kept(self, loop: Node, values: list[Node]) -> None:
        """Behind a loop that is broken, Paddle does not know what the loop counts with."""
        for name in sorted(names_in(getattr(loop, "target", None)) if values else ()):
            readers = [
                node
                for value in values
                for node in walk(value)
                if kind(node) == "Name" and node.id == name
            ]
            again = (names_stored(one) for one in loop.body)
            if readers and not any(name in stored for stored in again):
                kept = self._nodes.name(name)
                told = self._nodes.statement(f"{kept} = {name}")
                loop.body.insert(0, made_for(told, loop))
                for node in readers:
                    node.id = kept


def _nothing_at_first(function: Node) -> set[str]:
    """Names that stand for None somewhere."""
    defaults = zip(reversed(function.args.args), reversed(function.args.defaults))
    given = {parameter_name(argument) for argument, one in defaults if is_none(one)}
    return given | {name for name, value in assignments(within(function)) if is_none(value)}


def _has_a_turn(given: Node) -> bool:
    """Whether it is of something, of its parts, or of as many turns as something has parts: what
    has none is not looked for. What counts turns may be 0, and is asked in the program."""
    if kind(given) != "Call" or kind(given.func) != "Name" or len(given.args) != 1:
        return kind(given) == "Name"
    if given.func.id == "enumerate":
        return kind(given.args[0]) == "Name" and not given.keywords
    number = given.args[0]
    is_size = kind(number) == "Subscript" and getattr(number.value, "attr", "") == "shape"
    is_length = kind(number) == "Call" and getattr(number.func, "id", "") == "len"
    return given.func.id == "range" and (is_size or is_length)


def _is_broken_over_attributes(loop: Node) -> bool:
    """Whether ``break`` is all that leaves a loop over what is the layer's own."""
    leaving = {kind(one) for one in of_loop(loop.body)} & _LEAVING
    return leaving == {"Break"} and not loop.orelse and _is_of_attributes(loop.iter)


def _is_of_attributes(given: Node) -> bool:
    """Whether it is ``self.parts``, alone or in enumerate, zip or reversed."""
    if kind(given) == "Call" and kind(given.func) == "Name":
        known = given.func.id in ("enumerate", "reversed", "zip") and not given.keywords
        return known and all(map(_is_of_attributes, given.args))
    return kind(given) == "Attribute" and getattr(given.value, "id", "") == "self"


def _is_asked_outside(function: Node, names: Collection[str]) -> bool:
    """Whether a name is asked for None elsewhere than in a loop: then no turn may be one."""
    return any(
        kind(node) == "Compare" and kind(node.left) == "Name" and node.left.id in names
        for node in outside_loops(function.body)
    )


def _is_left(loop: Node) -> bool:
    """Whether a turn may end before its last statement, or more follows than turns."""
    return bool(loop.orelse) or any(kind(one) in _LEAVING for one in of_loop(loop.body))


def _asks_for_none(loop: Node, nothing: Collection[str]) -> bool:
    """Whether one of the names is asked for in the loop, by a function that it is given to, as the
    cell of a recurrent layer is, or here; and assigned there."""
    inside = [node for statement in loop.body for node in walk(statement)]
    asked = {
        node.left.id
        for node in inside
        if kind(node) == "Compare" and kind(node.left) == "Name"
        if is_none(node.comparators[0])
    }
    given = {
        argument.id
        for node in inside
        if kind(node) == "Call"
        for argument in (*node.args, *(one.value for one in node.keywords))
        if kind(argument) == "Name"
    }
    stored = {name for statement in loop.body for name in names_stored(statement)}
    return bool((asked | given) & stored & {*nothing})


def _is_endless(loop: Node) -> bool:
    """Whether nothing but ``return`` ends it."""
    if kind(loop) != "While" or kind(loop.test) != "Constant" or not loop.test.value:
        return False
    return not any(kind(node) == "Break" for node in of_loop(loop.body))


def _assigned_first(test: Node) -> Node | None:
    """The first name that is assigned in it, if that is whenever it is asked."""
    if kind(test) == "NamedExpr":
        return _assigned_first(test.value) or test
    if kind(test) in ("Lambda", "IfExp", *COMPREHENSIONS):
        return None
    inner = list(children(test))
    for one in inner[:1] if kind(test) == "BoolOp" else inner:
        found = _assigned_first(one)
        if found is not None:
            return found
    return None
