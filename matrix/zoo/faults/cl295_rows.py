"""Prelu behind products of two axes, which one model of a process spoils for the next."""

from __future__ import annotations

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.faults.cl295 import Layers
from matrix.zoo.registry import Family

family = Family("onednn")
_IMAGE = Input((None, 4, 6, 6))
for name, compute in {
    "prelu_of_product_of_rows": lambda net, x: net.prelu(net.product(x.mean([1, 2]))),
    "prelu_of_norm_of_rows": lambda net, x: net.prelu(F.tanh(net.product(x.mean([1, 2]))) * 2.0),
    "prelu_of_turned_rows": lambda net, x: net.prelu(
        paddle.matmul(x.mean([1, 2]), net.linear.weight, transpose_y=True)
    ),
}.items():
    family.layer(name, lambda compute=compute: Layers(compute), _IMAGE)
