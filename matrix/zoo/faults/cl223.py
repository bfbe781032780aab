"""Two activations after a convolution."""

from typing import Any

from paddle import nn

from matrix.zoo.registry import IMAGE, Family

family = Family("onednn")


class Chain(nn.Layer):
    """A convolution and what follows it."""

    def __init__(self, *after: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 3, padding=1, bias_attr=False)
        self.after = nn.Sequential(*after)

    def forward(self, x: Any) -> Any:
        return self.after(self.convolution(x))


family.layer("plain_convolution_gelu_relu", lambda: Chain(nn.GELU(), nn.ReLU()), IMAGE)
family.layer(
    "convolution_norm_relu_sigmoid",
    lambda: Chain(nn.BatchNorm2D(4), nn.ReLU(), nn.Sigmoid()),
    IMAGE,
)
family.layer(
    "convolution_hardswish_dropped_sigmoid",
    lambda: Chain(nn.Hardswish(), nn.Dropout(0.1), nn.Sigmoid()),
    IMAGE,
)
