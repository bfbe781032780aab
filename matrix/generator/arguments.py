"""Values for what a function takes, by the names of its parameters. Imports no Paddle."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

from matrix.generator.description import Call
from matrix.generator.functions import is_static
from matrix.network import Input

RANKS = {0: 2, 1: 3, 2: 6, 3: 6, 4: 6, 5: 2, 6: 1}
SIZES = {1: 3, 2: 4, 3: 6, 4: 6, 5: 3, 7: 2, 0: 0.25}
DTYPES = {
    "float32": 60,
    "float64": 8,
    "int64": 12,
    "int32": 7,
    "bool": 4,
    "int8": 1,
    "uint8": 1,
    "int16": 1,
    "float16": 1,
    "complex64": 3,
    "complex128": 1,
}
FLOATS = ("float32", "float64")
MOST_INPUTS = 4


class Draw:
    """What was drawn for one call: the shape and dtype that its arguments are drawn around."""

    def __init__(self, chance: random.Random, function: str, hint: str = "") -> None:
        self.chance = chance
        self.function = function.rpartition(".")[2]
        self.inputs: dict[str, Input] = {}
        self.calls: list[Call] = []
        self.then: list[Call] = []
        self.parameters: frozenset[str] = frozenset()
        self.dtype = self.one_of(DTYPES)
        self.shape = self._shape(hint or self.function)
        low, high = self.one_of({(-1.0, 1.0): 6, (0.1, 0.9): 4, (-4.0, 4.0): 2, (1.1, 3.0): 1})
        self.low, self.high = low, high

    def one_of(self, weights: Mapping[Any, float]) -> Any:
        return self.chance.choices([*weights], [*weights.values()])[0]

    def maybe(self, probability: float) -> bool:
        return self.chance.random() < probability

    def size(self) -> int:
        return int(self.one_of(SIZES))

    def _shape(self, hint: str) -> tuple[int, ...]:
        spatial = re.search(r"([123])[dD](_|$)", hint)
        if spatial:
            sizes = [self.chance.choice((4, 5, 6, 8)) for _ in range(int(spatial[1]))]
            return (self.chance.choice((1, 2)), self.chance.choice((2, 4, 6)), *sizes)
        if re.search(r"pixel|channel|interpolate|upsample|roi|grid|prior|yolo|response", hint):
            return (self.chance.choice((1, 2)), 4, *self.chance.choices((4, 5, 6), k=2))
        if re.search(r"linalg|chol|det$|eig|inv|solve|lu|triang|trace|matrix|svd|qr", hint):
            size = self.chance.choice((1, 2, 3, 4))
            return (*self.chance.choices((1, 2, 3), k=self.chance.choice((0, 0, 1))), size, size)
        return tuple(self.size() for _ in range(self.one_of(RANKS)))

    @property
    def rank(self) -> int:
        return len(self.shape)

    def tensor(
        self,
        shape: tuple[int, ...] | None = None,
        dtype: str | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> Any:
        """A new input of the model, the values of which are drawn from that range."""
        if len(self.inputs) >= MOST_INPUTS:
            raise ValueError("too many inputs")
        dtype = dtype or self.dtype
        low = self.low if low is None else low
        high = self.high if high is None else high
        if dtype.startswith(("int", "uint")):
            low, high = float(int(low)), float(max(int(low) + 1, int(high)))
            if dtype.startswith("uint"):
                low = max(0.0, low)
        name = f"x{len(self.inputs)}"
        self.inputs[name] = Input(self.shape if shape is None else shape, dtype, low, high)
        return {"input": name}

    def before(self, call: Call) -> Any:
        """The result of a call that is made first: what no range of numbers is drawn from."""
        self.calls.append(call)
        return {"result": [len(self.calls) - 1, 0]}

    def after(self, function: str, **arguments: Any) -> None:
        """A call that takes the result of the function drawn, as its first argument."""
        self.then.append(Call(function, {"x": {"result": len(self.calls)}, **arguments}))

    def indices(self, shape: tuple[int, ...] | None = None, most: int | None = None) -> Any:
        """Whole numbers that are places on the shortest axis."""
        most = most or max(1, min(self.shape, default=1))
        if shape is None:
            shape = (self.chance.choice((1, 2, 3)),)
        return self.tensor(shape, self.one_of({"int64": 3, "int32": 1}), 0, most)

    def weight(self, *shape: int) -> Any:
        return {"weight": list(shape)}

    def floats(self) -> None:
        """The call is one of floating point numbers."""
        if self.dtype not in FLOATS:
            self.dtype = self.one_of({"float32": 8, "float64": 1})

    def axis(self) -> int:
        return (
            self.chance.randint(-self.rank, self.rank - 1)
            if self.rank
            else self.chance.choice((-1, 0))
        )

    def number(self) -> float | int:
        if self.dtype.startswith(("int", "uint")):
            return self.chance.choice((0, 1, 2, 3, -1, -2, 5))
        return self.chance.choice((0.5, 2.0, 1.0, -1.0, 3.0, 0.1, 1.3, 0.0, 2, -2))

    def small(self) -> int:
        return self.chance.choice((0, 1, 2, 3, -1))

    def count(self) -> int:
        return self.chance.choice((1, 2, 3))


def drawn(
    chance: random.Random, function: str, parameters: Mapping[str, inspect.Parameter]
) -> tuple[Call, Draw]:
    """A call with values for its parameters; whether the function takes them is to be tried.

    Raises:
        ValueError: it would take more inputs than models have.
    """
    from matrix.generator.recipes import SPECIAL

    draw = Draw(chance, function)
    draw.parameters = frozenset(parameters)
    # Forms in place take what the others do; what makes programs only has arguments of its own.
    names = (draw.function, draw.function.rstrip("_"))
    names = (function,) if is_static(function) else (function, *names)
    special = next((SPECIAL[one] for one in names if one in SPECIAL), None)
    if special is not None and chance.random() < 0.9:
        made = special(draw)
        if isinstance(made, Call):
            return Call(function, made.arguments, made.on), draw
        return Call(function, {name: one for name, one in made.items() if one is not None}), draw
    return Call(function, values(draw, parameters)), draw


def values(
    draw: Draw, parameters: Mapping[str, inspect.Parameter], *, needed_only: bool = False
) -> dict[str, Any]:
    """Values by the names of the parameters."""
    from matrix.generator.recipes import RECIPES

    arguments: dict[str, Any] = {}
    for name, parameter in parameters.items():
        needed = parameter.default is parameter.empty
        if name in LEFT_OUT or (not needed and (needed_only or draw.maybe(0.5))):
            continue
        recipe = RECIPES.get(name) or _by_default(parameter, needed)
        if recipe is not None:
            arguments[name] = recipe(draw)
    return arguments


# What changes nothing that is computed, or is of other machines.
LEFT_OUT = frozenset(
    (
        *("name", "out", "place", "device", "stop_gradient", "requires_grad", "pin_memory"),
        *("sparse", "is_sparse", "group", "seed", "stable", "kwargs", "args", "generator"),
        *("overwrite", "weight_attr", "bias_attr", "param_attr", "inplace"),
    )
)


def _by_default(parameter: inspect.Parameter, needed: bool) -> Callable[[Draw], Any] | None:
    default = parameter.default
    if needed:
        return Draw.tensor
    if isinstance(default, bool):
        return lambda draw: draw.maybe(0.5)
    if isinstance(default, int):
        return lambda draw: draw.chance.choice((default, default + 1, draw.small()))
    if isinstance(default, float):
        return lambda draw: draw.chance.choice((default, default * 2, 0.5, 1.3, 0.0, -1.0))
    return None
