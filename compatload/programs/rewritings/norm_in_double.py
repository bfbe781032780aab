"""A norm computes in float64, with all that it reads and yields (CL627)."""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from compatload.programs.pir_graph import FLOAT64, Writer
from compatload.runtime.release import release_of

_BYTES_SINCE = Version("3.1")


def pir(writer: Writer) -> None:
    given = [
        writer.cast(value, FLOAT64) if _is_floating(writer, value) else value
        for value in writer.operands
    ]
    wide: dict[int, Any] = {}
    kept_for_training = _has_bytes(writer)
    for index, kept in enumerate(writer.original["O"]):
        # Bytes that a batch norm keeps for training get no memory as they are.
        tensor = writer.values.common(kept["%"])
        if tensor is not None and (tensor.floating or not kept_for_training):
            computed = writer.result(index).with_element(FLOAT64)
            wide[index] = {"%": writer.values.new(computed), "TT": computed.as_json()}
    results = [wide.get(index, kept) for index, kept in enumerate(writer.original["O"])]
    writer.keep(writer.name, I=[{"%": one} for one in given], O=results)
    for index, result in wide.items():
        writer.cast(result["%"], writer.result(index).element, into=index)


def _has_bytes(writer: Writer) -> bool:
    """Whether it is a batch norm that takes statistics of its own, which gives those bytes memory;
    3.0 gives them the type of the numbers."""
    told = {one["N"]: one["AT"]["D"] for one in writer.original["A"]}
    measures = not told.get("is_test", True) or bool(told.get("trainable_statistics"))
    return measures and bool(writer.target) and release_of(writer.target) >= _BYTES_SINCE


def _is_floating(writer: Writer, value: int) -> bool:
    """Not what is absent, as a scale or a bias may be."""
    tensor = writer.values.common(value)
    return tensor is not None and tensor.floating
