"""Layers of one input with a free batch, written after the rules. Second half."""

import collections
import dataclasses
import math

import numpy as np
import paddle
import paddle.nn.functional as F  # noqa: N812 - as it is imported everywhere
from paddle import nn

SPEC = [([None, 4], "float32")]
INPUTS = [
    (np.linspace(-1, 2, 8, dtype="float32").reshape(2, 4),),
    (np.linspace(3, -2, 12, dtype="float32").reshape(3, 4),),
]
OFFSETS = {"low": 0.25, "high": 0.75}


@dataclasses.dataclass(frozen=True)
class Heads:
    scores: object
    boxes: object


class NumberFirst(nn.Layer):
    def forward(self, x):
        return 2.5 + x


class MinusInConstructor(nn.Layer):
    def __init__(self, mean=0.5):
        super().__init__()
        self.mean = mean

    def forward(self, x):
        centred = x - self.mean
        return centred


class OneOfSeveralOutputs(nn.Layer):
    def forward(self, x):
        return F.relu(x), x + 0.25


class PlusOfDictionary(nn.Layer):
    def forward(self, x):
        return x + OFFSETS["low"]


class PlusByMethod(nn.Layer):
    def shift(self, t):
        return t + 0.5

    def forward(self, x):
        return self.shift(x)


class PlusByPaddleAdd(nn.Layer):
    def forward(self, x):
        return x.add(paddle.to_tensor(0.5))


class PlusExpression(nn.Layer):
    def forward(self, x):
        return x + (1 / 2)


class PlusAfterCast(nn.Layer):
    def forward(self, x):
        return x.astype("float32") + 0.5


class PlusAfterReshape(nn.Layer):
    def forward(self, x):
        return x.reshape([-1, 4]) + 0.5


class SubtractedFromNumber(nn.Layer):
    def forward(self, x):
        return 1.0 - x


class PlusInSequence(nn.Layer):
    def forward(self, x):
        x = x + 1.0
        x = x + 2.0
        return x


class ScaleMethod(nn.Layer):
    def forward(self, x):
        return x.scale(1.0, 0.5)


class PlusOfConvolution(nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + 1.0


class SeveralTypes(nn.Layer):
    def forward(self, x):
        if isinstance(x, (list, tuple)):
            x = x[0]
        return x * 2


class TensorAmongTypes(nn.Layer):
    def forward(self, x):
        if not isinstance(x, paddle.Tensor):
            raise TypeError("a Tensor is needed")
        return x * 2


class TypeOfTensor(nn.Layer):
    def forward(self, x):
        if type(x) is paddle.Tensor:
            return x * 2
        return x * 3


class FrozenOutput(nn.Layer):
    def forward(self, x):
        heads = Heads(scores=x * 2, boxes=x * 3)
        return heads


class OrderedOutput(nn.Layer):
    def forward(self, x):
        return collections.OrderedDict(first=x * 2, second=x * 3)


class ArgumentsAfterFirst(nn.Layer):
    def forward(self, x, *others):
        return x * 2


class KeywordArguments(nn.Layer):
    def forward(self, x, **settings):
        return x * settings.get("scale", 2.0)


class LogarithmOfBatch(nn.Layer):
    def forward(self, x):
        rows = x.shape[0]
        return x * math.log(rows + 1)


class NumpyOnesOfBatch(nn.Layer):
    def forward(self, x):
        b, c = x.shape
        return x * paddle.to_tensor(np.ones((b, c), "float32"))


class PaddleOnesOfBatch(nn.Layer):
    def forward(self, x):
        b, c = x.shape
        return x * paddle.ones([b, c])


class FormatsBatch(nn.Layer):
    def forward(self, x):
        print(f"{x.shape[0]} rows")
        return x * 2


class NumpyMean(nn.Layer):
    def forward(self, x):
        return x - float(np.mean(x.numpy()))


class NumpyMaximumOfTensors(nn.Layer):
    def forward(self, x):
        return paddle.to_tensor(np.maximum(x.numpy(), 0.0))


class NumpyConstant(nn.Layer):
    def forward(self, x):
        return x * paddle.to_tensor(np.array([1.0, 2.0, 3.0, 4.0], "float32"))


class ZippedRows(nn.Layer):
    def forward(self, x):
        return paddle.stack([a + b for a, b in zip(x, x * 2)])


class DictComprehension(nn.Layer):
    def forward(self, x):
        parts = {i: x[:, i] for i in range(4)}
        return parts[0] + parts[3]


class ChunksOfColumns(nn.Layer):
    def forward(self, x):
        return paddle.concat([c * 2 for c in paddle.chunk(x, 2, axis=1)], axis=1)


class ListOfLayers(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x):
        return [layer(x) for layer in self.layers]


class SumOfFeatures(nn.Layer):
    def forward(self, x):
        features = [x, x * 2, x * 3]
        return sum(features)


class GuardOnDimensions(nn.Layer):
    def forward(self, x):
        if x.ndim != 2:
            raise ValueError("two dimensions")
        return x * 2


class GuardOnTuple(nn.Layer):
    def forward(self, x):
        b = x.shape[0]
        if tuple(x.shape) != (b, 4):
            raise ValueError("wrong")
        return x * 2


class SizeBranch(nn.Layer):
    def forward(self, x):
        if x.shape[0] > 2:
            x = x * 2
        return x * 3


class EvenBatch(nn.Layer):
    def forward(self, x):
        if x.shape[0] % 2 == 0:
            x = x * 2
        return x * 3
