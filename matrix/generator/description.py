"""What a drawn model is, as data. Imports no Paddle.

A description is all that there is to say of a model: its name is its description, so that a name
in a journal can be built again. Arguments are plain JSON; what JSON has no word for is an object
of one key: ``{"input": "x0"}``, ``{"result": 0}`` (what an earlier call gave),
``{"slice": [0, null, 2]}``, ``{"weight": [4, 3]}``, ``{"zeros": [3, "int64"]}``,
``{"ellipsis": 1}``, ``{"tuple": […]}``, ``{"number": 3}`` and ``{"numbers": [2, 3]}`` (tensors of
them), ``{"shape": {"input": "x0"}}``, ``{"size": [{"input": "x0"}, 1]}`` (one of that shape).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from matrix.network import Input

MADE = "made:"


@dataclass(frozen=True)
class Call:
    """``function`` with ``arguments``, the first and those that it is called ``on`` by place; an
    instance of a class of ``paddle.nn`` is called ``on`` tensors."""

    function: str
    arguments: Mapping[str, Any]
    on: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Description:
    """Calls, one after the other, the inputs that they take, what stands around, and the way.

    ``shapes``: of the inputs in order, for each time that the model is run.
    """

    calls: tuple[Call, ...]
    inputs: Mapping[str, Input]
    shapes: tuple[tuple[tuple[int, ...], ...], ...]
    dress: str = "alone"
    way: str = "layer"

    @property
    def name(self) -> str:
        raw = {
            "calls": [
                [one.function, one.arguments, *([list(one.on)] if one.on else [])]
                for one in self.calls
            ],
            "inputs": {
                name: [list(one.shape), one.dtype, one.low, one.high]
                for name, one in self.inputs.items()
            },
            "shapes": self.shapes,
            "dress": self.dress,
            "way": self.way,
        }
        return MADE + json.dumps(raw, separators=(",", ":"), ensure_ascii=False)

    @property
    def function(self) -> str:
        """The first call's, which the model was drawn for."""
        return self.calls[0].function

    @classmethod
    def parse(cls, name: str) -> Description:
        """The description of that name; ValueError if it is none."""
        raw = json.loads(name.removeprefix(MADE))
        return cls(
            calls=tuple(
                Call(one[0], one[1], tuple(one[2]) if len(one) > 2 else ()) for one in raw["calls"]
            ),
            inputs={
                name: Input(tuple(one[0]), one[1], one[2], one[3])
                for name, one in raw["inputs"].items()
            },
            shapes=tuple(tuple(map(tuple, shapes)) for shapes in raw["shapes"]),
            dress=raw["dress"],
            way=raw["way"],
        )

    def used(self) -> Description:
        """The same without inputs that no call takes."""
        taken = {name for call in self.calls for name in references(call, "input")}
        keep = [number for number, name in enumerate(self.inputs) if name in taken]
        names = list(self.inputs)
        return replace(
            self,
            inputs={names[number]: self.inputs[names[number]] for number in keep},
            shapes=tuple(tuple(one[number] for number in keep) for one in self.shapes),
        )


def references(call: Call, kind: str) -> Iterator[Any]:
    """What the arguments of a call refer to as ``kind``."""
    waiting: list[Any] = [*call.arguments.values(), *call.on]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            if kind in one:
                yield one[kind]
            waiting += one.values()
