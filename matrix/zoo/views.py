"""Values in the memory of others, which are overwritten with them (CL119, CL232)."""

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("views")
family.op("detached_and_relu", lambda x: ((y := x * 2.0).detach(), F.relu(y)), ROWS)
family.op(
    "unsqueezed_product_and_cosine",
    lambda x: (paddle.unsqueeze(y := paddle.matmul(x, x, transpose_y=True), 1), paddle.cos(y)),
    ROWS,
)
