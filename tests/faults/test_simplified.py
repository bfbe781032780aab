"""What passes find in a legacy program: dropouts that compute nothing are gone."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator
from compatload.faults.simplified import without_dropouts

KEPT = {"dropout_implementation": "upscale_in_train"}
SCALING = {"dropout_implementation": "downgrade_in_infer"}


def dropout(given: str, made: str, how: dict[str, object], block: int = 0) -> Operator:
    return Operator("dropout", {"X": (given,)}, {"Out": (made,)}, how, block=block)


def act(given: str, made: str, block: int = 0) -> Operator:
    return Operator("relu", {"X": (given,)}, {"Out": (made,)}, {}, block=block)


def read(operators: tuple[Operator, ...]) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.name, one.inputs["X"]) for one in operators]


def test_what_reads_a_dropout_reads_its_operand() -> None:
    chain = [act("x", "a"), dropout("a", "b", KEPT), dropout("b", "c", KEPT), act("c", "d")]
    assert read(without_dropouts(chain)) == [("relu", ("x",)), ("relu", ("a",))]


def test_in_pir_as_well() -> None:
    before = Operator("pd_op.relu", {"0": ("%1",)}, {"0": ("%2",)}, {})
    gone = Operator(
        *("pd_op.dropout", {"0": ("%2",), "1": ("%0",)}, {"0": ("%3",), "1": ("%4",)}),
        {"mode": "upscale_in_train"},
    )
    after = Operator("pd_op.relu", {"0": ("%3",)}, {"0": ("%5",)}, {}, index=7)
    _, one = without_dropouts([before, gone, after])
    assert (one.inputs, one.index) == ({"0": ("%2",)}, 7)


@pytest.mark.parametrize(
    "chain",
    [
        [act("x", "a"), dropout("a", "b", SCALING), act("b", "c")],
        [dropout("x", "a", KEPT), act("a", "b")],  # of an input
        [act("x", "a"), dropout("a", "b", KEPT), act("b", "c", block=1)],  # read in a block
    ],
)
def test_what_stays(chain: list[Operator]) -> None:
    assert list(without_dropouts(chain)) == chain
