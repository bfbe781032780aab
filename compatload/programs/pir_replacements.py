"""What stands in for a PIR operator in a release that does not have it.

Each replacement writes only operators that every 3.x release has, with the same operands and
attributes in all of them (``tests/programs/test_pir_replacements.py`` holds them against the
registries). Where the target's own API wrote the operation out before the operator existed, the
result is the same in value, not always in form: 3.0's ``median`` gave NaN for infinite inputs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Callable

from compatload.faults.cl126_rounded_halves_pir import AWAY_FROM_ZERO, ROUNDINGS
from compatload.faults.cl127_younger_kernels import WIDENED
from compatload.faults.cl142_mended_in_3_1 import NEAR, RANK
from compatload.faults.cl143_mended_in_3_1_pir import EQUALITIES
from compatload.frozen import frozen
from compatload.operators.registry import OperatorTable, PirOperator, pir_version_of
from compatload.programs.pir_graph import (
    BOOL,
    INT32,
    INT64,
    NotExpressibleError,
    ProgramValues,
    Tensor,
    Writer,
)

# The version of files from which on ``equal_all`` takes a first operand of fewer axes.
_OF_ANY_RANK = 4
_COMPARED = frozenset({"0.t_f32", "0.t_f64"})
_FALSE: tuple[str, Any] = ("0.a_bool", False)
_TRUE: tuple[str, Any] = ("0.a_bool", True)


@frozen
class Replacement:
    """``operators`` stand where the one operator stood; ``what`` says so in words."""

    operators: Sequence[dict[str, Any]]
    what: str


class Replacements:
    """Replaces operators of one program for one release; types of values are read when needed."""

    def __init__(
        self, read: Callable[[], ProgramValues], table: OperatorTable[PirOperator], written: int
    ) -> None:
        """``written``: the version of the file."""
        self._read = read
        self._table = table
        self._values: ProgramValues | None = None
        self._changed = _replaced(written, pir_version_of(table.release))

    def changes(self, name: str) -> bool:
        """Whether the release has the operator, and computes something else by it."""
        return name in self._changed

    def replace(self, name: str, operator: Mapping[str, Any]) -> Replacement | str:
        """The operators to write instead, or why there are none."""
        release = self._table.release
        missing = f"Paddle {release} has no such operator"
        if name in self._table:
            known = self._table[name]
            missing = (
                f"Paddle {release} knows it with {len(known.operands)} operands and "
                f"{len(known.results)} results, the file has {len(operator['I'])} and "
                f"{len(operator['O'])}"
            )
        if not name.startswith("pd_op."):
            return missing
        replacement = self._changed.get(name)
        if replacement is not None:
            missing = f"Paddle {release} computes it otherwise"
        else:
            replacement = self._renamed(name, operator) or REPLACEMENTS.get(_base(name))
        if replacement is None:
            return missing
        if self._values is None:
            self._values = self._read()
        writer = Writer(self._values, operator)
        try:
            replacement(writer)
        except NotExpressibleError as error:
            return f"{missing}, and {error}"
        written = ", ".join(item["#"].partition(".")[2] for item in writer.operators)
        return Replacement(tuple(writer.operators), f"written as {written}")

    def _renamed(self, name: str, operator: Mapping[str, Any]) -> Callable[[Writer], None] | None:
        counts = len(operator["I"]), len(operator["O"])
        for other in (_base(name), *RENAMED.get(name, ())):
            known = self._table.get(other)
            if known is not None and (len(known.operands), len(known.results)) == counts:
                return partial(Writer.keep, name=other.partition(".")[2])
        return None


def _base(name: str) -> str:
    """In-place operators (a trailing underscore) compute what the others do."""
    return name[:-1] if name.endswith("_") else name


# Names under which another release has the very same operator. 3.3.0 took the name rms_norm from
# the fused operator, 3.3.1 gave it to a new one with other operands.
RENAMED: Mapping[str, tuple[str, ...]] = {
    "pd_op.rms_norm": ("pd_op.fused_rms_norm_quant",),
    "pd_op.fused_rms_norm_quant": ("pd_op.rms_norm",),
}


def _masked_fill(w: Writer) -> None:
    x, mask, value = w.operands
    result = w.result(0)
    wide = result.element
    if wide not in _OF_EVERY_KERNEL:  # 3.0 has where, full_like, add or shape not for each of them
        wide = _WIDE[result.floating]
    out = result.with_element(wide)
    mask = w.cast(mask, BOOL)
    x, value = w.cast(x, wide), w.cast(value, wide)
    if -1 in out.dims or any(w.values.tensor(item).dims != out.dims for item in w.operands):
        x, mask, value = _broadcast(w, out, x, mask, value)
    if out == result:
        w.emit("where", [mask, value, x], out, into=0)
    else:
        w.cast(w.emit("where", [mask, value, x], out), result.element, into=0)


def _broadcast(w: Writer, out: Tensor, *operands: int) -> list[int]:
    """Operands in the shape of ``out``; where that is known only at run time, it is taken from a
    sum of zeros (not of the operands: infinite ones would give NaN)."""
    if -1 not in out.dims:
        return [
            item
            if w.values.tensor(item).dims == out.dims
            else w.emit(
                "expand",
                [item, w.integers(out.dims)],
                out.with_element(w.values.tensor(item).element),
            )
            for item in operands
        ]
    zeros = [w.cast(w.filled_like(item, 0), out.element) for item in operands]
    total = zeros[0]
    for item in zeros[1:]:
        total = w.emit("add", [total, item], out)
    shape = w.emit("shape64", [total], Tensor(INT64, (len(out.dims),)))
    return [
        w.emit("expand", [item, shape], out.with_element(w.values.tensor(item).element))
        for item in operands
    ]


def _trunc_divide(w: Writer) -> None:
    x, y = w.operands
    out = w.result(0)
    if not out.floating:
        # The integer kernel divides as C++ does: towards zero.
        w.emit("divide", [x, y], out, into=0)
        return
    w.emit("trunc", [w.emit("divide", [x, y], out)], out, into=0)


def _slogdet_pair(w: Writer) -> None:
    """A slice of each, whose first axis a sum takes off: oneDNN's slice leaves it on a number."""
    (x,) = w.operands
    sign, logdet = w.result(0), w.result(1)
    pair = w.emit("slogdet", [x], Tensor(sign.element, (2, *sign.dims)))
    for index, result in enumerate((sign, logdet)):
        kept = Tensor(result.element, (1, *result.dims))
        one = w.sliced(pair, [0], (index, index + 1), kept)
        w.summed(one, 0, result, into=index)


