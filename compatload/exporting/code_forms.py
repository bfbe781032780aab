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
from collections.abc import Callable, Collection, Iterable, Iterator

from compatload.exporting.loop_forms import LoopForms
from compatload.exporting.syntax_tree import (
    COMPREHENSIONS,
    FUNCTIONS,
    LOOPS,
    NewNodes,
    Node,
    Parse,
    assignments,
    become,
    blocks_of,
    children,
    in_blocks,
    is_pure,
    is_pure_but,
    is_suspended,
    kind,
    made_for,
    names_in,
    parameter_name,
    targets_of,
    walk,
    with_new_names,
    within,
)

# What takes a list where it is given what a comprehension in brackets of a call makes.
_TAKING_LISTS = frozenset({"list", "max", "min", "sorted", "sum", "tuple"})
# What stands behind such a branch is written twice; of several in a row, once for each of them.
_MOST_BRANCHES = 4


def in_known_forms(root: Node, parse: Parse) -> set[str]:
    """Give every function of the tree the forms that Paddle knows; the tree is changed. What was
    given is returned, by the limitations that it goes around."""
    forms = _Forms(parse)
    for function in [node for node in walk(root) if kind(node) == "FunctionDef"]:
        if not any(is_suspended(node) for node in within(function)):
            forms.give(function)
    return forms.given


