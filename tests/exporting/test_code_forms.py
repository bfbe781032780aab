"""Code in other forms means the same: both are run by Python, without Paddle."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compatload.exporting.code_forms import in_known_forms


def chain(x: list[int], n: int) -> Any:
    return [one for one in x if 0 < one <= n != 3], 1 < n < 5 < 9, n in x in [x]


def comprehensions(x: list[int], n: int) -> Any:
    row = n
    rows = [row * 2 for row in x if row > 1 for _ in range(2)]
    total = sum(row * n for row in rows) if n else sum([row + 0 for row in x])
    pairs = [(a, [b + a for b in x]) for a in rows[:2]]
    later = [lambda row=row: row for row in x]  # as it is
    return rows, total, pairs, row, [f() for f in later]


def lists(x: list[int], n: int) -> Any:
    rows: list[int] = []
    found = {"n": n}
    for one in x:
        rows.extend([one, one * n])
        rows += [n, len(rows), len(rows)]
        found.update({"a": found["n"], "n": len(found)})
        found.update(last=one, n=found["n"] + 1)
        found.update({"first": x[0]})
    rows.extend(x)
    turned: list[int] = []
    turned += [x[0], n]
    again = list(reversed(turned))
    turned.reverse()
    rows.reverse()
    anew, both = [n], [n]
    kept = both
    for one in x:
        anew = [*anew, one, n]
        both = [*both, one]
    named: list[int] = []
    for place, (one, other) in enumerate(zip(x, x[::-1])):
        if not named:
            named.append(n)
        named.append(place * one + other if named else 0)
    anew = named if named else anew
    return rows, found, turned, again, (anew[:], both[:], kept[:], [n, *anew, *both, n], [*both])


def endings(x: list[int], n: int) -> Any:
    for one in x:
        if one == n:
            break
        n = n + 1
    else:
        n = -n
    while n < 5:
        n += 2
    else:
        n = n * 10
    return n


def leaving(x: list[int], n: int) -> Any:
    for one in x:
        for other in range(one):
            if other == n:
                return one, other, "inner"
            if other > 6:
                break
        else:
            if one > 7:
                return "else"
        if one == n:
            return
    while True:
        n += 1
        if n > 9:
            return n


def all_turns(x: list[int], n: int) -> Any:
    class Own:
        parts, others = x, x[::-1]

    self, seen, last = Own(), [n], 0
    for place, (one, other) in enumerate(zip(self.parts, self.others)):
        last = one + other
        if one > 4:
            seen.append(place)
            if other > 4:
                break
            seen.append(other)
        seen.append(one)
    for one in self.parts:
        n = n + one
        if n > 9:
            break
    return seen, last, n


def first_turns(x: list[int], n: int) -> Any:
    total, kept, seen = None, None, None
    for one in x:
        if total is None:
            total = one
            n = n + 1
        else:
            total = total * 2 + one
    for place, one in enumerate(x):
        kept = one if kept is None else kept + place * one
    for place in range(len(x)):
        seen = place if seen is None else seen * x[place]
    return total, kept, seen, n


def no_first_turn(x: list[int], n: int) -> Any:
    kept, seen, none = None, None, {}
    while n < 3:
        seen = n if seen is None else seen * n
        n += 1
    for one in range(n - 3):
        kept = one if kept is None else kept + one
    for name, one in none.items():
        kept = one if kept is None else name
    chained = 0 < n < 5
    return (0 if seen is None else seen), (1 if kept is None else kept), chained


def done_once(x: list[int], n: int) -> Any:
    """What changes something is left where it is, and as often."""
    counted: list[int] = []

    def count(one: int) -> int:
        counted.append(one)
        return len(counted)

    chained = 0 < count(n) < 5 < count(n), 0 < n < 3
    total = count(n) + sum([len(counted) for _ in x])
    found = all(counted.append(one) or one < 2 for one in x)  # type: ignore[func-returns-value]
    return chained, total, found, counted


def handled(x: list[int], n: int) -> Any:
    for one in x:
        try:
            n += [1, 2][one]
        except IndexError:
            break
    else:
        n = n * 10
    for one in [n, 2]:
        one = one * 3
        if one > 3:
            return one
    return n


def modes(x: list[int], n: int) -> Any:
    mode = "up" if n > 3 else "down"
    y = None
    if n > 5:
        y = n * 2
    if mode == "up":
        n = n + 1
    act = (lambda one: one * 2) if n > 2 else (lambda one: one * 3)
    if y is None:
        y = act(n)
        if y > 100:
            return "large"
    return y, mode, n


def nothing_known(x: list[int], n: int) -> Any:
    def inner(rows: list[int]) -> Any:
        for one in rows:
            if one > n:
                return one
        return -1

    try:
        for one in x:
            if one == 2:
                return inner(x)
    finally:
        x.append(n)
    return inner(x), len(x)


def members(x: list[int], n: int) -> Any:
    found = [n in (1, 2, 5), n not in [3], x[0] in {0, "a"}, n in x]
    if n in (2, 3) and n not in (3, 4):
        found.append(True)
    return found


def mapped(x: list[int], n: int) -> Any:
    part = n
    rows = list(map(lambda part: part * n, x))  # noqa: C417 - the form that is written anew
    total = sum(map(abs, rows))
    kept = []
    for one in map(str, x):
        kept.append(one)
    both = list(map(lambda a, b: a + b, x, rows))
    fixed = tuple(map(lambda one, by=2: one * by, x))
    return rows, total, kept, both, fixed, part


def assigned_in_conditions(x: list[int], n: int) -> Any:
    seen, last = [], 0
    while (last := len(seen)) < n:
        if last == 2:
            seen += [0, 0]
            continue
        seen.append(last)
        if last > 6:
            break
    while not (rest := n - 1) > 3 and (n := n + 1) < 9:
        seen.append(rest)
    return seen, last, n


FUNCTIONS = (
    *(members, mapped, assigned_in_conditions),
    *(
        chain,
        comprehensions,
        lists,
        endings,
        leaving,
        first_turns,
        no_first_turn,
        done_once,
        all_turns,
    ),
    *(handled, modes, nothing_known),
)


def reformed(function: Callable[..., Any]) -> Callable[..., Any]:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    before = ast.unparse(tree)
    in_known_forms(tree, ast.parse)
    assert ast.unparse(tree) != before
    names: dict[str, Any] = {"Any": Any}
    exec(compile(ast.unparse(tree), "<forms>", "exec"), names)
    return names[function.__name__]  # type: ignore[no-any-return]


REFORMED = {function.__name__: reformed(function) for function in FUNCTIONS}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=5), st.integers(-2, 4))
def test_both_give_the_same(function: Callable[..., Any], x: list[int], n: int) -> None:
    assert REFORMED[function.__name__]([*x], n) == function([*x], n)


def test_what_waits_or_yields_is_left() -> None:
    text = "def f(x):\n    for one in x:\n        yield (0 < one < 9)"
    tree = ast.parse(text)
    in_known_forms(tree, ast.parse)
    assert ast.unparse(tree) == text


def test_hooks_of_gradients_are_left_out() -> None:
    tree = ast.parse("def f(x):\n    if x:\n        x.register_hook(print)\n    return x")
    in_known_forms(tree, ast.parse)
    assert ast.unparse(tree) == "def f(x):\n    if x:\n        pass\n    return x"


def test_what_is_new_has_a_place_in_the_file() -> None:
    tree = ast.parse("def f(x):\n    y = [one for one in x]\n    return 0 < x < 9")
    in_known_forms(tree, ast.parse)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert [statement.lineno for statement in function.body] == [2, 2, 2, 3]
