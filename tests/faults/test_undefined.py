"""What may be NaN is seen by what makes it, and nothing is where that is sound."""

from __future__ import annotations

import pytest

from compatload.artifact.model import (
    Artifact,
    ArtifactFiles,
    Format,
    Operator,
    Program,
    TensorSpec,
)
from compatload.faults.cl259_not_a_number import LOSING, losing
from compatload.faults.graph import Graph
from compatload.faults.matching import found
from tests.faults.graphs import chain, program

X = (-1, 4)


@pytest.mark.parametrize(
    ("steps", "seen"),
    [
        (("d = divide x y",), True),
        (("e = exp y", "d = divide x e"), False),
        (("e = square y", "d = divide x e"), True),
        (("e = square y", "s = sum e", "t = exp y", "u = add s t", "d = divide x u"), False),
        (("d = sqrt x",), True),
        (("s = square x", "d = sqrt s"), False),
        (("m = multiply x x", "d = sqrt m"), False),
        (("m = multiply x y", "d = sqrt m"), True),
        (("s = sigmoid x", "d = log s"), False),
        (("s = tanh x", "d = log s"), True),
        (("s = tanh x", "d = asin s"), False),
        (("d = asin x",), True),
        (("e = abs x", "h = abs y", "g = add e h", "d = log1p g"), False),
        (("d = divide w w",), False),
        (("d = tanh x",), False),
    ],
)
def test_nan_is_looked_for_before_what_loses_it(steps: tuple[str, ...], seen: bool) -> None:
    names = {step.split()[0]: X for step in steps}
    built = program(
        *(("x = data", {}), ("y = data", {}), ("w = parameter", {})),
        *((step, {}) for step in steps),
        *(("t1 = transpose d", {}), ("p = softmax t1", {}), ("f = fetch p", {})),
        x=X,
        y=X,
        w=X,
        t1=X,
        p=X,
        **names,
    )
    assert bool(found(losing(LOSING), built)) is seen


def test_what_2_6_declares_whole_has_a_point_behind_a_logarithm() -> None:
    names = ("v0", "v1", "v2", "v3")
    operators = [
        *chain("log2", "reshape2", "exp"),
        Operator("arg_max", {"X": ("v2",)}, {"Out": ("places",)}, {}, index=3),
    ]
    variables = {name: TensorSpec(name, "int64", X) for name in (*names, "places")}
    built = Program(tuple(operators), (), (), variables)
    seen = Graph(Artifact("m", Format.LEGACY, ArtifactFiles("m.pdmodel"), built, (), None))
    types = [seen.dtype(name) for name in (*names, "places")]
    assert types == ["int64", "float32", "float32", "float32", "int64"]
