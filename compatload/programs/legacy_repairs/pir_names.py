"""What operators of legacy programs of 3.x are called in PIR: data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from compatload.frozen import frozen


@frozen
class PirName:
    """``bare``: without a dialect (``""``: that of the legacy operator). Slots are in the order of
    PIR's operands and results: those of the registry unless given. ``renamed``: PIR's attributes
    that legacy programs call otherwise."""

    bare: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


_INTERPOLATED = {"data_format": "data_layout"}
# What 2.6 has, and reads otherwise than 3.x.
READ_OTHERWISE: Mapping[str, PirName] = {
    **{
        f"{name}_interp_v2": PirName(f"{name}_interp", renamed=_INTERPOLATED)
        for name in ("bicubic", "bilinear", "linear", "nearest", "trilinear")
    },
    "argsort": PirName(),
    "gather": PirName(),
    "gather_grad": PirName("", ("X", "Index", "Out@GRAD"), ("X@GRAD",)),
    "gather_nd": PirName(),
    "gather_nd_grad": PirName("", ("X", "Index", "Out@GRAD"), ("X@GRAD",)),
    "index_add": PirName(),
    "index_select": PirName(renamed={"axis": "dim"}),
    "index_select_grad": PirName("", ("X", "Index", "Out@GRAD"), ("X@GRAD",), {"axis": "dim"}),
    "lu": PirName(renamed={"pivot": "pivots"}),
    "matrix_rank": PirName(),
    "p_norm": PirName(),
    "put_along_axis": PirName(),
    "scatter": PirName(),
    "scatter_nd_add": PirName(),
    "take_along_axis": PirName(),
    "take_along_axis_grad": PirName("", ("Input", "Index", "Result@GRAD"), ("Input@GRAD",)),
    "trace": PirName(),
}
# What 2.6 has not got.
YOUNGER = frozenset(
    {
        *("baddbmm", "bitwise_left_shift", "bitwise_right_shift", "copysign", "gammaincc"),
        *("gammaln", "linear_v2", "lp_pool2d", "masked_fill", "median", "nansum", "range_v2"),
        *("reduce_as", "rint", "shape64", "slogdet_v2", "std", "svdvals", "swiglu"),
        *("trunc_divide", "var", "variance"),
    }
)


# Whose attributes of 3.x 2.6 does not know, and passes over.
WITH_ATTRIBUTES = ("histogram", "kldiv_loss", "round", "thresholded_relu")


def pir_name(type_: str) -> PirName:
    return READ_OTHERWISE.get(type_, PirName())
