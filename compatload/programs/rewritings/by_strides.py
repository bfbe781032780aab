"""A slice is taken by steps of 1, of which oneDNN knows nothing (CL610)."""

from __future__ import annotations

from compatload.programs.pir_graph import Tensor, Writer


def pir(writer: Writer) -> None:
    """The axes that the slice drops are squeezed afterwards: a strided slice keeps them all."""
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
    whole = writer.emit("strided_slice", operands, Tensor(result.element, tuple(dims)), told)
    writer.emit("squeeze", [whole, writer.integers(sorted(dropped))], result, into=0)
