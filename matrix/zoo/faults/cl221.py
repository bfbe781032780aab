"""Attention by slices of one tensor."""

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")


def _attention(net: Any, x: Any) -> Any:
    parts = net.heads(x.flatten(1, 2)).reshape([0, -1, 3, 2, 4]).transpose([2, 0, 3, 1, 4])
    q, k, v = parts[0], parts[1], parts[2]
    scores = F.softmax(paddle.matmul(q * 0.5, k.transpose([0, 1, 3, 2])), -1)
    return paddle.matmul(scores, v).transpose([0, 2, 1, 3])


family.layer("attention_by_slices", lambda: Read(_attention), IMAGE)
