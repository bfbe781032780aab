"""Quantisers of weights, each of which keeps its scale."""

from typing import Any

from paddle import nn
from paddle.nn.quant.quant_layers import FakeQuantAbsMax, FakeQuantChannelWiseAbsMax

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("quantised")
# Of releases that trace these layers: those of 3.x say that an operator wants no value of PIR.
SAVERS = ("2.6.2",)


class _Rounded(nn.Layer):
    def __init__(self, quantiser: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)
        self.quantiser = quantiser

    def forward(self, x: Any) -> Any:
        return x @ self.quantiser(self.linear.weight) + self.linear.bias


family.layer(
    "weight_rounded",
    lambda: _Rounded(FakeQuantAbsMax(quant_on_weight=True)),
    Input((2, 4)),
    savers=SAVERS,
)
family.layer(
    "weight_rounded_by_channel",
    lambda: _Rounded(FakeQuantChannelWiseAbsMax(channel_num=3, quant_axis=1, quant_on_weight=True)),
    Input((2, 4)),
    savers=SAVERS,
)
