"""Values that are read after an operator that may compute in their memory."""

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Forked, computed
from matrix.zoo.registry import ROWS, Family

family = Family("forks")


def _cosine_and_value(net: Forked, x: Any) -> Any:
    y = net.product(x)
    return paddle.cos(y), y * 2.0


def _root_mean_square_norm(net: Forked, x: Any) -> Any:
    y = x + net.linear(x)
    return y + F.gelu(y * paddle.rsqrt(paddle.square(y).mean(-1, keepdim=True) + 1e-6))


def _position_encoding(net: Forked, x: Any) -> Any:
    angles = net.product(x)
    return paddle.concat([paddle.sin(angles), paddle.cos(angles)], -1)


def _silu_and_value(net: Forked, x: Any) -> Any:
    y = net.product(x)
    return F.silu(y) + F.relu(y)


def _share_and_value(net: Forked, x: Any) -> Any:
    y = F.softplus(net.product(x))
    return y / y.sum(-1, keepdim=True) + F.relu(y)


family.layer("cosine_and_value", lambda: Forked(_cosine_and_value), ROWS)
family.layer("root_mean_square_norm", lambda: Forked(_root_mean_square_norm), ROWS)
family.layer("position_encoding", lambda: Forked(_position_encoding), ROWS)
family.layer("silu_and_value", lambda: Forked(_silu_and_value), ROWS)
family.layer("share_and_value", lambda: Forked(_share_and_value), ROWS)
Family("views").op(
    "unsqueezed_product_and_cosine",
    lambda x: (paddle.unsqueeze(y := paddle.matmul(x, x, transpose_y=True), 1), paddle.cos(y)),
    ROWS,
)


def _cast_and_more(net: Forked, x: Any) -> Any:
    y = paddle.cast(x, "float64")
    return y, y + 1.0


family.layer("cast_and_more", lambda: Forked(_cast_and_more), ROWS)


def _softplus_and_value(net: Forked, x: Any) -> Any:
    """A threshold that oneDNN does not know (CL243), and a layer that is read after it."""
    y = net.linear(x)
    return F.softplus(y, beta=3, threshold=1.5), paddle.exp(y) + y, paddle.tanh(y) * 2 + y


def _round_and_value(net: Forked, x: Any) -> Any:
    y = net.linear(x)
    return paddle.round(y * 4), paddle.exp(y) + y


family.layer("softplus_and_value", lambda: Forked(_softplus_and_value), ROWS)
family.layer("round_and_value", lambda: Forked(_round_and_value), ROWS)


def _damped(y: Any) -> Any:
    """A value that each round gives the next, and that its sine is computed of."""
    for _ in range(y.shape[0]):
        y = y * 0.5 - paddle.sin(y) * 0.3
    return y


def _damped_late(y: Any) -> Any:
    n = paddle.zeros([1])
    while n < 3.0:
        t = paddle.sin(y)
        if n > 1.0:
            y = y * 0.5 - t * 0.3
        n = n + 1.0
    return y


computed(Family("loop"), _damped, ROWS, layer=True)
computed(Family("loop"), _damped_late, ROWS, layer=True)


def _square_and_tangent(y: Any) -> Any:
    return paddle.square(y).sum(-1) - paddle.tanh(y).mean(-1)


def _reshaped(net: Forked, x: Any) -> Any:
    return _square_and_tangent(F.relu(x + 0.5).reshape([-1, 3])), net.linear(x)


def _reshaped_beside(net: Forked, x: Any) -> Any:
    y = net.linear(x)
    return _square_and_tangent(y.reshape([-1, 3])), y + 1.0


def _reshaped_by_what_stays(net: Forked, x: Any) -> Any:
    return _square_and_tangent(net.linear(x).reshape([0, 2, 3])), x + 1.0


def _unsqueezed_beside(net: Forked, x: Any) -> Any:
    y = net.linear(x)
    return _square_and_tangent(y.unsqueeze(1)), y + 1.0


for _compute in (_reshaped, _reshaped_beside, _reshaped_by_what_stays, _unsqueezed_beside):
    family.layer(f"squared{_compute.__name__}", lambda compute=_compute: Forked(compute), ROWS)


def _waves_of_what_is_stored(net: Forked, x: Any) -> Any:
    """A pass folds them: nothing is computed in place."""
    angles = net.linear.bias * 2.0 + 1.0
    return x * paddle.cos(angles) + paddle.sin(angles)


def _divided_in_branch(y: Any) -> Any:
    """The other side gives the value itself, and does not run then."""
    return paddle.static.nn.cond(y.mean() > -9.0, lambda: y / (y.max() + 3.0), lambda: y * 1.0)


def _cosine_in_branch(y: Any) -> Any:
    return paddle.static.nn.cond(y.mean() > -9.0, lambda: paddle.cos(y) + y, lambda: y * 2.0)


def _cosine_in_branch_and_after(y: Any) -> Any:
    return y + paddle.static.nn.cond(y.mean() > -9.0, lambda: paddle.cos(y), lambda: y * 2.0)


family.layer("waves_of_what_is_stored", lambda: Forked(_waves_of_what_is_stored), ROWS)
for _branching in (_divided_in_branch, _cosine_in_branch, _cosine_in_branch_and_after):
    computed(Family("if"), _branching, ROWS, layer=True)
