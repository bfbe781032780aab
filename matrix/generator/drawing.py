"""One number of a seed: a model drawn, tried, saved. Runs inside a Paddle.

A folder then holds the saved network and ``made.json``: its name, the digest of its structure, its
operators; or why there is no model (``refused``).
"""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import paddle

from compatload.operators.effects import Effect, effect_of
from matrix.calls import error_line
from matrix.generator.arguments import MOST_INPUTS, Draw, drawn, values
from matrix.generator.description import Call, Description
from matrix.generator.dresses import DRESSES, EMPTYING
from matrix.generator.forms import formed
from matrix.generator.functions import functions, is_class, is_static, of_forward
from matrix.generator.layers import Made, network, tensors
from matrix.generator.making import makers
from matrix.generator.structure import gives_other_ranks, looked_at
from matrix.generator.ways import EVERY, NEW, PROGRAM, built, save
from matrix.saving import feed

RECORD = "made.json"
TRIES = 25
# Of processor time, where most models take a twentieth. Paddle goes round a value of a program
# without an end where it takes a tensor for a list of tensors (vstack, quantile).
SECONDS = 2.0
DRESSED = {"alone": 4, **{name: 1 for name in DRESSES if name != "alone"}}
MOST_ELEMENTS = 200_000
# Whether another call follows, and another: one model then has the operators of several functions.
LONGER = 0.6
MOST_CALLS = 3
# Whether one number or list of an argument is written otherwise, and how often that is tried.
OTHERWISE = 0.5
FORMS = 3
ONLY_IN_TRAINING = ("dropout", "rnn", "attn", "attention", "rrelu", "feedforward", "transformer")


def make(
    seed: int,
    number: int,
    folder: Path,
    wanted: Collection[str] = (),
    dresses: Collection[str] = (),
    ways: Collection[str] = (),
) -> dict[str, Any]:
    """Draw and save the model of that number; what ``made.json`` says of it.

    ``wanted``: operators; then only what makes one of them is drawn. ``dresses``: the names of
    what may stand around the calls, ``ways``: how it may be saved; otherwise all, by their
    weights.
    """
    # One process makes many models: what one of them did to Paddle's random state must not decide.
    chance = random.Random(f"{seed}/{number}")  # noqa: S311 - a sample, not a secret
    known = sorted(functions())
    random.Random(seed).shuffle(known)  # noqa: S311
    asked = makers(wanted) if wanted else known
    function = asked[number % len(asked)]
    try:
        with _in_time(SECONDS):
            plain = _computed(chance, function)
            weights = dict.fromkeys(dresses, 1) or DRESSED
            description = _dressed(chance, plain, known, weights, _weighted(ways))
            try:
                save_described(description.name, folder)
            except Exception:
                if not wanted:
                    raise
                description = plain  # what was put around it may be what cannot be saved
                save_described(description.name, folder)
        digest, operators = looked_at(folder)
        made: dict[str, Any] = {"name": description.name, "digest": digest, "operators": operators}
        if any(map(_draws_numbers, operators)):
            made = {"refused": "NoModelError: draws numbers"}
        # A product of two batches without elements has the axes of both in 3.0 (CL137).
        elif description.dress in EMPTYING and gives_other_ranks(folder):
            made = {"refused": "NoModelError: of another rank than Paddle declares"}
    except Exception as error:
        made = {"refused": error_line(error)}
    made["function"] = function
    folder.mkdir(parents=True, exist_ok=True)
    (folder / RECORD).write_text(json.dumps(made, ensure_ascii=False) + "\n", encoding="utf-8")
    return made


