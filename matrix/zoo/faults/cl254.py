"""A batch norm that has statistics and nothing else."""

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, Family

family = Family("onednn")


class _Bare(nn.Layer):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 3)
        self.register_buffer("mean", paddle.full([4], 0.25))
        self.register_buffer("variance", paddle.full([4], 2.0))

    def forward(self, x):
        return F.batch_norm(self.convolution(x), self.mean, self.variance)


family.layer("bare_batch_norm", _Bare, IMAGE)
