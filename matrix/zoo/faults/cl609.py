"""Slices that begin before what they are taken of, and such as do not."""

from __future__ import annotations

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, SEQUENCE, Family

family = Family("onednn")
for name, compute, given in (
    ("last_of_few", lambda net, x: net.linear(x)[:, -8:], ROWS),
    ("last_of_few_in_the_middle", lambda net, x: net.linear(x)[:, -9:-4], ROWS),
    ("last_of_few_of_first", lambda net, x: net.linear(x)[:, 0, -8:], SEQUENCE),
    ("last_of_enough", lambda net, x: net.linear(x)[:, -3:], ROWS),
):
    family.layer(name, lambda compute=compute: Forked(compute), given)