class _Forms:
    """Of one tree."""

    def __init__(self, parse: Parse) -> None:
        self._nodes = NewNodes(parse)
        self._loops = LoopForms(self._nodes)
        self.given: set[str] = set()

    def give(self, function: Node) -> None:
        self._lists, self._dicts = _containers(function)
        self._shared = _given_on(function)
        steps: tuple[tuple[Callable[[Node], None], str], ...] = (
            (self._compare, "CL424"),
            (_of_body(self._without_hooks), "CL417"),
            (_by_name_or_place, "CL423"),
            (self._turn_lists, "CL436"),
            (self._loops.take_first_turns, "CL404"),
            (self._grow_lists, ""),  # which says itself what it did
            (_of_body(self._loops.ended), "CL435"),
            (self._loops.assign_within, ""),
            (_of_body(self._loops.left_behind), "CL427"),
            (_of_body(self._loops.all_turns_taken), "CL427"),
            (self._loops.name_parts, ""),  # behind it: parts of a layer are no value of a branch
            (self._continue_branches, "CL425"),
        )
        for step, rule in steps:
            before = ast.dump(function)
            step(function)
            if rule and ast.dump(function) != before:
                self.given.add(rule)

    # Comparisons ------------------------------------------------------------------------------

    def _compare(self, function: Node) -> None:
        for node in within(function):
            if kind(node) == "Compare" and len(node.ops) > 1:
                self._take_apart(node)
            elif kind(node) == "Compare":
                self._ask_for_each(node)

    def _take_apart(self, compare: Node) -> None:
        """``a < b < c`` is ``a < b and b < c``, where ``b`` may be computed twice."""
        if not all(map(is_pure, compare.comparators[:-1])):
            return
        values = [compare.left, *compare.comparators]
        self._compare_each("and", compare, zip(values, compare.ops, values[1:]))

    def _ask_for_each(self, compare: Node) -> None:
        """``n in (1, 2)`` is ``n == 1 or n == 2``."""
        operator, known = kind(compare.ops[0]), compare.comparators[0]
        if operator not in ("In", "NotIn") or kind(known) not in ("Tuple", "List", "Set"):
            return
        if not known.elts or not all(kind(one) == "Constant" for one in known.elts):
            return
        if not is_pure(compare.left):
            return
        word, text = ("or", "a == b") if operator == "In" else ("and", "a != b")
        pairs = ((compare.left, self._nodes.expression(text).ops[0], one) for one in known.elts)
        self._compare_each(word, compare, pairs)

    def _compare_each(
        self, word: str, compare: Node, pairs: Iterable[tuple[Node, Node, Node]]
    ) -> None:
        """The comparison becomes one of each left with its right, joined by the word."""
        whole = self._nodes.expression(f"a {word} b")
        whole.values = []
        for left, operator, right in pairs:
            one = self._nodes.expression("a < b")
            one.left, one.ops, one.comparators = copy.deepcopy(left), [operator], [right]
            whole.values.append(made_for(one, compare))
        become(compare, whole)

    # Lists ------------------------------------------------------------------------------------

    def _grow_lists(self, function: Node) -> None:
        for node in within(function):
            if kind(node) in ("Call", "For"):
                self._comprehend(node)
        function.body = self._lists_grown(function.body)

    def _lists_grown(self, block: list[Node]) -> list[Node]:
        """Comprehensions as loops that append, in front of their statement; ``extend``,
        ``reverse``, and ``update`` of a dict."""
        grown: list[Node] = []
        for statement in block:
            made = self._appended(statement) or self._turned(statement)
            rule = "CL436" if made else "CL410"
            made = made or self._updated(statement)
            if made:
                self.given.add(rule)
            for one in made or [statement]:
                before: list[Node] = []
                while (found := self._comprehension(one)) is not None:
                    self.given.add("CL433")
                    before += self._as_loop(found)
                grown += [*before, one]
        for statement in grown:
            in_blocks(statement, self._lists_grown)
        return grown

    def _turn_lists(self, function: Node) -> None:
        """``reversed(rows)``, alone or in ``list(...)``, is ``rows[::-1]``, ``[a, *rows]`` is
        ``[a] + rows`` (list_parts), and ``if rows`` is ``if len(rows) > 0``."""
        alone = self._lists - _other_than_lists(function)
        for node in within(function):
            parts = node.elts if kind(node) == "List" and kind(node.ctx) == "Load" else []
            if any(_name_in_stars(one) in alone for one in parts):
                self._add_up(node, alone)
            self._ask_for_parts(node, alone)
            given = _only_argument(node, "list") or node
            turned = _only_argument(given, "reversed")
            if turned is not None and self._is_list(turned):
                become(node, self._nodes.expression(f"{turned.id}[::-1]"))

    def _ask_for_parts(self, node: Node, lists: Collection[str]) -> None:
        """A list of a program has no truth of its own."""
        is_not = kind(node) == "UnaryOp" and kind(node.op) == "Not"
        is_test = kind(node) in ("If", "IfExp", "While")
        if not is_not and not is_test:
            return
        asked = node.operand if is_not else node.test
        if kind(asked) == "Name" and asked.id in lists:
            become(asked, made_for(self._nodes.expression(f"len({asked.id}) > 0"), asked))

    def _add_up(self, made: Node, lists: Collection[str]) -> None:
        """A list with others in stars as the sum of lists."""
        parts: list[Node] = []
        for one in made.elts:
            if _name_in_stars(one) in lists:
                parts.append(one.value)
                continue
            if not parts or kind(parts[-1]) != "List":
                parts.append(self._nodes.expression("[]"))
            parts[-1].elts.append(one)
        if len(parts) == 1:
            parts.append(self._nodes.expression("[]"))
        whole = parts[0]
        for part in parts[1:]:
            both = self._nodes.expression("a + b")
            both.left, both.right = whole, part
            whole = both
        become(made, made_for(whole, made))

    def _is_list(self, node: Node) -> bool:
        return kind(node) == "Name" and node.id in self._lists

    def _turned(self, statement: Node) -> list[Node]:
        """``rows.reverse()`` assigns."""
        call = _call_of_method(statement, "reverse")
        if call is None or call.args or call.keywords:
            return []
        rows = call.func.value
        if not self._is_list(rows):
            return []
        return [made_for(self._nodes.statement(f"{rows.id} = {rows.id}[::-1]"), statement)]

    def _appended(self, statement: Node) -> list[Node]:
        """``rows.extend([a, b])``, ``rows += [a, b]``, ``rows = rows + [a, b]``: one at a time."""
        call = _call_of_method(statement, "extend")
        if call is not None:
            if len(call.args) != 1 or call.keywords:
                return []
            grows, value = call.func.value, call.args[0]
        elif kind(statement) == "AugAssign" and kind(statement.op) == "Add":
            grows, value = statement.target, statement.value
        elif self._is_grown_anew(statement):
            grows, value = statement.value.left, statement.value.right
        else:
            return []
        if not self._is_list(grows) or kind(value) != "List":
            return []
        if any(kind(one) == "Starred" for one in value.elts):
            return []
        kept = [(self._nodes.name("part"), one) for one in value.elts]
        appends = [self._nodes.statement(f"{grows.id}.append({name})") for name, _ in kept]
        return [made_for(one, statement) for one in (*self._kept(kept), *appends)]

    def _is_grown_anew(self, statement: Node) -> bool:
        """Whether the list gets its own name again, and has no other."""
        if kind(statement) != "Assign" or len(statement.targets) != 1:
            return False
        target, value = statement.targets[0], statement.value
        if kind(value) != "BinOp" or kind(value.op) != "Add" or not self._is_list(target):
            return False
        return self._is_list(value.left) and value.left.id == target.id not in self._shared

    def _kept(self, values: Collection[tuple[str, Node]]) -> list[Node]:
        """All are computed before the first is put anywhere."""
        kept = [self._nodes.statement(f"{name} = 0") for name, _ in values]
        for one, (_, value) in zip(kept, values):
            one.value = value
        return kept

    def _updated(self, statement: Node) -> list[Node]:
        """``found.update(a=b)``, one key at a time."""
        call = _call_of_method(statement, "update")
        if call is None:
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
        kept = [(self._nodes.name("part"), value) for _, value in pairs]
        assigned = [
            self._nodes.statement(f"{holder.id}[{key!r}] = {name}")
            for (key, _), (name, _) in zip(pairs, kept)
        ]
        return [made_for(one, statement) for one in (*self._kept(kept), *assigned)]

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
        if found is None or not all(is_pure_but(root, found) for root in roots if root):
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
        function, *parts = called.args
        if len(parts) != 1:
            return
        name = self._nodes.name("part")
        made = self._nodes.expression(f"[f({name}) for {name} in x]")
        made.generators[0].iter = parts[0]
        parameters = _plain_parameters(function)
        if parameters is not None and len(parameters) == 1:
            made.generators[0].target = made_for(
                self._nodes.statement(f"{parameters[0]} = 0").targets[0], node
            )
            made.elt = function.body
        elif kind(function) == "Name":
            made.elt.func = function
        else:
            return
        become(called, made_for(made, called))

    def _as_loop(self, found: Node) -> list[Node]:
        name = self._nodes.name("list")
        grown = self._nodes.statement(f"{name}.append(0)")
        renamed = with_new_names(found, lambda old: self._nodes.name(old))
        grown.value.args = [renamed.elt]
        for generator in reversed(renamed.generators):
            for condition in reversed(generator.ifs):
                branch = self._nodes.statement("if a:\n    pass")
                branch.test, branch.body = condition, [grown]
                grown = branch
            loop = self._nodes.statement("for a in b:\n    pass")
            loop.target, loop.iter, loop.body = generator.target, generator.iter, [grown]
            grown = loop
        statements = [self._nodes.statement(f"{name} = []"), grown]
        become(found, self._nodes.expression(name))
        return [made_for(one, found) for one in statements]

    def _without_hooks(self, block: list[Node]) -> list[Node]:
        return _without_hooks(block, self._nodes.statement("pass"))

    # Branches ---------------------------------------------------------------------------------

    def _continue_branches(self, function: Node) -> None:
        function.body = self._branches_continued(function, function.body, _MOST_BRANCHES)

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
        branch = self._nodes.statement("if a:\n    pass\nelse:\n    pass")
        branch.test = statement.value.test
        for name in ("body", "orelse"):
            one = copy.deepcopy(statement)
            one.value = getattr(statement.value, name)
            setattr(branch, name, [one])
        return made_for(branch, statement)

    def _forgotten(self, block: list[Node], names: list[str]) -> list[Node]:
        """Both branches hand on all names that either assigns: as nothing reads these any more,
        they are None in both."""
        done: list[Node] = []
        for statement in block:
            if kind(statement) != "Return":
                if kind(statement) not in LOOPS:
                    in_blocks(statement, lambda inner: self._forgotten_before(inner, names))
                done.append(statement)
                continue
            value = self._nodes.name("value")
            kept = self._nodes.statement(f"{value} = 0")
            kept.value = statement.value or self._nodes.expression("None")
            statement.value = self._nodes.expression(value)
            forgets = [self._nodes.statement(f"{name} = None") for name in names]
            return [*done, *(made_for(one, statement) for one in (kept, *forgets)), statement]
        return [*done, *(self._nodes.statement(f"{name} = None") for name in names)]

    def _forgotten_before(self, block: list[Node], names: list[str]) -> list[Node]:
        if any(kind(one) == "Return" for one in block):
            return self._forgotten(block, names)
        for statement in block:
            if kind(statement) not in LOOPS:
                in_blocks(statement, lambda inner: self._forgotten_before(inner, names))
        return block


