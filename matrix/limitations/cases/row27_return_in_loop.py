"""Row 27: return inside of a loop on a Tensor."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(3, "int64")),
    (np.full((2, 4), -1.5, "float32"), np.array(2, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        y = x * 1.0
        for _ in range(count):
            y = y * 2.0
            if y.mean() > 4:
                return y
        return y * 3.0


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        y = x * 1.0
        for _ in range(count):
            y = y * 2.0
            if y.mean() > 4:
                break
        return paddle.where(y.mean() > 4, y, y * 3.0)


class SaidPython(paddle.nn.Layer):
    """A loop over numbers, of which the program has every turn."""

    def forward(self, x, count):
        for scale in (1.0, 2.0, 3.0):
            if scale > 2:
                return x * scale * count.astype("float32")
        return x


class RecommendedPython(paddle.nn.Layer):
    def forward(self, x, count):
        result = x
        for scale in (1.0, 2.0, 3.0):
            if scale > 2:
                result = x * scale * count.astype("float32")
                break
        return result
