"""The same numbers in the other forms that people write them in. Imports no Paddle.

A size may be a number, one that a tensor tells, a tensor or -1, and a shape a list of these or a
tensor: one way through Paddle each. Whether it takes the form is to be tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from matrix.generator.description import Call, Description


def formed(chance: random.Random, one: Description) -> Description:
    """The same model with one argument in another form; itself if it has no numbers."""
    places = [
        (number, name)
        for number, call in enumerate(one.calls)
        if not call.on  # what makes a layer is told no tensors
        for name, value in call.arguments.items()
        if _is_whole(value) or (isinstance(value, list) and value and all(map(_is_whole, value)))
    ]
    if not places:
        return one
    number, name = chance.choice(places)
    call = one.calls[number]
    form = chance.choice([*_forms(chance, call.arguments[name], one)])
    calls = list(one.calls)
    calls[number] = Call(call.function, {**call.arguments, name: form})
    return replace(one, calls=tuple(calls))


def _forms(chance: random.Random, value: Any, one: Description) -> Iterator[Any]:
    shapes = dict(zip(one.inputs, one.shapes[0]))
    if isinstance(value, int):
        yield {"number": value}
        yield from _measured(value, shapes)
        return
    yield {"numbers": value}
    for name, shape in shapes.items():
        if list(shape) == value:
            yield {"shape": {"input": name}}
    yield [_form(chance, size, shapes) for size in value]
    place = chance.randrange(len(value))
    yield [-1 if at == place else size for at, size in enumerate(value)]
    yield [size if at == place else -1 for at, size in enumerate(value)]


def _form(chance: random.Random, size: int, shapes: dict[str, tuple[int, ...]]) -> Any:
    return chance.choice([size, {"number": size}, *_measured(size, shapes)])


def _measured(size: int, shapes: dict[str, tuple[int, ...]]) -> Iterator[Any]:
    for name, shape in shapes.items():
        for axis, here in enumerate(shape):
            if here == size:
                yield {"size": [{"input": name}, axis]}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
