"""Layers of one input with a free batch: outputs, Python on Tensors, numpy. First half."""

# ruff: noqa: S101 - as people write them

import dataclasses
import functools
import math
from collections import namedtuple

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - as it is imported everywhere
from paddle import nn

SPEC = [([None, 4], "float32")]
INPUTS = [
    (np.linspace(-1, 2, 8, dtype="float32").reshape(2, 4),),
    (np.linspace(3, -2, 12, dtype="float32").reshape(3, 4),),
]
SHIFT = 0.5


@dataclasses.dataclass
class Answer:
    value: object


Pair = namedtuple("Pair", "first second")


def shifted(x, by=0.5):
    return x + by


class MinusNamed(nn.Layer):
    def forward(self, x):
        eps = 0.5
        return x - eps


class PlusAttribute(nn.Layer):
    def __init__(self):
        super().__init__()
        self.shift = 0.5

    def forward(self, x):
        return x + self.shift


class PlusInPlace(nn.Layer):
    def forward(self, x):
        x += 1
        return x


class ScaleWithBias(nn.Layer):
    def forward(self, x):
        return paddle.scale(x, 1.0, bias=0.5)


class PlusOfModule(nn.Layer):
    def forward(self, x):
        return x + SHIFT


class PlusInDict(nn.Layer):
    def forward(self, x):
        return {"value": x + 1}


class PlusOfAlias(nn.Layer):
    def forward(self, x):
        y = x
        return [y + 1]


class PlusByFunction(nn.Layer):
    def forward(self, x):
        return shifted(x)


class PlusOfActivation(nn.Layer):
    def forward(self, x):
        return F.relu(x) + 1


class PlusOfOutput(nn.Layer):
    def forward(self, x):
        y = F.relu(x)
        return y, y + SHIFT


class PlusTensor(nn.Layer):
    def forward(self, x):
        return x + paddle.to_tensor(0.5)


class PlusParameter(nn.Layer):
    def __init__(self):
        super().__init__()
        self.shift = self.create_parameter([4])

    def forward(self, x):
        return x + self.shift


class TimesAndPlus(nn.Layer):
    def forward(self, x):
        return x * 2.0 + 0.5


class DividedAndPlus(nn.Layer):
    def forward(self, x):
        return x / 1.0 + 0.5


class IsTensor(nn.Layer):
    def forward(self, x):
        if isinstance(x, paddle.Tensor):
            return x * 2
        return x * 3


class DataclassOutput(nn.Layer):
    def forward(self, x):
        return Answer(x * 2)


class NamedTupleOutput(nn.Layer):
    def forward(self, x):
        return Pair(x * 2, x * 3)


class ManyArguments(nn.Layer):
    def forward(self, *args):
        return args[0] * 2


class NumpyRange(nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.arange(x.shape[0]).astype("float32")).unsqueeze(-1)


class PaddleRange(nn.Layer):
    def forward(self, x):
        return x * paddle.arange(x.shape[0]).astype("float32").unsqueeze(-1)


class NumpyClip(nn.Layer):
    def forward(self, x):
        return paddle.to_tensor(np.clip(x, 0.0, 1.0))


class NumpyClipOfNumpy(nn.Layer):
    def forward(self, x):
        a = x.numpy()
        return paddle.to_tensor(np.clip(a, 0.0, 1.0))


class NumpySqrtOfSize(nn.Layer):
    def forward(self, x):
        return x / np.sqrt(x.shape[1])


class MathSqrtOfSize(nn.Layer):
    def forward(self, x):
        return x / math.sqrt(x.shape[1])


class MathSqrtOfBatch(nn.Layer):
    def forward(self, x):
        return x / math.sqrt(x.shape[0])


class RowsOfFreeBatch(nn.Layer):
    def forward(self, x):
        return paddle.stack([row * 2 for row in x])


