"""Layers with a loop that an input counts. First half."""

# ruff: noqa: SIM108, B007 - as people write them

import numpy as np
import paddle
from paddle import nn

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(2, "int64")),
    (np.full((2, 4), -1.5, "float32"), np.array(0, "int64")),
    (np.full((2, 4), 0.5, "float32"), np.array(3, "int64")),
]
TOTAL = 0


class NoneBeforeRange(nn.Layer):
    def forward(self, x, n):
        y = None
        for i in range(n):
            if y is None:
                y = x * 2
            else:
                y = y + x
        return x if y is None else y * 1.0


class GrowingInRange(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(n):
            y = paddle.concat([y, y], 0)
        return y.reshape([y.shape[0] * 2, 2])


class UpdateInRange(nn.Layer):
    def forward(self, x, n):
        kept = {"sum": x * 1.0}
        for i in range(n):
            kept.update(sum=kept["sum"] + x)
        return kept["sum"]


class TypeAfterRange(nn.Layer):
    def forward(self, x, n):
        turns = 0
        for i in range(n):
            turns = turns + 1
        if isinstance(turns, int):
            return x * n.astype("float32")
        return x * 3 * n.astype("float32")


class PlainRange(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(n):
            y = y + x
        return y


class RangeByInt(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(int(n)):
            y = y + x
        return y


class RangeByItem(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(n.item()):
            y = y + x
        return y


class ReturnInLoop(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(n):
            y = y * 2
            if y.mean() > 4:
                return y
        return y * 3


class ReturnInWhile(nn.Layer):
    def forward(self, x, n):
        i = paddle.zeros([], "int64")
        while i < n:
            x = x * 2
            i = i + 1
            if x.mean() > 4:
                return x
        return x * 3


class BreakInLoop(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(n):
            y = y * 2
            if y.mean() > 4:
                break
        return y * 3


class ContinueInLoop(nn.Layer):
    def forward(self, x, n):
        y = x * 1.0
        for i in range(n):
            if y.mean() > 4:
                continue
            y = y * 2
        return y * 3


class AliasOfItem(nn.Layer):
    def forward(self, x, n):
        items = [x * 1.0, x * 2.0, x * 3.0]
        i = paddle.zeros([], "int64")
        while i < n:
            items[1] = items[2]
            i = i + 1
        return items[0] + items[1]


class ItemFromItself(nn.Layer):
    def forward(self, x, n):
        items = [x * 1.0, x * 2.0]
        i = paddle.zeros([], "int64")
        while i < n:
            items[0] = items[0] * 2.0
            i = i + 1
        return items[0] + items[1]


class ItemFromNew(nn.Layer):
    def forward(self, x, n):
        items = [x * 1.0, x * 2.0]
        for i in range(n):
            items[0] = x * 2.0
            items[1] = items[1] + x
        return items[0] + items[1]


class SliceFromNew(nn.Layer):
    def forward(self, x, n):
        items = [x * 1.0, x * 2.0, x * 3.0]
        for i in range(n):
            items[0:2] = [items[0] * 2.0, items[1] * 3.0]
        return items[0] + items[1]


class AliasOfName(nn.Layer):
    def forward(self, x, n):
        a, b = x * 1.0, x * 2.0
        for i in range(n):
            a = b
        return a + b


class SwapsNames(nn.Layer):
    def forward(self, x, n):
        a, b = x * 1.0, x * 2.0
        for i in range(n):
            a, b = b, a
        return a - b * 2


class AppendInRange(nn.Layer):
    def forward(self, x, n):
        rows = [x]
        for i in range(n):
            rows.append(x * 2)
        return paddle.concat(rows, 0)


class GlobalName(nn.Layer):
    def forward(self, x, n):
        global TOTAL
        y = x * 1.0
        for i in range(n):
            y = y + x
        TOTAL = 1
        return y


class GlobalAndNonlocal(nn.Layer):
    def forward(self, x, n):
        factor = 2.0

        def step(t):
            global TOTAL
            nonlocal factor
            TOTAL = 1
            factor = factor + 1
            return t * factor

        return step(x) * n.astype("float32")


class StartsAsBool(nn.Layer):
    def forward(self, x, n):
        going = True
        while going:
            x = x + 1
            going = x.mean() < 5
        return x * n.astype("float32")


class WhileTrue(nn.Layer):
    def forward(self, x, n):
        i = paddle.zeros([], "int64")
        while True:
            x = x * 2
            i = i + 1
            if i > n:
                break
        return x


class NumberInLoop(nn.Layer):
    def forward(self, x, n):
        scale = 1.0
        for i in range(n):
            scale = scale * 2
        return x * scale


class NumberInWhile(nn.Layer):
    def forward(self, x, n):
        i = 0
        while i < n:
            x = x * 2
            i += 1
        return x


class TensorUsedAsIndex(nn.Layer):
    def forward(self, x, n):
        total = paddle.zeros([4])
        for i in range(n):
            total = total + x[i % 2]
        return total


class LoopOverList(nn.Layer):
    def forward(self, x, n):
        for scale in [1.0, 2.0, 3.0]:
            x = x * scale
        return x * n.astype("float32")


class TypeChanges(nn.Layer):
    def forward(self, x, n):
        total = paddle.zeros([], "int64")
        for i in range(n):
            total = total + 0.5
        return x * total


class ShapeChanges(nn.Layer):
    def forward(self, x, n):
        y = x.mean()
        for i in range(n):
            y = y + x
        return y * 2


class PopInRange(nn.Layer):
    def forward(self, x, n):
        items = [x * 1.0, x * 2.0, x * 3.0, x * 4.0]
        for i in range(n):
            items.pop(0)
        return items[0] * n.astype("float32")
