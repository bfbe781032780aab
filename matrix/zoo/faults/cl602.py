"""Sums of another type than what they add."""

from __future__ import annotations

import paddle

from matrix.zoo.registry import WIDE, Family

family = Family("onednn")
family.op("added_as_whole", lambda x: paddle.sum(x * 3.0, dtype="int64"), WIDE)
family.op("added_as_whole_to_the_end", lambda x: paddle.sum(x * 3.0, -1, dtype="int32"), WIDE)
family.op("added_in_double", lambda x: paddle.nansum(x * 3.0, dtype="float64", keepdim=True), WIDE)
