"""Numbers without dimensions that are added up."""

from typing import Any

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("onednn")


def _numbers(net: Forked, x: Any) -> list[Any]:
    total = paddle.sum(net.linear(x)) * 0.01
    return [paddle.sin(total), paddle.cos(total), total + 1.0]


family.layer("numbers_added", lambda: Forked(lambda net, x: paddle.add_n(_numbers(net, x))), ROWS)
family.layer(
    "number_added_alone",
    lambda: Forked(lambda net, x: paddle.add_n(_numbers(net, x)[:1]) + paddle.mean(x)),
    ROWS,
)
