"""An operator computes of one row more, which is taken off behind it (CL137)."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl137_found_no_rows import ELEMENTWISE
from compatload.programs.emptied_results import cut, held, padded
from compatload.programs.pir_graph import NotExpressibleError, Tensor, Writer

_UNKNOWN = -1
# What they keep for their gradients has no rows, or no memory.
_OF_ONE_RESULT = ("batch_norm", "eigvalsh")


def pir(writer: Writer) -> None:
    """Operands and results have the row where their first axis has no size that is known, and
    those of what is computed element by element a place more along each such axis. The numbers
    there are those of zeros, and nobody reads them."""
    each = writer.name.removesuffix("_") in ELEMENTWISE
    operands = [_with_rows(writer, one, each) for one in writer.operands]
    results: list[dict[str, Any]] = [*writer.original["O"]]
    longer: list[tuple[int, int, tuple[int, ...], Tensor]] = []
    read = results[:1] if writer.name.startswith(_OF_ONE_RESULT) else results
    for place, result in enumerate(read):
        tensor = writer.values.common(result["%"])
        axes = _axes(tensor, each) if tensor else ()
        if tensor is not None and axes and held(tensor) is not None:
            results[place] = {"%": writer.values.new(tensor), "TT": tensor.as_json()}
            longer.append((place, results[place]["%"], axes, tensor))
    writer.keep(writer.name, I=[{"%": one} for one in operands], O=results)
    for place, value, axes, tensor in longer:
        # oneDNN of 3.x cuts no float32 to nothing.
        wide = writer.cast(value, str(held(tensor))) if writer.target[:1] != "2" else value
        cut(writer, wide, axes, tensor, into=place)


def _axes(tensor: Tensor, each: bool) -> tuple[int, ...]:
    unknown = (axis for axis, size in enumerate(tensor.dims) if size == _UNKNOWN)
    return tuple(axis for axis in unknown if each or axis == 0)


def _with_rows(writer: Writer, value: int, each: bool) -> int:
    """The value, or a list of values, with its row."""
    if not writer.values.is_list(value):
        return _with_row(writer, value, each)
    parts = writer.taken_apart(value, writer.values.tensors(value))
    return writer.joined([_with_row(writer, one, each) for one in parts])


def _with_row(writer: Writer, value: int, each: bool) -> int:
    tensor = writer.values.common(value)
    axes = _axes(tensor, each) if tensor else ()
    if tensor is None or not axes:
        return value
    if held(tensor) is None:
        raise NotExpressibleError(f"a tensor of {tensor.element} cannot be padded")
    return writer.cast(padded(writer, value, axes), tensor.element)
