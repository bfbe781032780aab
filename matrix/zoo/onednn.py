"""What oneDNN's convolutions lose, and what its operators refuse or misread."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, SEQUENCE, Family

family = Family("onednn")


class Chain(nn.Layer):
    """A convolution and what follows it."""

    def __init__(self, *after: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 3, padding=1, bias_attr=False)
        self.after = nn.Sequential(*after)

    def forward(self, x: Any) -> Any:
        return self.after(self.convolution(x))


# CL223
family.layer("plain_convolution_gelu_relu", lambda: Chain(nn.GELU(), nn.ReLU()), IMAGE)
family.layer(
    "convolution_norm_relu_sigmoid",
    lambda: Chain(nn.BatchNorm2D(4), nn.ReLU(), nn.Sigmoid()),
    IMAGE,
)
# CL224 and CL225
family.op("empty_slice", lambda x: paddle.concat([x[:, 0:0], F.relu(x)], axis=1), IMAGE)
# CL226
family.op("pad_channels_last", lambda x: F.pad(x, [1, 1, 2, 0], data_format="NHWC") * 2.0, IMAGE)
family.op("pad_line_channels_last", lambda x: F.pad(x, [1, 2], data_format="NLC") * 2.0, SEQUENCE)


class Added(nn.Layer):
    """A convolution without a bias, and a number or a row that is added to it."""

    def __init__(self, filters: int, *shape: int) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, filters, 3, padding=1, bias_attr=False)
        self.added = self.create_parameter([*shape])

    def forward(self, x: Any) -> Any:
        return self.convolution(x) + self.added


# CL230
family.layer("plain_convolution_plus_row", lambda: Added(6, 6), IMAGE)
family.layer("plain_convolution_plus_column", lambda: Added(6, 1, 6, 1), IMAGE)
family.layer("plain_convolution_plus_wider_row", lambda: Added(4, 6), IMAGE)
family.layer("plain_convolution_plus_number", lambda: Added(4, 1), IMAGE)