def _of_body(write: Callable[[list[Node]], list[Node]]) -> Callable[[Node], None]:
    """What writes a block anew, for the body of a function."""

    def write_body(function: Node) -> None:
        function.body = write(function.body)

    return write_body


def _call_of_method(statement: Node, name: str) -> Node | None:
    """The statement's only expression, where that calls a method of the name."""
    call: Node = statement.value if kind(statement) == "Expr" else None
    if kind(call) != "Call" or kind(call.func) != "Attribute" or call.func.attr != name:
        return None
    return call


def _only_argument(node: Node, function: str) -> Node | None:
    """Of a call of the function by that name."""
    if kind(node) != "Call" or kind(node.func) != "Name" or node.func.id != function:
        return None
    return node.args[0] if len(node.args) == 1 and not node.keywords else None


def _without_hooks(block: list[Node], nothing: Node) -> list[Node]:
    """Hooks change gradients, which a saved program does not compute."""
    for place, statement in enumerate(block):
        if kind(statement) not in FUNCTIONS:
            for inner in blocks_of(statement):
                _without_hooks(inner, nothing)
        call: Node = statement.value if kind(statement) == "Expr" else None
        if kind(call) != "Call" or getattr(call.func, "attr", "") != "register_hook":
            continue
        if getattr(call.func.value, "id", "") != "self":
            block[place] = made_for(copy.deepcopy(nothing), statement)
    return block


