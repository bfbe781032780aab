"""Layers with a branch on a Tensor. First half."""

# ruff: noqa: SIM108, F841 - the branches are what is shown

import numpy as np
import paddle
from paddle import nn

SPEC = [([2, 4], "float32")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"),),
    (np.full((2, 4), -1.5, "float32"),),
    (np.full((2, 4), 20.0, "float32"),),
]


class RaisesUnder(nn.Layer):
    def forward(self, x):
        if x.mean() > 100:
            raise ValueError("too large")
        return x * 2


class TriesUnder(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            try:
                x = x * 2
            except ValueError:
                x = x * 3
        return x * 2


class ChainedComparison(nn.Layer):
    def forward(self, x):
        if 0 < x.mean() < 10:
            x = x * 2
        return x * 3


class ChainedByAnd(nn.Layer):
    def forward(self, x):
        if x.mean() > 0 and x.mean() < 10:
            x = x * 2
        return x * 3


class NoneBefore(nn.Layer):
    def forward(self, x):
        y = None
        if x.mean() > 0:
            y = x * 2
        if y is None:
            y = x * 3
        return y * 2


class NoneInElse(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = x * 2
        else:
            y = None
        if y is None:
            return x * 3
        return y


class SumAgainstKeep(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = x.sum(0)
        else:
            y = x.sum(0, keepdim=True)
        return y * 2


class SumAgainstInput(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            x = x.sum(axis=0)
        return x * 2


class SqueezeFunction(nn.Layer):
    def forward(self, x):
        y = x * 2
        if x.mean() > 0:
            y = paddle.unsqueeze(y, 0)
        return y * 2


class NumberAgainstTensor(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = 1.0
        else:
            y = x.mean()
        return x * y


class BoolAgainstTensor(nn.Layer):
    def forward(self, x):
        flag = False
        if x.mean() > 0:
            flag = x.max() > 2
        if flag:
            x = x * 2
        return x * 3


class TextInBranch(nn.Layer):
    def forward(self, x):
        mode = "a"
        if x.mean() > 0:
            mode = "b"
        if mode == "a":
            return x * 2
        return x * 3


class NumberInBranches(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            scale = 2.0
        else:
            scale = 3.0
        return x * scale


class ListInBranches(nn.Layer):
    def forward(self, x):
        items = [x]
        if x.mean() > 0:
            items.append(x * 2)
        return sum(items)


class DictInBranches(nn.Layer):
    def forward(self, x):
        kept = {"a": x * 1.0}
        if x.mean() > 0:
            kept["a"] = x * 2
        return kept["a"]


class NewKeyInBranch(nn.Layer):
    def forward(self, x):
        kept = {}
        if x.mean() > 0:
            kept["a"] = x * 2
        else:
            kept["a"] = x * 3
        return kept["a"]


class ReturnsInBranches(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            return x * 2
        return x * 3


class ReturnsDifferentCounts(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            return x * 2, x
        return x * 3


class IfExpression(nn.Layer):
    def forward(self, x):
        return x * 2 if x.mean() > 0 else x * 3


class NotTensor(nn.Layer):
    def forward(self, x):
        if not (x.mean() > 0):
            x = x * 2
        return x * 3


class BoolOfTensor(nn.Layer):
    def forward(self, x):
        if bool((x > 0).any()):
            x = x * 2
        return x * 3


class ItemInCondition(nn.Layer):
    def forward(self, x):
        if x.mean().item() > 0:
            x = x * 2
        return x * 3


class AttributeInBranch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, x):
        if x.mean() > 0:
            self.kept = x * 2
        else:
            self.kept = x * 3
        return self.kept


class OtherTypes(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = paddle.cast(x, "int64")
        else:
            y = x
        return y * 2


class Recursion(nn.Layer):
    def step(self, x):
        if x.mean() > 10:
            return x
        return self.step(x + 20)

    def forward(self, x):
        return self.step(x * 1.0)


class NestedFunction(nn.Layer):
    def forward(self, x):
        def doubled(t):
            if t.mean() > 0:
                return t * 2
            return t * 3

        return doubled(x)


class TrainingBranch(nn.Layer):
    def forward(self, x):
        if self.training:
            return x * 2
        return x * 3


class DimensionBranch(nn.Layer):
    def forward(self, x):
        if len(x.shape) == 2:
            return x * 2
        return x * 3


class TypeBranch(nn.Layer):
    def forward(self, x):
        if x.dtype == paddle.float32:
            return x * 2
        return x * 3


class UndefinedInElse(nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = x * 2
            z = y + 1
        else:
            y = x * 3
        return y * 2
