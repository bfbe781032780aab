"""A fully connected layer times two numbers, and what differs by little."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("fusion")


def _layer_doubled_and_tripled(y):
    return y * 2.0 * 3.0


def _layer_doubled_and_divided(y):
    return y * 2.0 / 8.0


def _layer_doubled_and_negated(y):
    return -(y * 2.0)


def _layer_relu_doubled_and_tripled(y):
    return F.relu(y) * 2.0 * 3.0


def _layer_doubled_increased_tripled(y):
    return (y * 2.0 + 1.0) * 3.0


for one in (_layer_doubled_and_tripled, _layer_doubled_and_divided, _layer_doubled_and_negated):
    computed(family, one, layer=True)
for one in (_layer_relu_doubled_and_tripled, _layer_doubled_increased_tripled):
    computed(family, one, layer=True)
