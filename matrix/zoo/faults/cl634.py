"""Squeezed by axes that are not one, or by none, and turned; and as passes have them."""

from __future__ import annotations

import paddle

from matrix.network import Input
from matrix.zoo.layers import Forked
from matrix.zoo.registry import Family

family = Family("onednn")
for name, axes, perm, sizes in (
    ("by_three", 1, [0, 2, 1], (2, 3, 4)),
    ("by_two_of_which_one", [1, 2], [1, 0, 2], (2, 3, 1, 4)),
    ("by_none", None, [1, 0], (1, 3, 4)),
    ("by_one", 1, [1, 0], (2, 1, 4)),
):

    def _turned(net, x, axes=axes, perm=perm):
        return paddle.transpose(paddle.squeeze(x, axes), perm) * net.linear.weight[0, 0]

    family.layer(f"squeezed_{name}_and_turned", lambda turned=_turned: Forked(turned), Input(sizes))
