"""Padding with channels last."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, SEQUENCE, Family

family = Family("onednn")
family.op("pad_channels_last", lambda x: F.pad(x, [1, 1, 2, 0], data_format="NHWC") * 2.0, IMAGE)
family.op("pad_line_channels_last", lambda x: F.pad(x, [1, 2], data_format="NLC") * 2.0, SEQUENCE)
