"""The layer of a description. Runs inside a Paddle."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import paddle
from paddle import nn

from matrix.generator.description import Call, Description
from matrix.generator.dresses import DRESSES
from matrix.generator.functions import is_class, is_method, resolved
from matrix.network import Network
from matrix.saving import feed, leaves_of
from matrix.zoo.steps import Weights

TOLERANCE = 1e-4
# bfloat16 has eight bits, float16 eleven; a sum that is ordered otherwise differs in the last.
LOOSE = 0.05
FEW_BITS = ("float16", "half", '"amp')
# Of mixed precision, by the way of saving: O2 has its parameters in bfloat16 as well.
LEVELS = {"amp": "O1", "amp_o2": "O2"}


class Made(nn.Layer):
    """The calls of a description in their dress; every tensor that comes of them is an output."""

    def __init__(self, description: Description) -> None:
        super().__init__()
        self.description = description
        self.level = LEVELS.get(description.way)
        self.weights = Weights(self, 0)
        self.compute = paddle.jit.not_to_static(self._compute)
        if paddle.in_dynamic_mode():  # makes the parameters
            with paddle.no_grad():
                self._compute(*map(paddle.to_tensor, self._values()))
            if self.level == "O2":
                paddle.amp.decorate(self, level="O2", dtype="bfloat16")

    def _values(self) -> list[np.ndarray]:
        """Of their ranges: a kernel that is told of no boxes or no labels kills the process."""
        chance = np.random.default_rng(0)
        several = zip(self.description.inputs.values(), self.description.shapes[0])
        return [feed(spec, shape, chance) for spec, shape in several]

    def _compute(self, *values: Any) -> list[Any]:
        run = DRESSES[self.description.dress]
        if self.level is None:
            return run(self._calls, [*values], self.weights)
        with paddle.amp.auto_cast(level=self.level, dtype="bfloat16"):
            made = run(self._calls, [*values], self.weights)
        return [paddle.cast(one, "float32") if is_half(one) else one for one in made]

    def _calls(self, values: Sequence[Any]) -> list[Any]:
        given = dict(zip(self.description.inputs, values))
        results: list[Any] = []
        for number, call in enumerate(self.description.calls):
            results.append(tensors(self._called(number, call, given, results)))
        return results[-1]  # type: ignore[no-any-return]

    def _called(
        self, number: int, call: Call, given: Mapping[str, Any], results: Sequence[Any]
    ) -> Any:
        take = functools.partial(self._taken, given=given, results=results, place=[number, 0])
        function = resolved(call.function)
        arguments = {name: take(one) for name, one in call.arguments.items()}
        if is_class(call.function):
            place = f"layer{number}"
            if place not in self._sub_layers:
                self.add_sublayer(place, function(**arguments))
                self._sub_layers[place].eval()
            return self._sub_layers[place](*map(take, call.on))
        if is_method(call.function):
            this, *others = arguments.items()
            owner = this[1] * 1 if call.function.endswith("_") else this[1]
            done = getattr(owner, call.function.rpartition(".")[2])(**dict(others))
            return owner if done is None else done
        if call.function == "operator.setitem":
            owner = arguments["a"] * 1
            if not paddle.in_dynamic_mode():  # there, Python's sign assigns to a new value
                return paddle.static.setitem(owner, arguments["b"], arguments["c"])
            owner[arguments["b"]] = arguments["c"]
            return owner
        if call.function.startswith("operator."):
            return function(*arguments.values())
        # Forms in place want the first by its place.
        first = arguments.pop(next(iter(arguments)))
        first = first * 1 if call.function.endswith("_") else first
        return function(first, *map(take, call.on), **arguments)

    def _taken(
        self, one: Any, given: Mapping[str, Any], results: Sequence[Any], place: list[int]
    ) -> Any:
        take = functools.partial(self._taken, given=given, results=results, place=place)
        if isinstance(one, list):
            return [take(part) for part in one]
        if not isinstance(one, dict):
            return one
        ((kind, what),) = one.items()
        if kind == "input":
            return given[what]
        if kind == "result":
            call, which = what if isinstance(what, list) else (what, 0)
            return results[call][which]
        if kind == "eye":
            return paddle.eye(what)
        if kind == "zeros":
            return paddle.zeros([what[0]], *what[1:])
        if kind == "weight":
            place[1] += 1
            return self.weights("weight" + "_".join(map(str, place)), *what)
        if kind == "slice":
            return slice(*what)
        if kind == "shape":
            return paddle.shape(take(what))
        if kind == "size":
            return paddle.shape(take(what[0]))[what[1]]
        if kind == "number":
            return paddle.full([], what, "int64")
        if kind == "numbers":
            return paddle.to_tensor(what, "int64")
        return ... if kind == "ellipsis" else tuple(map(take, what))


class One(Made):
    def forward(self, x0: Any) -> Any:
        return self.compute(x0)

    def second(self, x0: Any) -> Any:
        return self.compute(x0)[::-1]


class Two(Made):
    def forward(self, x0: Any, x1: Any) -> Any:
        return self.compute(x0, x1)

    def second(self, x0: Any, x1: Any) -> Any:
        return self.compute(x0, x1)[::-1]


class Three(Made):
    def forward(self, x0: Any, x1: Any, x2: Any) -> Any:
        return self.compute(x0, x1, x2)

    def second(self, x0: Any, x1: Any, x2: Any) -> Any:
        return self.compute(x0, x1, x2)[::-1]


class Four(Made):
    def forward(self, x0: Any, x1: Any, x2: Any, x3: Any) -> Any:
        return self.compute(x0, x1, x2, x3)

    def second(self, x0: Any, x1: Any, x2: Any, x3: Any) -> Any:
        return self.compute(x0, x1, x2, x3)[::-1]


# By the number of inputs: what traces a forward wants each by its name.
ARITIES: Mapping[int, type[Made]] = {1: One, 2: Two, 3: Three, 4: Four}


def is_half(value: Any) -> bool:
    return value.dtype in (paddle.float16, paddle.bfloat16)


def tensors(outputs: Any) -> list[Any]:
    """The tensors among what a call gave; ValueError if there is none."""
    kinds = (paddle.Tensor, paddle.static.Variable, getattr(paddle.pir, "Value", paddle.Tensor))
    found = [one for one in leaves_of(outputs) if isinstance(one, kinds)]
    if not found:
        raise ValueError("no tensor comes of it")
    return found


def network(name: str) -> Network:
    """The network that a name describes."""
    description = Description.parse(name)
    few = any(one in name for one in FEW_BITS)
    inputs = dict(description.inputs)
    return Network(
        name=name,
        purpose="a drawn model",
        layer=lambda: ARITIES[len(inputs)](description),
        inputs=inputs,
        shapes=description.shapes,
        methods={"second": inputs} if description.way == "methods" else {},
        tolerance=LOOSE if few else TOLERANCE,
        family="generated",
    )
