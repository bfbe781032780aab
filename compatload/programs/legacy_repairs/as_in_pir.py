"""Operators of programs that 3.x saved, written for 2.6 as those of a PIR program are (CL138)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from compatload.frozen import frozen
from compatload.programs.legacy_repairs.program import LegacyProgram

RULE = "CL138"
_WRITTEN_SINCE = 3_000_000


@frozen
class Kind:
    """What a legacy operator is in PIR, ``pir`` by its bare name (``""``: the same). Slots are in
    the order of PIR's operands and results: those of the registry unless given. ``renamed``: PIR's
    attributes that legacy programs call otherwise."""

    pir: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict)


_INTERPOLATED = {"data_format": "data_layout"}
# What 2.6 has, and reads otherwise than 3.x.
_KINDS: Mapping[str, Kind] = {
    **{
        f"{name}_interp_v2": Kind(f"{name}_interp", renamed=_INTERPOLATED)
        for name in ("bicubic", "bilinear", "linear", "nearest", "trilinear")
    },
    "gather": Kind(),
    "gather_grad": Kind("", ("X", "Index", "Out@GRAD"), ("X@GRAD",)),
    "gather_nd": Kind(),
    "gather_nd_grad": Kind("", ("X", "Index", "Out@GRAD"), ("X@GRAD",)),
    "index_add": Kind(),
    "index_select": Kind(renamed={"axis": "dim"}),
    "index_select_grad": Kind("", ("X", "Index", "Out@GRAD"), ("X@GRAD",), {"axis": "dim"}),
    "lu": Kind(renamed={"pivot": "pivots"}),
    "matrix_rank": Kind(),
    "p_norm": Kind(),
    "put_along_axis": Kind(),
    "scatter": Kind(),
    "scatter_nd_add": Kind(),
    "take_along_axis": Kind(),
    "take_along_axis_grad": Kind("", ("Input", "Index", "Result@GRAD"), ("Input@GRAD",)),
    "trace": Kind(),
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


def _written(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    if program.desc.version.version < _WRITTEN_SINCE:
        return None
    # The converter of PIR programs, which few loads of a legacy one need: 12 ms.
    from compatload.programs.legacy_repairs.pir_operation import written

    steps = written(program, block, operator, _KINDS.get(operator.type, Kind()))
    if steps is not None:
        program.record(RULE, f"{operator.type} is written as 2.6 reads it", position)
    return steps


REPAIRS = dict.fromkeys((*_KINDS, *YOUNGER), _written)
