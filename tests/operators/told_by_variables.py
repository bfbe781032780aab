"""Models of which a variable tells what is an attribute elsewhere; run in a Paddle.

python told_by_variables.py attributes       operator → attributes, as JSON
python told_by_variables.py save FOLDER      (2.6.2)
python told_by_variables.py load FOLDER      prints ``ok NAME`` for each that is right
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
VALUES = np.linspace(-1, 1, 12, dtype="float32").reshape(3, 4)


def one():
    """1, in an axis of its own."""
    return paddle.full([1], 1, "int32")


def number(value):
    return paddle.full([], value, "int32")


def image(x):
    return x.reshape([1, 1, 3, 4])


def unpooled(x):
    pooled, places = F.max_pool2d(image(x)[:, :, :2, :], 2, return_mask=True)
    return F.max_unpool2d(pooled, places, 2, output_size=[1, 1, number(2), number(4)])


NETWORKS = {
    "squeeze": lambda x: paddle.squeeze(x.unsqueeze(1), axis=one()),
    "sum": lambda x: paddle.sum(x, axis=one()),
    "mean": lambda x: paddle.mean(x, axis=one()),
    "max": lambda x: paddle.max(x, axis=one()),
    "min": lambda x: paddle.min(x, axis=one()),
    "prod": lambda x: paddle.prod(x, axis=one()),
    "argmax": lambda x: paddle.argmax(x, axis=number(1)),
    "argmin": lambda x: paddle.argmin(x, axis=number(1)),
    "cumsum": lambda x: paddle.cumsum(x, axis=number(1)),
    "dropout": lambda x: F.dropout(x, p=paddle.full([1], 0.5), training=False),
    "full_like": lambda x: paddle.full_like(x, paddle.full([1], 2.0)),
    "pool": lambda x: F.adaptive_avg_pool2d(image(x), output_size=[number(2), number(2)]),
    "convolution": lambda x: F.conv2d_transpose(
        image(x), paddle.ones([1, 1, 3, 3]), output_size=[number(5), number(6)]
    ),
    "unpool": unpooled,
}


class Network(nn.Layer):
    def __init__(self, name):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.end = NETWORKS[name]

    def forward(self, x):
        return self.end(self.linear(x))


def attributes():
    protos = paddle.base.framework.OpProtoHolder.instance().op_proto_map
    told = {
        name: [one.name for one in proto.attrs if one.support_tensor]
        for name, proto in protos.items()
    }
    print(json.dumps({name: names for name, names in told.items() if names}))


def save(folder):
    paddle.seed(0)
    for name in NETWORKS:
        network = Network(name)
        network.eval()
        np.save(f"{folder}/{name}.npy", network(paddle.to_tensor(VALUES)).numpy())
        spec = paddle.static.InputSpec([None, 4], "float32", "x")
        paddle.jit.save(network, f"{folder}/{name}", input_spec=[spec])


def load(folder):
    from compatload import safe_load

    for name in NETWORKS:
        expected = np.load(f"{folder}/{name}.npy")
        for asked in ({}, {"inference_only": True}):
            model = safe_load(f"{folder}/{name}", **asked)
            model.eval()
            for _ in range(2):
                found = model(paddle.to_tensor(VALUES)).numpy()
                np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5, err_msg=name)
        print(f"ok {name}")


if __name__ == "__main__":
    {"attributes": attributes, "save": save, "load": load}[sys.argv[1]](*sys.argv[2:])
