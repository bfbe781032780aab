"""Tensors without elements (CL225, too)."""

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, Family

family = Family("onednn")
family.op("empty_slice", lambda x: paddle.concat([x[:, 0:0], F.relu(x)], axis=1), IMAGE)


def _found(x: paddle.Tensor) -> paddle.Tensor:
    """What a mask picks that holds nowhere; nothing but a run can tell."""
    rows = paddle.flatten(x, 1)
    return paddle.sin(rows[rows[:, 0] > 1e6])


family.op("emptied_slice", lambda x: paddle.sin(_found(x)[:, 2:7]), IMAGE)
family.op("emptied_concat", lambda x: paddle.concat([_found(x), paddle.tanh(_found(x))]), IMAGE)
family.op("emptied_and_all", lambda x: paddle.concat([_found(x), paddle.flatten(x, 1)]), IMAGE)
