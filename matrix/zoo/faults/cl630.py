"""What a run finds nothing of, and what detectors compute of it."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_BOXES = Input((None, 4))


def _areas(x: Any) -> tuple[Any, ...]:
    found = x[x[:, 0] > 9]
    sizes = found[:, 2:] - found[:, :2]
    return sizes[:, 0] * sizes[:, 1], found[:, 2] - found[:, 0]


def _places(x: Any) -> tuple[Any, ...]:
    found = x[x[:, 0] > 9]
    return paddle.clip(found, 0.0, 1.0) * 2, paddle.argsort(found[:, 0]), found.t() + 1


def _read_twice(x: Any) -> tuple[Any, ...]:
    found = x[x[:, 0] > -9]
    return found / (found * found + 1.0), paddle.exp(found - found.max()) * found


family.op("areas_of_nothing", _areas, _BOXES)
family.op("places_of_nothing", _places, _BOXES)
family.op("found_and_read_twice", _read_twice, _BOXES)
