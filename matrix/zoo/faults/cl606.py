"""Splits with a section of the rest."""

from __future__ import annotations

import paddle

from matrix.zoo.registry import WIDE, Family

family = Family("onednn")
family.op("rest_in_the_middle", lambda x: paddle.split(x * 2.0, [1, -1, 2], axis=1), WIDE)
family.op("rest_at_the_end", lambda x: paddle.split(x * 2.0, [1, -1], axis=1), WIDE)
