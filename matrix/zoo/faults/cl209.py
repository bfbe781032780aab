"""Two activations after a fully connected layer, and after a convolution."""

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, ROWS, Family, convolution, linear

family = Family("fusion")
CHAINS = {
    "abs_sqrt": lambda x: paddle.sqrt(paddle.abs(x)),
    "gelu_relu": lambda x: F.relu(F.gelu(x)),
    "leaky_relu_tanh": lambda x: paddle.tanh(F.leaky_relu(x, 0.1)),
    "hardsigmoid_relu": lambda x: F.relu(F.hardsigmoid(x)),
    "gelu_hardsigmoid": lambda x: F.hardsigmoid(F.gelu(x)),
}
for name, chain in CHAINS.items():
    family.op(f"linear_{name}", chain, ROWS, before=linear)
family.op("convolution_gelu_relu", CHAINS["gelu_relu"], IMAGE, before=convolution)
# A dropout that does nothing is gone before anything is fused.
family.op(
    "linear_gelu_dropped_relu",
    lambda x: F.relu(F.dropout(F.gelu(x), 0.1, training=False)),
    ROWS,
    before=linear,
)
