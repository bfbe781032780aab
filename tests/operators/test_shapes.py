"""Whether results have the shapes that their operators make."""

from __future__ import annotations

import pytest

from compatload.artifact.model import Operator, Program, TensorSpec
from compatload.operators.shapes import wrong_shape


def told(
    name: str,
    made: tuple[int, ...],
    *shapes: tuple[int, ...],
    **attributes: object,
) -> int:
    """Whether a result is said to be of a wrong shape."""
    names = [f"%{number}" for number in range(1, len(shapes) + 1)]
    inputs = {str(place): (value,) for place, value in enumerate(names)}
    operator = Operator(f"pd_op.{name}", inputs, {"0": ("%9",)}, attributes)
    variables = {n: TensorSpec(n, "float32", s) for n, s in zip((*names, "%9"), (*shapes, made))}
    return int(wrong_shape(operator, Program((operator,), (), (), variables)) is not None)


@pytest.mark.parametrize(
    ("name", "attributes", "shapes", "made", "other"),
    [
        ("relu", {}, [(-1, 4)], (-1, 4), (-1, 5)),
        ("cumsum", {}, [(-1, 4)], (-1, 4), (-1,)),
        ("cumsum", {"flatten": True}, [(-1, 4)], (-1,), (-1, 4)),
        ("cumsum", {"flatten": True}, [(2, 4)], (8,), (7,)),
        ("add", {}, [(-1, 4), (4,)], (-1, 4), (-1, 1)),
        ("add", {}, [(2, 1), (1, 3)], (2, 3), (2, 1)),
        ("transpose", {"perm": (0, 2, 1)}, [(2, 3, 4)], (2, 4, 3), (2, 3, 4)),
        ("transpose", {"perm": (0, -1, 1)}, [(2, 3, 4)], (2, 4, 3), (2, 3, 4)),
        ("matmul", {}, [(-1, 2, 5), (5, 3)], (-1, 2, 3), (-1, 2, 5)),
        ("matmul", {"transpose_x": True}, [(5, 2), (5, 3)], (2, 3), (5, 3)),
        ("matmul", {}, [(5,), (5, 3)], (3,), (-1, 2, 3)),
        ("matmul", {}, [(2, 5), (5,)], (2,), (2, 5)),
        ("matmul", {}, [(4, 7, 2, 3), (5, 1, 7, 3, 6)], (5, 1, 7, 2, 6), (5, 4, 2, 2, 6)),
        ("matmul", {}, [(4, 7, 2, 3), (5, 1, 7, 3, 6)], (5, 4, 7, 2, 6), (4, 7, 2, 6)),
        ("conv2d", {}, [(-1, 3, 8, 8), (4, 3, 3, 3)], (-1, 4, 8, 8), (-1, 3, 8, 8)),
        ("conv2d", {"data_format": "NHWC"}, [(1, 8, 8, 3), (4, 3, 3, 3)], (1, 8, 8, 4), (1, 4)),
    ],
)
def test_a_result_has_the_shape_that_its_operator_makes(
    name: str,
    attributes: dict[str, object],
    shapes: list[tuple[int, ...]],
    made: tuple[int, ...],
    other: tuple[int, ...],
) -> None:
    assert told(name, made, *shapes, **attributes) == 0
    assert told(name, other, *shapes, **attributes) == 1


def test_what_lacks_operands_is_left_to_others() -> None:
    assert told("add", (2,), (2,)) == 0
    assert told("transpose", (2, 3), (2, 3), perm=(0, 7)) == 0
    assert told("transpose", (2, 3), (2, 3)) == 0


def test_a_size_may_be_declared_as_unknown() -> None:
    """As Paddle leaves them where it saves a loaded layer again, with sizes that are given."""
    assert told("conv2d", (-1, 4, 8, 8), (1, 3, 8, 8), (4, 3, 3, 3)) == 0
    assert told("relu", (-1, -1), (-1, 4)) == 0
    assert told("relu", (-1, 5), (-1, 4)) == 1
    assert told("scale", (3,), (1,)) == 1
