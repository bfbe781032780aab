"""A product that is rounded: oneDNN takes halves elsewhere (CL244, CL252), where some are fed."""

import paddle

from matrix.network import Input
from matrix.zoo.layers import Read
from matrix.zoo.registry import Family

family = Family("onednn")
_ROWS = Input((None, 4, 6, 6))

for name, factor in {"product_rounded": 4.0, "product_by_vector_rounded": 1.0}.items():
    family.layer(
        name,
        lambda factor=factor: Read(
            lambda net, x: paddle.round(paddle.matmul(x, net.linear.bias) * factor)
        ),
        _ROWS,
    )
