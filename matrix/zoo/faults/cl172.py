"""What put_along_axis does with the numbers that stand there, as 2.6.1 knows and 2.6.0 does not."""

from __future__ import annotations

import paddle

from matrix.zoo.registry import ROWS, Family

family = Family("put_along_axis")


def _puts(reduce, included):
    def put(rows):
        places = paddle.zeros_like(rows[:1], dtype="int64")
        return paddle.put_along_axis(rows, places, rows[:1] * 0.5, 0, reduce, include_self=included)

    return put


for _reduce in ("add", "amax", "mean"):
    for _included in (True, False):
        _name = f"put_{_reduce}_{'to' if _included else 'in_place_of'}_what_is_there"
        family.op(_name, _puts(_reduce, _included), ROWS, since="2.6.1")
