"""What a loop frees or writes over, and others read (CL154, CL170)."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator
from compatload.faults.cl154_loop_of_parameter import begun_with_needed
from compatload.faults.cl170_loop_over_read import written_over
from tests.faults import graphs

BEGUN, ENDED, OTHER = "%1", "%5", "%6"
MADE = Operator("pd_op.exp", {"0": ("%9",)}, {"0": (BEGUN,)}, {}, 0, 0)


def pir_loop(begun: str, block: int = 0, index: int = 1) -> Operator:
    return Operator(
        "pd_op.while", {"0": ("%0",), "1": (begun,)}, {"0": (ENDED,)}, {}, block, index, (7,)
    )


def reader(name: str, *, block: int = 0, index: int = 2) -> Operator:
    return Operator(name, {"0": (ENDED,), "1": (BEGUN,)}, {"0": (OTHER,)}, {}, block, index)


def needed(*operators: Operator) -> frozenset[str]:
    return begun_with_needed(graphs.graph([MADE, *operators], {}))


@pytest.mark.parametrize(
    "behind",
    [
        [reader("pd_op.add")],
        [reader("pd_op.add", block=2), Operator("pd_op.if", {}, {}, {}, 0, 3, (2, 3))],
        [reader("cf.yield")],
    ],
)
def test_what_is_read_behind_a_loop_is_needed(behind: list[Operator]) -> None:
    assert needed(pir_loop(BEGUN), *behind) == {BEGUN}


@pytest.mark.parametrize(
    "other",
    [
        [],
        [reader("pd_op.add", index=0)],  # in front of it
        [reader("pd_op.fetch")],  # an output stays
        [reader("pd_op.add", block=7)],  # within its rounds
    ],
)
def test_what_nothing_reads_behind_it_is_not(other: list[Operator]) -> None:
    assert needed(pir_loop(BEGUN), *other) == frozenset()


FEED = Operator("feed", {"X": ("feed",)}, {"Out": ("x",)}, {})
LAYER = Operator("matmul_v2", {"X": ("b",), "Y": ("w",)}, {"Out": ("y",)}, {}, 0, 1)
BOUND = Operator("less_than", {"X": ("n",), "Y": ("m",)}, {"Out": ("go",)}, {}, 0, 1)


def loop(*states: str) -> Operator:
    inputs = {"X": states, "Condition": ("go",)}
    return Operator("while", inputs, {"Out": (*states, "go")}, {}, 0, 2, (1,))


def over(*operators: Operator) -> object:
    return written_over(graphs.graph([*operators], {}).artifact)


def test_an_input_is_not_written_over() -> None:
    assert over(FEED, loop("x")) == {0: ("x",)}


def test_what_the_loop_does_not_wait_for_is_read_in_front_of_it() -> None:
    assert over(FEED, LAYER, loop("b", "n")) == {0: ("b",)}


def test_what_the_loop_waits_for_is_computed_in_front_of_it() -> None:
    assert over(FEED, BOUND, loop("b", "n")) == {}


def test_an_output_keeps_its_name() -> None:
    fetch = Operator("fetch", {"X": ("x",)}, {"Out": ("fetch",)}, {}, 0, 3)
    assert over(FEED, loop("x"), fetch) == {}