class LoopOverFreeBatch(nn.Layer):
    def forward(self, x):
        total = paddle.zeros([4])
        for row in x:
            total = total + row
        return total


class LoopOverRange(nn.Layer):
    def forward(self, x):
        total = paddle.zeros([4])
        for i in range(x.shape[0]):
            total = total + x[i]
        return total


class AppendOverRange(nn.Layer):
    def forward(self, x):
        rows = []
        for i in range(x.shape[0]):
            rows.append(x[i] * 2)
        return paddle.stack(rows)


class ComprehensionOverRange(nn.Layer):
    def forward(self, x):
        return paddle.stack([x[i] * 2 for i in range(x.shape[0])])


class EnumerateRows(nn.Layer):
    def forward(self, x):
        total = paddle.zeros([4])
        for i, row in enumerate(x):
            total = total + row * i
        return total


class GuardOnShape(nn.Layer):
    def forward(self, x):
        b, c = x.shape
        y = x * 2
        if y.shape != [b, c]:
            raise ValueError(f"got {y.shape}")
        return y


class GuardOnSize(nn.Layer):
    def forward(self, x):
        if x.shape[-1] != 4:
            raise ValueError("four columns are needed")
        return x * 2


class GuardOnBatch(nn.Layer):
    def forward(self, x):
        if x.shape[0] > 100:
            raise ValueError("too many rows")
        return x * 2


class AssertOnShape(nn.Layer):
    def forward(self, x):
        assert x.shape[1] == 4
        return x * 2


class AssertOnValue(nn.Layer):
    def forward(self, x):
        assert x.max() < 100
        return x * 2


class LengthOfTensor(nn.Layer):
    def forward(self, x):
        return x / len(x)


class FloatOfTensor(nn.Layer):
    def forward(self, x):
        return x * float(x.mean())


class ItemOfTensor(nn.Layer):
    def forward(self, x):
        return x * x.mean().item()


class IntOfSize(nn.Layer):
    def forward(self, x):
        return paddle.reshape(x, [int(x.shape[0]) * 2, 2])


class ReshapeBySize(nn.Layer):
    def forward(self, x):
        b, c = x.shape
        return x.reshape([b * 2, c // 2])


class PrintsTensor(nn.Layer):
    def forward(self, x):
        print(x.mean())
        return x * 2


class TextOfTensor(nn.Layer):
    def forward(self, x):
        self.note = f"{x.mean()}"
        return x * 2


class KeepsTensor(nn.Layer):
    def forward(self, x):
        self.last = x.mean()
        return x * 2


class PartialFunction(nn.Layer):
    def __init__(self):
        super().__init__()
        self.activation = functools.partial(F.leaky_relu, negative_slope=0.2)

    def forward(self, x):
        return self.activation(x)


class LambdaOnTensor(nn.Layer):
    def forward(self, x):
        double = lambda t: t * 2  # noqa: E731 - as it is written
        return double(x)


class WhereInstead(nn.Layer):
    def forward(self, x):
        return paddle.where(x > 0, x, x * 0.1)


class MaskedAssignment(nn.Layer):
    def forward(self, x):
        y = x * 1.0
        y[y < 0] = 0.0
        return y


class BooleanIndex(nn.Layer):
    def forward(self, x):
        return x[x > 0]


class OptionalArgument(nn.Layer):
    def forward(self, x, mask=None):
        if mask is not None:
            x = x * mask
        return x * 2


class NoGradInside(nn.Layer):
    def forward(self, x):
        with paddle.no_grad():
            return x * 2


class PropertyBranch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.doubled = True

    @property
    def factor(self):
        if self.doubled:
            return 2.0
        return 1.0

    def forward(self, x):
        return x * self.factor


class Generator(nn.Layer):
    def forward(self, x):
        return sum(x * i for i in range(3))


class BaseOnlyBySuper(nn.Layer):
    def forward(self, x):
        return x * 2

    def extra(self, x):
        return x
