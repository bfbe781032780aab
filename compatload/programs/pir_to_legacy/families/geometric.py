"""Messages between the nodes of a graph."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.rules import Conversion, Folded, rule

_SIZE = {"Out_size": Folded("out_size", "Out_size")}

RULES: Mapping[str, Conversion] = {
    "send_u_recv": rule(
        "graph_send_recv", "X Src_index Dst_index Out_size", "Out Dst_count", folded=_SIZE
    ),
    "send_ue_recv": rule(
        "graph_send_ue_recv", "X Y Src_index Dst_index Out_size", "Out Dst_count", folded=_SIZE
    ),
    "send_uv": rule("graph_send_uv", "x y src_index dst_index", "out"),
}
