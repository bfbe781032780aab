"""A slice is taken by steps of 1, of which oneDNN knows nothing (CL610)."""

from __future__ import annotations

from compatload.programs.pir_graph import INT32, INT64, Tensor, Writer


def pir(writer: Writer) -> None:
    """The axes that the slice drops are gathered away: a strided slice keeps them all, and oneDNN's
    squeeze refuses what has no elements. It knows no gather."""
    axes, dropped = (
        [one["D"] for one in writer.attribute(name)] for name in ("axes", "decrease_axis")
    )
    operands = [*writer.operands, writer.integers([1] * len(axes))]
    told = [("axes", "0.a_array", [{"#": "0.a_i32", "D": axis} for axis in axes])]
    result = writer.result(0)
    if not dropped:
        writer.emit("strided_slice", operands, result, told, into=0)
        return
    dims = list(result.dims)
    for axis in sorted(dropped):
        dims.insert(axis, 1)
    kept = writer.emit("strided_slice", operands, Tensor(result.element, tuple(dims)), told)
    first = writer.constant(0, Tensor(INT64, ()), ())
    for axis in sorted(dropped, reverse=True):
        del dims[axis]
        less = Tensor(result.element, tuple(dims))
        along = writer.constant(axis, Tensor(INT32, (1,)))
        into = 0 if axis == min(dropped) else None
        kept = writer.emit("gather", [kept, first, along], less, into=into)
