"""Layers with a branch on a Tensor, written after the rules. Second half."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - as it is imported everywhere
from paddle import nn

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), value, "float32"),) for value in (1.5, -1.5, 20.0)]


class RaisesInElse(nn.Layer):
    def forward(self, x):
        if x.abs().max() < 100:
            y = x * 2
        else:
            raise ValueError("out of range")
        return y


class ChainedInMask(nn.Layer):
    def forward(self, x):
        low, high = 0.0, 10.0
        if low <= x.max() <= high:
            return x * 2
        return x * 3


class WhileChained(nn.Layer):
    def forward(self, x):
        x = paddle.abs(x) + 0.5
        while 0 < x.mean() < 10:
            x = x * 2
        return x


class NotNoneAfter(nn.Layer):
    def forward(self, x):
        mask = None
        if x.sum() > 0:
            mask = F.relu(x)
        if mask is not None:
            x = x * mask
        return x * 2


class NoneNeverAsked(nn.Layer):
    def forward(self, x):
        y = None
        if x.sum() > 0:
            y = x * 2
        else:
            y = x * 3
        return y


class MeanAgainstKeep(nn.Layer):
    def forward(self, x):
        y = F.relu(x)
        if paddle.mean(x) > 0:
            y = paddle.mean(y, axis=1)
        return y * 2


class MaxKeepsDimension(nn.Layer):
    def forward(self, x):
        y = x * 1.0
        if paddle.mean(x) > 0:
            y = paddle.max(y, axis=1, keepdim=True)
        return y * 2


class FlattenInBranch(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            y = paddle.flatten(x)
        else:
            y = x
        return y * 2


class SameRankReshape(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            y = x.reshape([4, 2])
        else:
            y = x.reshape([1, 8])
        return y * 2


class BoolByAstype(nn.Layer):
    def forward(self, x):
        y = x
        if paddle.mean(x) > 0:
            y = x.astype("bool")
        return y.astype("float32") * 2


class ComparisonAgainstInput(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            y = x > 0
        else:
            y = x
        return y.astype("float32")


class IntegerInBranches(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            k = 1
        else:
            k = 2
        return x * k


class IntegerAgainstTensor(nn.Layer):
    def forward(self, x):
        k = 1
        if paddle.mean(x) > 0:
            k = x.max()
        return x * k


class KeyInBranches(nn.Layer):
    def forward(self, x):
        names = {"relu": F.relu, "tanh": paddle.tanh}
        name = "relu"
        if paddle.mean(x) > 0:
            name = "tanh"
        return names[name](x)


class LayerInBranches(nn.Layer):
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        if paddle.mean(x) > 0:
            return self.one(x)
        return self.other(x)


class ReturnsPairOrOne(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            return x, x * 2
        else:
            return x * 3


class ReturnsPairs(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            return x * 1.0, x * 2
        return x * 2, x * 3


class KeepsStateInBranch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.seen = None

    def forward(self, x):
        if paddle.mean(x) > 0:
            self.seen = F.relu(x)
        return x * 2


class BufferInBranch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", paddle.zeros([2, 4]))

    def forward(self, x):
        if paddle.mean(x) > 0:
            self.seen = x * 2
        return x + self.seen


class DeepBranches(nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            if paddle.max(x) > 10:
                y = x * 2
            else:
                y = x * 3
        else:
            y = x * 4
        return y


class AnyAll(nn.Layer):
    def forward(self, x):
        if (x > 0).all() or (x < -1).any():
            x = x * 2
        return x * 3


class EqualAll(nn.Layer):
    def forward(self, x):
        if paddle.equal_all(x, paddle.zeros_like(x)):
            return x + 1.5 * x
        return x * 3
