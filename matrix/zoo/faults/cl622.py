"""Matrix products whose batches only a run tells."""

from __future__ import annotations

from typing import Any

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("products")
WORDS = Input((None, None, 6))


class _Labels(nn.Layer):
    """Scores of pairs of words, for three labels."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = self.create_parameter([3, 6, 6])

    def forward(self, x: Any) -> Any:
        pairs = x.unsqueeze(1) @ self.tables
        return pairs.matmul(x.unsqueeze(1), transpose_y=True)


class _Batches(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Any, y: Any) -> Any:
        return self.linear(x) @ y


family.layer("labels_of_pairs", _Labels, WORDS, shapes=(((2, 4, 6),), ((1, 5, 6),)))
family.layer(
    "batch_by_one",
    _Batches,
    WORDS,
    Input((None, 6, None)),
    shapes=(((2, 3, 6), (1, 6, 5)), ((3, 5, 6), (1, 6, 4))),
)
