"""Faults that sizes decide: windows that reach out, factors of no whole size, single places."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compatload.artifact.model import Operator
from compatload.faults.cl144_single_place_by_lines import OLDER, YOUNGER
from compatload.faults.cl203_bilinear_corners import RULE as BILINEAR
from compatload.faults.cl268_windows_reaching_out import POOLINGS
from compatload.faults.graph import Graph
from compatload.faults.matching import found
from tests.faults.graphs import graph

IMAGE = (1, 2, 4, 5)


def alone(name: str, before: tuple[int, ...], after: tuple[int, ...] = (), **told: Any) -> Graph:
    one = Operator(name, {"X": ("x",)}, {"Out": ("y",)}, told)
    return graph([one], {"x": before, "y": after})


@pytest.mark.parametrize(
    ("told", "seen"),
    [
        ({"ksize": (2, 2), "strides": (3, 3), "exclusive": False}, True),
        ({"ksize": (2, 2), "strides": (3, 3), "exclusive": True}, True),
        ({"ksize": (2, 2), "strides": (2, 2), "exclusive": True}, False),
        ({"ksize": (2, 1), "strides": (2, 1), "exclusive": False}, False),
        ({"ksize": (2, 2), "strides": (3, 3), "exclusive": False, "ceil_mode": False}, False),
        ({"ksize": (2, 2), "strides": (3, 3), "exclusive": False, "pooling_type": "max"}, False),
    ],
)
def test_means_of_windows_that_reach_out_are_seen(told: dict[str, Any], seen: bool) -> None:
    usual = {"pooling_type": "avg", "ceil_mode": True, "paddings": (0, 0)}
    built = alone("pool2d", IMAGE, **{**usual, **told})
    assert bool(found(POOLINGS, built)) is seen


@pytest.mark.parametrize(
    ("factors", "shape", "seen", "surely"),
    [
        ((1.3, 1.3), IMAGE, True, True),
        ((1.5, 1.2), IMAGE, False, False),
        ((0.5, 0.5), (-1, 2, -1, -1), True, False),
        ((2.0, 2.0), (-1, 2, -1, -1), False, False),
        ((), IMAGE, False, False),
    ],
)
def test_factors_of_no_whole_size_are_seen(
    factors: tuple[float, ...], shape: tuple[int, ...], seen: bool, surely: bool
) -> None:
    built = alone("bilinear_interp", shape, scale=factors)
    assert bool(found(BILINEAR.when[0].operators, built)) is seen
    sees = BILINEAR.alone[0].sees
    assert callable(sees)
    assert bool(sees(built, "3.2.2")) is surely


@pytest.mark.parametrize(("version", "older", "newer"), [(1, True, False), (4, False, True)])
def test_one_place_between_releases(version: int, older: bool, newer: bool) -> None:
    built = alone("linear_interp", (1, 2, 6), (1, 2, 1), align_corners=False, align_mode=0, out_w=1)
    built = Graph(replace(built.artifact, pir_version=version))
    assert [bool(found(when.operators, built)) for when in (OLDER, YOUNGER)] == [older, newer]
