"""Products of small matrices one after the other, some of them either way."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("algebra")
_STEPS = [[(6, 2)]]


class State(nn.Layer):
    """The matrices of a linear system, and a function of them and of what is measured."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.moves = self.create_parameter([4, 4])
        self.seen = self.create_parameter([2, 4])
        self.start = self.create_parameter([4, 4])
        self.noise = self.create_parameter([2, 2])
        self.compute = paddle.jit.not_to_static(compute)

    def spread(self, z: Any) -> Any:
        return self.start * z[0, 0]

    def forward(self, z: Any) -> Any:
        return self.compute(self, z)


def _kalman(net: State, z: Any) -> Any:
    state, spread, states = paddle.zeros([4, 1]), net.start, []
    for step in range(3):
        state = paddle.matmul(net.moves, state)
        spread = net.moves @ paddle.matmul(spread, net.moves, transpose_y=True)
        missed = paddle.reshape(z[step], [2, 1]) - net.seen @ state
        across = paddle.matmul(spread, net.seen, transpose_y=True)
        total = net.seen @ across + net.noise + paddle.eye(2) * 3.0
        gain = across @ paddle.inverse(total)
        state = state + gain @ missed
        spread = (paddle.eye(4) - gain @ net.seen) @ spread
        states.append(paddle.reshape(state, [4]))
    return paddle.stack(states)


def _both_ways(net: State, z: Any) -> Any:
    spread = net.spread(z)
    across = paddle.matmul(spread, net.seen, transpose_y=True)
    total = paddle.matmul(paddle.matmul(net.seen, spread), net.seen, transpose_y=True)
    return paddle.matmul(across, total)


def _commutator(first: Any, second: Any) -> Any:
    return first @ second - second @ first


for name, compute in {
    "kalman": _kalman,
    "products_both_ways": _both_ways,
    "weight_both_ways": lambda net, z: _commutator(net.moves, net.spread(z)),
    "computed_both_ways": lambda net, z: _commutator(net.spread(z), net.start + z[0, 1]),
    "products_one_way": lambda net, z: net.moves @ net.spread(z) @ net.start,
}.items():
    family.layer(name, lambda compute=compute: State(compute), Input((6, 2)), shapes=_STEPS)
