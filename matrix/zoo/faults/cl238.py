"""Numbers without dimensions that are squeezed or flattened, and some that are reshaped."""

from typing import Any

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("onednn")


def _computed(net: Forked, x: Any) -> Any:
    return paddle.asin(paddle.sum(net.linear(x)) * 0.0)


family.layer(
    "number_squeezed", lambda: Forked(lambda net, x: paddle.squeeze(_computed(net, x))), ROWS
)
family.layer(
    "number_flattened", lambda: Forked(lambda net, x: paddle.flatten(_computed(net, x))), ROWS
)
family.layer(
    "number_reshaped", lambda: Forked(lambda net, x: paddle.reshape(_computed(net, x), [1])), ROWS
)