def _median(w: Writer) -> None:
    """nanmedian, which takes the same attributes, and NaN where the input has any."""
    (x,) = w.operands
    tensor, out = w.values.tensor(x), w.result(0)
    if not tensor.floating:
        w.keep("nanmedian")
        return
    rank = len(tensor.dims)
    axes = [axis % rank if rank else 0 for axis in w.attribute("axis")] or list(range(rank))
    middle = w.values.new(out)
    first = {"%": middle, "TT": out.as_json()}
    w.keep("nanmedian", O=[first, *w.original["O"][1:]])
    nans = w.emit("isnan", [x], tensor.with_element(BOOL))
    attributes = [
        ("axis", "0.a_array", [{"#": "0.a_i64", "D": axis} for axis in axes]),
        ("keepdim", "0.a_bool", w.attribute("keepdim")),
    ]
    found = w.emit("any", [nans], out.with_element(BOOL), attributes)
    w.emit("where", [found, w.filled_like(middle, math.nan), middle], out, into=0)


def _linear(w: Writer) -> None:
    x, weight, bias = w.operands
    out = w.result(0)
    attributes = [
        ("transpose_x", *_FALSE),
        ("transpose_y", "0.a_bool", w.attribute("transpose_weight")),
    ]
    w.emit("add", [w.emit("matmul", [x, weight], out, attributes), bias], out, into=0)


