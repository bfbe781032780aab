"""Row 11: a constant and a changing value share one dict that a Tensor-dependent loop changes."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(3, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(0, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        state = {"double": True, "value": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            state = state
            state["value"] = state["value"] + 1.0
            turn = turn + 1
        if state["double"] is True:
            return state["value"] * 2.0
        return state["value"]


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        settings = {"double": True}
        state = {"value": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            state = state
            state["value"] = state["value"] + 1.0
            turn = turn + 1
        if settings["double"] is True:
            return state["value"] * 2.0
        return state["value"]
