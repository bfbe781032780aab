"""Fully connected layers of static programs, which are ``mul``; eagerly the product of matrices."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("mul")


class Layered(nn.Layer):
    """Of the axes behind those that are kept."""

    def __init__(self, kept: int, size: int) -> None:
        super().__init__()
        self.kept = kept
        self.matrix = self.create_parameter([size, 3])

    def forward(self, x: Any) -> Any:
        if paddle.in_dynamic_mode():
            return paddle.matmul(x.flatten(self.kept), self.matrix)
        helper = paddle.base.layer_helper.LayerHelper("mul")
        result = helper.create_variable_for_type_inference("float32")
        helper.append_op(
            type="mul",
            inputs={"X": [x], "Y": [self.matrix]},
            outputs={"Out": [result]},
            attrs={"x_num_col_dims": self.kept, "y_num_col_dims": 1},
        )
        return result * 1.0


for _name, _shape, _kept, _size in (
    ("rows_of_any_length", (None, None, 4), 2, 4),
    ("planes_of_any_length", (None, 2, None, 4), 3, 4),
    ("flattened_rows_of_any_length", (None, None, 3, 4), 2, 12),
    ("rows_of_known_length", (None, 5, 4), 2, 4),
):
    family.layer(
        f"layered_{_name}",
        lambda kept=_kept, size=_size: Layered(kept, size),
        Input(_shape),
        savers=("2.6.0", "2.6.1", "2.6.2"),
    )