def _rms_norm(w: Writer) -> None:
    """x / sqrt(mean(x²) + epsilon) · scale, computed in float32 for half precision."""
    if len(w.operands) != 2:
        raise NotExpressibleError("it is not the operator that 3.3.1 has under this name")
    x, scale = w.operands
    tensor, out = w.values.tensor(x), w.result(0)
    normalized = [item["D"] for item in w.attribute("normalized_shape")]
    rank = len(tensor.dims)
    axes = list(range(rank - len(normalized), rank))
    wide = "0.t_f64" if tensor.element == "0.t_f64" else "0.t_f32"
    x = w.cast(x, wide)
    full = tensor.with_element(wide)
    kept = Tensor(wide, (*tensor.dims[: axes[0]], *(1 for _ in axes)))
    squares = w.emit("multiply", [x, x], full)
    mean = w.emit("mean", [squares, w.integers(axes)], kept, [("keepdim", *_TRUE)])
    shifted = w.emit(
        "scale",
        [mean, w.constant(1, kept)],
        kept,
        [("bias", "0.a_f32", float(w.attribute("epsilon"))), ("bias_after_scale", *_TRUE)],
    )
    inverse = w.emit("rsqrt", [shifted], kept)
    # Zeros keep the dimensions that were not reduced.
    narrow = w.cast(inverse, w.result(1).element)
    w.emit("reshape", [narrow, w.integers([0] * axes[0])], w.result(1), into=1)
    normal = w.emit("multiply", [x, inverse], full)
    if scale:
        if len(w.values.tensor(scale).dims) != len(normalized):
            scale = w.emit(
                "reshape",
                [scale, w.integers(normalized)],
                Tensor(w.values.tensor(scale).element, tuple(normalized)),
            )
        normal = w.emit("multiply", [normal, w.cast(scale, wide)], full)
    w.cast(normal, out.element, into=0)


def _rounded(w: Writer, to_even: bool) -> None:
    """``round``, whose halves go to even numbers, or away from zero (CL126); all of it is exact."""
    (x,) = w.operands
    tensor = w.values.tensor(x)
    if not tensor.floating:
        w.keep("round")
        return
    decimals = int(w.attribute("decimals"))
    power = w.filled_like(x, 10.0 ** abs(decimals)) if decimals else x
    if decimals:
        x = w.emit("multiply" if decimals > 0 else "divide", [x, power], tensor)
    half = w.filled_like(x, 0.5)
    whole = [("decimals", "0.a_i32", 0)]
    # Nothing here computes in its operand's memory (CL232).
    here = w.emit("round", [x], tensor, whole)
    size = w.emit("abs", [w.emit("subtract", [x, here], tensor)], tensor)
    is_half = w.emit("equal", [size, half], tensor.with_element(BOOL))
    if to_even:
        # Of n + 1/2 the half is no half: it is rounded alike everywhere.
        smaller = w.emit("round", [w.emit("multiply", [x, half], tensor)], tensor, whole)
        chosen = w.emit("add", [smaller, smaller], tensor)
    else:
        outwards = w.emit("multiply", [w.emit("sign", [x], tensor), half], tensor)
        chosen = w.emit("add", [x, outwards], tensor)
    parts = [is_half, chosen, here]
    rounded = w.emit("where", parts, tensor, into=None if decimals else 0)
    if decimals:
        w.emit("divide" if decimals > 0 else "multiply", [rounded, power], tensor, into=0)


def _traced(w: Writer, first_is_rows: bool) -> None:
    """``trace``, its axes in their order, which every release reads alike (CL130)."""
    (x,) = w.operands
    first, second = int(w.attribute("axis1")), int(w.attribute("axis2"))
    told = {}
    if (first < 0) == (second < 0):
        is_turned = first > second
    else:
        rank = len(w.values.tensor(x).dims)
        is_turned = first % rank > second % rank
    if is_turned:
        told = {"axis1": second, "axis2": first}
        if first_is_rows:
            told["offset"] = -int(w.attribute("offset"))
    changed = [
        {**one, "AT": {**one["AT"], "D": told.get(one["N"], one["AT"].get("D"))}}
        for one in w.original["A"]
    ]
    w.keep("trace", A=changed)


def _of_several(w: Writer) -> None:
    """``broadcast_tensors``, which 3.0 has for two tensors at least."""
    (result,) = w.original["O"]
    types = result["TT"]["D"]
    if len(types) != 1:
        w.keep("broadcast_tensors")
        return
    tensor = Tensor(types[0]["D"][0]["#"], tuple(types[0]["D"][1]))
    value = w.values.new(tensor)
    w.operators.append({**w.original, "#": "0.split", "O": [{"%": value, "TT": types[0]}]})
    copy = w.emit("assign", [value], tensor)
    w.operators.append({**w.original, "#": "0.combine", "I": [{"%": copy}]})


