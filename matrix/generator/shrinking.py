"""The least model that fails alike: one thing after another is left out while it still does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from matrix.cells import Result
from matrix.generator.causes import at_home
from matrix.generator.description import Call, Description
from matrix.generator.searching import Load, Search
from matrix.network import Input

TRIES = 40
_NUMBER = re.compile(r"\d+(\.\d+)?")


def least(one: Description, fails: Callable[[Description], bool]) -> Description:
    """What is left of a model when nothing more can go."""
    left = TRIES
    while left:
        for smaller in candidates(one):
            left -= 1
            if fails(smaller):
                one = smaller
                break
            if not left:
                return one
        else:
            return one
    return one


def alike(search: Search, load: Load, folder: Path) -> Callable[[Description], bool]:
    """Whether a model fails as that load did, and Paddle alone gets it right at home."""
    wanted = _likeness(search.results[load])

    def fails(one: Description) -> bool:
        if not search.saved(load.saver, one, folder):
            return False
        home = at_home(load)
        own = search.alone(home.loader, home.caller, search.request(home, folder))
        if own.outcome != "ok":
            return False
        result = search.alone(load.loader, load.caller, search.request(load, folder))
        return _likeness(result) == wanted

    return fails


def _likeness(result: Result) -> str:
    return f"{result.outcome} {_NUMBER.sub('N', result.error or '')[:60]}"


def candidates(one: Description) -> Iterator[Description]:
    """Everything that is smaller by one thing."""
    if one.way != "layer":
        yield replace(one, way="layer")
    for several in range(1, len(one.calls)):
        yield replace(one, calls=one.calls[:several]).used()
    if one.dress != "alone":
        yield replace(one, dress="alone")
    if len(one.shapes) > 1:
        fixed = {
            name: replace(spec, shape=shape)
            for (name, spec), shape in zip(one.inputs.items(), one.shapes[0])
        }
        yield replace(one, inputs=fixed, shapes=one.shapes[:1])
    for number, call in enumerate(one.calls):
        for name in [*call.arguments][1:]:
            kept = {key: value for key, value in call.arguments.items() if key != name}
            less = Call(call.function, kept, call.on)
            yield replace(one, calls=(*one.calls[:number], less, *one.calls[number + 1 :])).used()
    yield from _smaller_inputs(one)


def _smaller_inputs(one: Description) -> Iterator[Description]:
    if len(one.shapes) > 1:
        return
    (shapes,) = one.shapes
    for axis, size in enumerate(max(shapes, key=len, default=())):
        if size > 2:
            yield _shaped(one, tuple(_with(s, axis, size, 2) for s in shapes))
    if shapes and all(len(shape) > 1 for shape in shapes):
        yield _shaped(one, tuple(shape[1:] for shape in shapes))


def _with(shape: tuple[int, ...], axis: int, size: int, smaller: int) -> tuple[int, ...]:
    return tuple(
        smaller if place == axis and old == size else old for place, old in enumerate(shape)
    )


def _shaped(one: Description, shapes: tuple[tuple[int, ...], ...]) -> Description:
    inputs: dict[str, Input] = {
        name: replace(spec, shape=shape) for (name, spec), shape in zip(one.inputs.items(), shapes)
    }
    return replace(one, inputs=inputs, shapes=(shapes,))
