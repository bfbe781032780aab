"""Products of matrices, and which operand one transposes before it multiplies."""

from __future__ import annotations

from compatload.artifact.model import Operator

PRODUCTS = frozenset({"matmul", "matmul_v2"})
# As PIR's matmul has it, 2.x's matmul_v2, and the matmul before that.
TRANSPOSE_FIRST = ("transpose_x", "trans_x", "transpose_X")
TRANSPOSE_SECOND = ("transpose_y", "trans_y", "transpose_Y")


def transposes_first(product: Operator) -> bool:
    return any(product.attributes.get(name) for name in TRANSPOSE_FIRST)


def transposes_second(product: Operator) -> bool:
    return any(product.attributes.get(name) for name in TRANSPOSE_SECOND)


def transposes_none(product: Operator) -> bool:
    return not (transposes_first(product) or transposes_second(product))
