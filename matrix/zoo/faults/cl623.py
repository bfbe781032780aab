"""A batch of one, of which fewer axes stretch the third."""

from __future__ import annotations

from typing import Any

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")


class _Modes(nn.Layer):
    """Channels, each with a table of modes for every other one."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.table = self.create_parameter([4, 5, 6])

    def forward(self, x: Any) -> Any:
        return (self.linear(x).unsqueeze(2) * self.table).sum(1)


family.layer("modes_of_one", _Modes, Input((None, 4, 6)), shapes=(((1, 4, 6),), ((2, 4, 6),)))
