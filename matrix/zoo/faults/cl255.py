"""Values between bounds that are tensors."""

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import IMAGE, Family, linear

family = Family("onednn")


def _bound(number):
    return paddle.full([1], number)


family.op(
    "clipped_by_tensors",
    lambda x: paddle.clip(x, min=_bound(-0.3), max=_bound(0.3)),
    Input((None, 4, 6)),
    before=linear,
)


class _Computed(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 3)

    def forward(self, x):
        y = self.convolution(x)
        return paddle.clip(y, min=-0.2, max=_bound(0.3) + 0 * x.mean())


family.layer("clipped_by_computed", _Computed, IMAGE)
