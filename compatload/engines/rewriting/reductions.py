"""Reductions, normalisations, products of matrices, orders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from compatload.engines.rewriting.builder import Builder, Form, Size, UnsuitableError, rewrite
from compatload.programs.legacy_repairs.program import BOOL, INT32, INT64, arguments


def _axes(b: Builder, name: str, all_: str = "reduce_all") -> tuple[int, ...]:
    """Empty for all axes."""
    return () if b.attribute(all_, False) else tuple(b.attribute(name, (0,)))


def _log_sum_exp(b: Builder) -> str:
    x, axes = b.given(), _axes(b, "axis")
    keep = b.attribute("keepdim", False)
    largest = b.reduce("max", x, axes, keep=True)
    sum_ = b.reduce("sum", b.same("exp", b.subtract(x, largest)), axes, keep)
    return b.add(b.same("log", sum_), b.reduce("max", x, axes, keep))


def _log_softmax(b: Builder) -> str:
    x = b.given()
    axes = (b.attribute("axis", -1),)
    rest = b.subtract(x, b.reduce("max", x, axes, keep=True))
    sum_ = b.reduce("sum", b.same("exp", rest), axes, keep=True)
    return b.subtract(rest, b.same("log", sum_))


def _root_of_squares(b: Builder, x: str, axes: Sequence[int], keep: bool) -> str:
    return b.same("sqrt", b.reduce("sum", b.multiply(x, x), axes, keep))


def _frobenius(b: Builder) -> str:
    return _root_of_squares(b, b.given(), _axes(b, "dim"), b.attribute("keep_dim", False))


def _extreme(kind: str) -> Form:
    return lambda b: b.reduce(kind, b.given(), _axes(b, "dim"), b.attribute("keep_dim", False))


def _sum(b: Builder) -> str:
    """The sum of truth values, which Paddle takes for numbers, or in a type of its own."""
    x = b.given()
    own, kind = b.type_of(x), b.attribute("out_dtype", -1)
    if own != BOOL and kind in (-1, own):
        raise UnsuitableError("it is right as it is")
    axes = _axes(b, "dim")
    summed = b.cast(x, INT64 if kind < 0 else kind)
    return b.reduce("sum", summed, axes, b.attribute("keep_dim", False))


def _distance(b: Builder) -> str:
    if b.attribute("p", 2.0) != 2.0:
        raise UnsuitableError("another norm")
    return _root_of_squares(b, b.subtract(b.given("X"), b.given("Y")), (), keep=False)


def _size(b: Builder) -> str:
    x = b.given("Input")
    shape = b.emit("shape", {"Input": x}, INT32, (len(b.dims(x)),))
    return b.cast(b.reduce("prod", shape, (0,), keep=False), INT64)


def _instance_norm(b: Builder) -> dict[str, str]:
    x = b.given()
    rank = len(b.dims(x))
    axes = tuple(range(2, rank))
    if not axes:
        raise UnsuitableError("no room")
    rest = b.subtract(x, b.reduce("mean", x, axes, keep=True))
    variance = b.reduce("mean", b.multiply(rest, rest), axes, keep=True)
    found = b.multiply(rest, b.same("rsqrt", b.scale(variance, 1, b.attribute("epsilon", 1e-5))))
    shape = [-1 if axis == 1 else 1 for axis in range(rank)]
    if b.has("Scale"):
        found = b.multiply(found, b.reshape(b.given("Scale"), shape))
    if b.has("Bias"):
        found = b.add(found, b.reshape(b.given("Bias"), shape))
    return {"Y": found}


def _matmul(b: Builder, x: str, y: str, dims: Sequence[int]) -> str:
    told = {"trans_x": False, "trans_y": False}
    return b.emit("matmul_v2", {"X": x, "Y": y}, b.type_of(x), dims, attributes=told)


def _addmm(b: Builder) -> str:
    x, y = b.given("X"), b.given("Y")
    product = _matmul(b, x, y, (b.dims(x)[0], b.dims(y)[1]))
    scaled = b.scale(product, b.attribute("Alpha", 1.0))
    return b.add(b.scale(b.given("Input"), b.attribute("Beta", 1.0)), scaled)


def _matrix_by_vector(b: Builder) -> str:
    x = b.given()
    column = b.unsqueeze(b.given("Vec"), (1,))
    return b.squeeze(_matmul(b, x, column, (b.dims(x)[0], 1)), (1,))


def _flat_product(b: Builder) -> str:
    """Of 1.x: the last axes of X are one, which meets the first of Y."""
    x, y, rows = b.given("X"), b.given("Y"), b.attribute("x_num_col_dims", 1)
    if len(b.dims(y)) != 2 or b.attribute("y_num_col_dims", 1) != 1:
        raise UnsuitableError("Y is no matrix")
    dims = b.dims(x)
    if len(dims) > rows + 1:
        told = {"start_axis": rows, "stop_axis": len(dims) - 1}
        dims = (*dims[:rows], b.dims(y)[0])
        x = b.emit("flatten_contiguous_range", {"X": x}, b.type_of(x), dims, attributes=told)
    return _matmul(b, x, y, (*dims[:-1], b.dims(y)[1]))


def _dot(b: Builder) -> str:
    product = b.multiply(b.given("X"), b.given("Y"))
    return b.reduce(
        "sum",
        product,
        (-1,),
        keep=len(b.program.shape(b.block, b.result()) or ()) > 0
        and len(b.dims(product)) == len(b.dims(b.result())),
    )


def _kron(b: Builder) -> str:
    x, y = b.given("X"), b.given("Y")
    rank = len(b.dims(x))
    if rank != len(b.dims(y)):
        raise UnsuitableError("other ranks")
    outer = b.multiply(
        b.unsqueeze(x, [2 * axis + 1 for axis in range(rank)]),
        b.unsqueeze(y, [2 * axis for axis in range(rank)]),
    )
    sizes = [b.times(b.length(x, axis), b.length(y, axis)) for axis in range(rank)]
    return b.reshape(outer, sizes)


def _bilinear(b: Builder) -> str:
    """x W y for each row and each matrix of W."""
    x, y, weight = b.given("X"), b.given("Y"), b.given("Weight")
    count, left = b.size(weight, 0), b.dims(x)[0]
    rows = b.unsqueeze(b.unsqueeze(x, (0,)), (2,))  # 1, n, 1, a
    matrices = b.unsqueeze(weight, (1,))  # count, 1, a, c
    middle = b.squeeze(_matmul(b, rows, matrices, (count, left, 1, b.dims(y)[1])), (2,))
    found = b.transpose(b.reduce("sum", b.multiply(middle, y), (2,), keep=False), (1, 0))
    return b.add(found, b.given("Bias")) if b.has("Bias") else found


def _top(b: Builder, x: str, axis: int, largest: bool) -> dict[str, str]:
    """All of an axis in order."""
    size = b.length(x, axis)
    named = {"X": x} if isinstance(size, int) else {"X": x, "K": size}
    told = {"axis": axis, "largest": largest, "sorted": True}
    told["k"] = size if isinstance(size, int) else 1
    dims = b.dims(x)
    return b.emit_pair(
        "top_k_v2", named, {"Out": (b.type_of(x), dims), "Indices": (INT64, dims)}, told
    )


def _argsort(b: Builder) -> dict[str, str]:
    x = b.given()
    return _top(b, x, b.axis(x, b.attribute("axis", -1)), b.attribute("descending", False))


def _kth_value(b: Builder) -> dict[str, str]:
    x = b.given()
    axis, k = b.axis(x, b.attribute("axis", -1)), b.attribute("k", 1)
    ordered = _top(b, x, axis, largest=False)
    found = {slot: b.slice(name, axis, k - 1, k) for slot, name in ordered.items()}
    if b.attribute("keepdim", False):
        return found
    return {slot: b.squeeze(name, (axis,)) for slot, name in found.items()}


def _arg_extreme(b: Builder) -> str:
    """Without its flaws: an axis counted from the end is refused, and keepdims is not followed."""
    x, keep = b.given(), b.attribute("keepdims", False)
    flat = b.attribute("flatten", False)
    if flat:
        if keep:
            raise UnsuitableError("keeps all axes")
        x, axis = b.reshape(x, [-1]), 0
    else:
        axis = b.axis(x, int(b.attribute("axis", -1)))
    kind = {2: INT32, 3: INT64, -1: INT64}[b.attribute("dtype", INT64)]
    told = {"keepdims": False, "flatten": False, "dtype": kind, "axis": ("LONG", axis)}
    left = [size for place, size in enumerate(b.dims(x)) if place != axis]
    found = b.emit(b.operator.type, {"X": x}, kind, left, attributes=told)
    return b.unsqueeze(found, (axis,)) if keep else found


def _needs_care(b: Builder) -> str:
    if b.attribute("axis", -1) >= 0 and not (
        b.attribute("keepdims", False) or b.attribute("flatten", False)
    ):
        raise UnsuitableError("it is right as it is")
    return _arg_extreme(b)


def _search(b: Builder) -> str:
    """How many of the ordered numbers lie below (or not above) each."""
    ordered, values = b.given("SortedSequence"), b.given("Values")
    rank = len(b.dims(ordered))
    if rank == 1:
        found = b.unsqueeze(values, (len(b.dims(values)),))
    else:
        ordered = b.unsqueeze(ordered, (rank - 1,))
        found = b.unsqueeze(values, (rank,))
    kind = "less_equal" if b.attribute("right", False) else "less_than"
    below = b.cast(b.compare(kind, ordered, found), INT32)
    count = b.reduce("sum", below, (-1,), keep=False)
    return count if b.attribute("out_int32", False) else b.cast(count, INT64)


def _einsum(b: Builder) -> str:
    """Of two operands, by one product of matrices."""
    operands = arguments(b.operator.inputs, "Operands")
    inputs, _, output = b.attribute("equation", "").replace(" ", "").partition("->")
    terms = inputs.split(",")
    if (
        len(operands) != 2
        or len(terms) != 2
        or "." in inputs
        or not _is_plain(terms[0], terms[1], output)
    ):
        raise UnsuitableError("another form")
    (x, y), (left, right) = operands, terms
    shared = [one for one in left if one in right]
    batch = [one for one in shared if one in output]
    contracted = [one for one in shared if one not in output]
    rows = [one for one in left if one not in right]
    columns = [one for one in right if one not in left]
    if not set(rows + columns) <= set(output):
        raise UnsuitableError("sums of one operand")
    sizes = {one: b.length(x, place) for place, one in enumerate(left)}
    sizes.update({one: b.length(y, place) for place, one in enumerate(right) if one in columns})

    def grouped(name: str, term: str, *groups: list[str]) -> str:
        turned = b.transpose(name, [term.index(one) for one in (*batch, *chain(*groups))])
        if all(len(group) == 1 for group in groups):
            return turned
        merged = []
        for group in groups:
            size: Size = 1
            for one in group:
                size = b.times(size, sizes[one])
            merged.append(size)
        return b.reshape(turned, [*(sizes[one] for one in batch), *merged])

    a, c = grouped(x, left, rows, contracted), grouped(y, right, contracted, columns)
    dims = (*b.dims(a)[:-1], b.dims(c)[-1])
    product = _matmul(b, a, c, dims)
    order = [*batch, *rows, *columns]
    if len(rows) != 1 or len(columns) != 1:
        product = b.reshape(product, [sizes[one] for one in order])
    return b.transpose(product, [order.index(one) for one in output])


def _is_plain(left: str, right: str, output: str) -> bool:
    return all(len(set(one)) == len(one) and one.isalpha() for one in (left, right)) and (
        len(set(output)) == len(output) and set(output) <= set(left + right)
    )


def _masked(b: Builder) -> dict[str, str]:
    mask, x = b.given("Mask"), b.given("X")
    if len(b.dims(mask)) != len(b.dims(x)):
        raise UnsuitableError("a mask of other axes")
    places = b.emit("where_index", {"Condition": mask}, INT64, (-1, len(b.dims(mask))))
    return {"Y": b.emit("gather_nd", {"X": x, "Index": places}, b.type_of(x), (-1,))}


def _sequence_mask(b: Builder) -> dict[str, str]:
    length, kind = b.attribute("maxlen", -1), b.attribute("out_dtype", INT64)
    if length < 0 or b.has("MaxLenTensor"):
        raise UnsuitableError("a length that is computed")
    x = b.given()
    places = b.whole_numbers(range(length), b.type_of(x))
    inside = b.compare("less_than", places, b.unsqueeze(x, (len(b.dims(x)),)))
    return {"Y": inside if kind == BOOL else b.cast(inside, kind)}


_FORMS: dict[str, Form] = {
    "addmm": _addmm,
    "arg_max": _needs_care,
    "arg_min": _needs_care,
    "argsort": _argsort,
    "bilinear_tensor_product": _bilinear,
    "dist": _distance,
    "dot": _dot,
    "einsum": _einsum,
    "frobenius_norm": _frobenius,
    "instance_norm": _instance_norm,
    "kron": _kron,
    "kthvalue": _kth_value,
    "log_softmax": _log_softmax,
    "logsumexp": _log_sum_exp,
    "masked_select": _masked,
    "mul": _flat_product,
    "mv": _matrix_by_vector,
    "reduce_amax": _extreme("max"),
    "reduce_amin": _extreme("min"),
    "reduce_sum": _sum,
    "searchsorted": _search,
    "sequence_mask": _sequence_mask,
    "size": _size,
}
REWRITES = {name: rewrite(form) for name, form in _FORMS.items()}
