"""Matrix products of whole numbers."""

from __future__ import annotations

import paddle

from matrix.zoo.registry import WIDE, Family

family = Family("algebra")
family.op(
    "outer_product_of_whole_numbers",
    lambda x: paddle.outer(*[paddle.cast(part * 4.0, "int64") for part in (x[0, :3], x[0, 3:])]),
    WIDE,
)
family.op(
    "product_of_whole_numbers",
    lambda x: paddle.matmul(
        paddle.cast(x * 4.0, "int32"), paddle.cast(x * 3.0, "int32"), transpose_y=True
    ),
    WIDE,
    since="3.0",
)