@contextmanager
def _in_time(seconds: float) -> Iterator[None]:
    """The process dies (of SIGPROF) when that much processor time is spent within: an error that
    is raised while Paddle's C++ calls Python leaves a broken Paddle behind."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def save_described(name: str, folder: Path) -> None:
    """Save the model of that name in the way that it tells."""
    paddle.disable_static()
    save(network(name), Description.parse(name).way, folder)


def _draws_numbers(operator: str) -> bool:
    """Two runs may agree by chance: of what always draws, none is believed."""
    sometimes = any(mark in operator for mark in ONLY_IN_TRAINING)
    return effect_of(operator) is Effect.RANDOM and not sometimes


class NoModelError(Exception):
    """No values were found that the function takes; the message is what it said last."""


def _dressed(
    chance: random.Random,
    plain: Description,
    known: list[str],
    dresses: Mapping[str, float],
    ways: Mapping[str, float],
) -> Description:
    """With more calls, in a dress, in a way; Paddle computes it, eagerly and twice alike."""
    for _ in range(6):
        description = plain
        while len(description.calls) < MOST_CALLS and chance.random() < LONGER:
            longer = _longer(chance, description, known)
            if longer is None:
                break
            description = longer
        description = _otherwise(chance, description)
        dress = chance.choices([*dresses], [*dresses.values()])[0]
        way = chance.choices([*ways], [*ways.values()])[0]
        way = PROGRAM if plain.way == PROGRAM else way
        description = _free(chance, replace(description, dress=dress, way=way))
        if computes(description):
            return description
    return plain


def _weighted(asked: Collection[str]) -> dict[str, float]:
    """The ways of this release to save a model, and how often each is drawn."""
    if unknown := set(asked).difference(EVERY):
        raise ValueError(f"{', '.join(unknown)}: not one of {', '.join(EVERY)}")
    known = [way for way in EVERY if way not in NEW or not paddle.__version__.startswith("2.")]
    if asked:
        return {way: 1 for way in known if way in asked} or {"layer": 1}
    return {way: 4 if way == "layer" else 1 for way in known}


def _computed(chance: random.Random, function: str) -> Description:
    said = "nothing"
    for _ in range(TRIES):
        try:
            call, draw = drawn(chance, function, functions()[function])
            if is_class(function) and not call.on:
                draw.floats()
                on = values(draw, of_forward(function), needed_only=True)
                call = replace(call, on=tuple(on.values()))
            description = _described(call, draw)
        except ValueError as error:
            said = str(error)
            continue
        said = why_not(description)
        if not said:
            return description
    raise NoModelError(said)


def _described(call: Call, draw: Draw) -> Description:
    if not draw.inputs:
        raise ValueError("takes no tensor")
    shapes = tuple(tuple(map(int, one.shape)) for one in draw.inputs.values())  # type: ignore[arg-type]
    static = any(is_static(one.function) for one in (*draw.calls, call))
    way = PROGRAM if static else "layer"
    return Description((*draw.calls, call, *draw.then), dict(draw.inputs), (shapes,), way=way)


def _otherwise(chance: random.Random, one: Description) -> Description:
    if chance.random() < OTHERWISE:
        for _ in range(FORMS):
            other = formed(chance, one)
            if other != one and computes(other):
                return other
    return one


def _longer(chance: random.Random, first: Description, known: list[str]) -> Description | None:
    """The last call's result goes into another function, if one of some fits."""
    for _ in range(8):
        function = chance.choice(known)
        if is_class(function) or is_static(function):
            continue
        try:
            call, draw = drawn(chance, function, functions()[function])
        except ValueError:
            continue
        if (
            draw.calls
            or draw.then
            or not draw.inputs
            or len(draw.inputs) - 1 + len(first.inputs) > MOST_INPUTS
        ):
            continue
        (taken, *others) = draw.inputs
        names = {taken: {"result": len(first.calls) - 1}}
        inputs = dict(first.inputs)
        shapes = list(first.shapes[0])
        for other in others:
            name = f"x{len(inputs)}"
            names[other], inputs[name] = {"input": name}, draw.inputs[other]
            shapes.append(tuple(draw.inputs[other].shape))  # type: ignore[arg-type]
        arguments = {name: _renamed(one, names) for name, one in call.arguments.items()}
        calls = (*first.calls, Call(function, arguments))
        longer = replace(first, calls=calls, inputs=inputs, shapes=(tuple(shapes),))
        if computes(longer):
            return longer
    return None


def _renamed(one: Any, names: dict[str, Any]) -> Any:
    if isinstance(one, list):
        return [_renamed(part, names) for part in one]
    if isinstance(one, dict):
        if "input" in one:
            return names[one["input"]]
        return {kind: _renamed(what, names) for kind, what in one.items()}
    return one


def _free(chance: random.Random, description: Description) -> Description:
    """With a free first dimension, run at two sizes, where the calls allow it."""
    shapes = description.shapes[0]
    sizes = {shape[0] for shape in shapes if shape}
    if chance.random() < 0.4 or not sizes or 0 in sizes:
        return description
    first = shapes[0][0] if shapes[0] else max(sizes)
    moved = tuple((s[0] + 2, *s[1:]) if s and s[0] == first else s for s in shapes)
    inputs = {
        name: replace(one, shape=(None, *one.shape[1:])) if shape != other else one
        for (name, one), shape, other in zip(description.inputs.items(), shapes, moved)
    }
    free = replace(description, inputs=inputs, shapes=(shapes, moved))
    return free if computes(free) else description


def computes(description: Description) -> bool:
    return not why_not(description)


def why_not(description: Description) -> str:
    """Why Paddle does not compute it eagerly; empty if it does, twice alike."""
    try:
        made = network(description.name)
        for shapes in description.shapes:
            given = [
                feed(one, shape, np.random.default_rng(0))
                for one, shape in zip(made.inputs.values(), shapes)
            ]
            if description.way == PROGRAM:
                with built(made) as program:
                    first, second = (program.run(given) for _ in range(2))
            else:
                layer = made.layer()
                layer.eval()
                first, second = (_run(layer, given) for _ in range(2))
            if not all(map(_equal, first, second)):
                return "draws numbers"
            if sum(one.size for one in first) > MOST_ELEMENTS:
                return "too large"
    except Exception as error:
        return error_line(error)
    return ""


def _run(layer: Made, given: list[np.ndarray]) -> list[np.ndarray]:
    with paddle.no_grad():
        outputs = tensors(layer(*(paddle.to_tensor(one) for one in given)))
    return [one.numpy() for one in outputs]


def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    return one.shape == other.shape and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
