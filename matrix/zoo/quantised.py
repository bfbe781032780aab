"""Models trained for few bits, and messages between the nodes of a graph."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)
from paddle.quantization import QAT, QuantConfig
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver

from matrix.network import Input
from matrix.zoo.registry import IMAGE, Family

family = Family("quantised")


class _Small(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 3, padding=1)
        self.linear = nn.Linear(4, 5)

    def forward(self, x: Any) -> Any:
        return self.linear(F.relu(self.convolution(x)).mean([2, 3]))


def _trained_for_few_bits() -> Any:
    quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    layer = QAT(QuantConfig(activation=quanter, weight=quanter)).quantize(_Small())
    layer.train()
    for _ in range(3):
        layer(paddle.randn([2, 3, 6, 6]))
    return layer


EDGES = Input((2, 5), "int64", 0, 6)
SIX_ROWS = Input((6, 6))

# Filled weights would have no scales of theirs.
family.layer("trained_for_few_bits", _trained_for_few_bits, IMAGE, seeded=False)
family.op(
    "messages_summed",
    lambda x, e: paddle.geometric.send_u_recv(x, e[0], e[1], "sum"),
    SIX_ROWS,
    EDGES,
)
family.op(
    "messages_of_both",
    lambda x, e: paddle.geometric.send_uv(x, x, e[0], e[1], "add"),
    SIX_ROWS,
    EDGES,
)