def _nextafter(w: Writer) -> None:
    """3.0 wants operands of one shape."""
    out = w.result(0)
    if all(w.values.tensor(item).dims == out.dims for item in w.operands):
        w.keep("nextafter")
    else:
        w.emit("nextafter", _broadcast(w, out, *w.operands), out, into=0)


def _exchanged(w: Writer) -> None:
    """``equal_all``, whose first operand has to have as many axes as the second before 3.3."""
    x, y = w.operands
    if len(w.values.tensor(x).dims) < len(w.values.tensor(y).dims):
        x, y = y, x
    w.keep("equal_all", I=[{"%": one} for one in (x, y)])


def _stepped(w: Writer, right: bool) -> None:
    """``heaviside``, whose operands 3.0 exchanges where the first has fewer axes (CL143)."""
    x, y = w.operands
    tensor = w.values.tensor(x)
    lacking = len(w.values.tensor(y).dims) - len(tensor.dims)
    if lacking <= 0:
        w.keep("heaviside")
        return
    if not right:
        w.keep("heaviside", I=[{"%": one} for one in (y, x)])
        return
    w.keep("heaviside", I=[{"%": one} for one in (w.with_axes_in_front(x, lacking), y)])


def _equality(w: Writer, right: bool) -> None:
    """``equal`` and ``not_equal``: for 3.0, floats are where less than 1e-8 lies between them."""
    x, y = w.operands
    elements = {one.element if one else "" for one in map(w.values.common, (x, y))}
    if len(elements) > 1 or not elements <= _COMPARED:
        _kept(w)
        return
    flags = w.result(0)
    if right:
        sides = [w.emit("less_equal", two, flags) for two in ([x, y], [y, x])]
        joined = "logical_and"
    else:
        # In float64, and without abs, none of it is for oneDNN, which the plan has not asked.
        between = w.emit(
            "subtract",
            [w.cast(x, "0.t_f64"), w.cast(y, "0.t_f64")],
            flags.with_element("0.t_f64"),
        )
        above = w.emit("greater_than", [between, w.filled_like(between, -NEAR)], flags)
        below = w.emit("less_than", [between, w.filled_like(between, NEAR)], flags)
        near = w.emit("logical_and", [above, below], flags)
        sides = [w.emit("equal", [x, y], flags), near]  # of what is endless, too
        joined = "logical_or"
    if w.name.startswith("not_"):
        w.emit("logical_not", [w.emit(joined, sides, flags)], flags, into=0)
    else:
        w.emit(joined, sides, flags, into=0)


def _digamma(w: Writer, right: bool) -> None:
    """``digamma``, which of zero is NaN in 3.0 and endless since (CL143)."""
    (x,) = w.operands
    tensor = w.values.tensor(x)
    nothing = w.filled_like(x, 0)
    zero = w.emit("equal", [x, nothing], tensor.with_element(BOOL))
    # Not x by x: 3.3 divides in the memory of x, which is read again (CL232).
    divided = [w.filled_like(x, -1), x] if right else [nothing, nothing]
    other = w.emit("divide", divided, tensor)
    plain = w.emit("digamma", [x], tensor)
    w.emit("where", [zero, other, plain], tensor, into=0)


def _counted(w: Writer, long: bool) -> None:
    """``matrix_rank``: of int32 up to 3.0 and of int64 since, whatever a file says (CL143)."""
    declared, (result, *rest) = w.result(0), w.original["O"]
    found, wanted = (INT32, INT64) if long else (INT64, INT32)
    own = declared.with_element(found)
    count = w.values.new(own)
    w.keep(w.name, O=[{**result, "%": count, "TT": own.as_json()}, *rest])
    w.cast(count, wanted, into=0)


_ROUNDED = frozenset({"pd_op.ceil", "pd_op.floor", "pd_op.round"})
_WIDE = {True: "0.t_f32", False: INT32}
_OF_EVERY_KERNEL = frozenset({"0.t_f32", "0.t_f64", INT32, "0.t_i64", BOOL})