def _by_name_or_place(function: Node) -> None:
    """Parameters by name alone lose their defaults in 3.0 and 3.1 (CL423)."""
    parameters = function.args
    defaults = parameters.kw_defaults
    if parameters.vararg is None and all(one is not None for one in defaults):
        parameters.args += parameters.kwonlyargs
        parameters.defaults += defaults
        parameters.kwonlyargs, parameters.kw_defaults = [], []


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
    for child in children(expression):
        yield from _always(child)


def _is_plain(comprehension: Node) -> bool:
    inner = [one for one in walk(comprehension) if one is not comprehension]
    names = targets_of(comprehension)
    hidden = {name for one in inner if kind(one) in COMPREHENSIONS for name in targets_of(one)}
    odd = any(kind(one) in ("Lambda", "NamedExpr") or is_suspended(one) for one in inner)
    return not odd and not names & hidden and not any(g.is_async for g in comprehension.generators)


def _plain_parameters(function: Node) -> list[str] | None:
    """Of a function without a name that takes nothing else."""
    if kind(function) != "Lambda":
        return None
    given = function.args
    others = (given.vararg, given.kwarg, *given.kwonlyargs, *given.posonlyargs, *given.defaults)
    return None if any(others) else [parameter_name(one) for one in given.args]


def _has_known_keys(one: Node) -> bool:
    return kind(one) == "Dict" and all(kind(key) == "Constant" for key in one.keys)


def _containers(function: Node) -> tuple[set[str], set[str]]:
    """Names that stand for lists, and for dicts, that the function makes."""
    found: dict[str, set[str]] = {"List": set(), "Dict": set()}
    for name, value in assignments(within(function)):
        if kind(value) in ("List", "ListComp"):
            found["List"].add(name)
        elif kind(value) == "Dict":
            found["Dict"].add(name)
    return found["List"], found["Dict"]


def _other_than_lists(function: Node) -> set[str]:
    """Names of what is not always a list."""
    lists = ("List", "ListComp", "BinOp", "Subscript")
    return {name for name, value in assignments(within(function)) if kind(value) not in lists}


def _name_in_stars(part: Node) -> str:
    return str(getattr(part.value, "id", "")) if kind(part) == "Starred" else ""


def _given_on(function: Node) -> set[str]:
    """Names of what has another name as well, or is a part of something."""
    parts: list[Node] = [value for _, value in assignments(within(function))]
    for node in within(function):
        if kind(node) in ("List", "Set", "Tuple"):
            parts += node.elts
        elif kind(node) == "Dict":
            parts += node.values
        elif kind(node) == "Call" and getattr(node.func, "attr", "") in ("append", "insert"):
            parts += node.args
        elif kind(node) in ("Assign", "AnnAssign"):
            parts.append(node.value)
    return {one.id for one in parts if kind(one) == "Name" and kind(one.ctx) == "Load"}


def _odd_names(function: Node) -> set[str]:
    """Names that stand for None, a text or a function at one place, and are asked about."""
    odd = {name for name, value in assignments(within(function)) if _is_odd(value)}
    asked: set[str] = set()
    for node in within(function):
        if kind(node) in ("If", "IfExp", "While"):
            asked |= names_in(node.test)
        if kind(node) == "Call" and kind(node.func) == "Name":
            asked.add(node.func.id)
    return odd & asked


def _is_odd(value: Node) -> bool:
    if kind(value) == "IfExp":
        return _is_odd(value.body) or _is_odd(value.orelse)
    is_text = kind(value) == "Constant" and (value.value is None or isinstance(value.value, str))
    return is_text or kind(value) == "Lambda"


def _assigned(branch: Node) -> set[str]:
    return {name for name, _ in assignments([*branch.body, *branch.orelse])}


def _is_known(test: Node) -> bool:
    """Whether no Tensor is asked: a test for None, of a kind, or of what the layer keeps."""
    if kind(test) == "Compare" and {kind(one) for one in test.ops} <= {"Is", "IsNot"}:
        return True
    if kind(test) == "Call" and kind(test.func) == "Name" and test.func.id == "isinstance":
        return True
    return kind(test) == "Attribute" and kind(test.value) == "Name" and test.value.id == "self"
