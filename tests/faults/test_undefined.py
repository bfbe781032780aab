"""What may be NaN is seen by what makes it, and nothing is where that is sound."""

from __future__ import annotations

import pytest

from compatload.faults.cl259_not_a_number import LOSING, losing
from compatload.faults.matching import found
from tests.faults.graphs import program

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