def _widened(w: Writer, lacking: Collection[str], otherwise: Callable[[Writer], None]) -> None:
    """In a type that every release has a kernel for, where it is of one that is ``lacking``: all
    of it is exact, as sums of bytes begin anew in both."""
    tensor = w.values.common(w.operands[0])
    if tensor is None or tensor.data_type not in lacking:
        otherwise(w)
        return
    name = _base(f"pd_op.{w.name}")
    if not tensor.floating and name in _ROUNDED:
        if name == "pd_op.round" and w.attribute("decimals") < 0:
            raise NotExpressibleError("whole numbers are rounded to tens")
        w.emit("assign", [w.operands[0]], w.result(0), into=0)
        return
    wide = _WIDE[tensor.floating]
    operands = [
        w.cast(one, wide) if one and w.values.tensor(one).element == tensor.element else one
        for one in w.operands
    ]
    _narrowed(w, tensor, wide, I=[{"%": one} for one in operands])


def _filled_like(w: Writer, lacking: Collection[str]) -> None:
    out = w.values.common(w.original["O"][0]["%"])
    if out is None or out.data_type not in lacking:
        w.keep("full_like")
        return
    told = out.with_element(_WIDE[False])
    changed = [
        {**one, "AT": {**one["AT"], "D": told.data_type}} if one["N"] == "dtype" else one
        for one in w.original["A"]
    ]
    _narrowed(w, out, told.element, A=changed)


def _narrowed(w: Writer, narrow: Tensor, wide: str, **changes: Any) -> None:
    """The operator with results in ``wide`` where they are as ``narrow``, and casts of those."""
    results, computed = [], []
    for index, one in enumerate(w.original["O"]):
        if w.result(index).element == narrow.element:
            tensor = w.result(index).with_element(wide)
            computed.append((index, w.values.new(tensor)))
            one = {"%": computed[-1][1], "TT": tensor.as_json()}
        results.append(one)
    _kept(w, O=results, **changes)
    for index, value in computed:
        w.cast(value, narrow.element, into=index)


def _kept(w: Writer, **changes: Any) -> None:
    w.keep(_base(f"pd_op.{w.name}").partition(".")[2], **changes)


def _replaced(written: int, number: int) -> Mapping[str, Callable[[Writer], None]]:
    """What stands in for operators that files of version ``number`` have, and that are something
    else there, or have no kernel."""
    changed = dict(_computed_otherwise(written, number))
    if number < _OF_ANY_RANK <= written:
        changed["pd_op.equal_all"] = _exchanged
    for came, kernels in WIDENED.items():
        if not number < came <= written:
            continue
        for plain, lacking in kernels.items():
            if plain == "pd_op.full_like":
                changed[plain] = partial(_filled_like, lacking=lacking)
                continue
            for name in (plain, f"{plain}_"):
                otherwise = changed.get(name, _kept)
                changed[name] = partial(_widened, lacking=lacking, otherwise=otherwise)
    return changed


def _computed_otherwise(written: int, number: int) -> Mapping[str, Callable[[Writer], None]]:
    """What stands in for operators that mean something else in files of version ``number``."""
    if (written <= AWAY_FROM_ZERO) == (number <= AWAY_FROM_ZERO):
        return {}
    newer = written > AWAY_FROM_ZERO
    narrower = {"pd_op.broadcast_tensors": _of_several, "pd_op.nextafter": _nextafter}
    return {
        **(narrower if newer else {}),
        **dict.fromkeys(ROUNDINGS, partial(_rounded, to_even=newer)),
        "pd_op.trace": partial(_traced, first_is_rows=newer),
        **dict.fromkeys(("pd_op.digamma", "pd_op.digamma_"), partial(_digamma, right=newer)),
        **dict.fromkeys((f"pd_op.{name}" for name in RANK), partial(_counted, long=newer)),
        "pd_op.heaviside": partial(_stepped, right=newer),
        **dict.fromkeys((f"pd_op.{name}" for name in EQUALITIES), partial(_equality, right=newer)),
    }


REPLACEMENTS: Mapping[str, Callable[[Writer], None]] = {
    "pd_op.masked_fill": _masked_fill,  # since 3.1.0
    "pd_op.median": _median,  # since 3.2.0
    "pd_op.trunc_divide": _trunc_divide,  # since 3.3.0
    "pd_op.slogdet_v2": _slogdet_pair,  # since 3.3.0
    "pd_op.linear_v2": _linear,  # since 3.3.1
    "pd_op.rms_norm": _rms_norm,  # since 3.3.1 in this form
}
