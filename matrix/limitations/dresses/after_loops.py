"""Layers with a loop that an input counts, written after the rules. Second half."""

# ruff: noqa: B007 - as people write them

import numpy as np
import paddle
from paddle import nn

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(2, "int64")),
    (np.full((2, 4), -1.5, "float32"), np.array(0, "int64")),
    (np.full((2, 4), 0.5, "float32"), np.array(3, "int64")),
]


class KeepsBest(nn.Layer):
    def forward(self, x, steps):
        best = None
        step = paddle.zeros([], "int64")
        while step < steps:
            score = x.sum() * step.astype("float32")
            if best is None:
                best = score
            best = paddle.maximum(best, score)
            step = step + 1
        return x * 2 if best is None else x * best


class MovesItems(nn.Layer):
    def forward(self, x, steps):
        window = [x * 1.0, x * 2.0, x * 3.0]
        for _ in range(steps):
            window[0] = window[1]
            window[1] = window[2]
            window[2] = window[0] + x
        return window[0] + window[2]


class MovesNames(nn.Layer):
    def forward(self, x, steps):
        a, b = x * 1.0, x * 2.0
        for _ in range(steps):
            a, b = b, a + b
        return a * 2 + b


class UnboundedLoop(nn.Layer):
    def forward(self, x, steps):
        done = paddle.zeros([], "int64")
        while True:
            if done >= steps:
                break
            x = x * 2
            done = done + 1
        return x


class FlagLoop(nn.Layer):
    def forward(self, x, steps):
        busy = True
        turn = paddle.zeros([], "int64")
        while busy:
            x = x * 2
            turn = turn + 1
            busy = turn < steps
        return x


class ReturnFound(nn.Layer):
    def forward(self, x, steps):
        for turn in range(steps):
            x = x + 1
            if x.max() > 2:
                return x * 2
        return x * 3


class ReturnNested(nn.Layer):
    def forward(self, x, steps):
        for scale in (1.0, 2.0, 3.0):
            if scale > 2:
                return x * scale * steps.astype("float32")
        return x


class StoresByStep(nn.Layer):
    def forward(self, x, steps):
        seen = {"last": x * 1.0}
        for _ in range(steps):
            seen["sum"] = x * 2
        return seen["last"]


class ChangesKey(nn.Layer):
    def forward(self, x, steps):
        seen = {"last": x * 1.0}
        for _ in range(steps):
            seen["last"] = seen["last"] * 2
        return seen["last"]


class AppendsPairs(nn.Layer):
    def forward(self, x, steps):
        pairs = []
        for _ in range(steps):
            pairs.append([x, x * 2])
        return x * steps.astype("float32")


class InsertsItems(nn.Layer):
    def forward(self, x, steps):
        rows = [x]
        for _ in range(steps):
            rows.insert(0, x * 2)
        return paddle.concat(rows, 0)


class ExtendsList(nn.Layer):
    def forward(self, x, steps):
        rows = [x]
        for _ in range(steps):
            rows.extend([x * 2])
        return paddle.concat(rows, 0)


class GrowsTensor(nn.Layer):
    def forward(self, x, steps):
        y = x * 1.0
        for _ in range(steps):
            y = paddle.concat([y, x], axis=0)
        return y * 2


class CountsInt(nn.Layer):
    def forward(self, x, steps):
        total = 0
        for turn in range(steps):
            total = total + turn
        return x * total


class TypeOfCount(nn.Layer):
    def forward(self, x, steps):
        total = 0
        for turn in range(steps):
            total += 1
        if isinstance(total, (int, float)):
            return x * 2 * steps.astype("float32")
        return x * 3 * steps.astype("float32")


class DeletesLast(nn.Layer):
    def forward(self, x, steps):
        items = [x * 1.0, x * 2.0, x * 3.0, x * 4.0, x * 5.0]
        for _ in range(steps):
            del items[-1]
        return items[-1] * steps.astype("float32")


class InnerPython(nn.Layer):
    def forward(self, x, steps):
        for _ in range(steps):
            for scale in (1.0, 2.0):
                x = x * scale
        return x


class RangeWithStep(nn.Layer):
    def forward(self, x, steps):
        for turn in range(0, steps, 2):
            x = x * 2
        return x


class LoopElse(nn.Layer):
    def forward(self, x, steps):
        for _ in range(steps):
            x = x * 2
        else:
            x = x * 3
        return x


class AliasRead(nn.Layer):
    def forward(self, x, steps):
        total = x
        for _ in range(steps):
            total = total * 2.0 + x
        return total
