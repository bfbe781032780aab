"""Messages between the nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    OperatorRule,
    Special,
    apply,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import cast, given

_SIZE = {"Out_size": Folded("out_size", "Out_size")}


def _of_one_kind(known: OperatorRule, source: int) -> Special:
    """2.6 reads both lists of nodes in one type: operand ``source`` and the next."""

    @special(None, operands=len(known.inputs))
    def emit(operation: Operation, out: Emitter) -> None:
        first, second = given(operation, source), given(operation, source + 1)
        names = (cast(out, out.name(second), second.type, first.type.dtype),)
        apply(known, operation, out, {source + 1: names})

    return emit


RULES: Mapping[str, Conversion] = {
    "send_u_recv": _of_one_kind(
        rule("graph_send_recv", "X Src_index Dst_index Out_size", "Out Dst_count", folded=_SIZE), 1
    ),
    "send_ue_recv": _of_one_kind(
        rule(
            "graph_send_ue_recv", "X Y Src_index Dst_index Out_size", "Out Dst_count", folded=_SIZE
        ),
        2,
    ),
    "reindex_graph": rule(
        "graph_reindex",
        "X Neighbors Count HashTable_Value HashTable_Index",
        "Reindex_Src Reindex_Dst Out_Nodes",
    ),
    "send_uv": _of_one_kind(rule("graph_send_uv", "x y src_index dst_index", "out"), 2),
}
