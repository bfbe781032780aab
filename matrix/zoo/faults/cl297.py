"""Softplus with a low threshold, and an activation behind it."""

from __future__ import annotations

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import TWO_SIZES, Forked
from matrix.zoo.registry import ROWS, Family

family = Family("onednn")


def _hard(net, x):
    return F.hardsigmoid(F.softplus(x, 1.5, 1.0), 0.3, 0.4) * net.linear.weight[0]


def _soft(net, x):
    return F.sigmoid(F.softplus(x, 1.5, 1.0)) * net.linear.weight[0]


for compute in (_hard, _soft):
    family.layer(
        f"softplus_low_and{compute.__name__}",
        lambda compute=compute: Forked(compute),
        ROWS,
        shapes=TWO_SIZES,
    )
