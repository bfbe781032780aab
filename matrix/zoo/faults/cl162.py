"""Lists that branches append to, and that lose their last element."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.zoo.layers import Converted
from matrix.zoo.registry import SEQUENCE, Family

family = Family("loops")


def _in_a_branch(net: Any, x: Any) -> Any:
    y, rows = net.linear(x), []
    for k in range(x.shape[1]):
        if k >= 1:
            rows.append(y[:, k] * 2.0)
    return paddle.stack(rows, 1)


def _in_both(net: Any, x: Any) -> Any:
    y, rows = net.linear(x), []
    for k in range(x.shape[1]):
        if y[:, k].sum() > 0.0:
            rows.append(y[:, k] * 2.0)
        else:
            rows.append(y[:, k] - 1.0)
    return paddle.stack(rows, 1)


def _behind_the_last(net: Any, x: Any) -> Any:
    y = net.linear(x)
    rows = [y[:, 0]]
    for k in range(1, x.shape[1]):
        if y[:, k].sum() > 0.0:
            rows.append(y[:, k] * 2.0 + rows[-1])
    return paddle.stack(rows, 1)


def _two(net: Any, x: Any) -> Any:
    y = net.linear(x)
    some, others = [x[:, 0]], [y[:, 0]]
    for k in range(x.shape[1]):
        if y[:, k].sum() > 0.0:
            some.append(y[:, k])
        else:
            others.append(y[:, k] * 3.0)
    return paddle.stack(some, 1), paddle.stack(others, 1)


def _without_the_last(net: Any, x: Any) -> Any:
    y, rows = net.linear(x), []
    for k in range(x.shape[1]):
        rows.append(y[:, k])
    last = rows.pop()
    return last, paddle.stack(rows, 1)


# Not lambdas, which Paddle does not convert.
for name, compute in {
    "list_appended_in_a_branch": _in_a_branch,
    "list_appended_in_both_branches": _in_both,
    "list_appended_behind_its_last": _behind_the_last,
    "two_lists_appended_in_branches": _two,
}.items():
    family.layer(name, lambda compute=compute: Converted(compute), SEQUENCE)

# 2.6 saves it as a choice between two lists, of which PIR knows nothing.
family.layer("list_without_its_last", lambda: Converted(_without_the_last), SEQUENCE, since="3.0")
